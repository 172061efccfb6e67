//! RAP: datagrams at a rate that rises by a packet per round trip in each and is halved by a loss, as TCP's window is.
//! Specification: [RHE99] Rejaie, Handley and Estrin, "RAP: An end-to-end rate-based congestion control mechanism for realtime streams
//! in the Internet", INFOCOM 1999. Points that it leaves open (the estimator's gains, the start) are as in ns-2 2.35's `Agent/RAP`, by the
//! same group. Compared with: that agent (tests/peers/explicit.py).
//!
//! The receiver acknowledges each packet. A packet is lost when one that left three later has come, or when it is not acknowledged in
//! time. Losses of packets that had left before the last cut belong to that cut.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Each sender's first round trip counts in full | in ns-2 2.35 only that of the first sender of a process: a variable that all share | `the_first_acknowledgement_sets_the_gap_to_a_round_trip` |
//! | While nothing is sent the rate stands still, and its timer does not run | the same rates with fewer events | `an_idle_sender_does_not_speed_up` |

use std::collections::VecDeque;
use std::sync::Arc;

use super::entry::{Control, Flows, TransportEntry};
use super::paced::{Heard, Law, Reporter, Sender, Sizes, gap};
use super::{Counters, Endpoint, FlowContext};
use crate::component::BuildError;
use crate::header::report::{RapReport, Report};
use crate::packet::Packet;
use crate::params;
use crate::params::{Args, Fraction};
use crate::queue::drawing::{Axis, Graph};
use crate::units::{Bytes, Duration, Instant};

pub static ENTRY: TransportEntry = TransportEntry {
    name: "rap",
    title: "RAP",
    doc: "Datagrams at a rate that rises by one packet per round trip in each round trip and is halved by a loss; each is \
          acknowledged, and nothing is sent again. With `fine_grain` the rate also follows the round-trip time.",
    reference: "Rejaie, Handley and Estrin 1999",
    law: Some(draw_law),
    ..TransportEntry::of::<Params>(build)
};

params! {
    pub struct Params {
        /// Size of a full packet on the wire, headers included.
        packet: Bytes = "1000B" in [2.0, 65535.0], "as the other transports";
        /// Bytes of a full packet that are headers.
        header: Bytes = "44B" in [1.0, 200.0], "ns-2 2.35";
        /// Size of an acknowledgement.
        ack_size: Bytes = "44B" in [1.0, 1500.0], "ns-2 2.35";
        /// Packets per round trip by which the rate rises in each.
        alpha: f64 = "1" in [0.001, 1000.0], "Rejaie et al. 1999 section 2.2";
        /// The part of the rate that remains after a loss.
        beta: Fraction = "0.5" in [0.01, 0.999], "Rejaie et al. 1999 section 2.2";
        /// Whether the time between packets is multiplied by the quotient of a short and a long average of the round trip.
        fine_grain: bool = "false", "Rejaie et al. 1999 section 2.4";
        /// Weight of a sample in the short average.
        short_gain: Fraction = "0.9" in [0.0, 1.0], "Rejaie et al. 1999 section 2.4", when fine_grain in ["true"];
        /// Weight of a sample in the long average.
        long_gain: Fraction = "0.01" in [0.0, 1.0], "Rejaie et al. 1999 section 2.4", when fine_grain in ["true"];
        /// Time between packets before the first acknowledgement.
        initial_gap: Duration = "2s" in [0.000_001, 64.0], "ns-2 2.35";
        /// Weight of a sample in the smoothed round trip and in its variation.
        rtt_gain: Fraction = "0.5" in [0.001, 1.0], "ns-2 2.35";
        /// Smoothed round trips in the timeout.
        rtt_factor: f64 = "1.2" in [0.1, 100.0], "ns-2 2.35";
        /// Variations in the timeout.
        variation_factor: f64 = "4" in [0.0, 100.0], "Jacobson 1988";
        /// Packets that left later of which one must have come before one is held to be lost.
        dup_threshold: u64 = "3" in [1.0, 1000.0], "Rejaie et al. 1999 section 2.1";
        /// Part of a round trip's packets that must have left in it for the rate to rise.
        used: Fraction = "0.5" in [0.0, 1.0], "ns-2 2.35";
    }
}

