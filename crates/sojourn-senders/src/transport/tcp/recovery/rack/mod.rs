//! The recovery of present-day Linux (`recovery = "rack"`). It detects losses by time (RFC 8985 section 6), probes the end of a
//! flight (section 7), reduces the rate in proportion (RFC 9937), and takes back cuts that were not necessary. Compared with: Linux
//! 6.12, segment by segment (`tests/peers/linux/kernel`); its `tcp_input.c`, `tcp_recovery.c` and `tcp_output.c` (behaviour).
//!
//! | phase | since | until | window |
//! |---|---|---|---|
//! | `Open` | - | a segment is reported out of order | the law's |
//! | `Disorder` | a report out of order | a segment is lost, or all are in order | the law's |
//! | `Reducing` | an echo of congestion | more is acknowledged than was in flight | falls to the law's (PRR) |
//! | `Recovery` | a loss | all that was in flight is acknowledged | falls to the law's (PRR) |
//! | `Loss` | the timer | all that was in flight is acknowledged | the law's, from one segment above the amount in the network |
//!
//! Not modelled: reneging, ABC's limits. As in Linux, one timer runs at a time. It waits for the next loss by time, for the probe, or for
//! the timeout.

mod alert;
mod delivery;
mod detect;
mod f_rto;
mod flight;
mod law_calls;
mod restore;
mod sending;
mod state;
pub(in crate::transport::tcp) mod timer_wheel;
mod timers;
mod trips;
mod undo;
mod usage;

use std::ops::Range;

use super::hooks::Recover;
use super::prr::Prr;
use crate::packet::SackBlocks;
use crate::prefetch::prefetch;
use crate::transport::FlowContext;
use crate::transport::congestion::{Attentive, Cause, Congestion, Cut, Heard, Milestone, Phase};
use crate::transport::tcp::settings::Arrivals;
use crate::transport::tcp::stream::{Ack, Stream};
use crate::units::{Duration, Instant};
use detect::{Bounds, Found, Told};
use flight::{Block, Blocks, Segment};
pub(super) use state::Rack;
use state::{Again, News, Timer};

impl Recover for Rack {
    #[inline(never)]
    fn on_ack(&mut self, stream: &mut Stream, now: Instant, mut ack: Ack<'_>, cx: &mut FlowContext) {
        self.holds = false;
        self.let_go_first(stream, now, cx);
        let heard = stream.listen(now, &mut ack, stream.max);
        stream.take_grant(now, &ack);
        let plain = self.allow(stream, &ack);
        let mut news = self.note_arrivals(stream, now, &ack);
        if stream.accurate.is_some() {
            stream.read_counts(&mut ack, Some(news.delivered));
            if let Some(acked) = &mut news.acked {
                acked.ece = ack.ece;
            }
        }
        let ack = &ack;
        let (delivered, marks) = (news.delivered as f64, ack.marks);
        stream.tell_control(now, heard.map(|heard| Heard { delivered, marks, plain, ..heard }), &mut news);
        if stream.config.attends {
            self.tell_arrival(stream, now, ack, &news);
        }
        self.hear_of_probe(stream, now, ack, &news);
        let found = match stream.config.params.arrivals {
            Arrivals::Linux => self.alert(stream, now, ack, &news),
            Arrivals::Rfc => self.judge(stream, now, ack, &news),
        };
        self.resize(stream, now, &news, found);
        if stream.config.attends && news.acked.is_some() && stream.control.attentive().is_some_and(Attentive::backs_off)
        {
            self.back_off(stream, now);
        }
        self.sample_rate(stream, now, ack, &news, found);
        self.set_timers(stream, now, &news, found);
        self.send_allowed(stream, now, cx);
        self.keep_timer(stream, now);
        self.set_deadline(stream, cx);
    }

    /// The timer has expired (RFC 8985 sections 6.3 and 7.3, RFC 6298 section 5), or the pacer lets a packet go.
    fn on_timer(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        self.waits &= now < self.release;
        self.holds = false;
        match self.timer.take_if(|timer| timer.at() <= now) {
            Some(Timer::Loss(_)) => self.on_loss_by_time(stream, now),
            Some(Timer::Probe(_)) => self.send_probe(stream, now, cx),
            Some(Timer::Timeout(_)) => self.on_timeout(stream, now),
            None => {}
        }
        self.send_allowed(stream, now, cx);
        self.keep_timer(stream, now);
        self.set_deadline(stream, cx);
    }

