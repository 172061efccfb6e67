//! WRED (weighted RED): RED by classes. There is one average of the whole queue, and separate thresholds and max_p for each precedence, so
//! that packets of low precedence are dropped first. Specification: a router vendor's configuration guide (Cisco IOS, "Weighted Random
//! Early Detection"), whose settings for its backbone router [Tah13] Tahiliani 2013, table 1.3, prints. Compared with: no module in ns-2
//! 2.35.
//!
//! Checked on 2026-11-25: preset `ios` with a printed answer of an IOS router to `show queueing random-detect` (a Fast Ethernet interface:
//! weight 1/512, minima 20 to 35, maximum 40, 1/10), with Cisco's command references (ME 3600X, OL-28238-01: minima at even distances from
//! half of the maximum, 10 and 9 by default) and with "Cisco IOS in a Nutshell", 2005. Cisco's page with the settings for its backbone
//! router is not available, so that these presets have the name of the thesis.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A packet's precedence may also follow from the number of its flow (`class_by` = flow) | for senders that set no codepoint | `a_flow_has_the_precedence_of_its_place` |
//! | Each precedence counts its own packets between drops | the guide does not say; with one count a class would lose packets because of others | `each_precedence_counts_for_itself` |
//! | The weight 2^-n of the average is written as a number | as everywhere here | `the_vendors_rows_are_those_of_the_table` |

use crate::aqm::red::{Average, Red, Settings};
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "wred",
    title: "WRED (weighted RED)",
    doc: "RED with separate thresholds and max_p for each precedence, which the first bits of a packet's DSCP give. All use one average \
          of the whole queue, and packets of low precedence are dropped first.",
    reference: "Cisco IOS; Tahiliani 2013 table 1.3",
    presets: presets! {
        /// Cisco IOS, as `show queueing random-detect` prints its defaults: a lower threshold for each of eight precedences between half of
        /// the upper one, 40 packets, and all of it; max_p 1/10, weight 2^-9. Cisco does not state how drops are spaced.
        ios = {
            ..VENDOR, max_th = "40p", max_p = "0.1", w_q = "0.001953125",
            class_min_th_packets = "[20, 22, 24, 26, 28, 31, 33, 35]",
        };
        /// Tahiliani 2013 table 1.3: a Cisco 12000 on a DS3 (3666 packets of 1500 bytes per second); the same for all precedences.
        tahiliani2013_ds3 = { ..VENDOR, min_th = "110p", max_th = "367p", w_q = "0.001953125", max_p = "1", limit = "3666p" };
        /// As `tahiliani2013_ds3`, on an OC3 (12917 packets per second).
        tahiliani2013_oc3 = { ..VENDOR, min_th = "388p", max_th = "1292p", w_q = "0.0009765625", max_p = "1", limit = "12917p" };
        /// As `tahiliani2013_ds3`, on an OC12 (51666 packets per second).
        tahiliani2013_oc12 = { ..VENDOR, min_th = "1550p", max_th = "5167p", w_q = "0.000244140625", max_p = "1", limit = "51666p" };
    },
    law: Some(draw_law),
    probes: &[Probe::new(
        "p_b",
        "",
        Probe::SHARE,
        "base probability of a drop or mark in the first class, at its last decision",
    )],
    ..QueueEntry::of_policy::<Params>()
};

/// The common settings of the vendor's rows: RED of 1993 above the upper threshold, and its count.
const VENDOR: &[Setting] = settings! { above = "strict", count = "on", idle_decay = "paper" };

params! {
    /// Parameters of WRED; RED's hold for each precedence without values of its own.
    pub struct Params {
        ..red: Settings;
        /// The field that gives a packet's class: the first three bits of its DSCP (`precedence`), all six, or its flow's place in
        /// `precedence`.
        class_by: ClassBy = "precedence", "Cisco IOS random-detect: by precedence unless dscp-based";
        /// With `class_by` = flow, class of each flow by its number, from 0 to 63, the last for all further flows; without one all have 0.
        precedence: Numbers = "[]" in [0.0, 63.0], "the scenario's", when class_by in ["flow"];
        /// Average in (mean) packets below which nothing of a precedence is dropped, by precedence, the last for all above it.
        /// Without one it is `min_th` for all.
        class_min_th_packets: Numbers = "[]" in [0.0, 1e12], "the vendor's operator says; see the presets";
        /// Average in (mean) packets at which the probability of a precedence reaches its max_p. Without one it is `max_th` for all.
        class_max_th_packets: Numbers = "[]" in [0.0, 1e12], "the vendor's operator says; see the presets";
        /// max_p of each precedence, as a fraction. Without one it is `max_p` for all.
        class_max_p: Numbers = "[]" in [0.0, 1.0], "the vendor's operator says; see the presets";
    }
}

