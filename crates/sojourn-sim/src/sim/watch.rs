//! The view of a running simulation. Looking changes no result.

use super::links::Link;
use super::state::{RECEIVER, SENDER, Simulation};
use crate::queue::{Backlog, QueueDiscipline};

/// The counts of an observed link since the start, the warm-up included.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSoFar {
    /// Its name in the tables.
    pub name: String,
    /// The present backlog.
    pub backlog: Backlog,
    /// Packets dropped.
    pub drops: u64,
    /// Packets marked.
    pub marks: u64,
    /// The probes of the queue's algorithm, by name.
    pub probes: Vec<(&'static str, f64)>,
}

/// The counts of a group of flows since the start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupSoFar {
    /// Its name.
    pub name: String,
    /// Bytes on the wire that arrived.
    pub bytes_received: u64,
    /// Packets that arrived.
    pub packets_received: u64,
    /// Sum over them of one-way delay in seconds.
    pub one_way_delay_sum: f64,
    /// Round-trip time samples taken.
    pub rtt_samples: u64,
    /// Their sum in seconds.
    pub rtt_sum: f64,
}

impl Simulation {
    /// One entry for each observed link, in the order of the table `queue`.
    pub fn links_so_far(&mut self) -> Vec<LinkSoFar> {
        let now = self.now;
        self.each_recorder(now, |_, _| {});
        let inside = |link: &Link| match link {
            Link::Buffer(fifo) => (fifo.backlog(&self.fifo_links), Vec::new()),
            Link::Queue(queue) => (queue.discipline().backlog(), probes(queue.discipline())),
        };
        let observed = self.settings.observed.keys().map(|&number| inside(&self.links[number as usize]));
        self.observed()
            .into_iter()
            .zip(observed)
            .map(|((name, _, queue), (backlog, probes))| {
                let (drops, marks) = queue.signals_so_far();
                LinkSoFar { name, backlog, drops, marks, probes }
            })
            .collect()
    }

    /// One entry for each group of flows.
    pub fn groups_so_far(&self) -> Vec<GroupSoFar> {
        let named = |name: &String| GroupSoFar { name: name.clone(), ..GroupSoFar::default() };
        let mut groups: Vec<_> = self.settings.group_names.iter().map(named).collect();
        for (flow, record) in self.flows.iter().zip(&self.flow_records) {
            let (sent, received) = (flow.ends[SENDER].counters(), flow.ends[RECEIVER].counters());
            let group = &mut groups[record.group as usize];
            group.bytes_received += received.bytes_received;
            group.packets_received += received.packets_received;
            group.one_way_delay_sum += received.one_way_delay_sum;
            group.rtt_samples += sent.rtt_samples;
            group.rtt_sum += sent.rtt_sum;
        }
        groups
    }

    /// Congestion windows in segments, flow by flow; NaN for flows without one.
    pub fn windows_now(&self) -> Vec<f64> {
        let window = |window: crate::transport::WindowState| window.cwnd / window.segment as f64;
        self.flows.iter().map(|flow| flow.ends[SENDER].window().map_or(f64::NAN, window)).collect()
    }
}

fn probes(discipline: &dyn QueueDiscipline) -> Vec<(&'static str, f64)> {
    discipline.probes().iter().enumerate().map(|(probe, name)| (*name, discipline.probe(probe))).collect()
}
