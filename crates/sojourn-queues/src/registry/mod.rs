//! The lists of queues. Lists, documentation, the JSON Schema, Python constructors, conformance tests and benchmarks derive from them.
//!
//! The type of an entry is [`QueueEntry`](crate::queue::entry::QueueEntry).

mod complain;
mod policies;
mod queues;

pub use complain::or_complain;
pub use policies::POLICIES;
pub use queues::{DISCIPLINES, QUEUES, queue, queue_or_complain};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Kind;

    #[test]
    fn every_policy_has_a_limit() {
        for entry in POLICIES {
            let limit = entry.params.iter().find(|param| param.name == "limit");
            assert!(limit.is_some_and(|param| param.kind == Kind::Size && !param.auto), "{}", entry.name);
        }
    }
}
