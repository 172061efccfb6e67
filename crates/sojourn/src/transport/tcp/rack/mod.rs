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
mod timers;
mod undo;

use super::Reduction;
use super::offload::Moment;
use super::prr::Prr;
use super::sender::{Ack, LastCut, Sender};
use crate::transport::FlowContext;
use crate::transport::congestion::{Acked, Congestion, Sample};
use crate::units::{Duration, Instant};
use delivery::{Delivery, Rate};
use detect::{Bounds, Detector, Found};
use f_rto::Doubt;
use flight::Flight;
use timers::Timer;
use undo::Undo;

/// Segments of a connection before the pacer begins.
const UNPACED: u64 = 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Open,
    Disorder,
    Reducing,
    Recovery,
    Loss,
}

/// RFC 8985 section 7.1: a probe that has not been answered.
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// TLP.end_seq.
    end: u64,
    /// TLP.is_retrans.
    again: bool,
}

/// What this recovery remembers of a connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Rack {
    flight: Flight,
    detector: Detector,
    phase: Phase,
    /// Behind what had been sent at the last cut or timeout.
    high: u64,
    prr: Prr,
    /// Segments that may be in the network while the rate is being reduced.
    window: u64,
    /// Segments that were in the network when the timer expired, by which the window is larger until they are accounted for.
    kept: u64,
    /// The window, and not a lack of data, ended the last transmission.
    full: bool,
    probe: Option<Probe>,
    /// Round trips have been measured since the last probe.
    measured: bool,
    undo: Undo,
    doubt: Doubt,
    timer: Option<Timer>,
    /// When the last packet left; where the rate is paced, when the next may leave, and whether one waits for it.
    release: Instant,
    waits: bool,
    /// For laws that live on samples of the delivery rate.
    delivery: Option<Box<Delivery>>,
}

/// What an acknowledgement has told.
struct News {
    /// Present if it acknowledges new data.
    acked: Option<Acked>,
    /// Segments reported as received for the first time.
    delivered: u64,
    /// Something had arrived that was sent once, before the last cut or timeout.
    original: bool,
    /// The end of what has been received twice.
    twice: Option<u64>,
    /// When the last one left of those that it reports out of order.
    sacked_at: Option<Instant>,
    /// In the network before.
    in_network: u64,
}

impl Rack {
    fn is_reducing(&self) -> bool {
        matches!(self.phase, Phase::Reducing | Phase::Recovery)
    }

    fn is_recovering(&self) -> bool {
        matches!(self.phase, Phase::Recovery | Phase::Loss)
    }
}

impl Sender {
    fn take_rack(&mut self) -> Box<Rack> {
        self.board().rack.take().unwrap_or_default()
    }

    fn put_rack(&mut self, rack: Box<Rack>) {
        self.rto_deadline = rack.deadline();
        self.board().rack = Some(rack);
    }

    // ---- Acknowledgements.

    pub(super) fn on_ack_rack(&mut self, now: Instant, ack: &Ack<'_>, cx: &mut FlowContext) {
        let mut rack = self.take_rack();
        let news = self.note_arrivals(&mut rack, now, ack);
        self.hear_of_probe(&mut rack, now, ack, &news);
        let found = self.judge(&mut rack, now, ack, &news);
        self.resize(&mut rack, &news, found);
        self.sample_rate(&mut rack, now, &news, found);
        self.set_timers(&mut rack, now, &news, found);
        self.send_rack(&mut rack, now, cx);
        self.put_rack(rack);
    }

