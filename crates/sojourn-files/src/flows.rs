//! Numbers for the flows of a file.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use sojourn_sim::packet::FlowId;
use sojourn_sim::queue::{FlowHosts, Hosts};

use crate::trace::Trace;

/// Gives flows their numbers in order of first appearance.
pub struct Flows<K> {
    numbers: HashMap<K, FlowId>,
    names: Vec<String>,
    hosts: Vec<Hosts>,
}

impl<K: std::hash::Hash + Eq> Flows<K> {
    pub fn new() -> Self {
        Flows { numbers: HashMap::new(), names: Vec::new(), hosts: Vec::new() }
    }

    /// The number of a flow. Of a new one, `about` says the name and the hosts.
    pub fn number(&mut self, key: K, about: impl FnOnce(&K) -> (String, Hosts)) -> FlowId {
        let next = FlowId(u32::try_from(self.names.len()).expect("fewer than 2^32 packets fit in memory"));
        match self.numbers.entry(key) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let (name, hosts) = about(new.key());
                self.names.push(name);
                self.hosts.push(hosts);
                *new.insert(next)
            }
        }
    }

    /// The hosts of a flow that was numbered.
    pub fn hosts(&self, flow: FlowId) -> Hosts {
        self.hosts[flow.0 as usize]
    }

    /// Gives the trace the names of the flows, and their hosts if the file says them.
    pub fn describe(self, trace: &mut Trace, are_hosts_known: bool) {
        trace.flows = self.names;
        if are_hosts_known {
            trace.hosts = FlowHosts::new((0..).map(FlowId).zip(self.hosts));
        }
    }
}
