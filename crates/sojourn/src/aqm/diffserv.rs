//! DiffServ's assured forwarding: an edge router measures flows against their agreements and writes a drop precedence into each packet, and
//! edge and core routers drop by it: a RED for each of three precedences. Specification: RFC 2597 (AF), RFC 2697 and RFC 2698 (markers,
//! [`marker`](crate::mechanism::marker)), [Cla98] Clark and Fang 1998 for RIO; ns-2 2.35 diffserv/dsred.cc [ns2] for RIO-C, RIO-D and WRED
//! over three precedences, and the defaults of its examples, whose printed counts agree (tests/published). Expedited forwarding (RFC 3246)
//! is a class of its own above it: a discipline of strict priority with this policy in its lower class, as the scenario `expedited` has it.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A packet without an AF codepoint has the third precedence | Alemu 2004 section 1.4.3: best effort uses the lowest thresholds | `what_is_not_assured_is_dropped_first` |
//! | Every average decays while the link is idle; in [ns2] each while nothing of its precedence waits | the link is not idle then; `idles` | `an_idle_link_lets_every_average_decay`, `in_ns2_an_average_decays_while_nothing_that_it_counts_waits` |
//! | With RIO-C an arrival moves its own average and those of worse precedences | [Cla98] section III-A, [ns2]: an In packet counts in both | `with_rio_c_an_arrival_moves_the_averages_of_worse_precedences` |
//! | Colours are written when the packet leaves | the codepoint is the next router's | `an_edge_writes_the_precedence` |
//! | An edge forgets no flow | its agreements name the flows | - |

use std::collections::BTreeMap;

use crate::aqm::red::{Red, Settings};
use crate::header::Dscp;
use crate::mechanism::class_accounts::ClassAccounts;
use crate::mechanism::marker::{Agreement, Colour, Marker, Rules};
use crate::packet::FlowId;
use crate::queue::prelude::*;

/// The registry's entry.
pub static ENTRY: QueueEntry = QueueEntry {
    name: "diffserv",
    title: "DiffServ assured forwarding (RIO-C, RIO-D, WRED)",
    doc: "A RED for each of three drop precedences; an edge router gives them to packets by their flows' rates.",
    reference: "RFC 2597, RFC 2697, RFC 2698; ns-2 2.35 dsred.cc",
    remarks: true,
    presets: presets! {
        /// A core router of ns-2 2.35's diffserv: thresholds of its example, RIO-C.
        ns2 = { ..NS2 };
        /// An edge router of the same with one token bucket for each flow.
        ns2_edge = { ..NS2, role = "edge", meter = "token_bucket" };
    },
    ..QueueEntry::of_policy::<Params>()
};

/// What its example has: green 20 to 40 at 0.02, and 10 to 20 at 0.1 for what exceeds the agreement.
const NS2: &[Setting] = settings! {
    min_th = "20p", max_th = "40p", max_p = "0.02", above = "strict", count = "dsred", idle_decay = "ns2", w_q = "0.002",
    yellow_min_th = "10p", yellow_max_th = "20p", yellow_max_p = "0.1", red_min_th = "10p", red_max_th = "20p", red_max_p = "0.1",
    averages = "rio_c", idles = "ns2",
};

