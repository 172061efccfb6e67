//! DSRED: RED whose drop curve has two slopes, a gentle one up to the middle between its thresholds and a steep one from there, or the
//! other way round. Specification: Zheng and Atiquzzaman, "DSRED: An Active Queue Management Scheme for Next Generation Networks",
//! LCN 2000 [Zhe00], as Alemu 2004 section 1.2 restates it (algorithm 5, eq. 1.12 to 1.15) [Ale04]. Compared with: no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | K_m is the middle between K_l and K_h, and no parameter | with any other the curve of [Ale04] eq. 1.12 jumps there | `both_slopes_meet_in_the_middle` |
//! | K_l and K_h follow the link by default, as RED's thresholds; [Ale04] gives no values | with 5 and 15 packets a fast link idles: all is dropped from an average of 15 on | `by_default_thresholds_follow_the_link` |
//! | The average decays while the link is idle, as RED's; [Ale04] algorithm 5 has no such rule | `idle_decay` = "off" is the algorithm | `as_printed_drops_are_independent` |

use sojourn_queues::aqm::red::{Above, Count, IdleDecay, Mode, Red, Settings, WeightRule};
use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "dsred",
    title: "DSRED (double slope RED)",
    doc: "RED with another curve of the drop probability (double slope). Between the thresholds the probability rises to 1 in \
          two straight pieces, of which the first is the flatter one with the defaults.",
    reference: "Zheng and Atiquzzaman 2000",
    presets: presets! {
        /// Alemu 2004 algorithm 5 as printed: independent drops, no decay while idle. It gives no values.
        alemu2004 = { k_l = "5p", k_h = "15p", count = "off", idle_decay = "off" };
        /// Both slopes the same: a straight line from 0 at the lower to 1 at the upper threshold.
        straight = { gamma = "0.5" };
    },
    law: Some(draw_law),
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission. In byte mode a limit in packets counts mean packets.
        limit: Size = "50p" in [0.0, 1e12], "as red";
        /// Average below which nothing is dropped (K_l). Automatic: max(5 packets, half of the packets that the link sends in 5 ms), at
        /// most a third of the limit.
        k_l: Option<Size> = "auto" in [0.0, 1e12], "as min_th of red; [Ale04] gives no values";
        /// Average from which on everything is dropped (K_h). Automatic: 3 times `k_l`, at most the limit.
        k_h: Option<Size> = "auto" in [0.0, 1e12], "as max_th of red; [Ale04] gives no values";
        /// Mode selector: the probability in the middle is 1 - gamma. Above 0.5 the upper piece is the steeper.
        gamma: Fraction = "0.96" in [0.0, 1.0], "of [Zhe00] by hearsay; [Ale04] gives no values";
        /// Weight of an arrival in the average; automatic by `w_q_auto`.
        w_q: Option<Fraction> = "auto" in [1e-9, 1.0], "Floyd, Gummadi and Shenker 2001";
        /// The rule for an automatic `w_q`: 1 - exp(-1/C) (`one_second`) or 1 - exp(-1/(10 C RTT)) (`ten_rtts`), C in packets per second.
        w_q_auto: WeightRule = "one_second", "as red", when w_q in ["auto"];
        /// Whether the queue, its thresholds and the count are in packets or in bytes.
        mode: Mode = "packets", "as red";
        /// How early drops are spaced.
        count: Count = "off", "[Ale04] algorithm 5";
        /// How the average decays while the link is idle. `ns2_short` counts a packet less if the link is idle for a whole number of
        /// packet times.
        idle_decay: IdleDecay = "ns2", "as red";
        /// Mark ECN-capable packets instead of dropping them early.
        ecn: bool = "false", "as red";
        /// Mark only while the probability is below this, and drop above; more than 1 always marks.
        mark_max_p: Fraction = "1" in [0.0, 2.0], "as red", when ecn in ["true"];
    }
}

/// Average queuing delay at which automatic thresholds aim: RED's (Floyd, Gummadi and Shenker 2001; ns-2 2.35 targetdelay_).
const TARGET_DELAY: Duration = Duration::from_millis(5);