fn build(args: &Args, _control: Option<Control>) -> Result<Flows, BuildError> {
    let params: Params = args.typed();
    let sizes = Sizes::new(params.packet, params.header, params.ack_size)?;
    Ok(Arc::new(move |app| {
        let sender = Sender::new(sizes, Rap::new(params.clone()), app);
        (Box::new(sender), Box::new(Receiver::new(sizes)))
    }))
}

/// The rate after a loss, over round trips of 100 ms.
#[allow(clippy::unnecessary_wraps, reason = "the registry's signature")]
fn draw_law(args: &Args) -> Result<Graph, BuildError> {
    const RTT: f64 = 0.1;
    let params: Params = args.typed();
    let graph =
        Graph::new(Axis::new("time since the loss", "round trips"), Axis::new("rate, as part of that before", ""))
            .about("A curve ends when the rate is a fifth higher than before.");
    Ok([10.0, 100.0].into_iter().fold(graph, |graph, before| {
        let mut law = Rap::new(params.clone());
        law.observe(RTT);
        (law.heard, law.gap) = (true, RTT / before);
        law.slow_down(Instant::ZERO);
        let part = |now: &Rap| now.srtt / now.gap / before;
        let mut points = vec![(0.0, 1.0), (1e-9, part(&law))];
        for round in 1..=100 {
            // A step in which all has left that was allowed.
            law.sent = (law.srtt / law.gap).ceil() as u64;
            law.on_deadline(Instant::ZERO, &mut Counters::default());
            points.push((f64::from(round), part(&law)));
            if part(&law) >= 1.2 {
                break;
            }
        }
        graph.course(format!("a loss at {before} packets per round trip"), points)
    }))
}

/// A packet whose fate is not known yet.
#[derive(Clone, Copy, Debug)]
struct Sent {
    seq: u64,
    at: Instant,
}

/// The law. Times in seconds.
#[derive(Clone, Debug)]
struct Rap {
    params: Params,
    /// IPG.
    gap: f64,
    srtt: f64,
    variation: f64,
    timeout: f64,
    /// FRTT and XRTT.
    short: f64,
    long: f64,
    /// An acknowledgement has arrived.
    heard: bool,
    /// In order.
    history: VecDeque<Sent>,
    next_seq: u64,
    /// Losses of packets below this belong to the last cut.
    cut_below: u64,
    /// Packets sent in this step.
    sent: u64,
    /// When the step ends; absent while nothing is sent.
    step_ends: Option<Instant>,
}

impl Rap {
    fn new(params: Params) -> Self {
        let gap = params.initial_gap.as_secs_f64();
        Rap {
            gap,
            srtt: gap,
            variation: 0.0,
            timeout: gap,
            short: gap,
            long: gap,
            heard: false,
            history: VecDeque::new(),
            next_seq: 0,
            cut_below: 0,
            sent: 0,
            step_ends: None,
            params,
        }
    }

    /// A sample of the round-trip time.
    fn observe(&mut self, sample: f64) {
        if !self.heard {
            (self.srtt, self.short, self.long) = (sample, sample, sample);
        }
        let Params { rtt_gain, rtt_factor, variation_factor, short_gain, long_gain, .. } = self.params;
        let error = sample - self.srtt;
        self.srtt += rtt_gain.0 * error;
        self.variation += rtt_gain.0 * (error.abs() - self.variation);
        self.timeout = rtt_factor * self.srtt + variation_factor * self.variation;
        self.short += short_gain.0 * (sample - self.short);
        self.long += long_gain.0 * (sample - self.long);
    }