params! {
    /// Parameters of assured forwarding; those of RED are for the first precedence (green).
    pub struct Params {
        ..red: Settings {
            limit = "50p", "ns-2 2.35 ns-default.tcl limit_";
            min_th = "auto", "4 times RED's automatic one: where that is 5p, the 20p of ns-2 2.35's diffserv example";
            max_th = "auto", "8 times RED's automatic min_th: the 40p of the example";
            max_p = "0.02", "ns-2 2.35 manual, diffserv example";
        };
        /// Average from which packets of the second precedence (yellow) are dropped. Automatic: twice RED's automatic `min_th`.
        yellow_min_th: Option<Size> = "auto" in [0.0, 1e12], "where RED's is 5p, the 10p of ns-2 2.35's diffserv example";
        /// Average at which their probability reaches `yellow_max_p`. Automatic: 4 times RED's automatic `min_th`.
        yellow_max_th: Option<Size> = "auto" in [0.0, 1e12], "the 20p of the example";
        /// Their probability there.
        yellow_max_p: Fraction = "0.1" in [0.0, 1.0], "ns-2 2.35 manual, diffserv example, its second precedence";
        /// Average from which packets of the third precedence (red) are dropped. Automatic: RED's automatic `min_th`.
        red_min_th: Option<Size> = "auto" in [0.0, 1e12], "ours: best effort finds a RED; ns-2 2.35, example ds-cbr-srtcm: 5p";
        /// Average at which their probability reaches `red_max_p`. Automatic: 3 times RED's automatic `min_th`.
        red_max_th: Option<Size> = "auto" in [0.0, 1e12], "ours: as RED; 10p in that example";
        /// Their probability there.
        red_max_p: Fraction = "0.1" in [0.0, 1.0], "ours: as RED; 0.2 in that example";
        /// Which packets an average counts: those of its precedence and better ones, those of its precedence, or all.
        averages: Averages = "rio_c", "ns-2 2.35 dsred.cc mredMode_";
        /// When an average decays that no arrival moves.
        idles: Idles = "link", "[Flo93]: idle time is the link's; ns-2 2.35 dsredq.cc for ns2";
        /// Whether the router gives precedences to packets, or goes by those that they bring.
        role: Role = "core", "ours: a queue without agreements has nothing to measure by";
        /// How an edge measures flows.
        meter: Meter = "srtcm", "RFC 2697";
        /// Whether an edge heeds the precedence that a packet brings, and does not better it.
        colour_aware: bool = "false", "RFC 2697 section 3: the mode is configured; ns-2 2.35 is blind";
        /// Whether all flows together have one agreement, or each has its own.
        aggregate: bool = "false", "ours: RFC 2697 meters a stream, whatever it is of";
        /// Committed rates: Mbit/s on the wire for each flow by its number, the last for all further flows. None: all is red.
        cir_mbit: Numbers = "[]" in [0.0, 1e6], "the scenario's agreement";
        /// Peak rates in the same way; trTCM only. A flow's is at least its committed rate. None: twice the committed one.
        pir_mbit: Numbers = "[]" in [0.0, 1e6], "the scenario's agreement; twice: ours";
        /// Committed burst: what the first bucket holds.
        cbs: Bytes = "10000B" in [1.0, 1e12], "ns-2 2.35 diffserv examples, cbs 10000";
        /// Excess burst of srTCM: what the second bucket holds.
        ebs: Bytes = "10000B" in [0.0, 1e12], "ours: as the committed one";
        /// Peak burst of trTCM: what the second bucket holds.
        pbs: Bytes = "10000B" in [0.0, 1e12], "ours: as the committed one";
        /// Class of assured forwarding that an edge writes.
        class: u64 = "1" in [1.0, 4.0], "RFC 2597: four classes; ns-2 2.35 example: AF1x";
    }
}

choices! {
    /// What each average counts.
    pub enum Averages {
        /// Its own and better precedences.
        Coupled = "rio_c",
        /// Its own precedence.
        Decoupled = "rio_d",
        /// All.
        All = "wred",
    }
}

choices! {
    /// When an average decays that no arrival moves.
    pub enum Idles {
        /// While the link is idle.
        Link = "link",
        /// As in ns-2: RIO-C while nothing of its precedence and better ones waits, RIO-D while nothing of its own does, WRED from a
        /// departure that leaves nothing of its precedence.
        Ns2 = "ns2",
    }
}

choices! {
    /// What a router does to precedences.
    pub enum Role {
        /// It writes them.
        Edge = "edge",
        /// It reads them.
        Core = "core",
    }
}

choices! {
    /// How flows are measured.
    pub enum Meter {
        /// One token bucket: green or red.
        TokenBucket = "token_bucket",
        /// RFC 2697.
        SingleRate = "srtcm",
        /// RFC 2698.
        TwoRates = "trtcm",
    }
}

impl Meter {
    fn rules(self) -> Rules {
        match self {
            Meter::TokenBucket => Rules::TokenBucket,
            Meter::SingleRate => Rules::SingleRate,
            Meter::TwoRates => Rules::TwoRates,
        }
    }
}

