//! GCC: media at a rate that falls when packets begin to queue, as browsers send calls with video.
//! Specification: [GCC] draft-ietf-rmcat-gcc-02, Holmer, Lundin, Carlucci, De Cicco and Mascolo 2016.
//! Compared with: a second implementation in Python (tests/implementations/test_media.py).
//!
//! The receiver compares the distances of packets at arrival with those at departure. A Kalman filter estimates from these the growth of
//! the queue, an adaptive threshold turns that into a signal, and the signal moves the rate that the receiver allows. The sender takes the
//! lesser of that rate and of one that follows from losses.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | An encoder that meets every rate at once, in packets of one size at even distances | the draft says nothing of encoders; `pacing` of frames would only add jitter of its own | `on_a_link_of_its_own_gcc_settles_below_the_rate_and_keeps_the_queue_short` in `sim/theory.rs` |
//! | The delay-based part is at the receiver, and reports its rate once a second or when it falls by 3 % | the draft allows either place; this one has fewer reports (its REMB message) | |
//! | The detector hears the growth times the number of groups seen, up to 60 | WebRTC's `overuse_detector` does so; by the draft's words alone the detector never passes a threshold of 6 ms with a growth of 0.5 ms a group, which is 5 % too much at 1 Mbit/s | the same |
//! | The additive increase is at least 1000 bit/s in a second | the draft adds 1000 at each update and assumes updates at a constant period, which it does not state; ours come with each group, so that it would mean 200 kbit/s in a second | |
//! | Over-use never raises the rate: it is the lesser of its former value and 85 % of the incoming rate | right after an increase more may come than the rate allows; WebRTC's rate control does so | |
//! | "Close to convergence" is at least 15 % around the average | the draft's three deviations are zero after the first over-use | |
//! | Not the WebRTC of today, which fits a line to 20 groups (gain 4, K_u 0.0087, K_d 0.039) in place of the filter | no text defines that | |
//! | Parameters that the draft leaves open (chi, first variance, window of the incoming rate) are the middle of its ranges | it gives ranges | |

use std::collections::VecDeque;
use std::sync::Arc;

use super::entry::{Control, Flows, TransportEntry};
use super::paced::{Heard, Law, Regular, Reporter, Sender, Sizes, check_order, gap};
use super::{Counters, Endpoint, FlowContext};
use crate::component::BuildError;
use crate::header::report::{GccReport, Report};
use crate::packet::Packet;
use crate::params;
use crate::params::{Args, Fraction};
use crate::queue::drawing::{Axis, Graph};
use crate::units::{Bytes, Duration, Instant, Rate};

pub static ENTRY: TransportEntry = TransportEntry {
    name: "gcc",
    title: "GCC",
    doc: "Media whose rate adapts to delay and loss by Google Congestion Control, the algorithm of browsers. If packets \
          arrive later and later, the rate falls to 85 % of the rate that arrives. Nothing is sent again. With `app = \
          \"bulk\"` it is a call with video.",
    reference: "draft-ietf-rmcat-gcc-02",
    law: Some(draw_law),
    ..TransportEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Size of a full packet on the wire, headers included.
        packet: Bytes = "1200B" in [2.0, 65535.0], "draft-ietf-rmcat-gcc-02 section 5.5: packets of 1200 bytes";
        /// Bytes of a full packet that are headers.
        header: Bytes = "40B" in [1.0, 200.0], "IPv4, UDP and RTP: RFC 791, 768, 3550";
        /// Size of a report.
        report_size: Bytes = "80B" in [1.0, 1500.0], "RTCP: RFC 3550 and REMB";
        /// Rate at which it begins.
        initial_rate: Rate = "300kbit" in [1.0, 1e12], "WebRTC: kDefaultStartBitrateBps";
        /// Least rate.
        min_rate: Rate = "30kbit" in [1.0, 1e12], "WebRTC: kDefaultMinVideoBitrateBps";
        /// Greatest rate: that of the encoder.
        max_rate: Rate = "2.5Mbit" in [1.0, 1e12], "WebRTC: kSimulcastFormats, 1280 x 720";
        /// Time between reports.
        interval: Duration = "1s" in [0.01, 100.0], "draft-ietf-rmcat-gcc-02 section 4: at least once a second";
        /// Packets that are sent within this time are a group.
        burst: Duration = "5ms" in [0.0, 1.0], "draft-ietf-rmcat-gcc-02 section 5.2";
        /// The part of the incoming rate that is left after over-use.
        beta: Fraction = "0.85" in [0.1, 0.999], "draft-ietf-rmcat-gcc-02 section 5.5";
        /// Threshold in milliseconds at the start.
        threshold_ms: f64 = "12.5" in [0.1, 1000.0], "draft-ietf-rmcat-gcc-02 section 5.4";
        /// How long over-use lasts until it is signalled.
        overuse_time: Duration = "10ms" in [0.0, 10.0], "draft-ietf-rmcat-gcc-02 section 5.4";
        /// How fast the threshold rises.
        k_up: f64 = "0.01" in [0.0, 1.0], "draft-ietf-rmcat-gcc-02 section 5.4, K_u";
        /// How fast the threshold falls.
        k_down: f64 = "0.00018" in [0.0, 1.0], "draft-ietf-rmcat-gcc-02 section 5.4, K_d";
    }
}

