//! The result of a reader: arrivals, and the records that did not become one.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use sojourn_sim::header::Acknowledgement;
use sojourn_sim::queue::FlowHosts;
use sojourn_sim::replay::Arrival;

use crate::link_layer::Protocol;
use crate::sides::SideCount;

/// The MTU of Ethernet.
const ETHERNET: u32 = 1_500;
/// Jumbo frames of Ethernet: no MTU in use is larger.
const JUMBO: u32 = 9_216;
/// Bytes of headers of a packet whose own are not known: IPv4 and TCP without options.
pub const HEADERS: u32 = 40;

/// Recorded arrivals, in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The arrivals. From a CSV, times are as written; from a capture, they count from its first IP packet.
    pub arrivals: Vec<Arrival>,
    /// For each arrival, the line of the CSV (the header being line 1) or of the trace of ns-2, or the number of the
    /// captured frame (the first being 1).
    pub records: Vec<u64>,
    /// The flows' names, by number, in order of first appearance. In a capture a flow is a 5-tuple, such
    /// as `tcp 10.0.0.1:80 > 10.0.0.2:1234`; later fragments of a packet have no ports. In a trace of ns-2 it is a flow
    /// identifier and two addresses, such as `2: 0.1 > 3.2`.
    pub flows: Vec<String>,
    /// The hosts of the flows: in a capture the addresses of the flow, in a trace of ns-2 its nodes, in a CSV the columns `source` and
    /// `destination`. Without these, each flow has two of its own.
    pub hosts: FlowHosts,
    /// The acknowledgements of segments of TCP, to which arrivals refer. Only a capture has any.
    pub acknowledgements: Vec<Acknowledgement>,
    /// The number of records that were left out, by the words for the reason. Each record is counted once.
    pub left_out: BTreeMap<LeftOut, u64>,
    /// Packets larger than a link carries.
    pub oversize: Oversize,
    /// Captured packets that were cut off before their ports or before the header inside of a tunnel: their flow is that of addresses.
    pub short: u64,
    /// The interfaces and directions of a capture that has several, and those whose packets were taken.
    pub sides: Vec<SideCount>,
}

/// Why a record is no arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LeftOut {
    /// A captured frame that is not IP, with its kind.
    NotIp(NotIp),
    /// A captured frame that is IP by its type, but whose IP header is cut off or contradicts itself.
    Malformed,
    /// A frame of 802.11 that its sender sent again, and whose packet came before.
    Again,
    /// A block of pcapng of a type that is not known, by its number.
    Block(u32),
    /// A packet of a trace of ns-2 that was dropped before it joined the queue.
    BeforeQueue,
}

/// The kind of a captured frame that is not IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotIp(pub(crate) Protocol);

impl std::fmt::Display for LeftOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LeftOut::NotIp(NotIp(protocol)) => write!(f, "not IP: {protocol}"),
            LeftOut::Malformed => f.write_str("IP whose header is cut off or damaged"),
            LeftOut::Again => f.write_str("802.11 frames sent again"),
            LeftOut::Block(kind) => write!(f, "pcapng block of the unknown type {kind}"),
            LeftOut::BeforeQueue => f.write_str("dropped before it joined the queue (d without +)"),
        }
    }
}

/// Packets larger than a link carries: segmentation offload hands them to a network card, or joins them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oversize {
    /// The MTU that was asked for, or the largest in use where such recordings are made: 1500 in captures, 9216 elsewhere.
    pub mtu: u32,
    /// How many are larger.
    pub packets: u64,
    /// Bytes of the largest.
    pub largest: u32,
    /// Packets into which they were cut; 0 if none was asked for.
    pub pieces: u64,
}

impl Trace {
    /// Empty. Packets larger than `mtu` will be cut; without it, they are counted.
    pub(crate) fn new(mtu: Option<u32>, is_capture: bool) -> Self {
        let mtu = mtu.unwrap_or(if is_capture { ETHERNET } else { JUMBO });
        Trace { oversize: Oversize { mtu, ..Oversize::default() }, ..Trace::default() }
    }

