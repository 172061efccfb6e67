//! The receiving side of TCP: reassembly, acknowledgements (delayed or not), SACK blocks, ECN echo.

use std::sync::Arc;

use super::ranges::RangeSet;
use super::{Config, Details, EcnFeedback};
use crate::header::{Answer, Dscp, RateLabel};
use crate::packet::{Body, Codepoint, Ecn, FlowId, Packet, SackBlocks};
use crate::prefetch::{Part, prefetch};
use crate::transport::{Counters, Endpoint, FlowContext};
use crate::units::{Coarse, Duration, Instant};

/// SACK blocks in a header (RFC 2018 with room for timestamps; ns-2's `maxSackBlocks_`).
const SACK_BLOCKS: usize = 3;
/// Bytes of a SACK block on the wire (RFC 2018 section 3).
const SACK_BLOCK: u32 = 8;
/// Reports of a hole that are never delayed, so that its sender resends in time (Linux).
const TOLD_AT_ONCE: u8 = 3;
/// Segments that are acknowledged at once after a mark (Linux).
const QUICK_AFTER_MARK: u8 = 2;

/// What the acknowledgement of a segment repeats of it.
#[derive(Clone, Copy, Debug)]
struct Cause {
    sent_at: Instant,
    retransmit: bool,
}

/// A delayed acknowledgement.
#[derive(Clone, Copy, Debug)]
struct Delayed {
    deadline: Instant,
    /// Segments in order that wait for it.
    segments: u32,
    /// The first of them: its timestamp is the one to echo (RFC 7323 section 4.3).
    cause: Cause,
}

/// State of ECN echo (RFC 3168 section 6.1.3), as bits: what is written as three bytes and read as a whole soon after
/// stops the processor.
#[derive(Clone, Copy, Debug, Default)]
struct Echo(u8);

impl Echo {
    /// Acknowledgements carry the echo; with the exact feedback RFC 8257's DCTCP.CE.
    const ON: u8 = 1;
    /// CE has come since the last acknowledgement.
    const CE: u8 = 2;
    /// CWR has come since the last acknowledgement.
    const CWR: u8 = 4;

    fn is(self, bit: u8) -> bool {
        self.0 & bit != 0
    }

    /// A segment has come, with CE and CWR as it said.
    fn hear(&mut self, ce: bool, cwr: bool) {
        self.0 |= u8::from(ce) * Echo::CE + u8::from(cwr) * Echo::CWR;
    }

    fn switch(&mut self, on: bool) {
        self.0 = self.0 & !Echo::ON | u8::from(on);
    }
}

/// What has come out of order.
#[derive(Clone, Debug, Default)]
struct Held {
    ranges: RangeSet,
    /// A byte in each of the blocks that were reported last, most recent first.
    recent: [u64; SACK_BLOCKS],
    recent_len: u8,
    /// Acknowledgements sent since `missing` is the first byte that is missing.
    told: u8,
    missing: u64,
}

/// One receiver.
pub struct Receiver {
    config: Arc<Config>,
    /// Next byte in order.
    next: u64,
    /// Absent while all is in order: there may be a million receivers.
    held: Option<Box<Held>>,
    delayed: Option<Delayed>,
    echo: Echo,
    /// Segments that are acknowledged at once from here on.
    quick: u8,
    /// What queues have answered since the last acknowledgement.
    answer: Answer,
    counters: Counted,
}

/// What a receiver counts of [`Counters`].
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    packets_received: u64,
    bytes_received: u64,
    bytes_delivered: u64,
    marks_seen: u64,
    one_way_delay_sum: f64,
}

impl Receiver {
    /// Expects byte 0.
    pub fn new(config: Arc<Config>) -> Self {
        Receiver {
            config,
            next: 0,
            held: None,
            delayed: None,
            echo: Echo::default(),
            quick: 0,
            answer: Answer::default(),
            counters: Counted::default(),
        }
    }