/// 0 below `k_l`; `alpha (avg - k_l)` up to the middle; `1 - gamma + beta (avg - k_m)` up to `k_h`; 1 from there on, with
/// `alpha = 2 (1 - gamma) / (k_h - k_l)` and `beta = 2 gamma / (k_h - k_l)` ([Ale04] eq. 1.12 to 1.14).
pub fn p_b(average: f64, k_l: f64, k_h: f64, gamma: f64) -> f64 {
    let k_m = f64::midpoint(k_l, k_h);
    if average < k_l {
        0.0
    } else if average >= k_h {
        1.0
    } else if average < k_m {
        2.0 * (1.0 - gamma) / (k_h - k_l) * (average - k_l)
    } else {
        (1.0 - gamma + 2.0 * gamma / (k_h - k_l) * (average - k_m)).min(1.0)
    }
}

#[derive(Clone, Debug)]
pub struct Dsred {
    red: Red,
    gamma: f64,
}

impl Params {
    /// RED with the same thresholds, average and spacing.
    fn red(&self) -> Settings {
        Settings {
            limit: self.limit,
            min_th: self.k_l,
            max_th: self.k_h,
            target_delay: TARGET_DELAY,
            max_p: Fraction(1.0),
            w_q: self.w_q,
            w_q_auto: self.w_q_auto,
            above: Above::Strict,
            mean_packet: None,
            mode: self.mode,
            count: self.count,
            idle_decay: self.idle_decay,
            spare_short: false,
            spare_first: false,
            ecn: self.ecn,
            mark_max_p: self.mark_max_p,
        }
    }
}

impl PolicyParams for Params {
    type Policy = Dsred;

    fn policy(&self, link: &LinkContext) -> Result<Dsred, BuildError> {
        let settings = self.red();
        if let Err(error) = settings.thresholds(link) {
            return Err(BuildError::new(
                "k_h",
                error.complaint.what.replace("max_th", "k_h").replace("min_th", "k_l"),
                "k_h is above zero and at least k_l",
            ));
        }
        let red = settings.build(link)?;
        Ok(Dsred { red, gamma: self.gamma.0 })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red().limit(link)
    }
}

fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let Dsred { red, gamma } = args.typed::<Params>().policy(link)?;
    Ok(red.graph_by(|average| p_b(average, red.curve.min_th, red.curve.max_th, gamma)))
}

