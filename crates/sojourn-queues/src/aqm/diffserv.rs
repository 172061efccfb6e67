//! DiffServ's assured forwarding: an edge router measures flows against their agreements and writes a drop precedence into each packet, and
//! edge and core routers drop by it, with a RED for each of three precedences. Specification: RFC 2597 (AF), RFC 2697 and RFC 2698
//! (markers, [`marker`](crate::mechanism::marker)), [Cla98] Clark and Fang 1998 for RIO; ns-2 2.35 diffserv/dsred.cc [ns2] for RIO-C,
//! RIO-D and WRED over three precedences, and the defaults of its examples, whose printed counts agree (tests/publications). Expedited
//! forwarding (RFC 3246) is a class of its own above it: a discipline of strict priority with this policy in its lower class, as in the
//! scenario `expedited`.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A packet without an AF codepoint has the third precedence | Alemu 2004 section 1.4.3: best effort uses the lowest thresholds | `what_is_not_assured_is_dropped_first` |
//! | Every average decays while the link is idle; in [ns2] each while nothing of its precedence waits | the link is not idle then; `idles` | `an_idle_link_lets_every_average_decay`, `in_ns2_an_average_decays_while_nothing_that_it_counts_waits` |
//! | With RIO-C an arrival moves its own average and those of worse precedences | [Cla98] section III-A, [ns2]: an In packet counts in both | `with_rio_c_an_arrival_moves_the_averages_of_worse_precedences` |
//! | Colours are written when the packet leaves | the codepoint is the next router's | `an_edge_writes_the_precedence` |
//! | Automatic thresholds are at most parts of the limit that keep their order | above it they would do nothing | `automatic_thresholds_are_those_of_the_example_on_a_slow_link_and_grow_with_its_rate` |
//! | An edge forgets no flow | its agreements name the flows | - |

use std::collections::BTreeMap;

use crate::aqm::red::{Red, Settings};
use crate::header::Dscp;
use crate::mechanism::class_accounts::ClassAccounts;
use crate::mechanism::marker::{Agreement, Colour, Marker, Rules};
use crate::packet::FlowId;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "diffserv",
    title: "DiffServ assured forwarding (RIO-C, RIO-D, WRED)",
    doc: "A RED for each of three drop precedences, green, yellow and red. An edge router measures flows against their agreed \
          rates and writes the precedence into their packets; edge and core routers drop red packets first and green ones last.",
    reference: "RFC 2597, RFC 2697, RFC 2698; ns-2 2.35 dsred.cc",
    law: Some(draw_law),
    remarks: true,
    presets: presets! {
        /// A core router of ns-2 2.35's diffserv (its source and tcl/ex/diffserv/ds-cbr-tb.tcl, checked on 2026-11-25): RIO-C, and the
        /// example's thresholds for packets within their agreement and beyond it. With three colours, its examples have 5 to 10 packets at
        /// 0.2 for the third: set `red_min_th`, `red_max_th` and `red_max_p`.
        ns2 = { ..NS2 };
        /// An edge router of the same with one token bucket for each flow.
        ns2_edge = { ..NS2, role = "edge", meter = "token_bucket" };
    },
    probes: &[
        Probe::new("avg", Probe::SIZE, Probe::UP, "average queue by which green packets are judged"),
        Probe::new(
            "p_b",
            "",
            Probe::SHARE,
            "base probability of a drop or mark of a green packet, at its last decision",
        ),
    ],
    ..QueueEntry::of_policy::<Params>()
};

/// The values of its example: green 20 to 40 at 0.02, and 10 to 20 at 0.1 for packets that exceed the agreement.
const NS2: &[Setting] = settings! {
    limit = "50p", mode = "packets", ecn = "false",
    min_th = "20p", max_th = "40p", max_p = "0.02", above = "strict", count = "dsred", idle_decay = "ns2", w_q = "0.002",
    yellow_min_th = "10p", yellow_max_th = "20p", yellow_max_p = "0.1", red_min_th = "10p", red_max_th = "20p", red_max_p = "0.1",
    averages = "rio_c", idles = "ns2",
};