    fn on_data(&mut self, now: Instant, seq: u64, len: u32, cause: Cause, cx: &mut FlowContext) {
        let end = seq + u64::from(len);
        if seq <= self.next && end > self.next && self.held.is_none() {
            // The common case: the next segment, and nothing missing.
            self.counters.bytes_delivered += end - self.next;
            self.next = end;
            self.acknowledge_in_order(now, cause, cx);
            return;
        }
        if end == self.next && self.held.is_none() && self.config.details == Details::Ns2 {
            // ns-2's delaying sink takes the newest segment in order for a segment in order when it comes again.
            self.acknowledge_in_order(now, cause, cx);
            return;
        }
        let twice = if self.config.dsack { self.had_before(seq, end) } else { None };
        if end > self.next {
            self.reassemble(seq.max(self.next), end);
        } else {
            self.quick = self.config.quick_acks;
        }
        if twice.is_none() && self.gathers() {
            self.delayed.get_or_insert(Delayed { deadline: now + self.config.sack_delay, segments: 0, cause });
            return;
        }
        // Out of order, filling a hole, or a duplicate: at once (RFC 5681 §4.2).
        let sack = self.sack_blocks(twice);
        self.send_ack(now, cause, sack, SynAck::No, cx);
    }

    /// RFC 2883 §4: the block that reports `seq..end`, if it has come before. Below the acknowledgement it counts backwards, in
    /// descending order and from one.
    fn had_before(&self, seq: u64, end: u64) -> Option<(u32, u32)> {
        let next = self.next;
        if end <= next {
            let offset = |byte: u64| u32::try_from(next - byte + 1).ok();
            return offset(seq).zip(offset(end));
        }
        let held = self.held.as_ref().is_some_and(|held| held.ranges.containing(seq).is_some_and(|(_, to)| end <= to));
        held.then(|| ((seq - next) as u32, (end - next) as u32))
    }

    /// Linux: two segments are acknowledged at once when marks begin, and one with CWR, since the sender's window may be small.
    fn note_mark(&mut self, marked: bool, cwr: bool) {
        let begins = marked && (cwr || !self.echo.is(Echo::ON) && !self.echo.is(Echo::CE));
        let at_once = if begins { QUICK_AFTER_MARK } else { u8::from(cwr) };
        self.quick = self.quick.max(at_once.min(self.config.quick_acks));
    }

    /// Whether the report of what has come out of order waits for more.
    fn gathers(&mut self) -> bool {
        let next = self.next;
        let delays = self.config.sack && self.config.sack_delay > Duration::ZERO && self.quick == 0;
        let Some(held) = self.held.as_mut().filter(|_| delays) else { return false };
        if held.missing != next {
            (held.missing, held.told) = (next, 0);
        }
        let tells = held.told < TOLD_AT_ONCE;
        held.told += u8::from(tells);
        !tells
    }

    /// RFC 8257 §3.2: when a mark follows none or none follows a mark, what waits for an acknowledgement gets it with
    /// the old state, and this segment its own with the new one.
    fn on_data_exactly(&mut self, now: Instant, seq: u64, len: u32, cause: Cause, marked: bool, cx: &mut FlowContext) {
        let changed = marked != self.echo.is(Echo::ON);
        if let Some(delayed) = self.delayed
            && changed
        {
            self.acknowledge(now, delayed.cause, SynAck::No, cx);
        }
        self.echo.switch(marked);
        self.on_data(now, seq, len, cause, cx);
        if let Some(delayed) = self.delayed
            && changed
        {
            self.acknowledge(now, delayed.cause, SynAck::No, cx);
        }
    }

    /// [Tah13] algorithm 5. With delayed acknowledgements a marked segment has one of its own, so that each is told,
    /// and what waited has been acknowledged before it.
    fn on_data_counting(&mut self, now: Instant, seq: u64, len: u32, cause: Cause, marked: bool, cx: &mut FlowContext) {
        if !marked {
            self.on_data(now, seq, len, cause, cx);
            return;
        }
        let cwr = self.echo.is(Echo::CWR);
        self.echo.0 &= !Echo::CWR;
        if let Some(delayed) = self.delayed {
            self.acknowledge(now, delayed.cause, SynAck::No, cx);
        }
        self.echo.hear(true, cwr);
        self.on_data(now, seq, len, cause, cx);
        if let Some(delayed) = self.delayed {
            self.acknowledge(now, delayed.cause, SynAck::No, cx);
        }
    }

    fn reassemble(&mut self, seq: u64, end: u64) {
        let held = self.held.get_or_insert_default();
        held.ranges.insert(seq, end);
        let Some((_, filled)) = held.ranges.containing(self.next) else {
            return held.note_recent(seq, self.next);
        };
        self.counters.bytes_delivered += filled - self.next;
        self.next = filled;
        held.ranges.remove_below(filled);
        if held.ranges.is_empty() {
            self.held = None;
        }
    }

