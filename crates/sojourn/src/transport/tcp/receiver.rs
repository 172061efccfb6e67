//! The receiving side of TCP: reassembly, acknowledgements (delayed or not), SACK blocks, ECN echo.

mod delay;
mod opening;
mod segment_buffers;
mod tuning;

use std::sync::Arc;

use super::ranges::RangeSet;
use super::rtt_kernel::in_millis;
use super::settings::Arrivals;
use super::{Config, Details, EcnFeedback};
use crate::header::{Answer, Dscp, Header, RateLabel};
use crate::packet::{Body, Codepoint, Ecn, FlowId, Packet, SackBlocks};
use crate::prefetch::{Part, prefetch};
use crate::transport::{Counters, Endpoint, FlowContext, Turn};
use crate::units::{Coarse, Duration, Instant};
use delay::Delay;
use opening::{Opening, SynAck};
use tuning::{Place, Tuning, Waits};

/// The bytes of a SACK block on the wire (RFC 2018 section 3).
const SACK_BLOCK: u32 = 8;
/// The number of reports of a hole that are never delayed, so that the sender resends in time (Linux), and the most reports that wait
/// (`tcp_comp_sack_nr`).
const TOLD_AT_ONCE: u8 = 3;
const MOST_REPORTS: u8 = 44;
/// The time by which a report of Linux leaves after its timer, or less: in the oracle it was 1.3 us.
const REPORT_LATE: Duration = Duration::from_micros(1);
/// The blocks that Linux keeps (`TCP_NUM_SACKS`), and the place of a block from which on reports do not wait for news about it.
const KEPT_BLOCKS: usize = 4;
const LATE_BLOCK: usize = 2;
/// The number of segments that are acknowledged at once after a mark (Linux).
const QUICK_AFTER_MARK: u8 = 2;

/// The parts of a segment that its acknowledgement repeats.
#[derive(Clone, Copy, Debug)]
struct Cause {
    sent_at: Instant,
    retransmit: bool,
}

/// A delayed acknowledgement.
#[derive(Clone, Copy, Debug)]
struct Delayed {
    deadline: Instant,
    /// The segments in order that wait for it.
    segments: u32,
    /// The first of them, whose timestamp is echoed (RFC 7323 section 4.3).
    cause: Cause,
}

/// The state of the ECN echo (RFC 3168 section 6.1.3), as bits. Three bytes that are written one by one and soon read as a whole would
/// stall the processor.
#[derive(Clone, Copy, Debug, Default)]
struct Echo(u8);

impl Echo {
    /// Set while acknowledgements carry the echo. With the exact feedback it is RFC 8257's DCTCP.CE.
    const ON: u8 = 1;
    /// Set if CE has arrived since the last acknowledgement.
    const CE: u8 = 2;
    /// Set if CWR has arrived since the last acknowledgement.
    const CWR: u8 = 4;
    /// Set if an ECN-capable segment has arrived.
    const CAPABLE: u8 = 8;

    fn is(self, bit: u8) -> bool {
        self.0 & bit != 0
    }

    /// A segment has arrived, with these values of CE and CWR.
    fn hear(&mut self, ce: bool, cwr: bool) {
        self.0 |= u8::from(ce) * Echo::CE + u8::from(cwr) * Echo::CWR;
    }

    /// The same as in Linux: CWR answers all marks that arrived before it, also those that no acknowledgement has reported yet.
    fn hear_in_turn(&mut self, ce: bool, cwr: bool) {
        if cwr {
            self.0 &= !(Echo::ON | Echo::CE);
        }
        self.hear(ce, cwr);
    }

    fn switch(&mut self, on: bool) {
        self.0 = self.0 & !Echo::ON | u8::from(on);
    }

    /// An acknowledgement is sent.
    fn tell(&mut self, on: bool) {
        self.0 = self.0 & Echo::CAPABLE | u8::from(on);
    }
}

