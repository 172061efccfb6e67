//! Numbers for the flows of a file.

use sojourn::packet::FlowId;
use std::collections::HashMap;

/// Gives flows their numbers in order of first appearance.
pub struct Flows<K> {
    numbers: HashMap<K, FlowId>,
    pub names: Vec<String>,
}

impl<K: std::hash::Hash + Eq> Flows<K> {
    pub fn new() -> Self {
        Flows { numbers: HashMap::new(), names: Vec::new() }
    }

    pub fn number(&mut self, key: K, name: impl FnOnce(&K) -> String) -> FlowId {
        let next = FlowId(u32::try_from(self.names.len()).expect("fewer than 2^32 packets fit in memory"));
        *self.numbers.entry(key).or_insert_with_key(|key| {
            self.names.push(name(key));
            next
        })
    }
}