const COLOURS: [Colour; 3] = [Colour::Green, Colour::Yellow, Colour::Red];

/// The policy.
#[derive(Clone, Debug)]
pub struct DiffServ {
    /// By precedence, the first at 0.
    reds: [Red; 3],
    averages: Averages,
    idles: Idles,
    /// Under ns-2's rule, since when each average is idle: until a packet joins that it counts.
    idle_since: [Option<Instant>; 3],
    waiting: ClassAccounts<3>,
    edge: Option<Edge>,
    /// The precedence of the packet that leaves, less one.
    leaving: Tag,
}

/// What an edge knows.
#[derive(Clone, Debug)]
struct Edge {
    params: Params,
    markers: BTreeMap<FlowId, Marker>,
}

impl Edge {
    /// What was agreed on a flow, if anything.
    fn agreement(&self, flow: FlowId) -> Option<Agreement> {
        let of = |rates: &Numbers| rates.0.get(flow.0 as usize).or(rates.0.last()).map(|megabits| megabits * 125_000.0);
        let params = &self.params;
        let committed = of(&params.cir_mbit)?;
        let peak = of(&params.pir_mbit).unwrap_or(2.0 * committed).max(committed);
        let other = if params.meter == Meter::TwoRates { params.pbs } else { params.ebs };
        Some(Agreement { committed, committed_burst: params.cbs.0 as f64, peak, other_burst: other.0 as f64 })
    }

    fn mark(&mut self, now: Instant, packet: &Packet) -> Colour {
        let flow = if self.params.aggregate { FlowId(0) } else { packet.flow };
        let Some(agreement) = self.agreement(flow) else { return Colour::Red };
        let before = if self.params.colour_aware { brought(packet) } else { Colour::Green };
        let marker = self.markers.entry(flow).or_insert_with(|| Marker::new(&agreement, now));
        marker.mark(now, packet.size, before, self.params.meter.rules(), &agreement)
    }
}

/// The precedence that a packet brings; the third without an AF codepoint.
fn brought(packet: &Packet) -> Colour {
    packet.dscp.assured().map_or(Colour::Red, |(_, precedence)| COLOURS[usize::from(precedence) - 1])
}

impl PolicyParams for Params {
    type Policy = DiffServ;

    fn policy(&self, link: &LinkContext) -> Result<DiffServ, BuildError> {
        let least = self.red.automatic_min_th(link);
        let size = |given: Option<Size>, times: f64| given.unwrap_or(Size::Packets(times * least));
        let ends = [size(self.red.min_th, 4.0), size(self.red.max_th, 8.0)].map(Some);
        let green = Settings { min_th: ends[0], max_th: ends[1], ..self.red.clone() }.build(link)?;
        let other = |names: [&'static str; 2], min_th: Size, max_th: Size, max_p: Fraction| {
            let mut red = green.clone();
            let (min_th, max_th) = (self.red.amount(min_th, link), self.red.amount(max_th, link));
            if max_th < min_th || max_th <= 0.0 {
                return Err(BuildError::new(
                    names[1],
                    format!("{} is {max_th} and {} is {min_th} on this link", names[1], names[0]),
                    "the upper threshold is above zero and at least the lower one",
                ));
            }
            (red.curve.min_th, red.curve.max_th, red.max_p) = (min_th, max_th, max_p.0);
            Ok(red)
        };
        let yellow = (size(self.yellow_min_th, 2.0), size(self.yellow_max_th, 4.0), self.yellow_max_p);
        let yellow = other(["yellow_min_th", "yellow_max_th"], yellow.0, yellow.1, yellow.2)?;
        let red = (size(self.red_min_th, 1.0), size(self.red_max_th, 3.0), self.red_max_p);
        let red = other(["red_min_th", "red_max_th"], red.0, red.1, red.2)?;
        let edge = || Edge { params: self.clone(), markers: BTreeMap::new() };
        Ok(DiffServ {
            reds: [green, yellow, red],
            averages: self.averages,
            idles: self.idles,
            idle_since: [(self.idles == Idles::Ns2).then_some(Instant::ZERO); 3],
            waiting: ClassAccounts::default(),
            edge: (self.role == Role::Edge).then(edge),
            leaving: 0,
        })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red.limit(link)
    }
}