    fn acknowledge_in_order(&mut self, now: Instant, cause: Cause, cx: &mut FlowContext) {
        let waiting = self.delayed.map_or(1, |delayed| delayed.segments + 1);
        let quick = self.quick > 0;
        self.quick = self.quick.saturating_sub(1);
        if quick || waiting >= self.config.ack_every {
            let first = self.delayed.map_or(cause, |delayed| delayed.cause);
            self.acknowledge(now, first, SynAck::No, cx);
            return;
        }
        match &mut self.delayed {
            Some(delayed) => delayed.segments = waiting,
            None => {
                self.delayed = Some(Delayed { deadline: now + self.config.ack_delay, segments: 1, cause });
            }
        }
    }

    fn acknowledge(&mut self, now: Instant, cause: Cause, syn: SynAck, cx: &mut FlowContext) {
        let sack = if self.held.is_none() { SackBlocks::default() } else { self.sack_blocks(None) };
        self.send_ack(now, cause, sack, syn, cx);
    }

    fn send_ack(&mut self, now: Instant, cause: Cause, sack: SackBlocks, syn: SynAck, cx: &mut FlowContext) {
        self.delayed = None;
        let heard = self.echo;
        // Also when CWR came between: this mark is newer than the reduction, or not known to be older.
        let is_on = heard.is(Echo::CE) || heard.is(Echo::ON) && !heard.is(Echo::CWR);
        self.echo = Echo(u8::from(is_on));
        let codepoint = match self.config.ecn_feedback {
            _ if syn != SynAck::No => {
                if syn == SynAck::Agrees {
                    Codepoint::Ece
                } else {
                    Codepoint::None
                }
            }
            EcnFeedback::Xecn if heard.is(Echo::CE) => Codepoint::Count,
            _ if is_on => Codepoint::Ece,
            _ => Codepoint::None,
        };
        let blocks = sack.as_slice().len() as u32;
        let options = if blocks > 0 { self.config.sack_header + SACK_BLOCK * blocks } else { 0 };
        let size = self.config.ack_size + options;
        cx.out.push(Packet {
            flow: FlowId(0),
            size,
            hop: 0,
            delay_hint: None,
            service: None,
            dscp: Dscp::DF,
            priority: 0,
            label: RateLabel::NONE,
            enqueued_at: now,
            waited: Coarse::ZERO,
            // RFC 3168 §6.1.4: pure acknowledgements are not ECN-capable.
            ecn: Ecn::NotEct,
            body: Body::Ack {
                ack: self.next,
                echo: cause.sent_at,
                sack,
                codepoint,
                syn: syn != SynAck::No,
                retransmit: cause.retransmit,
                answer: std::mem::take(&mut self.answer),
            },
        });
    }

    fn sack_blocks(&self, twice: Option<(u32, u32)>) -> SackBlocks {
        let mut sack = SackBlocks::default();
        if let Some((start, end)) = twice.filter(|_| self.config.sack) {
            sack.push(start, end);
        }
        if self.config.sack
            && let Some(held) = &self.held
        {
            for &byte in &held.recent[..usize::from(held.recent_len)] {
                if let Some((start, end)) = held.ranges.containing(byte) {
                    // Offsets fit: no window is larger than 4 GiB.
                    sack.push((start - self.next) as u32, (end - self.next) as u32);
                }
            }
        }
        sack
    }
}

