//! RED with In and Out: two REDs over one queue, so that packets outside their flow's service profile are dropped first. The average of
//! the waiting In packets decides about packets within the profile (In), the average of all about packets outside (Out). Specification:
//! [Cla98] Clark and Fang, "Explicit Allocation of Best-Effort Packet Delivery Service", IEEE/ACM ToN 6(4), 1998; [Ale04] Alemu,
//! "Performance Evaluation of Quality of Service Mechanisms in the Internet", PhD thesis, Université Montpellier II, 2004, section 1.4.3
//! and algorithm 15. Compared with: ns-2 2.35 `Queue/RED/RIO`, ten In and ten Out flows on 10 Mbit/s: the throughput of Out flows beside
//! In flows with small windows agrees to 1 %, and the mean queue within its spread over seeds, with and without small windows.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A flow that is not declared In or Out (`service`) is metered at this queue; [Cla98] tags packets at the edge and ns-2 takes the tag as given | one queue knows its profiles: `profile_mbit`, `meter` | `packets_outside_their_profile_are_dropped_first`, `a_declared_flow_is_not_metered` |
//! | The average of all is taken at every arrival; [Ale04]'s algorithm 15 does so at Out packets only, ns-2 at In packets only | [Cla98]; ns-2's source reports it as a fault; both readings are settings (`total_average`) | `the_average_of_all_moves_with_the_packets_that_are_asked_for` |
//! | Automatic thresholds are at most a sixth, a half, a half and the whole of the limit | above it they would do nothing | `automatic_thresholds_lie_below_the_limit` |
//! | Idle time is forgotten if it ends with a packet that the average of all ignores | as in ns-2 | `idle_time_that_another_packet_ended_does_not_count` |
//! | ns-2's default of 0.2 for Out (`out_linterm_` 5) is not that of its preset: rio.cc never reads it and takes `linterm_`, 0.1 | the preset computes as ns-2 does | `ns2s_probability_of_out_packets_is_that_of_its_red` |
//! | An Out packet lost to a full buffer restarts the count of Out packets; in ns-2 an In packet restarts its own alone | as RED | `an_overflow_restarts_the_count_of_its_class` |

use crate::aqm::red::{Above, Red, Settings};
use crate::mechanism::class_accounts::ClassAccounts;
use crate::mechanism::profile::{Meter, Profiles};
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "rio",
    title: "RIO (RED with In and Out)",
    doc: "Two REDs over one queue: for packets within their flow's profile (In) and for all others (Out). In packets go by the \
          average of the In packets that wait, Out packets by that of all, so that Out packets are dropped first.",
    reference: "Clark and Fang 1998",
    presets: presets! {
        /// Clark and Fang 1998 with the thresholds that ns-2 has for them: In 15 to 30 at 0.02, Out 5 to 15 at 0.2.
        paper = { ..PAPER };
        /// As `paper`, with the average of all taken at Out packets only (Alemu 2004, algorithm 15).
        alemu2004 = { ..PAPER, total_average = "out" };
        /// ns-2 2.35's defaults, which `ns` printed on 2026-11-25: its RED's laws in packets, a mean packet of 500 bytes, the average
        /// of all taken at In packets only, 0.1 for Out packets.
        ns2 = {
            ..PAPER, limit = "50p", max_p = "0.1", mode = "packets", mean_packet = "500B", count = "wait", idle_decay = "ns2",
            spare_short = "true", spare_first = "true", ecn = "false", total_average = "in",
        };
    },
    law: Some(draw_law),
    probes: &[
        Probe::new("avg", Probe::SIZE, Probe::UP, "average queue by which Out packets are judged: of all packets"),
        Probe::new(
            "p_b",
            "",
            Probe::SHARE,
            "base probability of a drop or mark of an Out packet, at its last decision",
        ),
    ],
    ..QueueEntry::of_policy::<Params>()
};

/// Both REDs with their thresholds.
const PAPER: &[Setting] = settings! {
    in_min_th = "15p", in_max_th = "30p", in_max_p = "0.02", in_above = "strict", min_th = "5p", max_th = "15p", max_p = "0.2",
    above = "strict", w_q = "0.002", count = "on", spare_short = "false", spare_first = "false", total_average = "all",
};

