//! Hybrid RED: gentle RED that shortens the average's memory while the queue itself is short, and does not test arrivals
//! that find a short queue under a long average. Specification: Haider, Sirisena and Pawlikowski, TR-COSC
//! 02/05, 2005, chapter 5 [Hai05]. Compared with: no public implementation.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The run tests the queue itself, as eq. 5.3 and the prose do; the pseudo-code tests the average | the source contradicts itself | `the_memory_is_divided_while_the_queue_is_short` |
//! | By default the cut repeats at each arrival of a short run; `restart_run` cuts once in theta | the source leaves it open | `a_restarted_run_cuts_every_theta_arrivals` |
//! | ... and `cut_once`, which the preset `paper` and the record of the work have, once in a run | the source leaves it open | `one_cut_in_a_run_waits_for_the_queue_to_grow` |
//! | A cut adds `w_q q`, as eq. 5.3 does; line 23 of algorithm 1 has no such term | without it the average would not follow the queue | `the_memory_is_divided_while_the_queue_is_short` |
//! | theta may be 1, as in the text; eq. 5.3 says theta > 1 | the work recommends 1 | - |

use crate::aqm::red::{HAIDER, Red, Settings, red_hooks};
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "hybrid_red",
    title: "Hybrid RED",
    doc: "Gentle RED that uses both the queue itself and its average. While the queue is short the average forgets faster, and if only the \
          average is long there is no drop test.",
    reference: "Haider, Sirisena and Pawlikowski 2005",
    presets: presets! {
        /// Haider 2005 chapter 6: thresholds 5 and 15, w_q 0.002, max_p 0.1, over ns-2's RED; one cut in a run, as in its record.
        paper = { ..HAIDER, cut_once = "true" };
    },
    law: Some(|args, link| Ok(args.typed::<Params>().policy(link)?.red.graph())),
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        ..red: Settings { max_p = "0.1", "Haider 2005 section 2.1" };
        /// Consecutive arrivals that find less than `min_th` waiting before the memory is shortened.
        theta: u64 = "1" in [1.0, 1e6], "[Hai05] section 6 (recommended)";
        /// The memory term of the average is divided by it.
        xi: f64 = "1.25" in [1.0, 1e6], "[Hai05] section 6 (below 1.5 recommended)";
        /// Regions without a drop test: 10 (average between max_th and twice max_th, queue below min_th) and 7 (average above max_th,
        /// queue between the thresholds).
        untested: Untested = "7_and_10", "[Hai05] algorithm 1 (conservative variant)";
        /// Count the run anew after a cut.
        restart_run: bool = "false", "[Hai05] eq. 5.3 as read: the cut repeats";
        /// Shorten the memory at the theta-th short arrival only, once while the queue stays short.
        cut_once: bool = "false", "[Hai05] eq. 5.3 as read: the cut repeats", when restart_run in ["false"];
    }
}

choices! {
    /// Regions in which arrivals pass untested.
    pub enum Untested {
        /// Both.
        Both = "7_and_10",
        /// Only where the queue is below `min_th`.
        Ten = "10",
        /// None: only the average differs from RED's.
        None = "none",
    }
}

#[derive(Clone, Debug)]
pub struct HybridRed {
    red: Red,
    theta: u64,
    xi: f64,
    untested: Untested,
    restart_run: bool,
    cut_once: bool,
    run: u64,
}

impl PolicyParams for Params {
    type Policy = HybridRed;

    fn policy(&self, link: &LinkContext) -> Result<HybridRed, BuildError> {
        Ok(HybridRed {
            red: self.red.build(link)?,
            theta: self.theta,
            xi: self.xi,
            untested: self.untested,
            restart_run: self.restart_run,
            cut_once: self.cut_once,
            run: 0,
        })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red.limit(link)
    }
}

impl HybridRed {
    /// `avg = ((1 - w_q) / xi) avg + w_q q` from the theta-th short arrival on, or at it alone ([Hai05] eq. 5.3).
    fn observe(&mut self, now: Instant, queue: f64) {
        self.run = if queue < self.red.curve.min_th { self.run + 1 } else { 0 };
        let cut = if self.cut_once { self.run == self.theta } else { self.run >= self.theta };
        if cut && self.restart_run {
            self.run = 0;
        }
        let memory = if cut { 1.0 / self.xi } else { 1.0 };
        self.red.average.on_arrival_with_memory(now, queue, memory);
    }

