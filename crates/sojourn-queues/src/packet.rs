//! A packet in flight: small, plain and copied by value.

use crate::choices;
use crate::header::accurate_ecn::{EcnBytes, IS_OPTION};
use crate::header::report::Report;
use crate::header::{Answer, DelayHint, Dscp, Header, RateLabel, Seen};
use crate::units::{Coarse, Duration, Instant};

/// The number of a flow. Numbers are dense from zero, in the order of the scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

/// The ECN field of the IP header (RFC 3168 §5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ecn {
    /// The sender does not understand marks.
    #[default]
    NotEct,
    /// ECN-capable, codepoint 0.
    Ect0,
    /// ECN-capable, codepoint 1.
    Ect1,
    /// Congestion experienced.
    Ce,
}

impl Ecn {
    /// True if a router may mark this packet (RFC 3168 §5). A packet already marked counts.
    pub const fn is_capable(self) -> bool {
        !matches!(self, Ecn::NotEct)
    }

    /// The two bits of the IP header's field (RFC 3168 §5).
    pub const fn bits(self) -> u8 {
        match self {
            Ecn::NotEct => 0,
            Ecn::Ect1 => 1,
            Ecn::Ect0 => 2,
            Ecn::Ce => 3,
        }
    }
}

/// The congestion signal of an acknowledgement: the flags AE, CWR and ECE of the TCP header together. With accurate ECN they are the field
/// ACE, a number of three bits (RFC 9768 section 3.2.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Codepoint {
    /// No flag.
    #[default]
    None,
    /// ECE alone: congestion has been experienced; on a SYN's answer: the receiver agrees to ECN (RFC 3168 §6.1).
    Ece,
    /// CWR alone.
    Cwr,
    /// ECE and CWR: the segment acknowledged was marked (the Count Codepoint of XECN, Tahiliani 2013 section 4.2.2).
    Count,
    /// AE alone.
    Ae,
    /// AE and ECE.
    AeEce,
    /// AE and CWR.
    AeCwr,
    /// All.
    All,
}

impl Codepoint {
    /// The values of the field ACE, in order.
    const FIELDS: [Codepoint; 8] = [
        Codepoint::None,
        Codepoint::Ece,
        Codepoint::Cwr,
        Codepoint::Count,
        Codepoint::Ae,
        Codepoint::AeEce,
        Codepoint::AeCwr,
        Codepoint::All,
    ];

    /// The flags of which the low three bits of a number consist.
    pub const fn of_ace(number: u32) -> Self {
        Codepoint::FIELDS[(number & 7) as usize]
    }

    /// The field ACE.
    pub const fn ace(self) -> u32 {
        self as u32
    }

    /// The flag ECE.
    pub const fn ece(self) -> bool {
        self as u8 & 1 != 0
    }

    /// The flag CWR.
    pub const fn cwr(self) -> bool {
        self as u8 & 2 != 0
    }

    /// The flag AE, which was a reserved bit before RFC 9768.
    pub const fn ae(self) -> bool {
        self as u8 & 4 != 0
    }
}

/// At most three SACK blocks (RFC 2018 with timestamps), as byte offsets from the cumulative ACK,
/// most recent first: `(start, end)` with `start < end`. The option of accurate ECN takes the place of one or two of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    /// An empty block ends the list, because a count would not fit into a packet of 80 bytes.
    blocks: [(u32, u32); SackBlocks::MOST],
}

impl SackBlocks {
    /// The most blocks of a header (RFC 2018 with room for timestamps; ns-2's `maxSackBlocks_`).
    pub const MOST: usize = 3;

    /// The largest offset: a block's end has 31 bits.
    pub const OFFSET_MAX: u32 = IS_OPTION - 1;

    /// Adds a block behind those already there. A fourth block is ignored, because a header has no room for it. A report of data received
    /// twice (RFC 2883) that is below the acknowledgement is written in descending order: the distance below it, and one.
    pub fn push(&mut self, start: u32, end: u32) {
        debug_assert!(start != end && end > 0 && end <= Self::OFFSET_MAX, "an empty SACK block, or an end of 32 bits");
        if let Some(slot) = self.blocks.iter_mut().find(|(_, last)| *last == 0) {
            *slot = (start, end);
        }
    }

    /// The blocks, most recent first.
    pub fn as_slice(&self) -> &[(u32, u32)] {
        // Neither an empty place nor one of an option.
        let len = self.blocks.iter().position(|(_, end)| *end as i32 <= 0).unwrap_or(self.blocks.len());
        &self.blocks[..len]
    }

    /// Keeps the first `count` blocks.
    pub fn keep(&mut self, count: usize) {
        self.blocks[count..].fill((0, 0));
    }