choices! {
    /// The field that gives a packet's class.
    pub enum ClassBy {
        /// The first three bits of its DSCP, which were IP's precedence (RFC 2474 section 4.2.2).
        Precedence = "precedence",
        /// Its DSCP.
        Dscp = "dscp",
        /// The place of its flow in `precedence`.
        Flow = "flow",
    }
}

/// The value of a list at an index: its entry, or its last one; nothing if it is empty.
fn entry_of(list: &Numbers, place: usize) -> Option<f64> {
    list.0.get(place).or(list.0.last()).copied()
}

impl Params {
    /// How many precedences differ, from 0 on.
    fn classes(&self) -> usize {
        let lists = [&self.class_min_th_packets, &self.class_max_th_packets, &self.class_max_p];
        lists.iter().map(|list| list.0.len()).max().unwrap_or(0).max(1)
    }

    /// RED of one precedence.
    fn class(&self, place: usize, link: &LinkContext) -> Result<Red, BuildError> {
        let mut red = self.red.build(link)?;
        let amount = |packets: f64| self.red.amount(Size::Packets(packets), link);
        let curve = &mut red.curve;
        curve.min_th = entry_of(&self.class_min_th_packets, place).map_or(curve.min_th, amount);
        curve.max_th = entry_of(&self.class_max_th_packets, place).map_or(curve.max_th, amount);
        if curve.max_th < curve.min_th || curve.max_th <= 0.0 {
            return Err(BuildError::new(
                "class_max_th_packets",
                format!("precedence {place} has max_th {} and min_th {} on this link", curve.max_th, curve.min_th),
                "max_th is above zero and at least min_th, for each precedence",
            ));
        }
        red.max_p = entry_of(&self.class_max_p, place).unwrap_or(red.max_p);
        Ok(red)
    }
}

#[derive(Clone, Debug)]
pub struct Wred {
    /// The average of the whole queue.
    average: Average,
    /// RED of each precedence. The last one serves all above it, too.
    classes: Vec<Red>,
    class_by: ClassBy,
    /// The precedence of each flow by its number; the last is for all further flows.
    precedence: Vec<usize>,
}

impl PolicyParams for Params {
    type Policy = Wred;

    fn policy(&self, link: &LinkContext) -> Result<Wred, BuildError> {
        let classes = (0..self.classes()).map(|place| self.class(place, link)).collect::<Result<Vec<_>, _>>()?;
        let precedence = self.precedence.0.iter().map(|number| *number as usize).collect();
        let average = Average::new(self.red.weight(link), self.red.idle_decay, link.packets_per_sec());
        Ok(Wred { average, classes, class_by: self.class_by, precedence })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red.limit(link)
    }
}

impl Wred {
    /// RED of the packet's precedence.
    fn class_of(&mut self, packet: &Packet) -> &mut Red {
        let dscp = usize::from(packet.dscp.number());
        let place = match self.class_by {
            ClassBy::Precedence => dscp >> 3,
            ClassBy::Dscp => dscp,
            ClassBy::Flow => {
                self.precedence.get(packet.flow.0 as usize).or(self.precedence.last()).copied().unwrap_or(0)
            }
        };
        let last = self.classes.len() - 1;
        &mut self.classes[place.min(last)]
    }
}

fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let Wred { classes, .. } = args.typed::<Params>().policy(link)?;
    let Some(widest) = classes.iter().max_by(|one, other| one.curve.max_th.total_cmp(&other.curve.max_th)) else {
        return Ok(Graph::new(Axis::BACKLOG, Axis::PROBABILITY));
    };
    if classes.len() == 1 {
        return Ok(widest.graph().about("The defaults are the same for all precedences."));
    }
    let mut graph = widest.graph().about("Every precedence goes by the average of all that waits.");
    graph.curves.clear();
    Ok(classes.iter().enumerate().fold(graph, |graph, (place, red)| {
        widest.join_by(graph, &format!("precedence {place}"), |average| red.curve.p_b(average, red.max_p))
    }))
}

