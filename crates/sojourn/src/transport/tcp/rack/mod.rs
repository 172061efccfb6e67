//! Recovery as present-day Linux has it (`loss_detection = "rack"`): losses are found by time (RFC 8985 section 6), the end of a flight
//! is probed
//! (section 7), the rate is reduced in proportion (RFC 9937), and cuts made for nothing are taken back. Compared with: the kernel's
//! own TCP (`tests/peers/linux`); Linux's `tcp_input.c`, `tcp_recovery.c` and `tcp_output.c` (behaviour).
//!
//! | phase | since | until | window |
//! |---|---|---|---|
//! | `Open` | - | something is reported out of order | the law's |
//! | `Disorder` | a report out of order | it is lost, or all is in order | the law's |
//! | `Reducing` | an echo of congestion | more is acknowledged than was out | falls to the law's (PRR) |
//! | `Recovery` | a loss | all that was out is acknowledged | falls to the law's (PRR) |
//! | `Loss` | the timer | all that was out is acknowledged | the law's, from one segment above what is in the network |
//!
//! Not modelled: reneging, ABC's limits. One timer runs at a time, as in Linux: for the next loss by time, for the
//! probe, or for the timeout.

mod delivery;
mod detect;
mod f_rto;
mod flight;
mod sending;
mod state;
mod timer_wheel;
mod timers;
mod undo;

use super::Reduction;
use super::prr::Prr;
use super::sender::{Ack, LastCut, Sender};
use super::settings::Arrivals;
use crate::transport::FlowContext;
use crate::transport::congestion::{Acked, Arrival, Cut, Heard, Phase, Sample};
use crate::units::{Duration, Instant};
use delivery::Rate;
use detect::{Bounds, Found};
use state::News;
pub(super) use state::Rack;

impl Sender {
    fn take_rack(&mut self) -> Box<Rack> {
        self.board().rack.take().unwrap_or_default()
    }

    fn put_rack(&mut self, rack: Box<Rack>) {
        self.rto_deadline = rack.deadline();
        if let (Some(known), Some(at)) = (&self.known, self.rto_deadline) {
            self.rto_deadline = Some(known.tick_after(at));
        }
        self.board().rack = Some(rack);
    }

    /// The handshake is over.
    pub(in super::super) fn on_handshake(&mut self, trip: Duration) {
        if self.config.arrivals == Arrivals::Linux && self.config.strategy.hears_of_handshake() {
            let mut rack = self.take_rack();
            rack.detector.on_handshake(trip);
            self.board().rack = Some(rack);
        }
    }

    // ---- Acknowledgements.

    #[inline(never)]
    pub(super) fn on_ack_rack(&mut self, now: Instant, ack: &Ack<'_>, heard: Option<Heard>, cx: &mut FlowContext) {
        let mut rack = self.take_rack();
        let mut news = self.note_arrivals(&mut rack, now, ack);
        self.tell_control(now, heard, &mut news);
        if self.config.attends {
            self.tell_arrival(&mut rack, now, ack, &news);
        }
        self.hear_of_probe(&mut rack, now, ack, &news);
        let found = self.judge(&mut rack, now, ack, &news);
        self.resize(&mut rack, &news, found);
        if self.config.attends && news.acked.is_some() && self.control.backs_off() {
            self.back_off(&mut rack, now);
        }
        self.sample_rate(&mut rack, now, ack, &news, found);
        self.set_timers(&mut rack, now, &news, found);
        self.send_rack(&mut rack, now, cx);
        self.put_rack(rack);
    }

    /// What the law hears before anything is made of it.
    fn tell_control(&mut self, now: Instant, heard: Option<Heard>, news: &mut News) {
        if let Some(trip) = news.trip {
            let taken = self.control.on_round_trip(now, trip);
            if let Some(acked) = &mut news.acked {
                acked.rtt = if taken { None } else { acked.rtt };
            }
        }
        if let Some(heard) = &heard {
            self.control.on_heard(heard);
        }
    }