fn build(args: &Args, _control: Option<Control>) -> Result<Flows, BuildError> {
    let params: Params = args.typed();
    let sizes = Sizes::new(params.packet, params.header, params.report_size)?;
    check_order(params.min_rate, params.max_rate)?;
    Ok(Arc::new(move |app| {
        let sender = Sender::new(sizes, Gcc::new(params.clone(), sizes), app);
        (Box::new(sender), Box::new(Receiver::new(params.clone(), sizes)))
    }))
}

/// The rate that the receiver allows after over-use at 1 Mbit/s, where the incoming rate is the sent one.
fn draw_law(args: &Args) -> Result<Graph, BuildError> {
    const BEFORE: f64 = 1e6;
    let params: Params = args.typed();
    let sizes = Sizes::new(params.packet, params.header, params.report_size)?;
    let graph = Graph::new(Axis::new("time since over-use", "s"), Axis::new("rate, as part of that before", ""))
        .about("An incoming rate of 1 Mbit/s when packets came ever later, reports every tenth of a second.");
    let cases = [("where over-use was seen at that rate", Some((BEFORE, 0.0))), ("where it was never seen", None)];
    Ok(cases.into_iter().fold(graph, |graph, (name, capacity)| {
        let mut receiver = Receiver::new(params.clone(), sizes);
        receiver.rate = params.beta.0 * BEFORE;
        receiver.capacity = capacity;
        let mut points = vec![(0.0, 1.0), (1e-9, params.beta.0)];
        for step in 1..=50 {
            receiver.rate = receiver.increased(0.1, receiver.rate);
            points.push((f64::from(step) / 10.0, receiver.rate / BEFORE));
            if receiver.rate >= 1.2 * BEFORE {
                break;
            }
        }
        graph.course(name.to_owned(), points)
    }))
}

/// The sender's law. Rates in bits per second.
struct Gcc {
    params: Params,
    packet_bits: f64,
    /// The rate that losses allow: As_hat.
    by_loss: f64,
    /// The rate that the receiver allows.
    by_delay: f64,
    rtt: Option<Duration>,
}

impl Gcc {
    fn new(params: Params, sizes: Sizes) -> Self {
        let initial = params.initial_rate.as_bps() as f64;
        Gcc { packet_bits: 8.0 * sizes.packet(), by_loss: initial, by_delay: initial, rtt: None, params }
    }

    fn rate(&self) -> f64 {
        limited(self.by_loss.min(self.by_delay), &self.params)
    }
}

fn limited(rate: f64, params: &Params) -> f64 {
    rate.clamp(params.min_rate.as_bps() as f64, params.max_rate.as_bps() as f64)
}

/// The rate that losses allow after a report of the part that was lost ([GCC] section 6).
fn after_losses(rate: f64, lost: f64) -> f64 {
    if lost > 0.1 {
        rate * (1.0 - 0.5 * lost)
    } else if lost < 0.02 {
        1.05 * rate
    } else {
        rate
    }
}

impl Law for Gcc {
    fn gap(&self) -> Duration {
        gap(self.packet_bits / self.rate())
    }