    /// `S += alpha / SRTT`, S = 1 / IPG: `IPG = IPG SRTT / (alpha IPG + SRTT)` ([RHE99] section 2.2).
    fn speed_up(&mut self) {
        self.gap = self.gap * self.srtt / (self.params.alpha * self.gap + self.srtt);
    }

    /// `S *= beta` ([RHE99] section 2.2); all that is out belongs to this cut.
    fn slow_down(&mut self, now: Instant) {
        self.gap /= self.params.beta.0;
        self.cut_below = self.next_seq;
        self.step_ends = Some(now + Duration::from_secs_f64(self.srtt));
    }

    /// Whether a packet that the acknowledgement shows to be lost asks for a cut ([RHE99] section 2.1).
    fn loses_by(&mut self, report: &RapReport) -> bool {
        let last = u64::from(report.last);
        let (missing, before) = (u64::from(report.missing), u64::from(report.before));
        let mut lost = false;
        let mut place = 0;
        // Packets count from 1 in reports.
        while let Some(sent) = self.history.get(place).copied().filter(|sent| sent.seq < last) {
            let number = sent.seq + 1;
            let came = number > missing || number == before;
            let is_lost = !came && last - number >= self.params.dup_threshold;
            if came || is_lost {
                self.history.remove(place);
                lost |= is_lost && sent.seq >= self.cut_below;
            } else {
                place += 1;
            }
        }
        lost
    }

    /// Whether a packet that has not been acknowledged in time requires a cut.
    fn loses_by_time(&mut self, now: Instant) -> bool {
        let patience = Duration::from_secs_f64(self.timeout);
        let mut lost = false;
        while let Some(sent) = self.history.front().copied().filter(|sent| sent.at + patience <= now) {
            self.history.pop_front();
            lost |= sent.seq >= self.cut_below;
        }
        lost
    }
}

impl Law for Rap {
    fn gap(&self) -> Duration {
        let feedback = if self.params.fine_grain && self.long > 0.0 { self.short / self.long } else { 1.0 };
        gap(self.gap * feedback)
    }

    fn reschedules(&self) -> bool {
        false
    }

    /// Timeouts are looked for when a packet is due (ns-2 2.35); one costs this packet its turn.
    fn may_send(&mut self, now: Instant, counters: &mut Counters) -> bool {
        let lost = self.loses_by_time(now);
        if lost {
            counters.timeouts += 1;
            self.slow_down(now);
        }
        !lost
    }

    fn on_sent(&mut self, now: Instant, seq: u64, _payload: u32) {
        self.history.push_back(Sent { seq, at: now });
        self.next_seq = seq + 1;
        self.sent += 1;
        if self.step_ends.is_none() {
            self.step_ends = Some(now + Duration::from_secs_f64(self.srtt));
        }
    }

    fn on_report(&mut self, heard: &Heard<'_>, counters: &mut Counters) {
        let Some(Report::Rap(report)) = heard.report() else { return };
        let acked = u64::from(report.seq) - 1;
        if let Ok(place) = self.history.binary_search_by_key(&acked, |sent| sent.seq) {
            self.history.remove(place);
            self.observe(heard.rtt.as_secs_f64());
        }
        if !self.heard {
            self.heard = true;
            self.gap = self.srtt;
        }
        if self.loses_by(report) {
            counters.fast_recoveries += 1;
            self.slow_down(heard.now);
        }
    }

    fn rtt(&self) -> Option<Duration> {
        self.heard.then(|| Duration::from_secs_f64(self.srtt))
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.step_ends
    }

    fn on_deadline(&mut self, now: Instant, _counters: &mut Counters) {
        let sent = std::mem::take(&mut self.sent);
        // A sender that has sent less than it was allowed to does not know whether more would pass.
        if sent as f64 * self.gap / self.srtt >= self.params.used.0 {
            self.speed_up();
        }
        self.step_ends = (sent > 0).then(|| now + Duration::from_secs_f64(self.srtt).max(Duration::from_nanos(1)));
    }
}

/// Acknowledges each packet.
struct Receiver {
    reporter: Reporter,
    seen: RapReport,
}