impl Held {
    /// RFC 2018 §4: the first block is the one that holds the segment that caused the ACK, then those
    /// reported before. `next` is the byte that is expected.
    fn note_recent(&mut self, seq: u64, next: u64) {
        let block = self.ranges.containing(seq);
        let old = self.recent;
        let old_len = usize::from(self.recent_len);
        self.recent[0] = seq;
        let mut len = 1;
        for &byte in &old[..old_len] {
            if len < SACK_BLOCKS && byte > next && self.ranges.containing(byte) != block {
                self.recent[len] = byte;
                len += 1;
            }
        }
        self.recent_len = len as u8;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SynAck {
    Yes,
    /// It agrees to ECN (RFC 3168 §6.1.1).
    Agrees,
    No,
}

impl Endpoint for Receiver {
    fn on_packet(&mut self, now: Instant, packet: &Packet, cx: &mut FlowContext) {
        let Body::Data { seq, len, sent_at, syn, cwr, retransmit, push, header } = packet.body else {
            debug_assert!(false, "a receiver gets segments");
            return;
        };
        self.counters.packets_received += 1;
        self.counters.bytes_received += u64::from(packet.size);
        self.counters.one_way_delay_sum += now.since(sent_at).as_secs_f64();
        let cause = Cause { sent_at, retransmit };
        if syn {
            // A new connection: what was to be echoed belonged to the old one.
            self.echo = Echo::default();
            self.quick = self.config.quick_acks;
            self.answer = Answer::default();
            if let Some(header) = &header {
                self.answer.add(header);
            }
            let answer = if cwr && self.config.ecn_agreed { SynAck::Agrees } else { SynAck::Yes };
            self.acknowledge(now, cause, answer, cx);
            return;
        }
        if let Some(header) = &header {
            self.answer.add(header);
        }
        let marked = packet.ecn == Ecn::Ce;
        self.counters.marks_seen += u64::from(marked);
        match self.config.ecn_feedback {
            EcnFeedback::Rfc3168 => {
                self.note_mark(marked, cwr);
                self.echo.hear(marked, cwr);
                self.on_data(now, seq, len, cause, cx);
            }
            EcnFeedback::Dctcp => self.on_data_exactly(now, seq, len, cause, marked, cx),
            EcnFeedback::Xecn => {
                self.echo.hear(false, cwr);
                self.on_data_counting(now, seq, len, cause, marked, cx);
            }
        }
        if push && let Some(delayed) = self.delayed.filter(|_| self.held.is_none()) {
            self.acknowledge(now, delayed.cause, SynAck::No, cx);
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.delayed.map(|delayed| delayed.deadline)
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut FlowContext) {
        if let Some(delayed) = self.delayed
            && delayed.deadline <= now
        {
            self.acknowledge(now, delayed.cause, SynAck::No, cx);
        }
    }

    fn stands_alone(&self) -> bool {
        true
    }

    fn prefetch(&self, part: Part) {
        match part {
            Part::Itself => prefetch(Some(self)),
            Part::Elsewhere => prefetch(self.held.as_deref()),
        }
    }

    fn counters(&self) -> Counters {
        let Counted { packets_received, bytes_received, bytes_delivered, marks_seen, one_way_delay_sum } =
            self.counters;
        Counters {
            packets_received,
            bytes_received,
            bytes_delivered,
            bytes_new: bytes_delivered + self.held.as_ref().map_or(0, |held| held.ranges.total()),
            marks_seen,
            one_way_delay_sum,
            ..Counters::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::transport::ContextOwner;
    use crate::transport::tcp::tests::config;

    struct Rig {
        receiver: Receiver,
        cx: ContextOwner,
    }

    #[derive(Debug, PartialEq)]
    struct Answer {
        ack: u64,
        sack: Vec<(u32, u32)>,
        codepoint: Codepoint,
        ece: bool,
        size: u32,
    }

    impl Rig {
        fn new(settings: &[(&str, &str)]) -> Self {
            let cx = ContextOwner::new(Rng::named(1, "test"));
            Rig { receiver: Receiver::new(config(settings)), cx }
        }

        fn receive(&mut self, now_ms: u64, seq: u64, ecn: Ecn, cwr: bool) -> Vec<Answer> {
            let body = Body::Data {
                seq,
                len: 10,
                sent_at: Instant::ZERO,
                syn: false,
                cwr,
                retransmit: false,
                push: false,
                header: None,
            };
            let packet = Packet { body, ..Packet::datagram(FlowId(0), 0, 50) }.with_ecn(ecn);
            self.receiver.on_packet(Instant::ZERO + Duration::from_millis(now_ms), &packet, &mut self.cx.lend());
            self.answers()
        }

        fn send(&mut self, seq: u64, len: u32, syn: bool, push: bool) -> Vec<Answer> {
            let sent_at = Instant::ZERO;
            let body = Body::Data { seq, len, sent_at, syn, cwr: false, retransmit: false, push, header: None };
            let packet = Packet { body, ..Packet::datagram(FlowId(0), 0, 50) };
            self.receiver.on_packet(Instant::ZERO, &packet, &mut self.cx.lend());
            self.answers()
        }

        fn data(&mut self, seq: u64) -> Vec<Answer> {
            self.receive(0, seq, Ecn::NotEct, false)
        }

        fn answers(&mut self) -> Vec<Answer> {
            self.cx
                .out
                .drain(..)
                .map(|packet| match packet.body {
                    Body::Ack { ack, sack, codepoint, .. } => Answer {
                        ack,
                        sack: sack.as_slice().to_vec(),
                        codepoint,
                        ece: codepoint.ece(),
                        size: packet.size,
                    },
                    _ => unreachable!("a receiver sends acknowledgements"),
                })
                .collect()
        }
    }

    #[test]
    fn the_first_sack_block_holds_the_newest_segment() {
        // RFC 2018 §4, case of several holes: segments at 0, then 20, 40, 60, 80; blocks most recent first.
        let mut bench = Rig::new(&[("recovery", "sack")]);
        assert_eq!(bench.data(0)[0].sack, []);
        assert_eq!(bench.data(20)[0].sack, [(10, 20)]);
        assert_eq!(bench.data(40)[0].sack, [(30, 40), (10, 20)]);
        assert_eq!(bench.data(60)[0].sack, [(50, 60), (30, 40), (10, 20)]);
        assert_eq!(bench.data(80)[0].sack, [(70, 80), (50, 60), (30, 40)]);
        // 30 joins 20..30 and 40..50: their block becomes the most recent.
        assert_eq!(bench.data(30)[0].sack, [(10, 40), (70, 80), (50, 60)]);
    }

    #[test]
    fn filling_the_first_hole_moves_the_cumulative_ack_and_the_offsets() {
        let mut bench = Rig::new(&[]);
        bench.data(0);
        bench.data(20);
        bench.data(40);
        let answer = bench.data(10).remove(0);
        assert_eq!((answer.ack, answer.sack), (30, vec![(10, 20)]));
        assert_eq!(bench.receiver.counters().bytes_delivered, 30);
    }

    #[test]
    fn a_duplicate_is_acknowledged_at_once_and_not_delivered_again() {
        let mut bench = Rig::new(&[("ack_every", "2")]);
        bench.data(0);
        bench.data(10);
        assert_eq!(bench.data(0)[0].ack, 20);
        assert_eq!(bench.receiver.counters().bytes_delivered, 20);
    }

    #[test]
    fn a_delayed_ack_waits_for_a_second_segment_or_for_the_delay() {
        let mut bench = Rig::new(&[("ack_every", "2"), ("ack_delay", "100ms")]);
        assert!(bench.receive(0, 0, Ecn::NotEct, false).is_empty());
        assert_eq!(bench.receive(5, 10, Ecn::NotEct, false)[0].ack, 20);
        assert_eq!(bench.receiver.next_deadline(), None);

        assert!(bench.receive(10, 20, Ecn::NotEct, false).is_empty());
        let deadline = Instant::ZERO + Duration::from_millis(110);
        assert_eq!(bench.receiver.next_deadline(), Some(deadline));
        bench.receiver.on_deadline(deadline, &mut bench.cx.lend());
        assert_eq!(bench.answers()[0].ack, 30);
    }

    #[test]
    fn the_first_segments_of_a_connection_and_those_after_a_duplicate_are_acknowledged_at_once() {
        let mut bench = Rig::new(&[("ack_every", "2"), ("quick_acks", "2")]);
        bench.send(0, 0, true, false);
        assert_eq!(bench.data(0)[0].ack, 10);
        assert_eq!(bench.data(10)[0].ack, 20);
        assert!(bench.data(20).is_empty(), "two have been");
        assert_eq!(bench.data(0)[0].ack, 30, "a duplicate");
        assert_eq!(bench.data(30)[0].ack, 40);
        assert_eq!(bench.data(40)[0].ack, 50);
        assert!(bench.data(50).is_empty());
    }

    #[test]
    fn linux_acknowledges_two_segments_at_once_when_marks_begin_and_the_one_with_cwr() {
        for (quick, expected) in [("16", [0, 1, 1, 0, 1, 1, 0]), ("0", [0, 1, 0, 1, 0, 1, 0])] {
            let mut bench = Rig::new(&[("ack_every", "2"), ("quick_acks", quick), ("ecn", "true")]);
            let (ect, ce) = (Ecn::Ect0, Ecn::Ce);
            // Marks begin with the second segment; the sixth carries CWR.
            let arrivals =
                [(ect, false), (ce, false), (ce, false), (ce, false), (ect, false), (ect, true), (ect, false)];
            let told: Vec<usize> =
                (0..).zip(arrivals).map(|(n, (ecn, cwr))| bench.receive(0, 10 * n, ecn, cwr).len()).collect();
            assert_eq!(told, expected, "quick_acks = {quick}");
        }
    }

    #[test]
    fn a_segment_that_is_pushed_does_not_wait() {
        let mut bench = Rig::new(&[("ack_every", "2")]);
        assert_eq!(bench.send(0, 10, false, true)[0].ack, 10);
        assert!(bench.data(10).is_empty());
        assert_eq!(bench.send(20, 10, false, true).len(), 1, "one acknowledgement for both");
    }

    #[test]
    fn from_the_fourth_on_segments_behind_a_hole_are_told_together() {
        let mut bench = Rig::new(&[("sack_delay", "1ms")]);
        for seq in [10, 20, 30] {
            assert_eq!(bench.data(seq).len(), 1);
        }
        assert!(bench.data(40).is_empty());
        assert!(bench.data(50).is_empty());
        let deadline = Instant::ZERO + Duration::from_millis(1);
        assert_eq!(bench.receiver.next_deadline(), Some(deadline));
        bench.receiver.on_deadline(deadline, &mut bench.cx.lend());
        assert_eq!(bench.answers()[0].sack, [(10, 60)]);

        assert!(bench.data(60).is_empty());
        assert_eq!(bench.data(0)[0].ack, 70, "the hole is filled");
        assert_eq!(bench.receiver.next_deadline(), None);
    }

    #[test]
    fn out_of_order_and_hole_filling_segments_are_not_delayed() {
        let mut bench = Rig::new(&[("ack_every", "2")]);
        assert_eq!(bench.data(10)[0].ack, 0);
        assert_eq!(bench.data(0)[0].ack, 20, "RFC 5681 section 4.2: it fills a gap");
    }

    #[test]
    fn in_ns2_the_newest_segment_in_order_may_wait_for_a_second_one_when_it_comes_again() {
        let mut bench = Rig::new(&[("profile", "ns2"), ("ack_every", "2")]);
        bench.data(0);
        bench.data(10);
        assert_eq!(bench.data(0)[0].ack, 20, "an older one is a duplicate");
        assert!(bench.data(10).is_empty());
        assert_eq!(bench.data(20)[0].ack, 30);

        bench.data(40);
        assert_eq!(bench.data(20)[0].ack, 30, "nothing waits while data is missing");
    }

    #[test]
    fn what_comes_twice_is_reported_first() {
        // RFC 2883 §4.1: below the acknowledgement, here in descending order and from one; §4.2: within what is held, before the block that
        // holds it.
        let mut bench = Rig::new(&[("dsack", "true")]);
        bench.data(0);
        bench.data(10);
        assert_eq!(bench.data(0)[0].sack, [(21, 11)], "0 to 10, of which 20 are acknowledged");
        bench.data(40);
        assert_eq!(bench.data(50)[0].sack, [(20, 40)]);
        assert_eq!(bench.data(40)[0].sack, [(20, 30), (20, 40)]);
        let mut silent = Rig::new(&[]);
        silent.data(0);
        assert_eq!(silent.data(0)[0].sack, []);
    }

    #[test]
    fn congestion_is_echoed_until_cwr() {
        let mut bench = Rig::new(&[("ecn", "true")]);
        assert!(!bench.receive(0, 0, Ecn::Ect0, false)[0].ece);
        assert!(bench.receive(0, 10, Ecn::Ce, false)[0].ece);
        assert!(bench.receive(0, 20, Ecn::Ect0, false)[0].ece, "until the sender has reacted");
        assert!(!bench.receive(0, 30, Ecn::Ect0, true)[0].ece, "CWR stops it");
        assert!(bench.receive(0, 40, Ecn::Ce, true)[0].ece, "CWR on a marked packet: a new mark");
        assert_eq!(bench.receiver.counters().marks_seen, 2);
    }

    #[test]
    fn exact_feedback_tells_each_mark_and_needs_no_cwr() {
        let mut bench = Rig::new(&[("ecn", "true"), ("ecn_feedback", "dctcp")]);
        assert!(!bench.receive(0, 0, Ecn::Ect0, false)[0].ece);
        assert!(bench.receive(0, 10, Ecn::Ce, false)[0].ece);
        assert!(!bench.receive(0, 20, Ecn::Ect0, false)[0].ece, "no CWR has come");
        assert!(bench.receive(0, 30, Ecn::Ce, true)[0].ece, "CWR says nothing");
    }

    #[test]
    fn exact_feedback_acknowledges_at_once_when_marks_begin_or_end() {
        // RFC 8257 §3.2, figure 1, with an acknowledgement for every second segment.
        let mut bench = Rig::new(&[("ecn", "true"), ("ecn_feedback", "dctcp"), ("ack_every", "2")]);
        let mut told = |seq, ecn| {
            let answers = bench.receive(0, seq, ecn, false);
            answers.into_iter().map(|answer| (answer.ack, answer.ece)).collect::<Vec<_>>()
        };
        assert_eq!(told(0, Ecn::Ect0), []);
        assert_eq!(told(10, Ecn::Ce), [(10, false), (20, true)], "the waiting one as not marked");
        assert_eq!(told(20, Ecn::Ce), []);
        assert_eq!(told(30, Ecn::Ce), [(40, true)]);
        assert_eq!(told(40, Ecn::Ce), []);
        assert_eq!(told(50, Ecn::Ect0), [(50, true), (60, false)], "the waiting one as marked");
    }

    #[test]
    fn a_counting_receiver_tells_each_mark_and_echoes_until_cwr() {
        // [Tah13] algorithm 5 and the order of figure 4.2.
        let mut bench = Rig::new(&[("ecn", "true"), ("ecn_feedback", "xecn")]);
        let mut told = |seq, ecn, cwr| bench.receive(0, seq, ecn, cwr)[0].codepoint;
        assert_eq!(told(0, Ecn::Ect0, false), Codepoint::None);
        assert_eq!(told(10, Ecn::Ce, false), Codepoint::Count);
        assert_eq!(told(20, Ecn::Ce, false), Codepoint::Count, "each of consecutive marks");
        assert_eq!(told(30, Ecn::Ect0, false), Codepoint::Ece, "the sender has not yet responded");
        assert_eq!(told(40, Ecn::Ect0, true), Codepoint::None, "it has");
        assert_eq!(told(50, Ecn::Ce, true), Codepoint::Count, "a mark on the segment with CWR is a new one");
        assert_eq!(told(60, Ecn::Ect0, false), Codepoint::Ece);
    }

    #[test]
    fn a_counting_receiver_acknowledges_each_marked_segment_by_itself() {
        let mut bench = Rig::new(&[("ecn", "true"), ("ecn_feedback", "xecn"), ("ack_every", "2")]);
        let mut told = |seq, ecn| {
            let answers = bench.receive(0, seq, ecn, false);
            answers.into_iter().map(|answer| (answer.ack, answer.codepoint)).collect::<Vec<_>>()
        };
        assert_eq!(told(0, Ecn::Ect0), []);
        assert_eq!(told(10, Ecn::Ce), [(10, Codepoint::None), (20, Codepoint::Count)], "what waited was not marked");
        assert_eq!(told(20, Ecn::Ce), [(30, Codepoint::Count)]);
        assert_eq!(told(30, Ecn::Ect0), []);
        assert_eq!(told(40, Ecn::Ect0), [(50, Codepoint::Ece)]);
    }

    #[test]
    fn a_sack_block_costs_eight_bytes_and_its_option_header() {
        let mut ns2 = Rig::new(&[("sack_header", "0B")]);
        assert_eq!(ns2.data(0)[0].size, 40);
        assert_eq!(ns2.data(20)[0].size, 48);
        let mut rfc = Rig::new(&[("sack_header", "4B")]);
        rfc.data(20);
        assert_eq!(rfc.data(40)[0].size, 40 + 4 + 16);
        let mut without = Rig::new(&[("recovery", "newreno")]);
        without.data(0);
        assert_eq!(without.data(20)[0].size, 40);
    }
}