params! {
    /// Parameters of assured forwarding; those of RED are for the first precedence (green).
    pub struct Params {
        ..red: Settings {
            limit = "50p", "ns-2 2.35 ns-default.tcl limit_";
            /// Average from which green packets are dropped. Automatic: 4 times the automatic `red_min_th`,
            /// at most 5/6 of the limit.
            min_th = "auto", "where `red_min_th` is 5p, the 20p of ns-2 2.35's diffserv example";
            /// Average at which the drop probability of green packets reaches `max_p`. Automatic: 8 times the automatic
            /// `red_min_th`, at most the limit.
            max_th = "auto", "where `red_min_th` is 5p, the 40p of ns-2 2.35's diffserv example";
            target_delay = "5ms", "ns-2 2.35 targetdelay_", when always;
            max_p = "0.02", "ns-2 2.35 manual, diffserv example";
        };
        /// Average from which packets of the second precedence (yellow) are dropped. Automatic: twice the automatic `red_min_th`,
        /// at most two thirds of the limit.
        yellow_min_th: Option<Size> = "auto" in [0.0, 1e12], "where `red_min_th` is 5p, the 10p of ns-2 2.35's diffserv example";
        /// Average at which the drop probability of yellow packets reaches `yellow_max_p`. Automatic: 4 times the automatic
        /// `red_min_th`, at most the limit.
        yellow_max_th: Option<Size> = "auto" in [0.0, 1e12],
            "where `red_min_th` is 5p, the 20p of ns-2 2.35's diffserv example";
        /// Probability of a drop of yellow packets at `yellow_max_th`.
        yellow_max_p: Fraction = "0.1" in [0.0, 1.0], "ns-2 2.35 manual, diffserv example, its second precedence";
        /// Average from which packets of the third precedence (red) are dropped. Automatic: max(5 packets, half of the packets that the
        /// link sends in `target_delay`), at most a third of the limit.
        red_min_th: Option<Size> = "auto" in [0.0, 1e12],
            "ours: best effort finds a RED; ns-2 2.35, example ds-cbr-srtcm: 5p; the bound is ours";
        /// Average at which the drop probability of red packets reaches `red_max_p`. Automatic: 3 times the automatic
        /// `red_min_th`, at most the limit.
        red_max_th: Option<Size> = "auto" in [0.0, 1e12], "ours: as RED; ns-2 2.35, example ds-cbr-srtcm: 10p";
        /// Probability of a drop of red packets at `red_max_th`.
        red_max_p: Fraction = "0.1" in [0.0, 1.0], "ours: as RED; ns-2 2.35, example ds-cbr-srtcm: 0.2";
        /// Which packets an average counts: those of its precedence and better ones, those of its precedence, or all.
        averages: Averages = "rio_c", "ns-2 2.35 dsred.cc mredMode_";
        /// When an average without arrivals decays.
        idles: Idles = "link", "[Flo93]: idle time is the link's; ns-2 2.35 dsredq.cc for ns2";
        /// Whether the router gives precedences to packets, or goes by those that they bring.
        role: Role = "core", "ours: a queue without agreements has nothing to measure by";
        /// How an edge measures flows.
        meter: Meter = "srtcm", "RFC 2697", when cir_mbit not in ["[]"];
        /// Whether an edge keeps the precedence that a packet brings, or makes it worse, and never better.
        colour_aware: bool = "false", "RFC 2697 section 3: the mode is configured; ns-2 2.35 is blind", when cir_mbit not in ["[]"];
        /// Whether all flows together have one agreement, or each has its own.
        aggregate: bool = "false", "ours: RFC 2697 meters a stream, whatever it is of", when cir_mbit not in ["[]"];
        /// Committed rates: Mbit/s on the wire for each flow by its number, the last for all further flows. None: all is red.
        cir_mbit: Numbers = "[]" in [0.0, 1e6], "the scenario's agreement", when role in ["edge"];
        /// Peak rates, given as `cir_mbit` is; trTCM only. A flow's is at least its committed rate. None: twice the committed one.
        pir_mbit: Numbers = "[]" in [0.0, 1e6], "the scenario's agreement; twice: ours", when meter in ["trtcm"];
        /// Committed burst: the size of the first bucket.
        cbs: Bytes = "10000B" in [1.0, 1e12], "ns-2 2.35 diffserv examples, cbs 10000", when cir_mbit not in ["[]"];
        /// Excess burst of srTCM: the size of the second bucket.
        ebs: Bytes = "10000B" in [0.0, 1e12], "ours: as the committed one", when meter in ["srtcm"];
        /// Peak burst of trTCM: the size of the second bucket.
        pbs: Bytes = "10000B" in [0.0, 1e12], "ours: as the committed one", when meter in ["trtcm"];
        /// Class of assured forwarding that an edge writes.
        class: u64 = "1" in [1.0, 4.0], "RFC 2597: four classes; ns-2 2.35 example: AF1x", when role in ["edge"];
    }
}