/// Whether the average of a precedence counts packets of another.
fn counts(averages: Averages, precedence: usize, other: usize) -> bool {
    match averages {
        Averages::All => true,
        Averages::Decoupled => other == precedence,
        Averages::Coupled => other <= precedence,
    }
}

impl DiffServ {
    /// A packet of a precedence has left, and ns-2 looks which averages are idle from now on.
    fn left(&mut self, now: Instant, precedence: usize, all: Backlog) {
        if self.waiting.backlog(precedence as Tag).packets > 0 {
            return;
        }
        for other in 0..self.reds.len() {
            let idle = self.averages == Averages::All || self.counted(other, all).packets == 0;
            if idle && counts(self.averages, other, precedence) {
                self.idle_since[other] = Some(now);
            }
        }
    }

    /// What the average of a precedence counts.
    fn counted(&self, precedence: usize, all: Backlog) -> Backlog {
        match self.averages {
            Averages::All => all,
            Averages::Decoupled => self.waiting.backlog(precedence as Tag),
            Averages::Coupled => {
                (0..=precedence).map(|own| self.waiting.backlog(own as Tag)).fold(Backlog::default(), |sum, own| {
                    Backlog { packets: sum.packets + own.packets, bytes: sum.bytes + own.bytes }
                })
            }
        }
    }
}