    /// Adds an arrival that was checked. Where `cut` holds and it is larger than the MTU, it comes as a card sends it: in
    /// packets that each have its `headers` and a part of its data, all at the same moment.
    pub(crate) fn push(&mut self, arrival: Arrival, record: u64, headers: u32, cut: bool) {
        let mtu = self.oversize.mtu;
        if arrival.size <= mtu {
            self.arrivals.push(arrival);
            self.records.push(record);
            return;
        }
        self.oversize.packets += 1;
        self.oversize.largest = self.oversize.largest.max(arrival.size);
        if !cut {
            self.arrivals.push(arrival);
            self.records.push(record);
            return;
        }
        // A header that fills the MTU leaves room for one byte.
        let headers = headers.min(mtu - 1);
        let mut data = arrival.size - headers;
        let mut uniform = arrival.uniform;
        while data > 0 {
            let part = data.min(mtu - headers);
            data -= part;
            self.arrivals.push(Arrival { size: headers + part, uniform: uniform.take(), ..arrival });
            self.records.push(record);
            self.oversize.pieces += 1;
        }
    }

    /// Keeps an acknowledgement, and gives its place for the arrival.
    pub(crate) fn keep(&mut self, acknowledgement: Acknowledgement) -> Option<NonZeroU32> {
        self.acknowledgements.push(acknowledgement);
        u32::try_from(self.acknowledgements.len()).ok().and_then(NonZeroU32::new)
    }

    pub(crate) fn leave_out(&mut self, what: LeftOut) {
        *self.left_out.entry(what).or_default() += 1;
    }

    /// Captured frames that are not IP, and those whose IP header is cut off or damaged.
    pub fn skipped_frames(&self) -> (u64, u64) {
        let not_ip = self.left_out.iter().filter(|(what, _)| matches!(what, LeftOut::NotIp(_)));
        (not_ip.map(|(_, packets)| packets).sum(), self.left_out.get(&LeftOut::Malformed).copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_sim::header::Dscp;
    use sojourn_sim::packet::{Ecn, FlowId};
    use sojourn_sim::units::Instant;

    fn arrival(size: u32) -> Arrival {
        let time = Instant::from_nanos(7);
        Arrival {
            time,
            size,
            flow: FlowId(0),
            ecn: Ecn::Ect0,
            dscp: Dscp::DF,
            acknowledgement: None,
            uniform: Some(0.5),
        }
    }

    fn sizes(trace: &Trace) -> Vec<u32> {
        trace.arrivals.iter().map(|one| one.size).collect()
    }

    #[test]
    fn a_large_packet_is_cut_as_a_card_cuts_it() {
        let mut trace = Trace::new(Some(1500), true);

        // 52 bytes of headers and 4000 of data: 1448 + 1448 + 1104.
        trace.push(arrival(4052), 9, 52, true);
        trace.push(arrival(1500), 10, 52, true);

        assert_eq!(sizes(&trace), [1500, 1500, 1156, 1500]);
        assert_eq!(trace.records, [9, 9, 9, 10]);
        assert_eq!(trace.oversize, Oversize { mtu: 1500, packets: 1, largest: 4052, pieces: 3 });
        // The number that the queue draws is given once.
        let uniforms: Vec<_> = trace.arrivals.iter().map(|one| one.uniform).collect();
        assert_eq!(uniforms, [Some(0.5), None, None, Some(0.5)]);
        assert!(trace.arrivals.iter().all(|one| one.time == arrival(1).time && one.ecn == Ecn::Ect0));
    }

    #[test]
    fn without_an_mtu_large_packets_are_counted_only() {
        for (is_capture, packets) in [(true, 3), (false, 1)] {
            let mut trace = Trace::new(None, is_capture);
            for size in [1500, 1501, 9216, 9217] {
                trace.push(arrival(size), 1, 40, false);
            }
            assert_eq!(sizes(&trace), [1500, 1501, 9216, 9217]);
            assert_eq!((trace.oversize.packets, trace.oversize.largest, trace.oversize.pieces), (packets, 9217, 0));
        }
    }

    #[test]
    fn headers_as_long_as_the_mtu_leave_a_byte() {
        let mut trace = Trace::new(Some(576), true);
        trace.push(arrival(700), 1, 690, true);
        assert_eq!(sizes(&trace), vec![576; 125]);
    }
}