impl Policy for Dsred {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let backlog = queue.backlog();
        self.red.observe(now, backlog);
        let curve = &self.red.curve;
        let p_b = p_b(self.red.average.value(), curve.min_th, curve.max_th, self.gamma);
        self.red.decide_at(p_b, packet, backlog, rng)
    }

    fn on_idle(&mut self, now: Instant) {
        self.red.link_idle(now);
    }

    fn on_drop(&mut self, _now: Instant, _packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        if dropped.is_overflow() {
            self.red.overflow();
        }
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    probes! { |self|
        "avg" => self.red.average.value(),
        "p_b" => self.red.last_p_b(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::packet::Ecn;
    use sojourn_queues::queue::Reason;
    use sojourn_queues::rig::{PACKET, Rig, args, at, near};
    use sojourn_queues::units::Rate;

    fn dsred(settings: &[(&str, &str)]) -> Dsred {
        let mut params = args(&ENTRY, Some("alemu2004"), settings).typed::<Params>();
        params.w_q = Some(Fraction(1.0));
        params.policy(&LinkContext::default()).expect("valid parameters")
    }

    #[test]
    fn the_probability_rises_in_two_pieces() {
        // K_l 5, K_m 10, K_h 15, gamma 0.8: slopes 0.04 and 0.16 for each packet.
        for (average, expected) in
            [(4.999, 0.0), (5.0, 0.0), (7.5, 0.1), (10.0, 0.2), (12.5, 0.6), (14.0, 0.84), (15.0, 1.0), (40.0, 1.0)]
        {
            assert!(near(p_b(average, 5.0, 15.0, 0.8), expected), "{average}");
        }
    }

    #[test]
    fn by_default_thresholds_follow_the_link() {
        let thresholds = |preset: Option<&str>, mbits: u64, limit: &str| {
            let link = LinkContext { rate: Rate::from_bps(mbits * 1_000_000), ..LinkContext::default() };
            let dsred =
                args(&ENTRY, preset, &[("limit", limit)]).typed::<Params>().policy(&link).expect("valid parameters");
            (dsred.red.curve.min_th, dsred.red.curve.max_th)
        };
        // 100 Mbit/s are 12.5 packets of 1000 bytes in a millisecond: half of 5 ms are 31.25.
        assert_eq!(thresholds(None, 100, "100p"), (31.25, 93.75));
        assert_eq!(thresholds(None, 100, "60p"), (20.0, 60.0));
        assert_eq!(thresholds(None, 2, "50p"), (5.0, 15.0));
        assert_eq!(thresholds(Some("alemu2004"), 100, "50p"), (5.0, 15.0));
    }

    #[test]
    fn both_slopes_meet_in_the_middle() {
        for gamma in [0.0, 0.3, 0.5, 0.96, 1.0] {
            let below = p_b(10.0 - 1e-13, 5.0, 15.0, gamma);
            assert!((below - p_b(10.0, 5.0, 15.0, gamma)).abs() < 1e-10, "{gamma}");
            assert!(near(p_b(10.0, 5.0, 15.0, gamma), 1.0 - gamma));
        }
        // A straight line.
        assert!(near(p_b(7.0, 5.0, 15.0, 0.5), 0.2) && near(p_b(12.0, 5.0, 15.0, 0.5), 0.7));
    }

    #[test]
    fn equal_thresholds_are_a_step() {
        assert!(near(p_b(4.9, 5.0, 5.0, 0.5), 0.0) && near(p_b(5.0, 5.0, 5.0, 0.5), 1.0));
    }

    #[test]
    fn as_printed_drops_are_independent() {
        let mut dsred = dsred(&[("gamma", "0.8")]);

        // Queue and average 7, probability 0.08, however many have passed.
        for _ in 0..30 {
            assert_eq!(Rig::waiting(7).arrive_drawing(&mut dsred, at(0.0), &PACKET, 0.0801), Verdict::Pass);
        }
        assert_eq!(Rig::waiting(7).arrive_drawing(&mut dsred, at(0.0), &PACKET, 0.0799), Verdict::Drop(Reason::EARLY));
        dsred.on_idle(at(0.0));
        let w_q = 1e-9;
        dsred.red.average = sojourn_queues::aqm::red::Average::new(w_q, IdleDecay::Off, 1250.0);
        dsred.red.average.set(8.0);
        dsred.on_idle(at(0.0));
        Rig::waiting(8).arrive(&mut dsred, at(100.0));
        assert!((dsred.red.average.value() - 8.0).abs() < 1e-6);
    }

    #[test]
    fn from_the_upper_threshold_on_everything_is_dropped() {
        let mut dsred = dsred(&[("ecn", "true")]);
        let capable = PACKET.with_ecn(Ecn::Ect0);

        assert_eq!(Rig::waiting(15).arrive(&mut dsred, at(0.0)), Verdict::Drop(Reason::FORCED));
        let verdict = Rig::waiting(15).arrive_drawing(&mut dsred, at(0.0), &capable, 0.5);
        assert_eq!(verdict, Verdict::Drop(Reason::FORCED), "RFC 3168 section 7");
        let between = Rig::waiting(12).arrive_drawing(&mut dsred, at(0.0), &capable, 0.1);
        assert_eq!(between, Verdict::Mark(Reason::EARLY));
    }

    #[test]
    fn thresholds_in_disorder_are_refused() {
        let params = args(&ENTRY, None, &[("k_l", "20p"), ("k_h", "15p")]).typed::<Params>();

        assert_eq!(params.policy(&LinkContext::default()).map(|_| ()).map_err(|error| error.param), Err("k_h"));
    }
}