impl Policy for DiffServ {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let colour = self.edge.as_mut().map_or_else(|| brought(packet), |edge| edge.mark(now, packet));
        let precedence = colour as usize;
        queue.leave(precedence as Tag);
        for other in 0..self.reds.len() {
            let counted = self.counted(other, queue.backlog());
            let red = &mut self.reds[other];
            if counts(self.averages, other, precedence) {
                // In ns-2 idle time that a dropped packet did not end counts anew.
                if let Some(since) = self.idle_since[other] {
                    red.average.on_idle(since);
                }
                red.observe(now, counted);
            } else if self.idles == Idles::Link {
                red.average.on_other(now);
            }
        }
        let counted = self.counted(precedence, queue.backlog());
        self.reds[precedence].decide(packet, counted, rng)
    }

    fn on_enqueued(&mut self, _now: Instant, packet: &Packet, queue: &mut QueueView<'_>) {
        let precedence = queue.tag();
        self.waiting.joined(precedence, packet);
        for other in 0..self.reds.len() {
            if counts(self.averages, other, precedence as usize) {
                self.idle_since[other] = None;
            }
        }
    }

    fn on_departure(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.leaving = queue.tag();
        self.waiting.left(self.leaving, packet);
        if self.idles == Idles::Ns2 {
            self.left(now, self.leaving as usize, queue.backlog());
        }
        Verdict::Pass
    }

    fn on_transmission(&mut self, _now: Instant, packet: &mut Packet, _waiting: Backlog) {
        if let Some(edge) = &self.edge {
            packet.dscp = Dscp::af(edge.params.class as u8, self.leaving as u8 + 1).unwrap_or(packet.dscp);
        }
    }

    fn on_idle(&mut self, now: Instant) {
        if self.idles == Idles::Link {
            self.reds.iter_mut().for_each(|red| red.link_idle(now));
        }
    }

    fn on_drop(&mut self, _now: Instant, packet: &Packet, dropped: Dropped, queue: &mut QueueView<'_>) {
        let precedence = queue.tag();
        if dropped.is_overflow() {
            self.reds[precedence as usize].overflow();
        }
        if dropped.from_queue() {
            self.waiting.left(precedence, packet);
        }
    }

    fn probes(&self) -> &'static [&'static str] {
        &[
            "avg",
            "avg_yellow",
            "avg_red",
            "packets_green",
            "packets_yellow",
            "packets_red",
            "p_b",
            "p_b_yellow",
            "p_b_red",
        ]
    }

    fn probe(&self, index: usize) -> f64 {
        match index {
            0..3 => self.reds[index].average.value(),
            3..6 => self.waiting.backlog(index as Tag - 3).packets as f64,
            _ => self.reds[index - 6].last_p_b(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Context, Managed, QueueDiscipline as _};
    use crate::rig::{Rig, args, at};

    /// Green from 6, yellow from 4, red from 2 on, each certain at twice that; averages are what the last packet found.
    fn policy(settings: &[(&str, &str)]) -> DiffServ {
        let mut all = vec![("w_q", "1"), ("above", "strict"), ("count", "off"), ("min_th", "6p"), ("max_th", "12p")];
        all.extend([("yellow_min_th", "4p"), ("yellow_max_th", "8p"), ("red_min_th", "2p"), ("red_max_th", "4p")]);
        all.extend(settings);
        args(&ENTRY, None, &all).typed::<Params>().policy(&LinkContext::default()).expect("valid parameters")
    }

    /// A packet of assured forwarding's first class; precedence 0 is best effort.
    fn coloured(precedence: u8) -> Packet {
        Packet { dscp: Dscp::af(1, precedence).unwrap_or(Dscp::DF), ..Packet::datagram(FlowId(0), 0, 1000) }
    }

    struct Router {
        queue: Managed<DiffServ>,
        cx: Context,
    }

    impl Router {
        fn new(settings: &[(&str, &str)]) -> Self {
            Router {
                queue: Managed::new(policy(settings), Limit::packets(50)),
                cx: Context::new(Rng::named(1, "test")),
            }
        }

        /// Why a packet was dropped that draws a number just above 0.
        fn arrive(&mut self, precedence: u8) -> Option<Reason> {
            self.cx.events.clear();
            self.cx.rng.supply(1e-9);
            self.queue.enqueue(at(0.0), coloured(precedence), &mut self.cx);
            self.cx.rng.clear_supplied();
            self.cx.events.as_slice().first().map(|event| event.what.reason())
        }
    }

    #[test]
    fn each_precedence_has_thresholds_of_its_own() {
        let mut router = Router::new(&[("averages", "wred")]);
        for found in 0..=2 {
            assert_eq!(router.arrive(1), None, "{found}");
        }

        // Three wait: only red packets are dropped at random; four: for certain.
        assert_eq!([3, 2, 1].map(|precedence| router.arrive(precedence)), [Some(Reason::EARLY), None, None]);
        // Five wait.
        assert_eq!(
            [3, 2, 1].map(|precedence| router.arrive(precedence)),
            [Some(Reason::FORCED), Some(Reason::EARLY), None]
        );
    }

    #[test]
    fn averages_count_what_the_mode_says() {
        // Two green, three yellow and one red packet wait when a yellow one comes.
        for (mode, found) in [("rio_c", 5), ("rio_d", 3), ("wred", 6)] {
            let mut router = Router::new(&[
                ("averages", mode),
                ("red_min_th", "30p"),
                ("red_max_th", "40p"),
                ("yellow_min_th", "30p"),
                ("yellow_max_th", "40p"),
            ]);
            for precedence in [1, 1, 2, 2, 2, 3, 2] {
                assert_eq!(router.arrive(precedence), None);
            }
            assert!((router.queue.probe(1) - f64::from(found)).abs() < 1e-12, "{mode} {}", router.queue.probe(1));
        }
    }

    #[test]
    fn what_has_left_no_longer_counts() {
        let mut router = Router::new(&[]);
        for _ in 0..5 {
            router.arrive(1);
        }
        for _ in 0..4 {
            router.queue.dequeue(at(0.0), &mut router.cx);
        }

        assert_eq!(router.arrive(3), None);
        assert!((router.queue.probe(2) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_not_assured_is_dropped_first() {
        assert_eq!(
            [0, 1, 2, 3].map(|precedence| brought(&coloured(precedence))),
            [Colour::Red, Colour::Green, Colour::Yellow, Colour::Red]
        );
    }

    #[test]
    fn an_edge_writes_the_precedence() {
        // 8 Mbit/s of flow 0 with bursts of two and one packets; class 3.
        let mut router = Router::new(&[
            ("role", "edge"),
            ("cir_mbit", "[8]"),
            ("cbs", "2000B"),
            ("ebs", "1000B"),
            ("class", "3"),
            ("red_min_th", "30p"),
            ("red_max_th", "40p"),
        ]);
        for _ in 0..4 {
            assert_eq!(router.arrive(0), None);
        }

        let names: Vec<String> = std::iter::from_fn(|| router.queue.dequeue(at(0.0), &mut router.cx))
            .map(|packet| packet.dscp.to_string())
            .collect();
        assert_eq!(names, ["AF31", "AF31", "AF32", "AF33"]);
    }

    #[test]
    fn a_core_writes_nothing() {
        let mut router = Router::new(&[("cir_mbit", "[8]")]);
        router.arrive(2);

        let packet = router.queue.dequeue(at(0.0), &mut router.cx).expect("it waits");
        assert_eq!(packet.dscp, coloured(2).dscp);
    }

    #[test]
    fn flows_have_agreements_of_their_own_unless_they_share_one() {
        for (aggregate, second) in [("false", Colour::Green), ("true", Colour::Red)] {
            let mut policy = policy(&[
                ("role", "edge"),
                ("cir_mbit", "[8]"),
                ("cbs", "1000B"),
                ("ebs", "0B"),
                ("aggregate", aggregate),
            ]);
            let edge = policy.edge.as_mut().expect("an edge");
            assert_eq!(edge.mark(at(0.0), &Packet::datagram(FlowId(0), 0, 1000)), Colour::Green);
            assert_eq!(edge.mark(at(0.0), &Packet::datagram(FlowId(1), 0, 1000)), second, "{aggregate}");
        }
    }

    #[test]
    fn without_an_agreement_all_is_red_and_the_peak_is_no_less_than_the_committed_rate() {
        let of = |settings: &[(&str, &str)]| {
            let edge = policy(&[&[("role", "edge"), ("meter", "trtcm")], settings].concat()).edge.expect("an edge");
            edge.agreement(FlowId(3)).map(|agreement| (agreement.committed, agreement.peak))
        };

        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("cir_mbit", "[8, 16]")]), Some((2e6, 4e6)), "the last for all further flows");
        assert_eq!(of(&[("cir_mbit", "[8]"), ("pir_mbit", "[4]")]), Some((1e6, 1e6)));
    }

    #[test]
    fn an_aware_edge_does_not_better_what_a_packet_brings() {
        for (aware, expected) in [("true", Colour::Yellow), ("false", Colour::Green)] {
            let mut policy = policy(&[("role", "edge"), ("cir_mbit", "[8]"), ("colour_aware", aware)]);
            let edge = policy.edge.as_mut().expect("an edge");
            assert_eq!(edge.mark(at(0.0), &coloured(2)), expected, "{aware}");
        }
    }

    #[test]
    fn an_idle_link_lets_every_average_decay() {
        // The link is idle for the time of two packets; then a red one comes.
        let mut policy = policy(&[("w_q", "0.5"), ("idle_decay", "ns2")]);
        policy.reds.iter_mut().for_each(|red| red.average.set(4.0));
        policy.on_idle(at(0.0));

        Rig::waiting(0).arrive_drawing(&mut policy, at(0.001_601), &coloured(3), 0.5);

        // 4 / 2^2, and of red half of that, for it finds nothing.
        let averages: Vec<f64> = (0..3).map(|index| policy.probe(index)).collect();
        assert!(averages.iter().zip([1.0, 1.0, 0.5]).all(|(left, right)| (left - right).abs() < 1e-9), "{averages:?}");
    }

    #[test]
    fn in_ns2_an_average_decays_while_nothing_that_it_counts_waits() {
        // One yellow and one red packet wait, and the yellow one leaves at 1 s. Of green nothing has come.
        let (start, left) = (Some(at(0.0)), Some(at(1.0)));
        let cases = [("rio_c", [start, left, None]), ("rio_d", [start, left, None]), ("wred", [left; 3])];
        for (mode, expected) in cases {
            let mut policy = policy(&[("averages", mode), ("idles", "ns2")]);
            let mut bench = Rig::waiting(1);
            for tag in [1, 2] {
                bench.tag = tag;
                policy.on_enqueued(at(0.5), &coloured(2), &mut bench.view());
            }
            bench.tag = 1;
            policy.on_departure(at(1.0), &coloured(2), &mut bench.view(), &mut Rng::named(1, "test"));
            policy.on_idle(at(2.0));

            assert_eq!(policy.idle_since, expected, "{mode}");
        }
    }

    #[test]
    fn in_ns2_idle_time_counts_again_after_a_drop() {
        // 4, and 2 packets' time idle, seen by two red packets that are dropped for certain, and one that comes 4 packets' time later.
        let settings =
            [("w_q", "0.5"), ("idle_decay", "ns2"), ("idles", "ns2"), ("averages", "rio_d"), ("red_max_th", "0.1p")];
        let mut policy = policy(&[&settings[..], &[("red_min_th", "0p")]].concat());
        policy.reds[2].average.set(4.0);
        let mut found = |seconds: f64| {
            Rig::waiting(0).arrive_drawing(&mut policy, at(seconds), &coloured(3), 0.5);
            policy.reds[2].average.value()
        };

        // 4 / 2^2 and a step to 0; then all of it again.
        assert!((found(0.001_601) - 0.5).abs() < 1e-9);
        assert!((found(0.001_601) - 0.0625).abs() < 1e-9);
        assert!((found(0.003_201) - 0.0625 / 32.0).abs() < 1e-9);
    }

    #[test]
    fn with_rio_c_an_arrival_moves_the_averages_of_worse_precedences() {
        // Two green and three yellow packets wait when a green one comes: green counts 2, yellow and red 5.
        for (mode, expected) in [("rio_c", [2.0, 5.0, 5.0]), ("rio_d", [2.0, 2.0, 0.0]), ("wred", [5.0; 3])] {
            let more = [("yellow_min_th", "30p"), ("yellow_max_th", "40p")];
            let mut router = Router::new(&[&more[..], &[("averages", mode)]].concat());
            for precedence in [1, 1, 2, 2, 2, 1] {
                assert_eq!(router.arrive(precedence), None);
            }
            let found: Vec<f64> = (0..3).map(|index| router.queue.probe(index)).collect();
            assert_eq!(found, expected, "{mode}");
        }
    }

    #[test]
    fn what_is_pushed_out_counts_for_its_precedence() {
        let mut policy = policy(&[]);
        let mut bench = Rig::waiting(1);
        for tag in [0, 2] {
            bench.tag = tag;
            policy.on_enqueued(at(0.0), &coloured(1), &mut bench.view());
        }
        bench.tag = 2;
        policy.on_drop(at(0.0), &coloured(1), Dropped::PUSHED_OUT, &mut bench.view());

        assert_eq!([0, 1, 2].map(|tag| policy.waiting.backlog(tag).packets), [1, 0, 0]);
    }

    #[test]
    fn automatic_thresholds_are_those_of_the_example_on_a_slow_link_and_grow_with_its_rate() {
        // RED's automatic min_th is max(5, 5 ms C / 2) packets: 5 at 10 Mbit/s, and 31.25 at 100 Mbit/s with packets of 1000 bytes.
        for (megabits, least) in [(10, 5.0), (100, 31.25)] {
            let link =
                LinkContext { rate: crate::units::Rate::from_bps(megabits * 1_000_000), ..LinkContext::default() };
            let built = args(&ENTRY, None, &[]).typed::<Params>().policy(&link).expect("valid defaults");
            let thresholds = built.reds.map(|red| (red.curve.min_th / least, red.curve.max_th / least));
            assert_eq!(thresholds, [(4.0, 8.0), (2.0, 4.0), (1.0, 3.0)], "{megabits} Mbit/s");
        }
    }

    #[test]
    fn crossed_thresholds_are_refused_by_name() {
        for name in ["yellow_max_th", "red_max_th"] {
            let params = args(&ENTRY, None, &[(name, "1p")]).typed::<Params>();
            assert_eq!(params.policy(&LinkContext::default()).map(|_| ()).map_err(|error| error.param), Err(name));
        }
    }
}