/// The data that has arrived out of order.
#[derive(Clone, Debug, Default)]
struct Held {
    ranges: RangeSet,
    /// The blocks that were reported last, each from its first byte to the one behind it. The most recent one is first.
    recent: [(u64, u64); KEPT_BLOCKS],
    recent_len: u8,
    /// The acknowledgements sent since `missing` is the first missing byte, and the reports that wait.
    told: u8,
    waits: u8,
    missing: u64,
}

/// One receiver.
pub struct Receiver {
    config: Arc<Config>,
    /// The next byte in order.
    next: u64,
    /// Absent while all data is in order, because there may be a million receivers.
    held: Option<Box<Held>>,
    delayed: Option<Delayed>,
    echo: Echo,
    /// The number of next segments that are acknowledged at once.
    quick: u8,
    /// The answer to a SYN that is to be repeated, until a packet shows that it has arrived. Its time is that of `delayed`.
    opening: Option<Box<Opening>>,
    /// The growth of its window, if that is modelled. Absent before a SYN.
    tuning: Option<Box<Tuning>>,
    /// The answers of queues since the last acknowledgement.
    answer: Answer,
    counters: Counted,
}

/// The part of [`Counters`] that a receiver counts.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    packets_received: u64,
    bytes_received: u64,
    bytes_delivered: u64,
    marks_seen: u64,
    one_way_delay_sum: f64,
}

impl Receiver {
    /// A receiver that expects byte 0.
    pub fn new(config: Arc<Config>) -> Self {
        Receiver {
            config,
            next: 0,
            held: None,
            delayed: None,
            echo: Echo::default(),
            quick: 0,
            opening: None,
            tuning: None,
            answer: Answer::default(),
            counters: Counted::default(),
        }
    }

    #[inline(always)]
    fn on_data(&mut self, now: Instant, seq: u64, len: u32, cause: Cause, cx: &mut FlowContext) {
        let end = seq + u64::from(len);
        self.grow(now, cause, seq, end);
        let before = self.next;
        if seq <= self.next && end > self.next && self.held.is_none() {
            // The common case: the next segment, and nothing missing.
            self.counters.bytes_delivered += end - self.next;
            if let Some(tuning) = &mut self.tuning {
                tuning.follow(self.next, end, self.quick == 0);
            }
            self.next = end;
            self.acknowledge_in_order(now, cause, cx);
        } else {
            self.on_data_out_of_order(now, seq, end, cause, cx);
        }
        if let Some(tuning) = &mut self.tuning
            && self.next > before
        {
            tuning.on_read(now, end.min(self.next), self.next);
        }
    }

    #[inline(never)]
    fn on_data_out_of_order(&mut self, now: Instant, seq: u64, end: u64, cause: Cause, cx: &mut FlowContext) {
        if end == self.next && self.held.is_none() && self.config.details == Details::Ns2 {
            // ns-2's delaying sink takes the newest segment in order for a segment in order when it comes again.
            self.acknowledge_in_order(now, cause, cx);
            return;
        }
        let twice = if self.config.dsack { self.had_before(seq, end) } else { None };
        if end > self.next {
            if self.reports_before(seq, end)
                && let Some(delayed) = self.delayed
            {
                self.acknowledge(now, delayed.cause, SynAck::No, cx);
            }
            self.reassemble(seq.max(self.next), end);
        } else {
            self.quicken(self.config.quick_acks);
        }
        if twice.is_none() && self.gathers() {
            self.delayed.get_or_insert(Delayed { deadline: self.report_by(now), segments: 0, cause });
            return;
        }
        // Out of order, filling a hole, or a duplicate: at once (RFC 5681 §4.2).
        let sack = self.sack_blocks(twice);
        self.send_ack(now, cause, sack, SynAck::No, cx);
    }