    /// RFC 8985 section 6.2 steps 1 to 4: marks what has arrived.
    fn note_arrivals(&mut self, rack: &mut Rack, now: Instant, ack: &Ack<'_>) -> News {
        let (in_network, fack) = (rack.flight.in_network(), rack.detector.fack());
        let acked = (ack.next > self.una).then(|| self.advance(now, ack));
        let mut news = News::new(acked, in_network);
        rack.measured |= news.acked.is_some_and(|new| new.rtt.is_some());
        let (mut repaired, mut in_order) = (false, None);
        while let Some((number, segment)) = rack.flight.pop_below(self.una) {
            if let Some(delivery) = &mut rack.delivery {
                if !segment.sacked {
                    delivery.on_arrival(now, number);
                }
                delivery.forget_first();
            }
            repaired |= segment.resent;
            news.in_order += 1;
            news.runt =
                news.in_order == 1 && !segment.sacked && segment.end - segment.start < u64::from(self.config.mss);
            if !segment.sacked {
                news.delivered += 1;
                news.original |= !segment.resent && segment.end <= rack.high;
                news.trip = Some(now.since(segment.sent_at));
                if rack.detector.on_arrival(now, &segment, self.latest_echo(ack), fack) {
                    in_order = Some(rack.detector.trip());
                }
            }
        }
        news.trip = news.trip.filter(|_| !repaired);
        let (una, max) = (self.una, self.max);
        self.board().sacked.remove_below(una);
        for (place, &(start, end)) in ack.sack.as_slice().iter().enumerate() {
            if let Some(behind) = twice(ack, place) {
                news.twice = Some(behind);
                rack.undo.on_duplicate();
                continue;
            }
            let (start, end) = ((ack.next + u64::from(start)).max(una), (ack.next + u64::from(end)).min(max));
            self.note_block(rack, now, ack, (start, end, fack), &mut news);
        }
        if let Some(trip) = in_order.filter(|_| self.config.arrivals == Arrivals::Linux) {
            rack.detector.on_trip(trip);
        }
        rack.detector.on_duplicate(una, max, news.twice.is_some());
        news
    }

    /// The latest time that the acknowledgement may echo: Linux's timestamps are whole milliseconds.
    fn latest_echo(&self, ack: &Ack<'_>) -> Instant {
        match self.config.arrivals {
            Arrivals::Rfc => ack.echo,
            Arrivals::Linux => Instant::from_nanos(ack.echo.as_nanos() / 1_000_000 * 1_000_000 + 999_999),
        }
    }

    fn note_block(&mut self, rack: &mut Rack, now: Instant, ack: &Ack<'_>, block: (u64, u64, u64), news: &mut News) {
        let (mut at, end, fack) = block;
        if at >= end {
            return;
        }
        let echo = if self.config.arrivals == Arrivals::Linux { now } else { ack.echo };
        let board = self.board();
        let start = at;
        while at < end {
            if let Some((_, behind)) = board.sacked.containing(at) {
                at = behind;
                continue;
            }
            let to = board.sacked.hole_from(at).map_or(end, |(_, to)| to.min(end));
            for number in rack.flight.within(at, to) {
                let segment = rack.flight.on_sacked(number);
                if let Some(delivery) = &mut rack.delivery {
                    delivery.on_arrival(now, number);
                }
                news.delivered += 1;
                news.original |= !segment.resent && segment.end <= rack.high;
                news.sacked_at = news.sacked_at.max(Some(segment.sent_at));
                if !segment.resent {
                    news.trip = Some(now.since(segment.sent_at));
                }
                rack.detector.on_arrival(now, &segment, echo, fack);
            }
            at = to;
        }
        board.sacked.insert(start, end);
    }

    /// RFC 8985 section 7.4: what an acknowledgement says of the probe.
    fn hear_of_probe(&mut self, rack: &mut Rack, now: Instant, ack: &Ack<'_>, news: &News) {
        let Some(probe) = rack.probe.filter(|probe| self.una >= probe.end) else { return };
        let repaired = probe.again && news.twice != Some(probe.end) && self.una > probe.end;
        let of_original = news.acked.is_none() && ack.sack.as_slice().is_empty();
        if repaired {
            // The probe has repaired a loss at the end of the flight: that was congestion.
            self.cut_rack(rack, now, LastCut::Loss, 0);
            self.set_phase(rack, Phase::Reducing);
            self.set_phase(rack, Phase::Open);
            rack.undo.end();
        } else if probe.again && news.twice != Some(probe.end) && !of_original {
            return;
        }
        rack.probe = None;
    }