    fn send(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        self.send_allowed(stream, now, cx);
        self.keep_timer(stream, now);
        self.set_deadline(stream, cx);
    }

    fn on_handshake(&mut self, stream: &Stream, trip: Duration) {
        if stream.config.params.arrivals == Arrivals::Linux {
            self.detector.on_handshake(trip);
        }
    }

    /// In Linux the pacer counts the wait of the next packet from this one, too (`__tcp_transmit_skb`).
    fn on_acknowledged(&mut self, stream: &Stream, now: Instant) {
        if stream.config.params.arrivals == Arrivals::Linux && stream.config.params.handshake_ack {
            self.release = self.release.max(now);
        }
    }

    /// Such an acknowledgement may still report that a repair was not necessary.
    fn hears_when_idle(&self) -> bool {
        true
    }

    fn sacked(&self) -> u64 {
        self.sacked.total()
    }

    fn reduced(&self) -> Option<u64> {
        self.is_reducing().then_some(self.window)
    }

    fn sent_at(&self) -> Option<Instant> {
        Some(self.sent_at)
    }

    fn prefetch(&self) {
        prefetch(Some(self));
    }
}

impl Rack {
    /// Sets the timer of the stream to the time of the next action.
    fn set_deadline(&self, stream: &mut Stream, cx: &mut FlowContext) {
        stream.slot.settle(cx.out);
        stream.rto_deadline = self.deadline();
        if let (Some(known), Some(at)) = (&stream.known, stream.rto_deadline) {
            stream.rto_deadline = Some(known.tick_after(at));
        }
    }

    // ---- Acknowledgements.

    /// RFC 8985 section 6.2 steps 1 to 4: marks the segments that have arrived.
    fn note_arrivals(&mut self, stream: &mut Stream, now: Instant, ack: &Ack<'_>) -> News {
        let (in_network, fack) = (self.flight.in_network(), self.detector.fack());
        let whole = stream.config.params.arrivals == Arrivals::Linux;
        let again = if whole { self.sent_again(stream.una, ack) } else { Again::default() };
        let reported = self.flight.sacked() > 0;
        let seen = self.detector.has_seen_reordering();
        let from = stream.una;
        let acked = (ack.next > stream.una).then(|| stream.advance(now, ack));
        let mut news = News { from, ..News::new(acked, in_network) };
        self.measured |= news.acked.is_some_and(|new| new.rtt.is_some());
        let (mut repaired, mut in_order, mut first) = (false, None, None);
        while let Some((number, segment)) = self.flight.pop_below(stream.una) {
            if let Some(delivery) = &mut self.delivery {
                if !segment.sacked {
                    delivery.on_arrival(now, number, segment.end);
                }
                delivery.forget_first();
            }
            repaired |= segment.resent;
            news.in_order += 1;
            news.runt =
                news.in_order == 1 && !segment.sacked && segment.end - segment.start < u64::from(stream.config.mss);
            if !segment.sacked {
                if !segment.resent {
                    first = first.or(Some(segment.sent_at));
                }
                news.delivered += 1;
                news.original |= !segment.resent && segment.end <= self.high;
                news.trip = Some(now.since(segment.sent_at));
                self.sample_once(stream, now, &segment);
                if self.detector.on_arrival(now, &segment, Told { echo: stream.latest_echo(ack), fack, whole }) {
                    in_order = Some(self.detector.trip());
                }
            }
        }
        let late = self.detector.take_low();
        news.trip = news.trip.filter(|_| !repaired);
        let (una, max) = (stream.una, stream.max);
        self.sacked.remove_below(una);
        let (mut blocks, mut count) = ([(0, 0); SackBlocks::MOST], 0);
        for (place, &(start, end)) in ack.sack.as_slice().iter().enumerate() {
            if let Some(bytes) = twice(ack, place) {
                self.note_twice(stream, now, &bytes, &again, &mut news);
                continue;
            }
            blocks[count] = ((ack.next + u64::from(start)).max(una), (ack.next + u64::from(end)).min(max));
            count += 1;
        }
        if stream.config.params.arrivals == Arrivals::Linux {
            // In the order of their bytes (`tcp_sacktag_write_queue`). The last one gives the round trip.
            blocks[..count].sort_unstable();
        }
        for &(start, end) in &blocks[..count] {
            self.note_block(stream, now, ack, (start, end, fack), &mut news);
        }
        if stream.buffer.is_some() && !ack.sack.as_slice().is_empty() {
            self.gather(ack, reported, from);
        }
        if let Some(trip) = in_order.filter(|_| stream.config.params.arrivals == Arrivals::Linux) {
            self.detector.on_trip(trip);
        }
        if stream.config.params.arrivals == Arrivals::Linux {
            news.trip = stream.trip(now, ack, &news);
            if let Some(trip) = news.trip {
                // After the segments have been judged.
                self.detector.on_sample(now, trip);
            }
        }
        let low = self.low_of_reports(stream, &news, &again);
        if let Some(low) = [late, low].into_iter().flatten().min() {
            self.detector.on_reordering(low, stream.config.mss.into());
        }
        if stream.config.params.arrivals == Arrivals::Linux {
            let of_probe = self.probe.is_some_and(|probe| news.twice == Some(probe.end));
            let twice = news.twice.is_some() && seen && !of_probe;
            self.detector.on_duplicate_in_linux(self.flight.transmissions(), twice);
        } else {
            self.detector.on_duplicate(una, max, news.twice.is_some());
        }
        if stream.times_segments() {
            let sent_at = first.filter(|_| !repaired).or(news.first_sacked.map(|(_, sent_at)| sent_at));
            stream.time_segment(now, ack, sent_at, news.acked.is_some());
        }
        news
    }

