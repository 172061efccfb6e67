//! Everything that scenario files can name: queues, transports, congestion controls and applications.
//!
//! Lists, documentation, the JSON Schema, Python constructors, conformance tests and benchmarks derive from these lists.
//! The types of entries are in the modules of the things that they describe: [`QueueEntry`](crate::queue::entry::QueueEntry),
//! [`TransportEntry`](crate::transport::entry::TransportEntry), [`AppEntry`](crate::traffic::entry::AppEntry).

mod known;

pub use known::Registry;
pub use sojourn_queues::registry::{DISCIPLINES, POLICIES, QUEUES, or_complain, queue, queue_or_complain};
pub use sojourn_senders::registry::{
    APPS, CONTROLS, TRANSPORTS, app, app_or_complain, control, control_or_complain, transport, transport_or_complain,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_the_same_wherever_it_is_included() {
        let groups = Registry::default().groups();

        assert!(groups.len() > 2);
        for group in QUEUES.iter().flat_map(|entry| entry.params).filter_map(|param| param.group) {
            assert!(groups.contains(&group), "{}", group.name);
        }
    }
}