    /// A segment has arrived. If the window grows with it, it is acknowledged at once (Linux `tcp_grow_window`).
    #[inline]
    fn grow(&mut self, now: Instant, cause: Cause, seq: u64, end: u64) {
        let in_order = seq <= self.next && end > self.next;
        if let Some(tuning) = &mut self.tuning
            && in_order
            && tuning.delay.on_segment(now, cause.retransmit)
        {
            self.quick = self.quick.max(self.config.quick_acks);
        }
        let waits = self.waits();
        if let Some(tuning) = &mut self.tuning {
            let place = match &self.held {
                _ if in_order => Place::InOrder,
                Some(_) if tuning.buffers.takes(seq, end) => Place::Added,
                _ => Place::Apart,
            };
            if !self.config.clocks {
                tuning.on_arrival(now, cause.sent_at, cause.retransmit);
            }
            if tuning.on_segment(place, waits) {
                self.quick |= 1;
            }
        }
    }

    /// The segments that wait for others before them.
    fn waits(&self) -> Waits {
        let buffers = self.tuning.as_ref().map_or(0, |tuning| tuning.buffers.count());
        self.held.as_ref().map_or(Waits::default(), |held| Waits { bytes: held.ranges.total(), buffers })
    }

    /// RFC 2883 §4: the block that reports `seq..end`, if these bytes have arrived before. Below the acknowledgement it counts backwards,
    /// in descending order and from one.
    fn had_before(&self, seq: u64, end: u64) -> Option<(u32, u32)> {
        let next = self.next;
        if end <= next {
            let offset = |byte: u64| u32::try_from(next - byte + 1).ok();
            return offset(seq).zip(offset(end));
        }
        let held = self.held.as_ref().is_some_and(|held| held.ranges.containing(seq).is_some_and(|(_, to)| end <= to));
        held.then(|| ((seq - next) as u32, (end - next) as u32))
    }

    /// Linux: two segments are acknowledged at once when marks begin, because the sender's window may be small, and when a segment is not
    /// ECN-capable after others that were, because it has been sent again.
    fn note_mark(&mut self, ecn: Ecn, cwr: bool) {
        let begins = ecn == Ecn::Ce && (cwr || !self.echo.is(Echo::ON) && !self.echo.is(Echo::CE));
        if begins || ecn == Ecn::NotEct && self.echo.is(Echo::CAPABLE) {
            self.quicken(QUICK_AFTER_MARK);
        }
        if ecn != Ecn::NotEct {
            self.echo.0 |= Echo::CAPABLE;
        }
    }

    /// The next `segments` segments are acknowledged at once, and the next delay is the least one (Linux `tcp_enter_quickack_mode`).
    fn quicken(&mut self, segments: u8) {
        let segments = segments.min(self.config.quick_acks);
        self.quick = self.quick.max(segments);
        if let Some(tuning) = self.tuning.as_mut().filter(|_| segments > 0) {
            tuning.delay.restart();
        }
    }

    /// Any acknowledgement counts as one of those that are sent at once (Linux `tcp_dec_quickack_mode`).
    fn note_answer(&mut self) {
        self.quick = self.quick.saturating_sub(1);
        if let Some(tuning) = self.tuning.as_mut().filter(|_| self.quick == 0) {
            tuning.delay.restart();
        }
    }

    /// The time until which a report waits.
    fn report_by(&self, now: Instant) -> Instant {
        let most = self.config.sack_delay;
        self.tuning.as_ref().map_or(now + most, |tuning| tuning.delay.report_by(now, tuning.sack_delay(most)))
    }

    /// True if the report of data out of order waits for more.
    fn gathers(&mut self) -> bool {
        let next = self.next;
        // In Linux a report at once that CWR asks for is not one of the first.
        let asked = self.echo.is(Echo::CWR) && self.config.arrivals == Arrivals::Linux;
        let delays = self.config.sack && self.config.sack_delay > Duration::ZERO && self.quick == 0 && !asked;
        let Some(held) = self.held.as_mut().filter(|_| delays) else { return false };
        if held.missing != next {
            (held.missing, held.told) = (next, 0);
        }
        let tells = held.told < TOLD_AT_ONCE;
        held.told += u8::from(tells);
        let waits = !tells && held.waits < MOST_REPORTS;
        held.waits += u8::from(waits);
        waits
    }