    /// What the sender knows now, and the phase that follows from it.
    fn judge(&mut self, rack: &mut Rack, now: Instant, ack: &Ack<'_>, news: &News) -> Found {
        let una = self.una;
        if rack.phase == Phase::Open {
            rack.undo.forget_first();
        }
        let done = una > rack.high || una == rack.high && rack.phase != Phase::Reducing;
        if news.acked.is_some() && rack.is_recovering() {
            self.undo_by_time(rack, ack);
        }
        if self.config.undo && rack.undo.by_duplicates() {
            self.restore(rack, false);
        }
        self.settle_doubt(rack, news);
        if done && rack.phase != Phase::Open && rack.phase != Phase::Disorder {
            if rack.is_recovering() {
                rack.detector.on_recovered();
            }
            if rack.is_reducing() {
                self.control.on_reduced();
            }
            self.set_phase(rack, Phase::Open);
            rack.undo.settle(rack.flight.repairing());
        }
        let found = self.detect(rack, now, true);
        let again = rack.phase == Phase::Loss && found.repairs > 0;
        if rack.flight.has_losses() && (!rack.is_recovering() || again) {
            self.begin_recovery_rack(rack, now, news.delivered);
        } else if rack.phase == Phase::Open || rack.phase == Phase::Disorder {
            // RFC 3168 §6.1.2.
            if ack.marks > 0 && self.control.answers_echoes() {
                self.cut_rack(rack, now, LastCut::Ecn, news.delivered);
                self.set_phase(rack, Phase::Reducing);
            } else {
                let disordered = rack.flight.sacked() > 0;
                self.set_phase(rack, if disordered { Phase::Disorder } else { Phase::Open });
            }
        }
        found
    }

    fn bounds(&self, rack: &Rack) -> Bounds {
        Bounds {
            recovering: rack.is_recovering(),
            sacked: rack.flight.sacked(),
            // Without an average yet nothing bounds it.
            srtt: self.rtt.srtt(&self.config.rtt).unwrap_or(Duration::MAX),
            whole: self.config.arrivals == Arrivals::Linux,
        }
    }

    fn detect(&self, rack: &mut Rack, now: Instant, by_arrival: bool) -> Found {
        let bounds = self.bounds(rack);
        let Rack { detector, flight, .. } = rack;
        let found = if by_arrival && bounds.whole {
            detector.detect_by_arrival(now, flight, bounds)
        } else {
            detector.detect(now, flight, bounds)
        };
        rack.lost += found.lost;
        found
    }

    // ---- Cuts.

    fn begin_recovery_rack(&mut self, rack: &mut Rack, now: Instant, delivered: u64) {
        if rack.phase == Phase::Reducing {
            // It has been cut for an echo in this window.
            rack.undo.end();
        } else {
            self.cut_rack(rack, now, LastCut::Loss, delivered);
        }
        self.set_phase(rack, Phase::Recovery);
        self.counters.fast_recoveries += 1;
    }

    /// The sender is about this from now on; laws that ask for it hear of it.
    #[inline]
    fn set_phase(&mut self, rack: &mut Rack, phase: Phase) {
        if std::mem::replace(&mut rack.phase, phase) != phase && self.config.attends {
            self.control.on_phase(phase);
        }
    }

    /// The law has asked for a cut: nobody takes it back, and the window falls as after a mark.
    fn back_off(&mut self, rack: &mut Rack, now: Instant) {
        if matches!(rack.phase, Phase::Open | Phase::Disorder) {
            let before = self.law_window();
            self.cut_rack(rack, now, LastCut::Loss, 0);
            // It falls with the next acknowledgement, in proportion to what it was (Linux `tcp_enter_cwr`).
            rack.prr = Prr::new(before, rack.window, 1);
            rack.window = before;
            rack.undo.end();
            self.set_phase(rack, Phase::Reducing);
        }
    }

    /// Tells a law that attends to each acknowledgement what it has told.
    fn tell_arrival(&mut self, rack: &mut Rack, now: Instant, ack: &Ack<'_>, news: &News) {
        let delivered = rack.delivery.as_mut().map_or(0, |delivery| delivery.since_newest());
        let arrival = Arrival {
            now,
            segments: news.in_order as f64,
            rtt: self.trip(now, ack, news),
            smoothed: self.rtt.srtt(&self.config.rtt),
            delivered: delivered as f64,
            disordered: rack.flight.sacked() as f64,
            phase: rack.phase,
        };
        self.control.on_arrival(&arrival);
    }

    /// Linux: what has been sent again is timed by its timestamp, in whole milliseconds.
    fn trip(&self, now: Instant, ack: &Ack<'_>, news: &News) -> Option<Duration> {
        let millis = |at: Instant| at.as_nanos() / 1_000_000;
        let of_echo = || Duration::from_millis((millis(now) - millis(ack.echo)).max(1));
        news.trip.or_else(|| (news.acked.is_some() && self.config.timestamps).then(of_echo))
    }