    /// RFC 8985 section 6.2 steps 1 to 4: marks what has arrived.
    fn note_arrivals(&mut self, rack: &mut Rack, now: Instant, ack: &Ack<'_>) -> News {
        let (in_network, fack) = (rack.flight.in_network(), rack.detector.fack());
        let acked = (ack.next > self.una).then(|| self.advance(now, ack));
        let mut news = News { acked, delivered: 0, original: false, twice: None, sacked_at: None, in_network };
        rack.measured |= news.acked.is_some_and(|new| new.rtt.is_some());
        while let Some((number, segment)) = rack.flight.pop_below(self.una) {
            if let Some(delivery) = &mut rack.delivery {
                if !segment.sacked {
                    delivery.on_arrival(now, number);
                }
                delivery.forget_first();
            }
            if !segment.sacked {
                news.delivered += 1;
                news.original |= !segment.resent && segment.end <= rack.high;
                rack.detector.on_arrival(now, &segment, ack.echo, fack);
            }
        }
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
        rack.detector.on_duplicate(una, max, news.twice.is_some());
        news
    }

    fn note_block(&mut self, rack: &mut Rack, now: Instant, ack: &Ack<'_>, block: (u64, u64, u64), news: &mut News) {
        let (mut at, end, fack) = block;
        if at >= end {
            return;
        }
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
                rack.detector.on_arrival(now, &segment, ack.echo, fack);
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
            rack.phase = Phase::Open;
            rack.undo.end();
        } else if probe.again && news.twice != Some(probe.end) && !of_original {
            return;
        }
        rack.probe = None;
    }

    /// What the sender knows now, and the phase that follows from it.
    fn judge(&mut self, rack: &mut Rack, now: Instant, ack: &Ack<'_>, news: &News) -> Found {
        let una = self.una;
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
            rack.phase = Phase::Open;
            rack.undo.settle();
        }
        let found = self.detect(rack, now);
        let again = rack.phase == Phase::Loss && found.repairs > 0;
        if rack.flight.has_losses() && (!rack.is_recovering() || again) {
            self.begin_recovery_rack(rack, now, news.delivered);
        } else if rack.phase == Phase::Open || rack.phase == Phase::Disorder {
            // RFC 3168 §6.1.2.
            if ack.marks > 0 && self.control.answers_echoes() {
                self.cut_rack(rack, now, LastCut::Ecn, news.delivered);
                rack.phase = Phase::Reducing;
            } else if rack.flight.sacked() > 0 {
                rack.phase = Phase::Disorder;
            } else {
                rack.phase = Phase::Open;
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
        }
    }

    fn detect(&self, rack: &mut Rack, now: Instant) -> Found {
        let bounds = self.bounds(rack);
        rack.detector.detect(now, &mut rack.flight, bounds)
    }

    // ---- Cuts.

    fn begin_recovery_rack(&mut self, rack: &mut Rack, now: Instant, delivered: u64) {
        if rack.phase == Phase::Reducing {
            // It has been cut for an echo in this window.
            rack.undo.end();
        } else {
            self.cut_rack(rack, now, LastCut::Loss, delivered);
        }
        rack.phase = Phase::Recovery;
        self.counters.fast_recoveries += 1;
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
        rack.prr = Prr::new(rack.flight.out() - rack.flight.sacked() + delivered, target, 1);
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
        if rack.full || slow && window < 2.0 * used {
            let inflight = if rack.full { used.max(window) } else { used };
            self.control.on_ack(&Acked { segments: news.delivered as f64, inflight, ..*acked });
            self.control.limit_window(self.config.window as f64);
        }
    }

    /// Tells a law that lives on samples what this acknowledgement has shown.
    fn sample_rate(&mut self, rack: &mut Rack, now: Instant, news: &News, found: Found) {
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
            recovering: rack.is_recovering(),
            most: self.config.window as f64,
        };
        self.control.on_sample(&sample);
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
        rack.phase = Phase::Open;
    }

    // ---- Sending.

    pub(super) fn pump_rack(&mut self, now: Instant, cx: &mut FlowContext) {
        let mut rack = self.take_rack();
        self.send_rack(&mut rack, now, cx);
        self.put_rack(rack);
    }

    /// Sends what the window and the pacer allow: lost segments first, in recovery, then new ones.
    fn send_rack(&mut self, rack: &mut Rack, now: Instant, cx: &mut FlowContext) {
        let window = match rack.phase {
            _ if self.config.samples && rack.phase != Phase::Loss => self.law_window(),
            Phase::Reducing | Phase::Recovery if self.config.rate_reduction == Reduction::Proportional => rack.window,
            Phase::Loss => self.law_window() + rack.kept,
            _ => self.law_window(),
        };
        if self.ask_by_new_data(rack, window, now, cx) {
            return;
        }
        self.fill(rack, window, true, now, cx);
    }

    /// Sends until so many are in the network, and says whether there was new data; without `repairs` nothing else.
    fn fill(&mut self, rack: &mut Rack, window: u64, repairs: bool, now: Instant, cx: &mut FlowContext) -> bool {
        let (mut new, mut left, mut several) = (false, 0, false);
        loop {
            if rack.flight.in_network() >= window {
                rack.full = true;
                break;
            }
            let repair = if repairs && rack.is_recovering() { rack.flight.next_repair() } else { None };
            let len = self.new_segment();
            if repair.is_none() && len == 0 {
                rack.full = false;
                if let Some(delivery) = &mut rack.delivery {
                    delivery.on_lack_of_data(rack.flight.in_network());
                }
                break;
            }
            if left == 0 {
                rack.waits = now < rack.release && self.paces();
                if rack.waits {
                    break;
                }
                left = if repair.is_some() { 1 } else { self.begin_packet(rack, now, window) };
                if left == 0 {
                    rack.full = true;
                    break;
                }
                several = left > 1;
                self.pace(rack, now, left);
            }
            left -= 1;
            if let Some(number) = repair {
                self.send_again(rack, number, now, cx);
            } else {
                self.push = self.config.offload && left == 0 && (several || self.nxt + len == self.end);
                self.send_new(rack, len, now, cx);
                new = true;
            }
        }
        if new {
            self.set_timer_after_new_data(rack, now);
        }
        new
    }

    fn send_new(&mut self, rack: &mut Rack, len: u64, now: Instant, cx: &mut FlowContext) {
        let start = self.nxt;
        if rack.flight.out() == 0 {
            rack.timer = None;
        }
        self.output(now, start, len as u32, cx);
        self.nxt += len;
        if self.config.samples {
            rack.delivery.get_or_insert_default().on_sent(now, rack.flight.in_network());
        }
        rack.flight.on_sent(now, start, start + len);
        rack.prr.on_sent(1);
    }

    fn send_again(&mut self, rack: &mut Rack, number: u64, now: Instant, cx: &mut FlowContext) {
        let segment = rack.flight.get(number);
        self.output(now, segment.start, (segment.end - segment.start) as u32, cx);
        if let Some(delivery) = &mut rack.delivery {
            delivery.on_resent(now, number, rack.flight.in_network());
        }
        rack.flight.on_resent(now, number);
        rack.undo.on_resent(now);
        rack.prr.on_sent(1);
        if segment.start == self.una && !rack.awaits_loss() {
            // Linux: the retransmission of the head restarts the timer.
            self.arm_timeout_anew(rack, now);
        }
    }

    /// How many new segments the device gets now; 0 if they wait.
    fn begin_packet(&self, rack: &Rack, now: Instant, window: u64) -> u64 {
        self.hand_over(&Moment {
            now,
            last: rack.release,
            head: rack.flight.head().map(|head| head.sent_at),
            room: window - rack.flight.in_network(),
            out: rack.flight.out(),
            recovering: rack.is_recovering(),
        })
    }

    /// Whether segments leave at a rate: the sender's own, or the law's.
    fn paces(&self) -> bool {
        self.config.pacing || self.is_paced_by_law()
    }

    /// Only laws that hear of rates have one of their own: others are not asked for each packet.
    fn is_paced_by_law(&self) -> bool {
        (self.config.samples || self.explicit) && self.control.pacing_rate().is_some()
    }

    /// So many segments leave now: when the next may. Who had to wait for an acknowledgement, and not for the pacer, makes up
    /// for it by half of the time at most; the first ten of a connection are not paced (Linux `tcp_update_skb_after_send`).
    fn pace(&self, rack: &mut Rack, now: Instant, segments: u64) {
        let before = rack.release;
        rack.release = before.max(now);
        if !self.is_paced_by_law() && (!self.config.pacing || rack.flight.transmissions() < UNPACED) {
            return;
        }
        let gap = self.gap_of_segment(rack.flight.out()).unwrap_or(Duration::ZERO) * segments;
        let late = rack.release.since(before);
        rack.release += Duration::from_nanos(gap.as_nanos() - late.as_nanos().min(gap.as_nanos() / 2));
    }

    // ---- The timers run out.

    pub(super) fn on_rack_deadline(&mut self, now: Instant, cx: &mut FlowContext) {
        let mut rack = self.take_rack();
        rack.waits &= now < rack.release;
        match rack.timer.take_if(|timer| timer.at() <= now) {
            Some(Timer::Loss(_)) => self.on_loss_by_time(&mut rack, now),
            Some(Timer::Probe(_)) => self.send_probe(&mut rack, now, cx),
            Some(Timer::Timeout(_)) => self.on_rack_timeout(&mut rack, now),
            None => {}
        }
        self.send_rack(&mut rack, now, cx);
        self.put_rack(rack);
    }

    /// RFC 8985 section 6.3: nothing has arrived, and enough time has passed.
    fn on_loss_by_time(&mut self, rack: &mut Rack, now: Instant) {
        let found = self.detect(rack, now);
        if found.lost > 0 {
            if !rack.is_recovering() {
                self.begin_recovery_rack(rack, now, 1);
            }
            // Linux counts one report, so that the repair goes.
            let news = News { acked: None, delivered: 1, original: false, twice: None, sacked_at: None, in_network: 0 };
            self.resize(rack, &news, found);
        }
        match found.after {
            Some(after) => rack.timer = Some(Timer::Loss(now + after)),
            None => self.arm_timeout(rack, now),
        }
    }

    /// RFC 8985 section 7.3: new data if there is some, else the last segment again.
    fn send_probe(&mut self, rack: &mut Rack, now: Instant, cx: &mut FlowContext) {
        let len = self.new_segment();
        if rack.probe.is_none() && rack.flight.out() > 0 && rack.measured {
            rack.measured = false;
            let again = len == 0;
            if !again {
                self.send_new(rack, len, now, cx);
            } else if let Some(last) = rack.flight.last().filter(|&last| !rack.flight.get(last).sacked) {
                self.send_again(rack, last, now, cx);
            }
            rack.probe = Some(Probe { end: self.max, again });
        }
        self.arm_timeout_anew(rack, now);
    }

    /// RFC 6298 section 5 and RFC 8985 section 6.3.
    fn on_rack_timeout(&mut self, rack: &mut Rack, now: Instant) {
        if rack.flight.out() == 0 {
            return;
        }
        let repeated = std::mem::replace(&mut self.timed_out, true);
        let cuts = match rack.phase {
            Phase::Open | Phase::Disorder => true,
            Phase::Loss => !repeated,
            Phase::Reducing | Phase::Recovery => self.una >= rack.high,
        };
        let before = (self.control.window(), self.control.ssthresh());
        if cuts {
            rack.undo.begin(before, rack.flight.repairing());
        }
        self.doubt_timeout(rack, repeated);
        let bounds = self.bounds(rack);
        rack.detector.on_timeout(now, &mut rack.flight, bounds);
        let event: Congestion = self.used(now);
        self.control.on_timeout(cuts.then_some(&event));
        // Linux: what is in the network still does not count.
        rack.kept = rack.flight.in_network();
        (self.timed, self.limited, self.last_cut) = (None, 0, LastCut::Timeout);
        (self.recover, self.cwr_pending) = (self.max, true);
        (rack.phase, rack.high, rack.probe) = (Phase::Loss, self.max, None);
        self.counters.timeouts += 1;
        self.rtt.back_off(&self.config.rtt);
        self.arm_timeout_anew(rack, now);
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
