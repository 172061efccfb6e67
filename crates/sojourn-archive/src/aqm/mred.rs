//! Modified RED: RED that drops everything only if the queue itself is above the upper threshold, too, so that a high average after a
//! burst does not empty the queue. Specification: [Fen04] Feng, Agarwal, Jayaraman and Siew, "Modified RED Gateways under Bursty Traffic",
//! IEEE Communications Letters 8(5), 2004, whose text is not available. Its changes are from [Tah13] Tahiliani 2013, section 2.1, and the
//! rest from a student's port to ns-3 (behaviour). Compared with: no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Where only the average is above the upper threshold, RED's line goes on beyond max_p, and gentle RED's as ever | the port; [Tah13] says only that not everything is dropped | `a_short_queue_under_a_long_average_meets_the_line_beyond_max_p` |

use sojourn_queues::aqm::red::{self, Above, Red, Settings, red_hooks};
use sojourn_queues::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "mred",
    title: "Modified RED (MRED)",
    doc: "RED that is slower to drop everything. Above the upper threshold it drops all arrivals only if the queue itself is above it, \
          too, and not only its average.",
    reference: "Feng, Agarwal, Jayaraman and Siew 2004",
    presets: presets! {
        /// Over RED of 1993 with its recommended values.
        paper = { ..red::PAPER };
    },
    law: Some(draw_law),
    ..QueueEntry::of_policy::<Params>()
};

params! {
    /// Parameters of Modified RED: RED's, which drops everything above `max_th` where the queue itself is above it, too.
    pub struct Params {
        ..red: Settings { above = "strict", "[Flo93]; [Fen04] changes that RED" };
    }
}

#[derive(Clone, Debug)]
pub struct Mred {
    red: Red,
}

impl PolicyParams for Params {
    type Policy = Mred;

    fn policy(&self, link: &LinkContext) -> Result<Mred, BuildError> {
        Ok(Mred { red: self.red.build(link)? })
    }

    fn limit(&self, link: &LinkContext) -> Limit {
        self.red.limit(link)
    }
}

/// RED's base probability; its line goes on above the upper threshold while the queue itself is below.
fn p_b(red: &Red, average: f64, queue: f64) -> f64 {
    let curve = &red.curve;
    let span = curve.max_th - curve.min_th;
    if average >= curve.max_th && queue < curve.max_th && curve.above == Above::Strict && span > 0.0 {
        return (red.max_p * (average - curve.min_th) / span).min(1.0);
    }
    curve.p_b(average, red.max_p)
}

fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let Mred { red } = args.typed::<Params>().policy(link)?;
    let graph = Graph { curves: Vec::new(), ..red.graph() };
    let graph = red.join_by(graph, "queue below max_th", |average| p_b(&red, average, 0.0));
    Ok(red.join_by(graph, "queue from max_th on", |average| p_b(&red, average, red.curve.max_th)))
}

impl Policy for Mred {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let backlog = queue.backlog();
        self.red.observe(now, backlog);
        let p_b = p_b(&self.red, self.red.average.value(), self.red.measure(backlog));
        self.red.decide_at(p_b, packet, backlog, rng)
    }

    red_hooks!();

    fn decides_on_arrival(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_queues::rig::{PACKET, Rig, at, near, policy_of};

    /// Thresholds 5 and 15, max_p 0.02; drops are independent.
    fn mred() -> Mred {
        policy_of::<Params>(&ENTRY, Some("paper"), &[("count", "off"), ("w_q", "1e-9")])
    }

    /// The verdict under an average, at a queue, drawing `u`.
    fn verdict(average: f64, waiting: usize, u: f64) -> Verdict {
        let mut mred = mred();
        Rig::waiting(0).arrive(&mut mred, at(0.0));
        mred.red.average.set(average);
        Rig::waiting(waiting).arrive_drawing(&mut mred, at(0.0), &PACKET, u)
    }

    #[test]
    fn a_short_queue_under_a_long_average_meets_the_line_beyond_max_p() {
        // 0.02 (30 - 5) / 10.
        assert_eq!(verdict(30.0, 14, 0.0499), Verdict::Drop(Reason::EARLY));
        assert_eq!(verdict(30.0, 14, 0.0501), Verdict::Pass);
    }

    #[test]
    fn from_the_upper_threshold_on_a_long_queue_is_dropped_whole() {
        assert_eq!(verdict(30.0, 15, 0.999), Verdict::Drop(Reason::FORCED));
    }

    #[test]
    fn between_the_thresholds_it_is_red() {
        for queue in [0.0, 14.0, 100.0] {
            assert!(near(p_b(&mred().red, 10.0, queue), 0.01));
            assert!(near(p_b(&mred().red, 4.999, queue), 0.0));
        }
    }
}