    fn passes_untested(&self, queue: f64) -> bool {
        let (average, min_th, max_th) = (self.red.average.value(), self.red.curve.min_th, self.red.curve.max_th);
        let ten = max_th < average && average < 2.0 * max_th && queue < min_th;
        let seven = average > max_th && min_th < queue && queue < max_th;
        match self.untested {
            Untested::Both => ten || seven,
            Untested::Ten => ten,
            Untested::None => false,
        }
    }
}

impl Policy for HybridRed {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let backlog = queue.backlog();
        let waiting = self.red.measure(backlog);
        self.observe(now, waiting);
        if self.passes_untested(waiting) {
            self.red.pass_untested(packet, backlog)
        } else {
            self.red.decide(packet, backlog, rng)
        }
    }

    red_hooks!();

    fn decides_on_arrival(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Reason;
    use crate::rig::{Rig, at, policy_of};

    fn hybrid(settings: &[(&str, &str)]) -> HybridRed {
        policy_of::<Params>(&ENTRY, Some("paper"), settings)
    }

    fn averages(hybrid: &mut HybridRed, queues: &[usize]) -> Vec<f64> {
        let after = |queue: &usize| {
            Rig::waiting(*queue).arrive(hybrid, at(0.0));
            hybrid.red.average.value()
        };
        queues.iter().map(after).collect()
    }

    fn assert_near(left: &[f64], right: &[f64]) {
        assert!(left.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-12), "{left:?} {right:?}");
    }

    #[test]
    fn the_memory_is_divided_while_the_queue_is_short() {
        let mut hybrid = hybrid(&[("w_q", "0.5"), ("xi", "2"), ("theta", "2"), ("cut_once", "false")]);

        // 64/2 = 32; short once: 32/2 + 2 = 18; short twice: 18/4 + 2 = 6.5; again: 6.5/4 + 2; then as RED.
        assert_near(&averages(&mut hybrid, &[64, 4, 4, 4, 8]), &[32.0, 18.0, 6.5, 3.625, 5.8125]);
    }

    #[test]
    fn a_restarted_run_cuts_every_theta_arrivals() {
        let settings = [("w_q", "0.5"), ("xi", "2"), ("theta", "2"), ("cut_once", "false"), ("restart_run", "true")];
        let mut hybrid = hybrid(&settings);

        // 32, 18, cut 6.5, then 6.5/2 + 2 = 5.25, cut 5.25/4 + 2.
        assert_near(&averages(&mut hybrid, &[64, 4, 4, 4, 4]), &[32.0, 18.0, 6.5, 5.25, 3.3125]);
    }

    #[test]
    fn one_cut_in_a_run_waits_for_the_queue_to_grow() {
        let mut hybrid = hybrid(&[("w_q", "0.5"), ("xi", "2"), ("theta", "2")]);

        // 32, 18, cut 6.5, then as RED 5.25 and, at min_th, 5.125; short again 4.5625, cut 4.5625/4 + 2.
        assert_near(
            &averages(&mut hybrid, &[64, 4, 4, 4, 5, 4, 4]),
            &[32.0, 18.0, 6.5, 5.25, 5.125, 4.5625, 3.140_625],
        );
    }

    /// Verdict under an average of nearly `average` at a queue of `queue`, after two arrivals that count.
    fn verdict(untested: &str, average: f64, queue: usize) -> Verdict {
        let mut hybrid =
            hybrid(&[("untested", untested), ("w_q", "1e-9"), ("xi", "1"), ("max_p", "1"), ("count", "off")]);
        hybrid.red.average.set(average);
        Rig::waiting(queue).arrive(&mut hybrid, at(0.0));
        Rig::waiting(queue).arrive(&mut hybrid, at(0.0))
    }

    #[test]
    fn regions_seven_and_ten_pass_untested() {
        // Thresholds 5 and 15, max_p 1: whatever is tested above 15 is dropped.
        let dropped = Verdict::Drop(Reason::FORCED);

        assert_eq!(verdict("7_and_10", 20.0, 4), Verdict::Pass, "region 10");
        assert_eq!(verdict("7_and_10", 20.0, 10), Verdict::Pass, "region 7");
        assert_eq!(verdict("7_and_10", 20.0, 16), dropped);
        assert_eq!(verdict("7_and_10", 31.0, 4), dropped, "twice max_th ends region 10");
        assert_eq!(verdict("7_and_10", 31.0, 10), Verdict::Pass, "region 7 has no end");
        assert_eq!(verdict("10", 20.0, 4), Verdict::Pass);
        assert_eq!(verdict("10", 20.0, 10), dropped);
        assert_eq!(verdict("none", 20.0, 4), dropped);
    }
}