    /// Linux: if the segment `seq..end` belongs to none of the two blocks that an acknowledgement would name first, the reports that wait
    /// are sent before it (`tcp_sack_new_ofo_skb`).
    fn reports_before(&self, seq: u64, end: u64) -> bool {
        let Some(held) = self.held.as_ref().filter(|held| held.waits > 0 && self.config.arrivals == Arrivals::Linux)
        else {
            return false;
        };
        let before = held.known(self.next).take_while(|&block| !touch(block, (seq, end)));
        seq > self.next && before.count() >= LATE_BLOCK
    }

    /// Linux's timer of a report goes off in time, and the report leaves a little later. In the next round trip the segments that answer it
    /// come as much later, and thus behind the time of the next report. Here they would come in the same nanosecond, or the one before.
    fn report_in_time(&mut self, now: Instant, cx: &mut FlowContext) {
        if let Some(delayed) = self.delayed
            && delayed.deadline <= now + REPORT_LATE
            && self.held.as_ref().is_some_and(|held| held.waits > 0)
            && self.config.arrivals == Arrivals::Linux
        {
            self.acknowledge_late(now, delayed, cx);
        }
    }

    /// The time of an acknowledgement or a report that waits has come.
    fn acknowledge_late(&mut self, now: Instant, delayed: Delayed, cx: &mut FlowContext) {
        if let Some(tuning) = self.tuning.as_mut().filter(|_| delayed.segments > 0) {
            tuning.delay.on_missed();
        }
        self.acknowledge(now, delayed.cause, SynAck::No, cx);
    }

    /// RFC 8257 §3.2: when a marked segment follows an unmarked one or the reverse, the waiting segments are acknowledged with the old
    /// state, and this segment with the new one.
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