    /// Cuts the window; the rate follows in proportion. The acknowledgement that begins it has reported `delivered`.
    fn cut_rack(&mut self, rack: &mut Rack, now: Instant, cause: LastCut, delivered: u64) {
        if cause == LastCut::Loss {
            rack.undo.begin((self.control.window(), self.control.ssthresh()), rack.flight.repairing());
        } else {
            // A router has spoken: that is not taken back.
            rack.undo.end();
        }
        let event = self.used(now);
        // Linux counts from the window, RFC 9937 from what had been sent.
        let before = match self.config.laws.cut {
            Cut::Cwnd => self.law_window(),
            _ => rack.flight.out() - rack.flight.sacked() + delivered,
        };
        if cause == LastCut::Ecn {
            self.control.on_ecn(&event);
            self.counters.ecn_reductions += 1;
        } else {
            self.control.on_congestion_event(&event);
        }
        self.cwr_pending = true;
        self.last_cut = cause;
        self.recover = self.max;
        rack.high = self.max;
        rack.probe = None;
        let target = self.law_window();
        rack.prr = Prr::new(before, target, 1);
        rack.window = target;
    }

    fn law_window(&self) -> u64 {
        libm::floor(self.control.window()).max(1.0) as u64
    }

    /// RFC 9937 section 6.2, or the law.
    fn resize(&mut self, rack: &mut Rack, news: &News, found: Found) {
        if self.config.samples {
            return;
        }
        if rack.is_reducing() {
            if self.config.rate_reduction == Reduction::Proportional && news.delivered > 0 {
                let in_network = rack.flight.in_network();
                let safe = news.acked.is_some() && found.lost == 0;
                rack.window = in_network + rack.prr.allowed(news.delivered, in_network, safe);
            }
            return;
        }
        let Some(acked) = &news.acked else { return };
        let window = self.control.window();
        // Linux's `tcp_is_cwnd_limited`: in slow start a window half of which is used may grow.
        let used = news.in_network as f64;
        let slow = window < self.control.ssthresh();
        let limited = self.config.validates && !rack.full && !(slow && window < 2.0 * used);
        // Laws that look by themselves at what was in flight see a full window.
        let inflight = if limited { used } else { used.max(window) };
        self.control.on_ack(&Acked { segments: news.delivered as f64, inflight, limited, ..*acked });
        if !limited {
            self.control.limit_window(self.config.window as f64);
        }
    }

    /// Tells a law that lives on samples what this acknowledgement has shown.
    fn sample_rate(&mut self, rack: &mut Rack, now: Instant, ack: &Ack<'_>, news: &News, found: Found) {
        let trip = if self.config.last_sent { self.trip(now, ack, news) } else { None };
        let recovering = rack.is_recovering();
        let Some(delivery) = &mut rack.delivery else { return };
        let rtt = news.acked.as_ref().and_then(|acked| acked.rtt);
        let rate = delivery.sample(rtt);
        let sample = Sample {
            now,
            delivered: news.delivered as f64,
            total: delivery.delivered,
            prior: rate.map(|sample| sample.prior),
            rate: rate.and_then(|Rate { segments, .. }| segments),
            app_limited: rate.is_some_and(|sample| sample.app_limited),
            rtt,
            before: news.in_network as f64,
            inflight: rack.flight.in_network() as f64,
            lost: found.lost as f64,
            all_lost: rack.lost,
            recovering,
            most: self.config.window as f64,
            phase: rack.phase,
            spans: rate.map(|sample| sample.spans),
            trip,
            delayed: news.runt && rate.is_some_and(|sample| sample.prior + 1 == delivery.delivered),
            departs: rack.release,
        };
        self.control.on_sample(&sample);
        if self.control.is_held_back() {
            delivery.on_lack_of_data(rack.flight.in_network());
        }
    }

    // ---- Cuts taken back.

    /// What is acknowledged had left before the first retransmission of this episode.
    fn undo_by_time(&mut self, rack: &mut Rack, ack: &Ack<'_>) {
        if self.config.undo && self.config.timestamps && rack.undo.by_time(ack.echo) {
            self.restore(rack, true);
        }
    }

    /// RFC 4015 section 3.2 in Linux's form: window and threshold are what they were, if that is more. `late`: nothing was lost.
    fn restore(&mut self, rack: &mut Rack, late: bool) {
        if late {
            rack.flight.forgive();
        }
        if let Some((window, ssthresh)) = rack.undo.take() {
            self.control.restore(window, ssthresh);
            self.cwr_pending = false;
        }
        rack.undo.end();
        self.set_phase(rack, Phase::Open);
    }
}

/// RFC 2883 section 4: whether the block at `place` reports what has been received twice, and where that ends: it lies below the
/// acknowledgement, which the two ends write in descending order, or, the first one, within the next block.
fn twice(ack: &Ack<'_>, place: usize) -> Option<u64> {
    let blocks = ack.sack.as_slice();
    let (start, end) = blocks[place];
    if start > end {
        return Some(ack.next - u64::from(end - 1));
    }
    let held = place == 0 && blocks.get(1).is_some_and(|&(low, high)| low <= start && end <= high);
    held.then(|| ack.next + u64::from(end))
}
