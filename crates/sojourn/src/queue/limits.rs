//! How much waits, how much may, and what a queue knows of its link.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::packet::{FlowId, Packet};
use crate::params::{Args, MEAN_PACKET, Value};
use crate::units::{Bytes, Duration, Rate, Size};

/// How much waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Packets waiting, without the one in transmission.
    pub packets: u64,
    /// Their bytes, headers included.
    pub bytes: u64,
}

/// The most that a buffer may hold; both bounds hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Packets waiting.
    pub packets: u64,
    /// Bytes waiting.
    pub bytes: u64,
}

impl Limit {
    /// No bound.
    pub const NONE: Limit = Limit { packets: u64::MAX, bytes: u64::MAX };

    /// A bound in packets.
    pub const fn packets(packets: u64) -> Self {
        Limit { packets, bytes: u64::MAX }
    }

    /// From the text of the user: packets bound packets, everything else bounds bytes. At least one
    /// packet or one mean packet, so that a queue can hold something.
    pub fn from_size(size: Size, link: &LinkContext) -> Self {
        match size {
            Size::Packets(n) => Limit::packets((n as u64).max(1)),
            other => Limit { packets: u64::MAX, bytes: (link.bytes(other) as u64).max(link.mean_packet.0) },
        }
    }

    /// Whether `packet` may join `backlog`.
    pub fn admits(self, backlog: Backlog, packet: &Packet) -> bool {
        backlog.packets < self.packets && backlog.bytes.saturating_add(u64::from(packet.size)) <= self.bytes
    }
}

/// The flow groups of a scenario: their names, and the numbers of their flows. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowGroups(Arc<[(String, Range<u32>)]>);

impl FlowGroups {
    /// Groups with their numbers of flows. The flows are numbered from 0 on in this order.
    pub fn new(groups: impl IntoIterator<Item = (String, usize)>) -> Self {
        let mut first = 0;
        let numbered = groups.into_iter().map(|(name, count)| {
            let flows = first..first + count as u32;
            first = flows.end;
            (name, flows)
        });
        FlowGroups(numbered.collect())
    }

    /// The flows of a group.
    pub fn get(&self, name: &str) -> Option<Range<u32>> {
        self.0.iter().find(|(group, _)| group == name).map(|(_, flows)| flows.clone())
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

/// The hosts between which flows run, by numbers. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowHosts(Arc<[(FlowId, Hosts)]>);

/// Where the data of a flow come from and where they go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hosts {
    /// The host that sends.
    pub source: u32,
    /// The host that receives.
    pub target: u32,
}

impl FlowHosts {
    /// The hosts of all flows from one of these numbers on, up to the next; in ascending order.
    pub fn new(from: impl IntoIterator<Item = (FlowId, Hosts)>) -> Self {
        let mut runs: Vec<(FlowId, Hosts)> = Vec::new();
        for (flow, hosts) in from {
            debug_assert!(runs.last().is_none_or(|(last, _)| *last < flow), "flows in ascending order");
            if runs.last().is_none_or(|(_, before)| *before != hosts) {
                runs.push((flow, hosts));
            }
        }
        FlowHosts(runs.into())
    }

    /// Those of this flow. Where nothing is known, each flow has two of its own.
    pub fn get(&self, flow: FlowId) -> Hosts {
        let after = self.0.partition_point(|(first, _)| *first <= flow);
        let own = Hosts { source: flow.0.wrapping_mul(2), target: flow.0.wrapping_mul(2).wrapping_add(1) };
        after.checked_sub(1).map_or(own, |run| self.0[run].1)
    }
}

/// The properties of a link that its queue may know. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkContext {
    /// Rate of the link.
    pub rate: Rate,
    /// Round-trip time without queues of the flows through it (their mean), for `"2BDP"` and laws
    /// that need one.
    pub base_rtt: Duration,
    /// Mean packet size, where a law needs one (ns-2's `mean_pktsize_`).
    pub mean_packet: Bytes,
    /// Flows that cross the queue, where a law needs their number.
    pub flows: u64,
    /// The flow groups of the scenario, where classes go by their names; none where there is no scenario.
    pub groups: FlowGroups,
    /// The hosts of each flow, where a scenario has nodes that several flows share.
    pub hosts: FlowHosts,
}

impl LinkContext {
    /// As a queue with these parameters sees it: its own mean packet comes before the link's.
    pub fn seen_with<'a>(&'a self, args: &Args) -> Cow<'a, LinkContext> {
        match args.get(MEAN_PACKET) {
            Some(Value::Bytes(bytes)) => Cow::Owned(LinkContext { mean_packet: Bytes(bytes), ..self.clone() }),
            _ => Cow::Borrowed(self),
        }
    }

    /// An amount of queue in packets.
    pub fn packets(&self, size: Size) -> f64 {
        size.packets(self.rate, self.base_rtt, self.mean_packet)
    }

    /// An amount of queue in bytes.
    pub fn bytes(&self, size: Size) -> f64 {
        size.bytes(self.rate, self.base_rtt, self.mean_packet)
    }

    /// Link rate in mean packets per second (the literature's C).
    pub fn packets_per_sec(&self) -> f64 {
        self.rate.packets_per_sec(self.mean_packet)
    }
}

impl Default for LinkContext {
    /// 10 Mbit/s, 100 ms, 1000-byte packets, 10 flows: what tests and `explain` use.
    fn default() -> Self {
        LinkContext {
            rate: Rate::from_bps(10_000_000),
            base_rtt: Duration::from_millis(100),
            mean_packet: Bytes(1000),
            flows: 10,
            groups: FlowGroups::default(),
            hosts: FlowHosts::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_have_the_hosts_of_their_run_or_two_of_their_own() {
        let pair = |source, target| Hosts { source, target };
        let hosts = FlowHosts::new([(FlowId(0), pair(7, 9)), (FlowId(1), pair(7, 9)), (FlowId(3), pair(8, 9))]);
        assert_eq!(hosts.0.len(), 2);
        let found: Vec<u32> = (0..5).map(|flow| hosts.get(FlowId(flow)).source).collect();
        assert_eq!(found, [7, 7, 7, 8, 8]);

        let own = FlowHosts::default();
        assert_eq!((own.get(FlowId(3)), own.get(FlowId(4))), (pair(6, 7), pair(8, 9)));
    }
}