    /// Puts an option of accurate ECN into the last places. It leaves room for two blocks, or with three fields for one.
    pub fn carry(&mut self, option: EcnBytes) {
        let (last, before) = option.places();
        self.blocks[2] = last.into();
        if let Some(before) = before {
            self.blocks[1] = before.into();
        }
    }

    /// The option of accurate ECN, if there is one.
    pub fn option(&self) -> Option<EcnBytes> {
        let words = |(low, high): (u32, u32)| [low, high];
        EcnBytes::of_places(words(self.blocks[2]), words(self.blocks[1]))
    }
}

/// The part of a packet that a choke packet quotes (RFC 792), and the number of its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The time at which that packet was sent.
    pub sent_at: Instant,
    /// Its bytes on the wire.
    pub size: u32,
    /// Its ECN field.
    pub ecn: Ecn,
    /// The class of service that it asked for.
    pub dscp: Dscp,
    /// True if it asked for a connection.
    pub syn: bool,
    /// True if it was a datagram, and not a segment of TCP.
    pub datagram: bool,
}

/// The content of a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Body {
    /// A TCP segment towards the receiver.
    Data {
        /// The first byte of the payload, counted from zero. A SYN has none.
        seq: u64,
        /// Payload bytes.
        len: u32,
        /// The time at which it was sent (the value of the timestamp option).
        sent_at: Instant,
        /// True for a connection request. It occupies no sequence number here.
        syn: bool,
        /// True if the sender has reduced its window (RFC 3168 §6.1.2). On a SYN it says, with ECE, that the sender offers ECN (§6.1.1).
        cwr: bool,
        /// True if the segment was sent before. The copy does not count as goodput and is not timed.
        retransmit: bool,
        /// The flag PSH: no other segment was sent with it.
        push: bool,
        /// Its message to the queues on its path, if the sender exchanges messages with them.
        header: Option<Header>,
    },
    /// A TCP acknowledgement towards the sender.
    Ack {
        /// Next byte that the receiver expects.
        ack: u64,
        /// `sent_at` of the segment that caused it (the timestamp echo).
        echo: Instant,
        /// Ranges received above `ack`.
        sack: SackBlocks,
        /// Its congestion signal.
        codepoint: Codepoint,
        /// True if it answers a SYN.
        syn: bool,
        /// The window that the receiver offers from `ack` on, in units of its scale (RFC 7323 section 2). Zero says that it offers none.
        offered: u16,
        /// The answers of queues in the headers of the segments since the last acknowledgement.
        answer: Answer,
    },
    /// A choke packet (ICMP source quench, RFC 792): a router reports to the sender of a packet that its path is congested.
    Choke {
        /// The first byte, or the number, of that packet.
        seq: u64,
        /// Its other data about that packet.
        about: About,
    },
    /// A UDP datagram.
    Datagram {
        /// Counts the datagrams of the flow from zero.
        seq: u64,
        /// The time at which it was sent.
        sent_at: Instant,
    },
    /// A packet of TFRC towards the receiver (RFC 5348 section 3.2.1), and of other senders that send at a rate.
    TfrcData {
        /// Counts the packets of the flow from zero.
        seq: u64,
        /// The time at which it was sent.
        sent_at: Instant,
        /// The sender's round-trip time, once it is known.
        rtt: Option<Duration>,
    },
    /// The report of TFRC's receiver (RFC 5348 section 3.2.2).
    TfrcFeedback {
        /// The `sent_at` of the last packet that arrived.
        echo: Instant,
        /// The time since that packet arrived.
        delay: Duration,
        /// X_recv: payload per second in the last round trip, in bytes.
        receive_rate: f64,
        /// p, from 0 to 1.
        loss_event_rate: f64,
    },
    /// The report of the receiver of another sender at a rate.
    Report {
        /// The `sent_at` of the last packet that arrived, plus the time that the report has waited here.
        echo: Instant,
        /// The content of the report.
        report: Report,
    },
    /// A real packet, of a recording or from a wire, of which more is known than that it is a packet of its flow.
    Seen(Seen),
    /// A datagram that carries parity of a block of datagrams, not data of its own.
    Parity {
        /// Counts the datagrams of the flow from zero, including those that carry data.
        seq: u64,
        /// The time at which it was sent.
        sent_at: Instant,
        /// Payload bytes of all data of the block.
        payload: u32,
    },
}

/// A packet in the network. `Copy`, so that a queue, a link and an event can hold it by value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packet {
    /// Its flow.
    pub flow: FlowId,
    /// Bytes on the wire, with headers.
    pub size: u32,
    /// Its place on its path, or the place that it reaches with its next event. Only the network uses it.
    pub hop: u32,
    /// The queuing delay that the application wants, if it wants one.
    pub delay_hint: Option<DelayHint>,
    /// The time at which it joined its present or last queue.
    pub enqueued_at: Instant,
    /// The time that it has waited in queues since it was sent.
    pub waited: Coarse,
    /// The ECN field.
    pub ecn: Ecn,
    /// The service class that its flow declares, if it declares one.
    pub service: Option<Service>,
    /// The class of service that the IP header asks for.
    pub dscp: Dscp,
    /// Its importance to its application. A larger number is more important. It is 0 unless the flow declares it, and it is not in the IP
    /// header.
    pub priority: u8,
    /// The rate of its flow, as routers on the path have written it (CSFQ).
    pub label: RateLabel,
    /// Its content.
    pub body: Body,
}

