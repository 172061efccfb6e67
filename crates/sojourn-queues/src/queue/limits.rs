//! The backlog of a queue, its limit, and the properties of its link.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::header::Hosts;
use crate::packet::{FlowId, Packet};
use crate::params::{Args, MEAN_PACKET, Value};
use crate::units::{Bytes, Duration, Rate, Size};

/// The waiting packets of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// The number of waiting packets, without the one in transmission.
    pub packets: u64,
    /// Their bytes, with headers.
    pub bytes: u64,
}

/// The limit of a buffer. Both bounds hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The most waiting packets.
    pub packets: u64,
    /// The most waiting bytes.
    pub bytes: u64,
}

impl Limit {
    /// No bound.
    pub const NONE: Limit = Limit { packets: u64::MAX, bytes: u64::MAX };

    /// A bound in packets.
    pub const fn packets(packets: u64) -> Self {
        Limit { packets, bytes: u64::MAX }
    }

    /// The limit that a user wrote. A size in packets bounds packets, and everything else bounds bytes. A queue in which no packet has room
    /// drops every packet, also if the link is idle, as Linux does.
    pub fn from_size(size: Size, link: &LinkContext) -> Self {
        match size {
            Size::Packets(n) => Limit::packets(n as u64),
            other => Limit { packets: u64::MAX, bytes: link.bytes(other) as u64 },
        }
    }

    /// True if `packet` may join `backlog`.
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

impl FlowHosts {
    /// The hosts of flows by ranges: each entry holds for all flows from its number up to that of the next. Numbers ascend.
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

    /// The hosts of this flow. If none are known, each flow has two of its own.
    pub fn get(&self, flow: FlowId) -> Hosts {
        let own = Hosts { source: flow.0.wrapping_mul(2), target: flow.0.wrapping_mul(2).wrapping_add(1) };
        self.known(flow).unwrap_or(own)
    }

    /// The hosts of this flow, if they are known.
    pub fn known(&self, flow: FlowId) -> Option<Hosts> {
        let after = self.0.partition_point(|(first, _)| *first <= flow);
        after.checked_sub(1).map(|run| self.0[run].1)
    }
}

/// The properties of a link that its queue may know. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkContext {
    /// The rate of the link.
    pub rate: Rate,
    /// The mean round-trip time, without queues, of the flows through the link. It is used for sizes such as `"2BDP"` and by laws.
    pub base_rtt: Duration,
    /// The mean packet size, for laws that need one (ns-2's `mean_pktsize_`).
    pub mean_packet: Bytes,
    /// The number of flows that cross the queue, for laws that need it.
    pub flows: u64,
    /// The flow groups of the scenario, by whose names classes may be given. There are none without a scenario.
    pub groups: FlowGroups,
    /// The hosts of each flow, for scenarios with nodes that several flows share.
    pub hosts: FlowHosts,
    /// The bytes of a link's header in the sizes of packets. There are none, since sizes are those of IP packets, except in recordings of
    /// Linux's queues on Ethernet.
    pub header: Bytes,
}

impl LinkContext {
    /// The context for a queue with these parameters: the queue's own mean packet takes precedence over the link's.
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

    /// The link rate in mean packets per second (the literature's C).
    pub fn packets_per_sec(&self) -> f64 {
        self.rate.packets_per_sec(self.mean_packet)
    }
}

impl Default for LinkContext {
    /// The link of tests and of `explain`: 10 Mbit/s, 100 ms, 1000-byte packets, 10 flows.
    fn default() -> Self {
        LinkContext {
            rate: Rate::from_bps(10_000_000),
            base_rtt: Duration::from_millis(100),
            mean_packet: Bytes(1000),
            flows: 10,
            groups: FlowGroups::default(),
            hosts: FlowHosts::default(),
            header: Bytes(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_as_small_as_its_user_says() {
        let link = LinkContext::default();
        let of = |size| Limit::from_size(size, &link);
        assert_eq!((of(Size::Packets(0.0)), of(Size::Packets(1.0))), (Limit::packets(0), Limit::packets(1)));
        assert_eq!(
            of(Size::Bytes(540.0)),
            Limit { packets: u64::MAX, bytes: 540 },
            "less than the mean packet of 1000 B"
        );
    }

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