    /// [Tah13] algorithm 5. With delayed acknowledgements a marked segment has an acknowledgement of its own, so that each mark is
    /// reported. The waiting segments are acknowledged before it.
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
            if let Some(tuning) = &mut self.tuning {
                tuning.buffers.add(seq, end);
            }
            return match self.config.arrivals {
                Arrivals::Linux => held.note_recent((seq, end), KEPT_BLOCKS, self.next),
                Arrivals::Rfc => {
                    held.note_recent(held.ranges.containing(seq).unwrap_or((seq, end)), SackBlocks::MOST, self.next);
                }
            };
        };
        if let Some(tuning) = &mut self.tuning {
            tuning.fill(self.next, end.min(filled), filled);
        }
        self.counters.bytes_delivered += filled - self.next;
        self.next = filled;
        held.ranges.remove_below(filled);
        if held.ranges.is_empty() {
            self.held = None;
        }
    }

    #[inline(always)]
    fn acknowledge_in_order(&mut self, now: Instant, cause: Cause, cx: &mut FlowContext) {
        let waiting = self.delayed.map_or(1, |delayed| delayed.segments + 1);
        if self.quick > 0 || waiting >= self.config.ack_every {
            let first = self.delayed.map_or(cause, |delayed| delayed.cause);
            self.acknowledge(now, first, SynAck::No, cx);
            return;
        }
        if let Some(delayed) = &mut self.delayed {
            delayed.segments = waiting;
            return;
        }
        let deadline = match &mut self.tuning {
            Some(tuning) => tuning.delay.set_timer(self.config.timers, now, self.config.rtt.tick, cx.out),
            None => now + self.config.ack_delay,
        };
        self.delayed = Some(Delayed { deadline, segments: 1, cause });
    }

    fn acknowledge(&mut self, now: Instant, cause: Cause, syn: SynAck, cx: &mut FlowContext) {
        let sack = if self.held.is_none() { SackBlocks::default() } else { self.sack_blocks(None) };
        self.send_ack(now, cause, sack, syn, cx);
    }

    /// An answer to a SYN has been sent. Without a packet it is sent again.
    fn await_opening(&mut self, now: Instant, cause: Cause, answer: SynAck, cx: &mut FlowContext) {
        let opening = self.opening.get_or_insert_with(|| Box::new(Opening::new(answer)));
        let deadline = opening.next(self.config.timers, now, &self.config.rtt, cx.out);
        self.delayed = Some(Delayed { deadline, segments: 0, cause });
    }

    /// The first packet since the SYN has arrived: the answer need not be sent again.
    #[cold]
    fn on_opened(&mut self, now: Instant, sent_at: Instant, header: Option<&Header>) {
        let Some(opening) = self.opening.take() else { return };
        self.delayed = None;
        if let Some(tuning) = &mut self.tuning {
            let (answered, trip) = match header {
                // It echoes the answer that the sender heard first (Linux `tcp_synack_rtt_meas`).
                Some(Header::Clock(millis)) if opening.is_repeated() => {
                    let answered = Instant::from_nanos(u64::from(*millis) * 1_000_000);
                    (answered, in_millis(now, answered))
                }
                _ => {
                    let answered = opening.answered(sent_at);
                    (answered, now.since(answered))
                }
            };
            tuning.on_opened(now, sent_at, answered, trip);
        }
    }

    fn send_ack(&mut self, now: Instant, cause: Cause, sack: SackBlocks, syn: SynAck, cx: &mut FlowContext) {
        self.delayed = None;
        if let Some(held) = &mut self.held {
            held.waits = 0;
        }
        let offered = self.offer();
        let heard = self.echo;
        // Also when CWR came between: this mark is newer than the reduction, or not known to be older.
        let is_on = heard.is(Echo::CE) || heard.is(Echo::ON) && !heard.is(Echo::CWR);
        self.echo.tell(is_on);
        if self.quick > 0 && syn == SynAck::No {
            self.note_answer();
        }
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
                offered,
                answer: self.answer(now),
            },
        });
    }

    /// The answer of an acknowledgement to the messages in segments.
    #[inline]
    fn answer(&mut self, now: Instant) -> Answer {
        if self.config.clocks { Answer::of_clock(delay::millis(now) as u32) } else { std::mem::take(&mut self.answer) }
    }

    /// Reads the message in a segment, perhaps a `whole` one.
    #[inline]
    fn hear(&mut self, now: Instant, header: &Header, whole: bool) {
        match (header, &mut self.tuning) {
            (Header::Clock(millis), Some(tuning)) => tuning.on_echo(now, *millis, whole),
            _ => self.answer.add(header),
        }
    }

    /// The window of an acknowledgement, if it bounds the sender.
    fn offer(&mut self) -> u16 {
        let waits = self.waits();
        self.tuning.as_mut().filter(|_| self.config.advertise).map_or(0, |tuning| tuning.room(self.next, waits))
    }

    fn sack_blocks(&self, twice: Option<(u32, u32)>) -> SackBlocks {
        let mut sack = SackBlocks::default();
        if let Some((start, end)) = twice.filter(|_| self.config.sack) {
            sack.push(start, end);
        }
        if self.config.sack
            && let Some(held) = &self.held
        {
            for (start, end) in held.known(self.next) {
                // Offsets fit: no window is larger than 4 GiB.
                sack.push((start - self.next) as u32, (end - self.next) as u32);
            }
        }
        sack
    }
}

impl Held {
    /// The blocks that were reported last and are above `next`, the byte that is expected.
    fn known(&self, next: u64) -> impl Iterator<Item = (u64, u64)> {
        self.recent[..usize::from(self.recent_len)].iter().copied().filter(move |&(start, _)| start > next)
    }

