//! The packets that the scenario asks to be kept whole.

use super::links::Link;
use super::state::Simulation;
use crate::metrics::capture::Captures;

impl Simulation {
    /// Takes out the packets that were kept up to now: those of the observed links, if the scenario records `pcap`.
    pub fn take_captures(&mut self) -> Captures {
        let mut links = Vec::new();
        for (number, observed) in &self.settings.observed {
            if let Link::Queue(queue) = &mut self.links[*number as usize]
                && let Some(capture) = queue.take_capture()
            {
                links.push(capture.finish(observed.name.clone(), observed.rate));
            }
        }
        let flows = if links.is_empty() { Vec::new() } else { self.flow_names() };
        let (hosts, nodes) = self.settings.nodes.clone();
        Captures { links, flows, hosts, nodes }
    }

    /// The name of each flow: its group and its number in it.
    fn flow_names(&self) -> Vec<String> {
        let mut numbers = vec![0; self.settings.group_names.len()];
        let name = |group: u32| {
            let number = numbers[group as usize];
            numbers[group as usize] += 1;
            format!("{}/{number}", self.settings.group_names[group as usize])
        };
        self.flow_records.iter().map(|record| record.group).map(name).collect()
    }
}