    fn on_report(&mut self, heard: &Heard<'_>, _counters: &mut Counters) {
        let Some(Report::Gcc(report)) = heard.report() else { return };
        let smoothed = self.rtt.map_or(heard.rtt, |rtt| rtt.mul_f64(0.875) + heard.rtt.mul_f64(0.125));
        self.rtt = Some(smoothed);
        self.by_delay = report.rate;
        if !report.lost.is_nan() {
            self.by_loss = limited(after_losses(self.by_loss, report.lost), &self.params);
        }
    }

    fn rtt(&self) -> Option<Duration> {
        self.rtt
    }
}

/// How fast the queue grows: the filter of [GCC] section 5.3. Times in milliseconds.
#[derive(Clone, Copy, Debug)]
struct Filter {
    /// m(i).
    growth: f64,
    /// e(i), the variance of its error.
    error: f64,
    /// var_v_hat(i).
    noise: f64,
}

/// q(i): section 5.3.
const STATE_NOISE: f64 = 1e-3;
/// chi: the middle of 0.1 to 0.001, section 5.3.
const CHI: f64 = 0.01;

impl Filter {
    const START: Filter = Filter { growth: 0.0, error: 0.1, noise: 50.0 };

    /// Takes in d(i); groups come at most so often in a millisecond.
    fn update(&mut self, d: f64, groups_per_ms: f64) {
        let residual = d - self.growth;
        let alpha = libm::pow(1.0 - CHI, 30.0 / (1000.0 * groups_per_ms));
        // Outliers count as three deviations: section 5.3.
        let bounded = residual.min(3.0 * libm::sqrt(self.noise));
        self.noise = (alpha * self.noise + (1.0 - alpha) * bounded * bounded).max(1.0);
        let gain = (self.error + STATE_NOISE) / (self.noise + self.error + STATE_NOISE);
        self.growth += gain * residual;
        self.error = (1.0 - gain) * (self.error + STATE_NOISE);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signal {
    Over,
    Normal,
    Under,
}

/// The detector of over-use, from the growth of the queue: [GCC] section 5.4.
#[derive(Clone, Debug)]
struct Detector {
    threshold_ms: f64,
    /// The time since which the growth is above the threshold.
    over_since: Option<Instant>,
    groups_over: u32,
    last: (f64, Option<Instant>),
}

impl Detector {
    fn signal(&mut self, now: Instant, growth: f64, params: &Params) -> Signal {
        let (before, last) = self.last;
        let signal = if growth > self.threshold_ms {
            let since = *self.over_since.get_or_insert(last.unwrap_or(now));
            self.groups_over += 1;
            let lasts = now.since(since) >= params.overuse_time && self.groups_over > 1;
            if lasts && growth >= before { Signal::Over } else { Signal::Normal }
        } else {
            (self.over_since, self.groups_over) = (None, 0);
            if growth < -self.threshold_ms { Signal::Under } else { Signal::Normal }
        };
        self.adapt(last.map_or(0.0, |last| now.since(last).as_millis_f64()), growth, params);
        self.last = (growth, Some(now));
        signal
    }

    /// del_var_th(i) += (t(i) - t(i-1)) K(i) (|m(i)| - del_var_th(i)), from 6 to 600 ms; not for spikes of 15 ms more.
    fn adapt(&mut self, passed_ms: f64, growth: f64, params: &Params) {
        let above = growth.abs() - self.threshold_ms;
        if above <= 15.0 {
            let k = if above < 0.0 { params.k_down } else { params.k_up };
            self.threshold_ms = (self.threshold_ms + passed_ms.min(100.0) * k * above).clamp(6.0, 600.0);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Hold,
    Increase,
    Decrease,
}

/// A group of packets that left together.
#[derive(Clone, Copy, Debug)]
struct Group {
    first_left: Instant,
    left: Instant,
    came: Instant,
}

/// The receiving side: estimates, and reports the rate that it allows.
struct Receiver {
    params: Params,
    reporter: Reporter,
    packet_bits: f64,
    filter: Filter,
    detector: Detector,
    group: Option<Group>,
    before: Option<Group>,
    /// Times between departures of the last groups, in milliseconds.
    distances: VecDeque<f64>,
    /// How many groups have come, up to [`GROUPS`].
    groups: usize,
    /// Times of arrivals, and their bits.
    came: VecDeque<(Instant, f64)>,
    state: State,
    /// A_hat.
    rate: f64,
    rtt: Duration,
    updated: Option<Instant>,
    /// Mean and variance of the incoming rate at over-use.
    capacity: Option<(f64, f64)>,
    /// The rate of the last report.
    reported: f64,
    regular: Regular,
}

/// The number of groups whose densest sequence gives their rate, and for which the detector counts the growth.
const GROUPS: usize = 60;
/// T: section 5.5 recommends 0.5 to 1 s.
const INCOMING: Duration = Duration::from_millis(500);
/// Weight of the past in the mean of the incoming rate at over-use: section 5.5.
const SMOOTHING: f64 = 0.95;

impl Receiver {
    fn new(params: Params, sizes: Sizes) -> Self {
        let rate = params.initial_rate.as_bps() as f64;
        let detector =
            Detector { threshold_ms: params.threshold_ms, over_since: None, groups_over: 0, last: (0.0, None) };
        Receiver {
            reporter: Reporter::new(sizes),
            packet_bits: 8.0 * sizes.packet(),
            filter: Filter::START,
            detector,
            group: None,
            before: None,
            distances: VecDeque::new(),
            groups: 0,
            came: VecDeque::new(),
            state: State::Increase,
            rate,
            rtt: Duration::from_millis(100),
            updated: None,
            capacity: None,
            reported: rate,
            regular: Regular::new(params.interval),
            params,
        }
    }

    /// R_hat: the incoming rate over the last half second, in bits per second.
    fn incoming(&mut self, now: Instant) -> f64 {
        while self.came.front().is_some_and(|(came, _)| now.since(*came) > INCOMING) {
            self.came.pop_front();
        }
        self.came.iter().map(|(_, bits)| bits).sum::<f64>() / INCOMING.as_secs_f64()
    }

    /// A packet belongs to the group before it, or begins one; then that one is measured.
    fn note(&mut self, now: Instant, sent_at: Instant) {
        if let Some(group) = &mut self.group {
            let left_together = sent_at.since(group.first_left) <= self.params.burst;
            let comes_in_burst =
                now.since(group.came) <= self.params.burst && now.since(group.came) < sent_at.since(group.left);
            if left_together || comes_in_burst {
                (group.left, group.came) = (sent_at.max(group.left), now);
                return;
            }
        }
        let group = self.group.replace(Group { first_left: sent_at, left: sent_at, came: now });
        let (Some(group), Some(before)) = (group, self.before) else {
            self.before = group;
            return;
        };
        self.before = Some(group);
        let apart = group.left.since(before.left).as_millis_f64();
        let d = group.came.since(before.came).as_millis_f64() - apart;
        if self.distances.len() == GROUPS {
            self.distances.pop_front();
        }
        self.distances.push_back(apart.max(1e-3));
        let densest = self.distances.iter().copied().fold(f64::INFINITY, f64::min);
        self.filter.update(d, 1.0 / densest);
        self.groups = (self.groups + 1).min(GROUPS);
        let signal = self.detector.signal(now, self.filter.growth * self.groups as f64, &self.params);
        self.follow(now, signal);
    }

    /// The state, and its effect on the rate: [GCC] section 5.5.
    fn follow(&mut self, now: Instant, signal: Signal) {
        self.state = match (signal, self.state) {
            (Signal::Over, _) => State::Decrease,
            (Signal::Normal, State::Decrease) | (Signal::Under, _) => State::Hold,
            (Signal::Normal, State::Hold | State::Increase) => State::Increase,
        };
        let passed = self.updated.replace(now).map_or(0.0, |updated| now.since(updated).as_secs_f64());
        let incoming = self.incoming(now);
        match self.state {
            State::Hold => {}
            State::Increase => {
                self.rate = self.increased(passed, incoming).min(self.rate.max(1.5 * incoming));
            }
            State::Decrease => {
                self.rate = self.rate.min(self.params.beta.0 * incoming);
                let (mean, variance) = self.capacity.unwrap_or((incoming, 0.0));
                let off = incoming - mean;
                self.capacity =
                    Some((mean + (1.0 - SMOOTHING) * off, SMOOTHING * (variance + (1.0 - SMOOTHING) * off * off)));
            }
        }
        self.rate = limited(self.rate, &self.params);
    }

    /// Slowly where over-use was last seen, else by 8 % a second.
    fn increased(&mut self, passed: f64, incoming: f64) -> f64 {
        let near = self.capacity.is_some_and(|(mean, variance)| {
            let deviation = libm::sqrt(variance).max(0.05 * mean);
            (incoming - mean).abs() <= 3.0 * deviation
        });
        if near {
            let response = 0.1 + self.rtt.as_secs_f64();
            let frame = self.rate / 30.0;
            let packets = libm::ceil(frame / self.packet_bits).max(1.0);
            let alpha = 0.5 * (passed / response).min(1.0);
            return self.rate + (1000.0 * passed).max(alpha * frame / packets);
        }
        if self.capacity.is_some_and(|(mean, _)| incoming > mean) {
            // There is more room than there was.
            self.capacity = None;
        }
        self.rate * libm::pow(1.08, passed.min(1.0))
    }

    /// Sends a report. Only regular reports have a loss; it is NaN in others.
    fn report(&mut self, now: Instant, lost: f64, cx: &mut FlowContext) {
        self.reported = self.rate;
        self.reporter.report(now, Report::Gcc(GccReport { rate: self.rate, lost }), cx);
    }
}

impl Endpoint for Receiver {
    fn on_packet(&mut self, now: Instant, packet: &Packet, cx: &mut FlowContext) {
        let Some(arrival) = self.reporter.receive(now, packet) else { return };
        self.regular.note(now, arrival.seq);
        self.rtt = arrival.rtt.unwrap_or(self.rtt);
        self.came.push_back((now, 8.0 * f64::from(packet.size)));
        self.note(now, arrival.sent_at);
        if self.rate < 0.97 * self.reported {
            self.report(now, f64::NAN, cx);
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.regular.due()
    }

    fn on_deadline(&mut self, now: Instant, cx: &mut FlowContext) {
        if self.regular.is_due(now) {
            let lost = self.regular.report(now);
            self.report(now, lost, cx);
        }
    }

    fn stands_alone(&self) -> bool {
        true
    }

    fn counters(&self) -> Counters {
        self.reporter.counters()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_below_2_percent_raise_the_rate_and_above_10_lower_it() {
        assert!((after_losses(1e6, 0.0) - 1.05e6).abs() < 1.0);
        assert!((after_losses(1e6, 0.05) - 1e6).abs() < 1.0);
        assert!((after_losses(1e6, 0.2) - 0.9e6).abs() < 1.0);
    }

    #[test]
    fn the_threshold_rises_fast_and_falls_slowly() {
        let params = Params::default();
        let mut detector = Detector { threshold_ms: 12.5, over_since: None, groups_over: 0, last: (0.0, None) };
        // 12.5 + 20 * 0.01 * (20 - 12.5); then back by 20 * 0.00018 * (0 - 14).
        detector.adapt(20.0, 20.0, &params);
        assert!((detector.threshold_ms - 14.0).abs() < 1e-12);
        detector.adapt(20.0, 0.0, &params);
        assert!((detector.threshold_ms - (14.0 - 0.0504)).abs() < 1e-12);
        // A spike changes nothing, and 6 ms are the least.
        detector.adapt(20.0, 100.0, &params);
        assert!((detector.threshold_ms - (14.0 - 0.0504)).abs() < 1e-12);
        (0..10_000).for_each(|_| detector.adapt(100.0, 0.0, &params));
        assert!((detector.threshold_ms - 6.0).abs() < 1e-9);
    }

    #[test]
    fn a_queue_that_grows_is_found_and_one_that_stands_is_not() {
        let (mut grows, mut stands) = (Filter::START, Filter::START);
        for _ in 0..500 {
            grows.update(2.0, 0.05);
            stands.update(0.0, 0.05);
        }
        assert!((grows.growth - 2.0).abs() < 0.1, "{}", grows.growth);
        assert!(stands.growth.abs() < 1e-9);
    }

    #[test]
    fn over_use_must_last_and_not_shrink() {
        let params = Params::default();
        let mut detector = Detector { threshold_ms: 12.5, over_since: None, groups_over: 0, last: (0.0, None) };
        let at = |millis| Instant::ZERO + Duration::from_millis(millis);
        assert_eq!(detector.signal(at(0), 0.0, &params), Signal::Normal);
        assert_eq!(detector.signal(at(5), 20.0, &params), Signal::Normal);
        assert_eq!(detector.signal(at(15), 21.0, &params), Signal::Over);
        assert_eq!(detector.signal(at(25), 20.5, &params), Signal::Normal);
        assert_eq!(detector.signal(at(35), -20.0, &params), Signal::Under);
    }
}
