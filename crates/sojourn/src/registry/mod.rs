//! Everything that scenario files can name: queues, transports, congestion controls and applications.
//!
//! Lists, documentation, the JSON Schema, Python constructors, conformance tests and benchmarks derive from these lists.
//! The types of entries are in the modules of the things that they describe: [`QueueEntry`](crate::queue::entry::QueueEntry),
//! [`TransportEntry`](crate::transport::entry::TransportEntry), [`AppEntry`](crate::traffic::entry::AppEntry).

mod apps;
mod complain;
mod known;
mod policies;
mod queues;
mod transports;

pub use apps::{APPS, app, app_or_complain};
pub use known::Registry;
pub use policies::POLICIES;
pub use queues::{DISCIPLINES, QUEUES, queue, queue_or_complain};
pub use transports::{CONTROLS, TRANSPORTS, control, control_or_complain, transport, transport_or_complain};

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

    #[test]
    fn a_group_is_the_same_wherever_it_is_included() {
        let groups = Registry::default().groups();

        assert!(groups.len() > 2);
        for group in QUEUES.iter().flat_map(|entry| entry.params).filter_map(|param| param.group) {
            assert!(groups.contains(&group), "{}", group.name);
        }
    }
}