    /// The reported segments are gathered into packets, which the send buffer counts. `reported` says that some had been reported before,
    /// and `from` was the first byte that was not acknowledged.
    fn gather(&mut self, ack: &Ack<'_>, reported: bool, from: u64) {
        let mut told = Blocks::default();
        for (place, &(start, end)) in ack.sack.as_slice().iter().enumerate() {
            let block = match twice(ack, place) {
                Some(bytes) => Block { start: bytes.start, end: bytes.end, twice: true },
                None => Block { start: ack.next + u64::from(start), end: ack.next + u64::from(end), twice: false },
            };
            if block.end > from {
                told.push(block);
            }
        }
        told.sort();
        let before = if reported { self.told } else { Blocks::default() };
        self.flight.gather(&told, &before);
        self.told = told;
    }

    /// These bytes have been received twice. In Linux a retransmission that was not necessary is delivered, too. More duplicates than
    /// retransmissions are the network's, and say nothing (`tcp_dsack_seen`). `again` is [`Rack::sent_again`].
    fn note_twice(&mut self, stream: &Stream, now: Instant, bytes: &Range<u64>, again: &Again, news: &mut News) {
        let mut taken = 1;
        if stream.config.params.arrivals == Arrivals::Linux {
            let segments = (bytes.end - bytes.start).div_ceil(stream.config.mss.into()).max(1);
            self.twice += segments;
            if self.twice > u64::from(stream.counters.retransmits) {
                return;
            }
            news.delivered += segments;
            if let Some(delivery) = &mut self.delivery {
                delivery.on_twice(now, segments);
            }
            taken = again.counted.unwrap_or(if bytes.end > self.undo.from() { segments } else { 0 });
        }
        news.twice = Some(bytes.end);
        self.undo.on_duplicates(taken);
    }

    /// RFC 8985 section 6.2 step 1: a segment that was sent once tells a round trip.
    fn sample_once(&mut self, stream: &Stream, now: Instant, segment: &Segment) {
        if !segment.resent && stream.config.params.arrivals == Arrivals::Rfc {
            self.detector.on_sample(now, now.since(segment.sent_at));
        }
    }

    fn note_block(
        &mut self,
        stream: &mut Stream,
        now: Instant,
        ack: &Ack<'_>,
        block: (u64, u64, u64),
        news: &mut News,
    ) {
        let (mut at, end, fack) = block;
        if at >= end {
            return;
        }
        let whole = stream.config.params.arrivals == Arrivals::Linux;
        let told = Told { echo: if whole { now } else { ack.echo }, fack, whole };
        let start = at;
        while at < end {
            if let Some((_, behind)) = self.sacked.containing(at) {
                at = behind;
                continue;
            }
            let to = self.sacked.hole_from(at).map_or(end, |(_, to)| to.min(end));
            for number in self.flight.within(at, to) {
                let segment = self.flight.on_sacked(number, whole);
                if let Some(delivery) = &mut self.delivery {
                    delivery.on_arrival(now, number, segment.end);
                }
                news.delivered += 1;
                news.original |= !segment.resent && segment.end <= self.high;
                news.sacked_at = news.sacked_at.max(Some(segment.sent_at));
                if !segment.resent {
                    news.trip = Some(now.since(segment.sent_at));
                    if news.first_sacked.is_none_or(|(first, _)| segment.start < first) {
                        news.first_sacked = Some((segment.start, segment.sent_at));
                    }
                }
                self.sample_once(stream, now, &segment);
                self.detector.on_arrival(now, &segment, told);
            }
            at = to;
        }
        self.sacked.insert(start, end);
    }

