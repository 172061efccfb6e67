//! The receiving side of TCP: the time of acknowledgements (delayed or not), and their content. Packets reach it in `endpoint.rs`; data
//! out of order and their SACK blocks are in `held.rs`, the echo of marks in `echo.rs`.

pub(super) mod counts;
mod delay;
mod echo;
mod endpoint;
mod held;
mod opening;
mod segment_buffers;
mod tuning;

use std::sync::Arc;

use super::rtt_kernel::in_millis;
use super::settings::Arrivals;
use super::{Config, Details};
use crate::header::{Answer, Dscp, Header, RateLabel};
use crate::packet::{Body, Ecn, FlowId, Packet, SackBlocks};
use crate::transport::FlowContext;
use crate::units::{Coarse, Duration, Instant};
use counts::Counts;
use echo::Echo;
use held::Held;
use opening::{Opening, SynAck};
use tuning::{Place, Tuning, Waits};

/// The bytes of a SACK block on the wire (RFC 2018 section 3).
const SACK_BLOCK: u32 = 8;
/// The time by which a report of Linux leaves after its timer, or less: in the oracle it was 1.3 us.
const REPORT_LATE: Duration = Duration::from_micros(1);

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

pub struct Receiver {
    config: Arc<Config>,
    /// The next byte in order.
    next: u64,
    /// Absent while all data is in order, because there may be a million receivers.
    held: Option<Box<Held>>,
    delayed: Option<Delayed>,
    echo: Echo,
    /// Present on a connection with accurate ECN.
    counts: Option<Box<Counts>>,
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

/// The part of [`Counters`](crate::transport::Counters) that a receiver counts.
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
        let counts = config.counts(Ecn::NotEct, true);
        Receiver {
            config,
            next: 0,
            held: None,
            delayed: None,
            echo: Echo::default(),
            counts,
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
        if end == self.next && self.held.is_none() && self.config.params.details == Details::Ns2 {
            // ns-2's delaying sink takes the newest segment in order for a segment in order when it comes again.
            self.acknowledge_in_order(now, cause, cx);
            return;
        }
        let twice = if self.config.params.dsack { self.had_before(seq, end) } else { None };
        if end > self.next {
            let reports_before = self.config.params.arrivals == Arrivals::Linux
                && self.held.as_ref().is_some_and(|held| held.reports_before(seq, end, self.next));
            if reports_before {
                self.acknowledge_waiting(now, cx);
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

    fn reassemble(&mut self, seq: u64, end: u64) {
        let held = self.held.get_or_insert_default();
        let Some(filled) = held.add(seq, end, self.next, self.config.params.arrivals) else {
            if let Some(tuning) = &mut self.tuning {
                tuning.buffers.add(seq, end);
            }
            return;
        };
        if let Some(tuning) = &mut self.tuning {
            tuning.fill(self.next, end.min(filled), filled);
        }
        self.counters.bytes_delivered += filled - self.next;
        self.next = filled;
        if held.is_empty() {
            self.held = None;
        }
    }

    /// A segment has arrived. If the window grows with it, it is acknowledged at once (Linux `tcp_grow_window`). It does not grow with
    /// bytes that have come before.
    #[inline]
    fn grow(&mut self, now: Instant, cause: Cause, seq: u64, end: u64) {
        let in_order = seq <= self.next && end > self.next;
        if let Some(tuning) = &mut self.tuning
            && in_order
            && tuning.delay.on_segment(now, cause.retransmit)
        {
            self.quick = self.quick.max(tuning.quick_at_most(self.config.quick_acks));
        }
        let waits = self.waits();
        let had = end <= self.next || self.held.as_ref().is_some_and(|held| held.has(seq, end));
        if let Some(tuning) = &mut self.tuning {
            let place = match &self.held {
                _ if in_order => Place::InOrder,
                Some(_) if tuning.buffers.takes(seq, end) => Place::Added,
                _ => Place::Apart,
            };
            if !self.config.clocks {
                tuning.on_arrival(now, cause.sent_at, cause.retransmit);
            }
            if !had && tuning.on_segment(place, waits) {
                self.quick |= 1;
            }
        }
    }

    /// The segments that wait for others before them.
    fn waits(&self) -> Waits {
        let buffers = self.tuning.as_ref().map_or(0, |tuning| tuning.buffers.count());
        self.held.as_ref().map_or(Waits::default(), |held| Waits { bytes: held.bytes(), buffers })
    }

    /// RFC 2883 §4: the block that reports `seq..end`, if these bytes have arrived before. Below the acknowledgement it counts backwards,
    /// in descending order and from one.
    fn had_before(&self, seq: u64, end: u64) -> Option<(u32, u32)> {
        let next = self.next;
        if end <= next {
            let offset = |byte: u64| u32::try_from(next - byte + 1).ok();
            return offset(seq).zip(offset(end));
        }
        let held = self.held.as_ref().is_some_and(|held| held.has(seq, end));
        held.then(|| ((seq - next) as u32, (end - next) as u32))
    }

    /// The next `segments` segments are acknowledged at once, and the next delay is the least one (Linux `tcp_enter_quickack_mode`).
    fn quicken(&mut self, segments: u8) {
        let segments = self.quick_at_most(segments);
        self.quick = self.quick.max(segments);
        if let Some(tuning) = self.tuning.as_mut().filter(|_| segments > 0) {
            tuning.delay.restart();
        }
    }

    /// The segments that are acknowledged at once, of `segments` that shall be.
    fn quick_at_most(&self, segments: u8) -> u8 {
        let most = segments.min(self.config.quick_acks);
        self.tuning.as_ref().map_or(most, |tuning| tuning.quick_at_most(most))
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
        let most = self.config.params.sack_delay;
        self.tuning.as_ref().map_or(now + most, |tuning| tuning.delay.report_by(now, tuning.sack_delay(most)))
    }

    /// True if the report of data out of order waits for more.
    fn gathers(&mut self) -> bool {
        // In Linux a report at once that CWR asks for is not one of the first.
        let asked = self.echo.is(Echo::CWR) && self.config.params.arrivals == Arrivals::Linux;
        let delays = self.config.sack && self.config.params.sack_delay > Duration::ZERO && self.quick == 0 && !asked;
        self.held.as_mut().is_some_and(|held| delays && held.gathers(self.next))
    }

    /// Linux's timer of a report goes off in time, and the report leaves a little later. In the next round trip the segments that answer it
    /// come as much later, and thus behind the time of the next report. Here they would come in the same nanosecond, or the one before.
    fn report_in_time(&mut self, now: Instant, cx: &mut FlowContext) {
        if let Some(delayed) = self.delayed
            && delayed.deadline <= now + REPORT_LATE
            && self.held.as_ref().is_some_and(|held| held.waits())
            && self.config.params.arrivals == Arrivals::Linux
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
        if changed {
            self.acknowledge_waiting(now, cx);
        }
        self.echo.switch(marked);
        self.on_data(now, seq, len, cause, cx);
        if changed {
            self.acknowledge_waiting(now, cx);
        }
    }

    /// [Tah13] algorithm 5. With delayed acknowledgements a marked segment has an acknowledgement of its own, so that each mark is
    /// reported. The waiting segments are acknowledged before it.
    fn on_data_counting(&mut self, now: Instant, seq: u64, len: u32, cause: Cause, marked: bool, cx: &mut FlowContext) {
        if !marked {
            self.on_data(now, seq, len, cause, cx);
            return;
        }
        let cwr = self.echo.take_cwr();
        self.acknowledge_waiting(now, cx);
        self.echo.hear(true, cwr);
        self.on_data(now, seq, len, cause, cx);
        self.acknowledge_waiting(now, cx);
    }

    /// RFC 9768 section 3.2.2.5.1: a mark after an unmarked segment is reported at once, and so are two marks.
    #[inline(never)]
    fn on_data_counted(&mut self, now: Instant, seq: u64, len: u32, cause: Cause, ecn: Ecn, cx: &mut FlowContext) {
        let begins = self.counts.as_mut().is_some_and(|counts| counts.hear(ecn, len));
        self.on_data(now, seq, len, cause, cx);
        if begins || self.counts.as_ref().is_some_and(|counts| counts.are_due()) {
            self.acknowledge_waiting(now, cx);
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
            Some(tuning) => tuning.delay.set_timer(self.config.params.timers, now, self.config.rtt.tick, cx.out),
            None => now + self.config.params.ack_delay,
        };
        self.delayed = Some(Delayed { deadline, segments: 1, cause });
    }

    fn acknowledge(&mut self, now: Instant, cause: Cause, syn: SynAck, cx: &mut FlowContext) {
        let sack = if self.held.is_none() { SackBlocks::default() } else { self.sack_blocks(None) };
        self.send_ack(now, cause, sack, syn, cx);
    }

    /// An acknowledgement that waits is sent now.
    fn acknowledge_waiting(&mut self, now: Instant, cx: &mut FlowContext) {
        if let Some(delayed) = self.delayed {
            self.acknowledge(now, delayed.cause, SynAck::No, cx);
        }
    }

    /// An answer to a SYN has been sent. Without a packet it is sent again.
    fn await_opening(&mut self, now: Instant, cause: Cause, answer: SynAck, cx: &mut FlowContext) {
        let opening = self.opening.get_or_insert_with(|| Box::new(Opening::new(answer)));
        let deadline = opening.next(self.config.params.timers, now, &self.config.rtt, cx.out);
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

    fn send_ack(&mut self, now: Instant, cause: Cause, mut sack: SackBlocks, syn: SynAck, cx: &mut FlowContext) {
        self.delayed = None;
        if let Some(held) = &mut self.held {
            held.has_told();
        }
        let offered = self.offer();
        let (codepoint, counts) = match &mut self.counts {
            None => (self.echo.tell(syn, self.config.ecn_feedback), 0),
            Some(counts) if syn == SynAck::No => (counts.tell(syn), counts.put_option(&mut sack)),
            Some(counts) => (counts.tell(syn), 0),
        };
        if self.quick > 0 && syn == SynAck::No {
            self.note_answer();
        }
        let blocks = sack.as_slice().len() as u32;
        let options = if blocks > 0 { self.config.sack_header + SACK_BLOCK * blocks } else { 0 } + counts;
        let size = if syn == SynAck::No { self.config.ack_size + options } else { self.config.syn_size };
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
        self.tuning.as_mut().filter(|_| self.config.params.advertise).map_or(0, |tuning| tuning.room(self.next, waits))
    }

    /// The blocks of an acknowledgement, with the one that has come `twice` before them.
    fn sack_blocks(&self, twice: Option<(u32, u32)>) -> SackBlocks {
        let mut sack = SackBlocks::default();
        if self.config.sack {
            if let Some((start, end)) = twice {
                sack.push(start, end);
            }
            if let Some(held) = &self.held {
                held.name_blocks(self.next, &mut sack);
            }
        }
        sack
    }
}

#[cfg(test)]
mod tests;