    /// RFC 2018 §4: the first block is the one with the segment that caused the acknowledgement. Those reported before follow. `block` is
    /// that segment as in Linux, which forgets the data next to it if it was not among the last `kept` blocks. Otherwise it is all that has
    /// arrived around it.
    fn note_recent(&mut self, mut block: (u64, u64), kept: usize, next: u64) {
        let old = self.recent;
        let mut len = 1;
        for &other in old[..usize::from(self.recent_len)].iter().filter(|(start, _)| *start > next) {
            if touch(block, other) {
                block = (block.0.min(other.0), block.1.max(other.1));
            } else if len < kept {
                self.recent[len] = other;
                len += 1;
            }
        }
        self.recent[0] = block;
        self.recent_len = len as u8;
    }
}

/// Whether two ranges of bytes overlap or are next to each other.
fn touch(one: (u64, u64), other: (u64, u64)) -> bool {
    one.0 <= other.1 && other.0 <= one.1
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
        if syn && seq < self.next && self.config.arrivals == Arrivals::Linux {
            // A late copy: its connection is open.
            return;
        }
        if syn {
            // A new connection: what was to be echoed belonged to the old one.
            self.echo = Echo::default();
            self.quick = self.config.quick_acks;
            if self.config.tuning {
                let delay = Delay::new(now, now.since(sent_at), self.config.ack_delay);
                let most = self.config.receive_buffer;
                self.tuning = Some(Box::new(Tuning::new(now, self.config.mss.into(), most, delay)));
            }
            self.answer = Answer::default();
            if let Some(header) = &header {
                self.answer.add(header);
            }
            let answer = if cwr && self.config.ecn_agreed { SynAck::Agrees } else { SynAck::Yes };
            self.acknowledge(now, cause, answer, cx);
            if self.config.handshake_ack {
                self.await_opening(now, cause, answer, cx);
            }
            return;
        }
        if self.opening.is_some() {
            self.on_opened(now, sent_at, header.as_ref());
        }
        if len == 0 {
            // It acknowledges the answer to the SYN.
            return;
        }
        self.report_in_time(now, cx);
        if let Some(header) = &header {
            self.hear(now, header, len >= self.config.mss);
        }
        let marked = packet.ecn == Ecn::Ce;
        self.counters.marks_seen += u64::from(marked);
        match self.config.ecn_feedback {
            EcnFeedback::Rfc3168 => {
                self.note_mark(packet.ecn, cwr);
                match self.config.arrivals {
                    Arrivals::Rfc => self.echo.hear(marked, cwr),
                    Arrivals::Linux => self.echo.hear_in_turn(marked, cwr),
                }
                self.on_data(now, seq, len, cause, cx);
            }
            EcnFeedback::Dctcp => {
                self.on_data_exactly(now, seq, len, cause, marked, cx);
            }
            EcnFeedback::Xecn => {
                self.echo.hear(false, cwr);
                self.on_data_counting(now, seq, len, cause, marked, cx);
            }
        }
        // Linux answers CWR at once, since the sender's window may be small.
        let asks = push && self.held.is_none() || cwr && self.config.quick_acks > 0;
        if asks && let Some(delayed) = self.delayed {
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
            if let Some(opening) = &mut self.opening {
                opening.on_timeout();
                let answer = opening.answer;
                self.acknowledge(now, delayed.cause, answer, cx);
                self.await_opening(now, delayed.cause, answer, cx);
                return;
            }
            self.acknowledge_late(now, delayed, cx);
        }
    }

    fn turn(&self) -> Turn {
        if let Some(opening) = &self.opening {
            return opening.turn(self.next_deadline());
        }
        self.tuning.as_ref().map_or(Turn::FIRST, |tuning| tuning.delay.turn(self.next_deadline()))
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
mod tests;