    /// RFC 8985 section 7.4: the meaning of an acknowledgement for the probe.
    fn hear_of_probe(&mut self, stream: &mut Stream, now: Instant, ack: &Ack<'_>, news: &News) {
        let Some(probe) = self.probe.filter(|probe| stream.una >= probe.end) else { return };
        let repaired = probe.again && news.twice != Some(probe.end) && stream.una > probe.end;
        let of_original = news.acked.is_none() && ack.sack.as_slice().is_empty();
        if repaired {
            // The probe has repaired a loss at the end of the flight: that was congestion.
            self.cut(stream, now, Cause::Loss, 0);
            self.set_phase(stream, Phase::Reducing);
            self.set_phase(stream, Phase::Open);
            self.end_undo(stream);
        } else if probe.again && news.twice != Some(probe.end) && !of_original {
            return;
        }
        self.probe = None;
    }

    /// Looks for losses and sets the phase that follows from them. Linux has an order of its own ([`Rack::alert`]).
    fn judge(&mut self, stream: &mut Stream, now: Instant, ack: &Ack<'_>, news: &News) -> Found {
        let una = stream.una;
        if self.phase == Phase::Open {
            self.undo.forget_first();
        }
        let done = una > self.high || una == self.high && self.phase != Phase::Reducing;
        if news.acked.is_some() && self.is_recovering() {
            self.undo_by_time(stream, ack);
        }
        if stream.config.params.undo && self.undo.by_duplicates() {
            self.restore(stream, false);
        }
        self.settle_doubt(stream, news);
        if done && self.phase != Phase::Open && self.phase != Phase::Disorder {
            if self.is_recovering() {
                self.detector.on_recovered(true);
            }
            if self.is_reducing() {
                stream.control.on_milestone(Milestone::Reduced);
            }
            self.set_phase(stream, Phase::Open);
            self.undo.settle(self.goes_on(stream));
        }
        let found = self.detect(stream, now, true);
        let again = self.phase == Phase::Loss && found.repairs > 0;
        if self.flight.has_losses() && (!self.is_recovering() || again) {
            self.begin_recovery(stream, now, news.delivered, false);
        } else if self.phase == Phase::Open || self.phase == Phase::Disorder {
            // RFC 3168 §6.1.2.
            if ack.marks > 0 && stream.control.needs().answers_echoes {
                self.cut(stream, now, Cause::Echo, news.delivered);
                self.set_phase(stream, Phase::Reducing);
            } else {
                let disordered = self.flight.sacked() > 0;
                self.set_phase(stream, if disordered { Phase::Disorder } else { Phase::Open });
            }
        }
        found
    }

    fn bounds(&self, stream: &Stream) -> Bounds {
        Bounds {
            recovering: self.is_recovering(),
            sacked: self.flight.sacked(),
            // Without an average yet nothing bounds it.
            srtt: stream.rtt.srtt(&stream.config.rtt).unwrap_or(Duration::MAX),
            whole: stream.config.params.arrivals == Arrivals::Linux,
        }
    }

    fn detect(&mut self, stream: &mut Stream, now: Instant, by_arrival: bool) -> Found {
        let bounds = self.bounds(stream);
        let Rack { detector, flight, .. } = self;
        let found = if by_arrival && bounds.whole {
            detector.detect_by_arrival(now, flight, bounds)
        } else {
            detector.detect(now, flight, bounds)
        };
        if found.lost > 0 {
            let before = self.lost;
            self.lost += found.lost;
            self.tell_losses(stream, now, before);
        }
        found
    }

    // ---- Cuts.