choices! {
    /// The place of a packet within or outside of its flow's service profile.
    pub enum Service {
        /// Within.
        In = "in",
        /// Outside.
        Out = "out",
    }
}

impl Packet {
    /// A packet of `size` bytes that leaves its sender now, for best effort and without ECN. The network gives it its flow.
    #[inline(always)]
    pub const fn new(now: Instant, size: u32, body: Body) -> Self {
        Packet {
            flow: FlowId(0),
            size,
            hop: 0,
            delay_hint: None,
            enqueued_at: now,
            waited: Coarse::ZERO,
            ecn: Ecn::NotEct,
            service: None,
            dscp: Dscp::DF,
            priority: 0,
            label: RateLabel::NONE,
            body,
        }
    }

    /// A datagram of `size` bytes. Tests and recorded arrivals consist of them.
    pub const fn datagram(flow: FlowId, seq: u64, size: u32) -> Self {
        Packet { flow, ..Packet::new(Instant::ZERO, size, Body::Datagram { seq, sent_at: Instant::ZERO }) }
    }

    /// The body of a choke packet with which a router reports this packet to its sender. `None` for a packet that flows back to the sender.
    pub fn choke(&self) -> Option<Body> {
        let (seq, sent_at, syn, datagram) = match self.body {
            Body::Data { seq, sent_at, syn, .. } => (seq, sent_at, syn, false),
            Body::Datagram { seq, sent_at }
            | Body::TfrcData { seq, sent_at, .. }
            | Body::Parity { seq, sent_at, .. } => (seq, sent_at, false, true),
            Body::Seen(seen) => (0, self.enqueued_at, false, seen.acknowledgement().is_none()),
            Body::Ack { .. } | Body::TfrcFeedback { .. } | Body::Report { .. } | Body::Choke { .. } => return None,
        };
        Some(Body::Choke {
            seq,
            about: About { sent_at, size: self.size, ecn: self.ecn, dscp: self.dscp, syn, datagram },
        })
    }

    /// The time at which it was sent, if it goes to the receiver. Of a real packet, it is the time at which it was seen.
    #[inline(always)]
    pub const fn sent_at(&self) -> Option<Instant> {
        match self.body {
            Body::Data { sent_at, .. }
            | Body::Datagram { sent_at, .. }
            | Body::TfrcData { sent_at, .. }
            | Body::Parity { sent_at, .. } => Some(sent_at),
            Body::Seen(_) => Some(self.enqueued_at),
            Body::Ack { .. } | Body::TfrcFeedback { .. } | Body::Report { .. } | Body::Choke { .. } => None,
        }
    }

    /// Adds a wait in a queue.
    #[inline(always)]
    pub fn wait(&mut self, waited: Duration) {
        self.waited = self.waited.plus(waited);
    }

    /// The same packet with another ECN field.
    #[must_use]
    pub const fn with_ecn(mut self, ecn: Ecn) -> Self {
        self.ecn = ecn;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_stays_small() {
        // Packets are copied in and out of queues on the hot path.
        assert!(size_of::<Packet>() <= 80, "{}", size_of::<Packet>());
    }

    #[test]
    fn an_option_of_accurate_ecn_is_no_block() {
        for (count, blocks) in [(1, 2), (2, 2), (3, 1)] {
            let mut sack = SackBlocks::default();
            sack.push(0, 5);
            sack.push(10, 15);
            sack.keep(blocks);
            let option = EcnBytes::new(true, count, [1, 1461, 7]);
            sack.carry(option);
            assert_eq!((sack.as_slice(), sack.option()), (&[(0, 5), (10, 15)][..blocks], Some(option)));
        }
        assert_eq!(SackBlocks::default().option(), None);
    }

    #[test]
    fn the_field_of_accurate_ecn_is_three_flags() {
        for number in 0..8 {
            let flags = Codepoint::of_ace(number + 8);
            assert_eq!(flags.ace(), number);
            assert_eq!(
                [flags.ae(), flags.cwr(), flags.ece()].map(u32::from),
                [number >> 2, number >> 1 & 1, number & 1]
            );
        }
    }

    #[test]
    fn a_fourth_sack_block_is_left_out() {
        let mut sack = SackBlocks::default();
        for i in 0..4 {
            sack.push(10 * i, 10 * i + 5);
        }
        assert_eq!(sack.as_slice(), [(0, 5), (10, 15), (20, 25)]);
    }
}