choices! {
    /// The packets that each average counts.
    pub enum Averages {
        /// The packets of its own precedence and of better ones (RIO-C).
        Coupled = "rio_c",
        /// The packets of its own precedence alone (RIO-D).
        Decoupled = "rio_d",
        /// All packets.
        All = "wred",
    }
}

choices! {
    /// When an average without arrivals decays.
    pub enum Idles {
        /// While the link is idle.
        Link = "link",
        /// As in ns-2: RIO-C while nothing of its precedence and better ones waits, RIO-D while nothing of its own does, WRED from a
        /// departure that leaves nothing of its precedence.
        Ns2 = "ns2",
    }
}

choices! {
    /// The effect of a router on precedences.
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
        /// By one rate and two token buckets (srTCM, RFC 2697): green, yellow or red.
        SingleRate = "srtcm",
        /// By two rates, each with a token bucket (trTCM, RFC 2698): green, yellow or red.
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

#[derive(Clone, Debug)]
pub struct DiffServ {
    /// RED of each precedence; the first is at 0.
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

/// The state of an edge router.
#[derive(Clone, Debug)]
struct Edge {
    params: Params,
    markers: BTreeMap<FlowId, Marker>,
}

impl Edge {
    /// The agreement for a flow, if there is one.
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
        // Red packets find a RED; where the multiples of its threshold pass the limit, the worse precedence is dropped first still.
        let (least, limit) = (self.red.automatic_min_th(link, 3.0), link.packets(self.red.limit).max(1.0));
        let size = |given: Option<Size>, times: f64, part: f64| {
            given.unwrap_or(Size::Packets((times * least).min(part * limit)))
        };
        let ends = [size(self.red.min_th, 4.0, 5.0 / 6.0), size(self.red.max_th, 8.0, 1.0)].map(Some);
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
        let yellow = (size(self.yellow_min_th, 2.0, 2.0 / 3.0), size(self.yellow_max_th, 4.0, 1.0), self.yellow_max_p);
        let yellow = other(["yellow_min_th", "yellow_max_th"], yellow.0, yellow.1, yellow.2)?;
        let red = (size(self.red_min_th, 1.0, 1.0), size(self.red_max_th, 3.0, 1.0), self.red_max_p);
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

fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let DiffServ { reds: [green, yellow, red], .. } = args.typed::<Params>().policy(link)?;
    let graph = Graph { curves: Vec::new(), ..green.graph() };
    let graph = graph.about("Each precedence goes by an average of its own; `averages` says which packets it counts.");
    Ok(red.join(yellow.join(green.join(graph, "green"), "yellow"), "red"))
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

    /// The packets that the average of a precedence counts.
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

    probes! { |self|
        "avg" => self.reds[0].average.value(),
        "avg_yellow" => self.reds[1].average.value(),
        "avg_red" => self.reds[2].average.value(),
        "packets_green" => self.waiting.backlog(0).packets as f64,
        "packets_yellow" => self.waiting.backlog(1).packets as f64,
        "packets_red" => self.waiting.backlog(2).packets as f64,
        "p_b" => self.reds[0].last_p_b(),
        "p_b_yellow" => self.reds[1].last_p_b(),
        "p_b_red" => self.reds[2].last_p_b(),
    }
}

#[cfg(test)]
mod tests;