    /// A loss has been found, by an acknowledgement that echoes congestion if `echoes`.
    fn begin_recovery(&mut self, stream: &mut Stream, now: Instant, delivered: u64, echoes: bool) {
        if self.phase == Phase::Reducing {
            // It has been cut for an echo in this window. In Linux the recovery may still be taken back, but restores nothing
            // (`tcp_init_undo`).
            self.end_undo(stream);
            if stream.config.params.arrivals == Arrivals::Linux {
                let before = (stream.control.window(), stream.control.ssthresh());
                self.undo.begin(before, stream.una, self.doubtful(stream), self.goes_on(stream));
                self.undo.on_echo();
            }
            if stream.control.needs().cuts_again {
                self.cut_again(stream, now);
            }
        } else {
            self.cut(stream, now, Cause::Loss, delivered);
            if echoes {
                self.undo.on_echo();
            }
        }
        self.set_phase(stream, Phase::Recovery);
        stream.counters.fast_recoveries += 1;
    }

    /// Cuts the window that still falls for an echo, from where it is. The rest of the fall is longer.
    fn cut_again(&mut self, stream: &mut Stream, now: Instant) {
        let event = Congestion { now, used: self.window as f64, cause: Cause::Loss };
        stream.control.on_congestion_event(&event);
        self.prr.fall_to(stream.law_window());
    }

    /// The law has asked for a cut. This cut is never taken back, and the window falls as after a mark.
    fn back_off(&mut self, stream: &mut Stream, now: Instant) {
        if matches!(self.phase, Phase::Open | Phase::Disorder) {
            let before = stream.law_window();
            self.cut(stream, now, Cause::Loss, 0);
            // It falls with the next acknowledgement, in proportion to what it was (Linux `tcp_enter_cwr`).
            self.prr = Prr::new(before, self.window, 1);
            self.window = before;
            self.end_undo(stream);
            self.set_phase(stream, Phase::Reducing);
        }
    }

    /// Cuts the window. The rate follows in proportion. The acknowledgement that causes the cut has reported `delivered` segments.
    fn cut(&mut self, stream: &mut Stream, now: Instant, cause: Cause, delivered: u64) {
        if cause == Cause::Loss {
            let before = (stream.control.window(), stream.control.ssthresh());
            self.undo.begin(before, stream.una, self.doubtful(stream), self.goes_on(stream));
        } else {
            // A router has spoken: that is not taken back.
            self.end_undo(stream);
        }
        let event = stream.used(now, cause, 0.0);
        // Linux counts from the window, RFC 9937 from what had been sent.
        let before = match stream.config.counting.cut {
            Cut::Cwnd => stream.law_window(),
            _ => self.flight.out() - self.flight.sacked() + delivered,
        };
        stream.control.on_congestion_event(&event);
        stream.counters.ecn_reductions += u32::from(cause == Cause::Echo);
        stream.marks.cwr_pending = true;
        stream.last_cut = Some(cause);
        stream.recover = stream.max;
        self.high = stream.max;
        self.probe = None;
        let target = stream.law_window();
        self.prr = Prr::new(before, target, 1);
        self.window = target;
    }
}

/// RFC 2883 section 4: the data that the block at `place` reports as received twice, if it does. Such a block is below the acknowledgement,
/// which our two ends write in descending order. Or it is the first block and lies within the second.
fn twice(ack: &Ack<'_>, place: usize) -> Option<Range<u64>> {
    let blocks = ack.sack.as_slice();
    let (start, end) = blocks[place];
    if start > end {
        return Some(ack.next - u64::from(start - 1)..ack.next - u64::from(end - 1));
    }
    let held = place == 0 && blocks.get(1).is_some_and(|&(low, high)| low <= start && end <= high);
    held.then(|| ack.next + u64::from(start)..ack.next + u64::from(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::tcp::pair::MSS;
    use crate::transport::tcp::recovery::LossRecovery;
    use crate::transport::tcp::timelines::ten;

    #[test]
    fn in_linux_a_repair_that_was_not_necessary_is_delivered_too() {
        // One segment was sent again: a second duplicate is the network's.
        for (arrivals, delivered) in [("linux", 1), ("rfc", 0)] {
            let mut pair = ten(&[("profile", "linux"), ("arrivals", arrivals)], "20");
            pair.start();
            pair.sender.stream.counters.retransmits = 1;
            let LossRecovery::Rack(rack) = &mut pair.sender.recovery else { unreachable!("RACK") };
            let mut news = News::new(None, 10);
            for _ in 0..2 {
                rack.note_twice(&pair.sender.stream, Instant::ZERO, &(0..MSS), &Again::default(), &mut news);
                assert_eq!((news.delivered, news.twice), (delivered, Some(MSS)), "{arrivals}");
            }
        }
    }
}