params! {
    /// Parameters of RIO; those of RED without `in_` are for Out packets and the average of all.
    pub struct Params {
        ..red: Settings {
            max_p = "0.2", "ns-2 2.35 ns-default.tcl out_linterm_ 5, which rio.cc does not read";
            count = "wait", "ns-2 2.35 rio.cc; [Flo93] section 7 for on";
            spare_short = "true", "ns-2 2.35 rio.cc; [Flo93] has no such rule";
            spare_first = "true", "ns-2 2.35 rio.cc; [Flo93] has no such rule";
            /// Average below which nothing is dropped. Automatic: as in RED, at most a sixth of the limit.
            min_th = "auto", "Floyd, Gummadi and Shenker 2001; the bound by the limit is ours";
        };
        /// Average of In packets below which no In packet is dropped. Automatic: `max_th`.
        in_min_th: Option<Size> = "auto" in [0.0, 1e12],
            "[Cla98]: well above that of Out packets; ns-2 2.35 in_thresh_ 15, out_maxthresh_ 15";
        /// Average of In packets at which the probability reaches `in_max_p`. Automatic: twice `in_min_th`.
        in_max_th: Option<Size> = "auto" in [0.0, 1e12], "ns-2 2.35 in_maxthresh_ 30, in_thresh_ 15";
        /// Probability of In packets at the upper threshold.
        in_max_p: Fraction = "0.02" in [0.0, 1.0], "ns-2 2.35 in_linterm_ 50";
        /// Above `in_max_th`: drop every In packet, or let the probability rise to 1 at twice `in_max_th`.
        in_above: Above = "gentle", "as above; ns-2 2.35 in_gentle_ false";
        /// At which packets the average of all is taken.
        total_average: TotalAverage = "all", "[Cla98]; Alemu 2004 for out, ns-2 2.35 rio.cc for in";
        /// Profiles: Mbit/s on the wire for each flow by its number, the last for all further flows. Without one all packets are Out.
        profile_mbit: Numbers = "[]" in [0.0, 1e6], "the scenario's agreement with its senders";
        /// How flows are measured against their profiles.
        meter: Meter = "token_bucket", "RFC 2697; RFC 2859, after [Cla98], for sliding_window", when profile_mbit not in ["[]"];
        /// Bytes that the token bucket of a flow holds; it starts full.
        profile_burst: Bytes = "10000B" in [1.0, 1e12], "ours: the sources leave it to the agreement", when profile_mbit not in ["[]"];
        /// Length of the sliding window.
        profile_window: Duration = "1s" in [1e-6, 1e4], "RFC 2859 section 2.1: of the order of round trips for TCP",
            when meter in ["sliding_window"];
    }
}

choices! {
    /// At which packets the average of all that waits is taken.
    pub enum TotalAverage {
        /// At every packet.
        All = "all",
        /// At Out packets.
        Out = "out",
        /// At In packets.
        In = "in",
    }
}

const IN: Tag = 0;
const OUT: Tag = 1;

#[derive(Clone, Debug)]
pub struct Rio {
    /// Over the In packets that wait.
    inside: Red,
    /// Over all that waits.
    outside: Red,
    total_average: TotalAverage,
    profiles: Profiles,
    waiting: ClassAccounts<2>,
}

impl PolicyParams for Params {
    type Policy = Rio;

    fn policy(&self, link: &LinkContext) -> Result<Rio, BuildError> {
        // In packets' upper threshold is six times as high: the limit at most.
        let automatic = self.red.automatic_min_th(link, 6.0);
        let min_th = self.red.min_th.unwrap_or(Size::Packets(automatic));
        let settings = &Settings { min_th: Some(min_th), ..self.red.clone() };
        let outside = settings.build(link)?;
        let mut inside = outside.clone();
        let in_min_th = self.in_min_th.map_or(outside.curve.max_th, |size| settings.amount(size, link));
        let in_max_th = self.in_max_th.map_or(2.0 * in_min_th, |size| settings.amount(size, link));
        if in_max_th < in_min_th || in_max_th <= 0.0 {
            return Err(BuildError::new(
                "in_max_th",
                format!("in_max_th is {in_max_th} and in_min_th is {in_min_th} on this link"),
                "in_max_th is above zero and at least in_min_th",
            ));
        }
        (inside.curve.min_th, inside.curve.max_th, inside.curve.above) = (in_min_th, in_max_th, self.in_above);
        inside.max_p = self.in_max_p.0;
        let profiles = Profiles::new(self.meter, &self.profile_mbit.0, self.profile_burst, self.profile_window);
        let waiting = ClassAccounts::default();
        Ok(Rio { inside, outside, total_average: self.total_average, profiles, waiting })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red.limit(link)
    }
}

fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let Rio { inside, outside, .. } = args.typed::<Params>().policy(link)?;
    let graph = inside.graph().about("In packets go by the average of In packets, Out packets by that of all.");
    let wide = Graph { curves: Vec::new(), ..graph };
    Ok(outside.join(inside.join(wide, "In"), "Out"))
}

impl Policy for Rio {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let within = self.profiles.admits(now, packet, rng);
        queue.leave(if within { IN } else { OUT });
        let (all, of_in) = (queue.backlog(), self.waiting.backlog(IN));
        if within {
            self.inside.observe(now, of_in);
        }
        if self.total_average == TotalAverage::All || within == (self.total_average == TotalAverage::In) {
            self.outside.observe(now, all);
        } else {
            // In ns-2 the next packet ends the idle time.
            self.outside.average.on_busy();
        }
        if within { self.inside.decide(packet, of_in, rng) } else { self.outside.decide(packet, all, rng) }
    }

    fn on_enqueued(&mut self, _now: Instant, packet: &Packet, queue: &mut QueueView<'_>) {
        self.waiting.joined(queue.tag(), packet);
    }

    fn on_departure(&mut self, _now: Instant, packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.waiting.left(queue.tag(), packet);
        Verdict::Pass
    }

    fn on_idle(&mut self, now: Instant) {
        // ns-2 begins the idle time of In packets here, even if only Out packets have come since it last began.
        self.inside.average.on_busy();
        self.inside.link_idle(now);
        self.outside.link_idle(now);
    }

    fn on_drop(&mut self, _now: Instant, packet: &Packet, dropped: Dropped, queue: &mut QueueView<'_>) {
        let class = queue.tag();
        if dropped.is_overflow() {
            if class == IN { self.inside.overflow() } else { self.outside.overflow() }
        }
        if dropped.from_queue() {
            self.waiting.left(class, packet);
        }
    }

    probes! { |self|
        "avg" => self.outside.average.value(),
        "avg_in" => self.inside.average.value(),
        "p_b" => self.outside.last_p_b(),
        "p_b_in" => self.inside.last_p_b(),
        "packets_in" => self.waiting.backlog(IN).packets as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{FlowId, Service};
    use crate::queue::{Context, Managed, QueueDiscipline as _, Reason};
    use crate::rig::{Rig, args, at};

    /// RIO over a queue: In 6 to 12, Out 2 to 4; flow 0 is In, flow 1 Out; averages are the backlogs that the last packets found.
    struct Router {
        queue: Managed<Rio>,
        cx: Context,
    }

    impl Router {
        fn new(preset: &str, settings: &[(&str, &str)]) -> Self {
            let thresholds =
                [("in_min_th", "6p"), ("in_max_th", "12p"), ("min_th", "2p"), ("max_th", "4p"), ("w_q", "1")];
            let mut args = args(&ENTRY, Some(preset), &thresholds);
            for (name, value) in [("profile_mbit", "[8, 0]"), ("profile_burst", "1000000B")].iter().chain(settings) {
                args.set_text(name, value).expect("a valid setting");
            }
            let params = args.typed::<Params>();
            let mut policy = params.policy(&LinkContext::default()).expect("valid parameters");
            // Flow 1 has used its burst up.
            let mut rng = Rng::named(1, "rio");
            policy.profiles.admits(at(0.0), &Packet::datagram(FlowId(1), 0, 1_000_000), &mut rng);
            Router { queue: Managed::new(policy, Limit::packets(20)), cx: Context::new(rng) }
        }

        /// Why the packet of the flow, which draws the least number, was dropped or marked.
        fn arrive(&mut self, flow: u32) -> Option<Reason> {
            self.cx.events.clear();
            self.cx.rng.supply(0.0);
            self.queue.enqueue(at(0.0), Packet::datagram(FlowId(flow), 0, 1000), &mut self.cx);
            self.cx.rng.clear_supplied();
            self.cx.events.as_slice().first().map(|event| event.what.reason())
        }
    }

    #[test]
    fn automatic_thresholds_lie_below_the_limit() {
        // RED's automatic min_th is 5 packets of 1000 bytes at 10 Mbit/s and 31.25 at 100 Mbit/s.
        for (mbits, limit, out) in [(10, "50p", 5.0), (100, "60p", 10.0), (100, "200p", 31.25), (10, "24p", 4.0)] {
            let link = LinkContext { rate: Rate::from_bps(mbits * 1_000_000), ..LinkContext::default() };
            let params = args(&ENTRY, None, &[("limit", limit)]).typed::<Params>();
            let Rio { inside, outside, .. } = params.policy(&link).expect("valid parameters");
            let ends = [outside.curve.min_th, outside.curve.max_th, inside.curve.min_th, inside.curve.max_th];
            assert!(
                ends.into_iter().zip([1.0, 3.0, 3.0, 6.0]).all(|(end, part)| (end - part * out).abs() < 1e-9),
                "{ends:?}"
            );
        }
    }

    #[test]
    fn packets_outside_their_profile_are_dropped_first() {
        let mut router = Router::new("paper", &[]);
        for _ in 0..3 {
            assert_eq!(router.arrive(0), None);
        }

        // 3 wait, between 2 and 4; they are In packets, of which there may be 6.
        assert_eq!(router.arrive(1), Some(Reason::EARLY));
        assert_eq!(router.arrive(0), None);
        // 4 wait.
        assert_eq!(router.arrive(1), Some(Reason::FORCED));
        for _ in 0..3 {
            assert_eq!(router.arrive(0), None, "In packets find 4, 5 and 6 of their own, at which p_b is 0");
        }
        assert_eq!(router.arrive(0), Some(Reason::EARLY), "7, between 6 and 12");
    }

    #[test]
    fn a_declared_flow_is_not_metered() {
        let mut rng = Rng::named(1, "test");
        let args = args(&ENTRY, Some("paper"), &[("profile_mbit", "[8]")]);
        let mut policy = args.typed::<Params>().policy(&LinkContext::default()).expect("valid parameters");
        let mut within = |service, size| {
            let packet = Packet { service, ..Packet::datagram(FlowId(1), 0, size) };
            policy.profiles.admits(at(0.0), &packet, &mut rng)
        };

        // The bucket is full, whatever comes that is declared, and then empty.
        assert!(!within(Some(Service::Out), 1000) && within(Some(Service::In), 20_000));
        assert!(within(None, 10_000) && !within(None, 1000));
        assert!(within(Some(Service::In), 1000));
    }

    #[test]
    fn out_packets_that_wait_do_not_count_against_in_packets() {
        let mut router = Router::new("paper", &[("min_th", "30p"), ("max_th", "40p")]);
        for _ in 0..13 {
            assert_eq!(router.arrive(1), None);
        }

        for _ in 0..6 {
            assert_eq!(router.arrive(0), None);
        }
        assert!((router.queue.probe(1) - 5.0).abs() < 1e-12, "the last found five of its own");
        assert!((router.queue.probe(0) - 18.0).abs() < 1e-12, "and 18 in all");
        assert!((router.queue.probe(4) - 6.0).abs() < 1e-12);
    }

    #[test]
    fn what_has_left_no_longer_counts() {
        let mut router = Router::new("paper", &[]);
        for _ in 0..7 {
            router.arrive(0);
        }
        for _ in 0..5 {
            router.queue.dequeue(at(0.0), &mut router.cx);
        }

        assert_eq!(router.arrive(0), None);
        assert!((router.queue.probe(1) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_pushed_out_counts_for_the_class_with_which_it_came() {
        let mut router = Router::new("paper", &[]);
        router.arrive(1);
        router.arrive(0);
        let mut rio = router.queue.policy().clone();
        for red in [&mut rio.inside, &mut rio.outside] {
            (0..3).for_each(|_| red.spacing.arrive(1000));
        }
        let counts = |policy: &Rio| [policy.inside.spacing.count(), policy.outside.spacing.count()];
        let [inside, outside] = counts(&rio);

        // A flow queue makes room by the Out packet, which came first; the last to come was an In packet.
        let mut rig = Rig::waiting(1);
        rig.tag = OUT;
        let out = Packet::datagram(FlowId(1), 0, 1000);
        rio.on_drop(at(0.0), &out, Dropped::PUSHED_OUT, &mut rig.view());

        assert_eq!([rio.waiting.backlog(IN).packets, rio.waiting.backlog(OUT).packets], [1, 0]);
        assert_eq!(counts(&rio)[0], inside, "In packets lost nothing");
        assert!(counts(&rio)[1] < outside, "the next Out packet is spaced from this loss");
    }

    #[test]
    fn the_average_of_all_moves_with_the_packets_that_are_asked_for() {
        for (which, expected) in [("all", [1.0, 2.0]), ("out", [0.0, 2.0]), ("in", [1.0, 1.0])] {
            let mut router = Router::new("paper", &[("total_average", which), ("min_th", "9p"), ("max_th", "10p")]);
            router.arrive(1);
            router.arrive(0);
            assert!((router.queue.probe(0) - expected[0]).abs() < 1e-12, "{which} after an In packet that finds one");
            router.arrive(1);
            assert!((router.queue.probe(0) - expected[1]).abs() < 1e-12, "{which} after an Out packet that finds two");
        }
    }

    #[test]
    fn idle_time_that_another_packet_ended_does_not_count() {
        // Two packets' time at 10 Mbit/s idle: 4 / 2^2; forgotten: 4 / 2 for the arrival alone.
        for (which, flows, expected) in
            [("in", &[0][..], 1.0), ("in", &[1, 0], 2.0), ("out", &[1], 1.0), ("out", &[0, 1], 2.0)]
        {
            let settings = [("total_average", which), ("w_q", "0.5"), ("idle_decay", "paper")];
            let mut rio = Router::new("paper", &settings).queue.policy().clone();
            rio.outside.average.set(4.0);
            let mut rig = Rig::waiting(0);
            for flow in flows {
                let mut view = QueueView::new(&mut rig.fifo, &mut rig.events, true);
                rio.on_arrival(at(0.0016), &Packet::datagram(FlowId(*flow), 0, 1000), &mut view, &mut rig.rng);
            }
            assert!((rio.outside.average.value() - expected).abs() < 1e-9, "{which} {flows:?}");
        }
    }

    #[test]
    fn ns2s_probability_of_out_packets_is_that_of_its_red() {
        let out = |preset: &str| {
            let params = args(&ENTRY, Some(preset), &[]).typed::<Params>();
            let rio = params.policy(&LinkContext::default()).expect("valid parameters");
            (rio.outside.max_p, rio.inside.max_p)
        };

        assert_eq!(out("ns2"), (0.1, 0.02));
        assert_eq!(out("paper"), (0.2, 0.02));
    }

    #[test]
    fn without_profiles_it_is_red() {
        let mut router = Router::new("paper", &[("profile_mbit", "[]")]);
        for _ in 0..4 {
            router.queue.enqueue(at(0.0), Packet::datagram(FlowId(0), 0, 1000), &mut router.cx);
        }

        assert!(router.queue.probe(4) < 0.5);
        for _ in 0..3 {
            router.arrive(0);
        }
        assert_eq!(router.arrive(0), Some(Reason::FORCED));
    }

    #[test]
    fn an_overflow_restarts_the_count_of_its_class() {
        let mut router = Router::new("paper", &[("in_min_th", "2p"), ("in_max_th", "60p"), ("in_max_p", "0")]);
        for _ in 0..20 {
            router.arrive(0);
        }
        assert!(router.queue.policy().inside.spacing.count() > 0);

        assert_eq!(router.arrive(0), Some(Reason::OVERFLOW));

        assert_eq!(router.queue.policy().inside.spacing.count(), 0);
    }

    #[test]
    fn crossed_thresholds_of_in_packets_are_refused_by_name() {
        let params = args(&ENTRY, None, &[("in_min_th", "5p"), ("in_max_th", "4p")]).typed::<Params>();

        assert_eq!(params.policy(&LinkContext::default()).map(|_| ()).map_err(|error| error.param), Err("in_max_th"));
    }
}