impl Receiver {
    fn new(sizes: Sizes) -> Self {
        Receiver { reporter: Reporter::new(sizes), seen: RapReport::default() }
    }

    /// Packet `number`, counted from 1, has come: updates the last hole ([RHE99] section 2.1).
    fn note(&mut self, number: u32) {
        let RapReport { last, missing, before, .. } = &mut self.seen;
        if number > *last + 1 {
            (*before, *missing) = (*last, number - 1);
        } else if number == *missing {
            if *before + 1 == number {
                (*before, *missing) = (0, 0);
            } else {
                *missing -= 1;
            }
        } else if (*before + 1..*missing).contains(&number) {
            *before = number;
        }
        *last = number.max(*last);
        self.seen.seq = number;
    }
}

impl Endpoint for Receiver {
    fn on_packet(&mut self, now: Instant, packet: &Packet, cx: &mut FlowContext) {
        let Some(arrival) = self.reporter.receive(now, packet) else { return };
        // Bound: 4e9 packets of a flow.
        self.note(u32::try_from(arrival.seq + 1).unwrap_or(u32::MAX));
        self.reporter.report(now, Report::Rap(self.seen), cx);
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
    use crate::packet::Body;
    use crate::rig::{at_millis as at, near};

    /// The law hears an acknowledgement at `now` after a round trip of `rtt` milliseconds. All packets before it have arrived.
    fn hear(law: &mut Rap, now: u64, rtt: u64, report: RapReport) -> Counters {
        let mut counters = Counters::default();
        let (echo, rtt) = (at(now - rtt), Duration::from_millis(rtt));
        let body = Body::Report { echo, report: Report::Rap(report) };
        law.on_report(&Heard { now: at(now), rtt, echo, body: &body }, &mut counters);
        counters
    }

    fn whole(seq: u32) -> RapReport {
        RapReport { seq, last: seq, missing: 0, before: 0 }
    }

    /// A law with a round trip of 100 ms and ten packets per round trip, the next of which has this number.
    fn running(seq: u64) -> Rap {
        let mut law = Rap::new(Params::default());
        law.on_sent(at(0), 0, 956);
        hear(&mut law, 100, 100, whole(1));
        law.gap = 0.01;
        (1..seq).for_each(|seq| law.on_sent(at(100 + 10 * seq), seq, 956));
        law
    }

    #[test]
    fn the_first_acknowledgement_sets_the_gap_to_a_round_trip() {
        let mut law = Rap::new(Params::default());
        assert_eq!(law.gap(), Duration::from_secs(2));
        law.on_sent(at(0), 0, 956);
        hear(&mut law, 80, 80, whole(1));
        assert!(near(law.gap, 0.08) && near(law.srtt, 0.08) && near(law.timeout, 1.2 * 0.08));
    }

    #[test]
    fn a_step_adds_a_packet_per_round_trip_if_the_rate_was_used() {
        let mut law = running(11);
        law.on_deadline(at(200), &mut Counters::default());
        // 10 packets in 100 ms become 11.
        assert!(near(law.gap, 0.1 / 11.0), "{}", law.gap);
        assert_eq!(law.next_deadline(), Some(at(300)));

        // Five of ten are enough, four are not.
        for (sent, rises) in [(5, true), (4, false)] {
            let mut other = running(1);
            other.sent = sent;
            other.on_deadline(at(200), &mut Counters::default());
            assert_eq!(other.gap < 0.01, rises, "{sent}");
        }
    }

    #[test]
    fn an_idle_sender_does_not_speed_up() {
        let mut law = running(1);
        law.sent = 0;
        law.on_deadline(at(200), &mut Counters::default());
        assert!(near(law.gap, 0.01));
        assert_eq!(law.next_deadline(), None);
        law.on_sent(at(900), 1, 956);
        assert_eq!(law.next_deadline(), Some(at(1000)));
    }

    #[test]
    fn a_packet_is_lost_when_one_that_left_three_later_has_come() {
        let mut law = running(10);
        // 1 to 3 have come (0 before), 4 (number 5) not.
        for number in 2..=4 {
            hear(&mut law, 200, 100, whole(number));
        }
        for last in [6, 7] {
            hear(&mut law, 200, 100, RapReport { seq: last, last, missing: 5, before: 4 });
            assert!(near(law.gap, 0.01));
        }
        let counters = hear(&mut law, 200, 100, RapReport { seq: 8, last: 8, missing: 5, before: 4 });
        assert!(near(law.gap, 0.02) && counters.fast_recoveries == 1);
        assert_eq!(law.next_deadline(), Some(at(300)), "the step begins anew");
    }

    #[test]
    fn losses_of_what_was_out_at_a_cut_belong_to_it() {
        let mut law = running(12);
        // Numbers 2, 5 and 11 are lost; 12 is the last one out at the first cut.
        hear(&mut law, 200, 100, RapReport { seq: 6, last: 6, missing: 5, before: 4 });
        assert!(near(law.gap, 0.02), "number 2, four before 6");
        hear(&mut law, 210, 100, RapReport { seq: 9, last: 9, missing: 5, before: 4 });
        assert!(near(law.gap, 0.02));
        // 13 and 14 left after the cut: 13 is lost.
        (12..18).for_each(|seq| law.on_sent(at(210), seq, 956));
        hear(&mut law, 310, 100, RapReport { seq: 16, last: 16, missing: 13, before: 12 });
        assert!(near(law.gap, 0.04));
    }

    #[test]
    fn a_lost_acknowledgement_is_no_lost_packet() {
        let mut law = running(12);
        // Number 2 is acknowledged only by the report for number 9: nothing is missing.
        hear(&mut law, 200, 100, whole(9));
        assert!(near(law.gap, 0.01) && law.history.len() == 3, "{:?}", law.history);
    }

    #[test]
    fn a_packet_that_is_not_acknowledged_in_time_costs_a_turn_and_half_of_the_rate() {
        let mut law = running(3);
        let mut counters = Counters::default();
        // Numbers 2 and 3 left at 110 and 120 ms; the timeout is 120 ms.
        assert!(law.may_send(at(229), &mut counters));
        assert!(!law.may_send(at(230), &mut counters));
        assert!(near(law.gap, 0.02) && counters.timeouts == 1);
        assert!(law.may_send(at(250), &mut counters), "number 3 belongs to the same cut");
        assert!(near(law.gap, 0.02));
    }

    #[test]
    fn fine_grain_stretches_the_gap_while_the_round_trip_is_longer_than_usual() {
        let mut law = running(3);
        law.params.fine_grain = true;
        hear(&mut law, 300, 200, whole(2));
        // Short 0.1 + 0.9 0.1 = 0.19, long 0.1 + 0.01 0.1 = 0.101.
        assert_eq!(law.gap(), gap(0.01 * 0.19 / 0.101));
        law.params.fine_grain = false;
        assert_eq!(law.gap(), gap(0.01));
    }

    #[test]
    fn the_last_hole_is_told() {
        let sizes = Sizes { payload: 956, header: 44, report: 44 };
        let told = |numbers: &[u32]| {
            let mut receiver = Receiver::new(sizes);
            for &number in numbers {
                receiver.note(number);
            }
            let RapReport { last, missing, before, .. } = receiver.seen;
            (last, missing, before)
        };
        assert_eq!(told(&[1, 2, 3]), (3, 0, 0));
        assert_eq!(told(&[1, 2, 6]), (6, 5, 2));
        assert_eq!(told(&[1, 2, 6, 5]), (6, 4, 2), "filled from above");
        assert_eq!(told(&[1, 2, 6, 3]), (6, 5, 3), "from below");
        assert_eq!(told(&[1, 3, 2]), (3, 0, 0), "the hole is gone");
        assert_eq!(told(&[1, 3, 6]), (6, 5, 3), "only the last one");
    }
}