impl Policy for Wred {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let backlog = queue.backlog();
        let waiting = self.classes[0].measure(backlog);
        self.average.on_arrival(now, waiting);
        let average = self.average.value();
        let red = self.class_of(packet);
        red.average.set(average);
        red.decide(packet, backlog, rng)
    }

    fn on_idle(&mut self, now: Instant) {
        self.average.on_idle(now);
    }

    fn on_drop(&mut self, _now: Instant, packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        if dropped.is_overflow() {
            self.class_of(packet).overflow();
        }
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    probes! { |self|
        "avg" => self.average.value(),
        "p_b" => self.classes[0].last_p_b(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::Dscp;
    use crate::packet::FlowId;
    use crate::rig::{Rig, args, at, near};
    use crate::units::Rate;

    /// Two precedences: 0 from 5 to 15 packets with max_p 0.2, 1 from 10 to 20 with 0.1; the average is the queue itself.
    const TWO: &[(&str, &str)] = &[
        ("w_q", "1"),
        ("count", "off"),
        ("above", "strict"),
        ("class_min_th_packets", "[5, 10]"),
        ("class_max_th_packets", "[15, 20]"),
        ("class_max_p", "[0.2, 0.1]"),
        ("precedence", "[0, 1]"),
        ("class_by", "flow"),
    ];

    fn build(preset: Option<&str>, settings: &[(&str, &str)]) -> Result<Wred, BuildError> {
        args(&ENTRY, preset, settings).typed::<Params>().policy(&LinkContext::default())
    }

    fn wred(settings: &[(&str, &str)]) -> Wred {
        build(None, settings).expect("valid parameters")
    }

    /// The verdict on a packet of a flow that finds `waiting` packets and draws `u`, after one that entered the region.
    fn verdict(wred: &mut Wred, flow: u32, waiting: usize, u: f64) -> Verdict {
        let packet = Packet::datagram(FlowId(flow), 0, 1000);
        Rig::waiting(waiting).arrive_drawing(wred, at(0.0), &packet, u)
    }

    #[test]
    fn low_precedences_are_dropped_first() {
        let mut wred = wred(TWO);
        let dropped = Verdict::Drop(Reason::EARLY);

        // 10 packets: 0.2 * 5/10 for precedence 0, nothing for precedence 1.
        assert_eq!(verdict(&mut wred, 0, 10, 0.0999), dropped);
        assert_eq!(verdict(&mut wred, 0, 10, 0.1001), Verdict::Pass);
        assert_eq!(verdict(&mut wred, 1, 10, 0.0), Verdict::Pass);
        // 15: all of precedence 0, and 0.1 * 5/10 of precedence 1.
        assert_eq!(verdict(&mut wred, 0, 15, 0.999), Verdict::Drop(Reason::FORCED));
        assert_eq!(verdict(&mut wred, 1, 15, 0.0499), dropped);
        assert_eq!(verdict(&mut wred, 1, 15, 0.0501), Verdict::Pass);
        assert_eq!(verdict(&mut wred, 1, 20, 0.999), Verdict::Drop(Reason::FORCED));
    }

    #[test]
    fn a_flow_has_the_precedence_of_its_place() {
        let mut wred = wred(TWO);

        // Flow 7 is beyond the list: the last entry, 1, is its precedence.
        assert_eq!(verdict(&mut wred, 7, 15, 0.06), Verdict::Pass);
        assert_eq!(verdict(&mut wred, 0, 15, 0.06), Verdict::Drop(Reason::FORCED));
    }

    #[test]
    fn the_codepoint_tells_precedence_and_class() {
        // CS1 is 8, of precedence 1; 7 is of precedence 0, and the eighth class.
        for (class_by, number, expected) in
            [("precedence", 7, 0), ("precedence", 8, 1), ("dscp", 0, 0), ("dscp", 1, 1), ("dscp", 63, 1)]
        {
            let mut wred = wred(&[TWO, &[("class_by", class_by)]].concat());
            let packet =
                Packet { dscp: Dscp::new(number).expect("a codepoint"), ..Packet::datagram(FlowId(9), 0, 1000) };
            // 15 packets: all of the first class, next to nothing of the second.
            let verdict = Rig::waiting(15).arrive_drawing(&mut wred, at(0.0), &packet, 0.9);
            assert_eq!(verdict == Verdict::Pass, expected == 1, "{class_by} {number}");
        }
    }

    #[test]
    fn a_precedence_beyond_the_thresholds_has_the_last_ones() {
        let mut settings = TWO.to_vec();
        settings.push(("precedence", "[7]"));

        assert_eq!(verdict(&mut wred(&settings), 0, 19, 0.99), Verdict::Pass);
    }

    #[test]
    fn all_share_one_average() {
        let mut wred = wred(&[TWO, &[("w_q", "0.5")]].concat());
        // The first packet ends the idle time before the start.
        verdict(&mut wred, 0, 0, 1.0);

        verdict(&mut wred, 0, 20, 1.0);
        verdict(&mut wred, 1, 20, 1.0);

        assert!(near(wred.average.value(), 15.0));
    }

    #[test]
    fn each_precedence_counts_for_itself() {
        // 10 packets: p_b 0.1 for precedence 0; its tenth packet is dropped at the latest.
        let mut wred = wred(&[TWO, &[("count", "on")]].concat());
        for _ in 0..9 {
            assert_eq!(verdict(&mut wred, 0, 10, 0.999), Verdict::Pass);
            for _ in 0..5 {
                verdict(&mut wred, 1, 10, 0.999);
            }
        }
        assert_eq!(wred.classes[0].spacing.count(), 8);
    }

    #[test]
    fn an_overflow_restarts_the_count_of_its_precedence() {
        let mut wred = wred(&[TWO, &[("count", "on")]].concat());
        for flow in [0, 1, 0, 1, 0, 1] {
            verdict(&mut wred, flow, 12, 0.999);
        }
        let packet = Packet::datagram(FlowId(1), 0, 1000);
        wred.on_drop(at(0.0), &packet, Dropped::OVERFLOW, &mut Rig::waiting(12).view());

        assert_eq!((wred.classes[0].spacing.count(), wred.classes[1].spacing.count()), (2, 0));
    }

    #[test]
    fn without_lists_it_is_red() {
        let wred = wred(&[]);
        let red = Settings::default().build(&LinkContext::default()).expect("valid parameters");

        assert_eq!(wred.classes.len(), 1);
        assert_eq!(wred.classes[0].curve, red.curve);
    }

    #[test]
    fn the_vendors_rows_are_those_of_the_table() {
        // 3 % and 10 % of the packets that the link sends in a second, in whole packets; weights 2^-9, 2^-10 and 2^-12.
        for (preset, packets_per_sec, exponent) in [
            ("tahiliani2013_ds3", 3666.0, 9),
            ("tahiliani2013_oc3", 12_917.0, 10),
            ("tahiliani2013_oc12", 51_666.0, 12),
        ] {
            let wred = build(Some(preset), &[]).expect("valid parameters");
            let curve = &wred.classes[0].curve;
            assert!((curve.min_th - 0.03 * packets_per_sec).abs() <= 0.5, "{preset}");
            assert!((curve.max_th - 0.1 * packets_per_sec).abs() <= 0.5, "{preset}");
            assert!(near(wred.average.weight(), 0.5_f64.powi(exponent)), "{preset}");
        }
        let ios = build(Some("ios"), &[]).expect("valid parameters");
        assert_eq!(ios.classes.len(), 8);
        // As an IOS router prints them: half of the upper threshold, and each 1/18 of it more, in whole packets.
        let printed = [20.0, 22.0, 24.0, 26.0, 28.0, 31.0, 33.0, 35.0];
        for (place, (red, min_th)) in ios.classes.iter().zip(printed).enumerate() {
            assert!(near(min_th, (40.0 * (9.0 + place as f64) / 18.0).floor()), "{place}");
            assert!(near(red.curve.min_th, min_th) && near(red.curve.max_th, 40.0) && near(red.max_p, 0.1), "{place}");
        }
        assert!(near(ios.average.weight(), 1.0 / 512.0));
    }

    #[test]
    fn in_bytes_thresholds_count_mean_packets() {
        let link = LinkContext { rate: Rate::from_bps(10_000_000), mean_packet: Bytes(500), ..LinkContext::default() };
        let params = args(&ENTRY, None, &[("mode", "bytes"), ("class_min_th_packets", "[4]")]).typed::<Params>();

        assert!(near(params.policy(&link).expect("valid parameters").classes[0].curve.min_th, 2000.0));
    }

    #[test]
    fn crossed_thresholds_are_refused_by_name() {
        let crossed = build(None, &[("class_min_th_packets", "[5, 20]"), ("class_max_th_packets", "[15]")]);

        assert_eq!(crossed.map(|_| ()).map_err(|error| error.param), Err("class_max_th_packets"));
    }
}
