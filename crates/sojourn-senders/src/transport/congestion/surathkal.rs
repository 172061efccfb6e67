//! TCP Surathkal: DCTCP without memory, for routers that average themselves: the window shrinks by half of the fraction
//! of the last window that was marked. Specification: [Tah13] Tahiliani, PhD thesis, NIT Karnataka, 2013, section 4.3.
//! Needs a receiver that tells each mark, which the transport gives it unless told otherwise (`ecn_feedback`).
//!
//! The thesis leaves open the base of the fraction, the reaction to a loss and the least window. The parameters `fraction`, `loss`,
//! `reaction` and `window_min` choose them. The preset `paper` is what the record of the work judges; the default has losses cut as
//! marks do where routers mark, as section 4.4.3 does.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The fraction of eq. 4.3.3 counts one marked packet at least; `fraction` = last does not | the first mark of a window comes before any is counted, and the cut of eq. 4.3.2 would be of nothing | `the_readings_of_the_fraction_differ_at_an_isolated_mark` |
//! | "The last RTT" of eq. 4.3.3 is the last window of data; `fraction` = sliding is a time | section 4.3 has both words | `the_sliding_reading_counts_the_acknowledgements_of_a_round_trip` |
//! | By default a loss cuts by eq. 4.3.2 once a mark has come, and before it halves; the preset `paper` always halves | section 4.3 retains recovery, section 4.4.3 has no reaction to losses of the channel | `the_readings_of_a_loss`, `where_nobody_has_marked_a_loss_halves` |
//! | A cut for marks leaves one segment at least | the source is silent; ns-2's floor | `a_window_of_one_is_the_floor` |

use super::Told;
use super::prelude::*;
use std::collections::VecDeque;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "surathkal",
    title: "TCP Surathkal",
    doc: "A control by the extent of marks, without averaging. It gives up half of the fraction of the last window that was marked, at \
          once. It switches `ecn` of the transport on, and its receiver reports each mark (XECN).",
    reference: "Tahiliani 2013",
    presets: presets! {
        /// As the record of the work judges it: a loss halves the window (section 4.3). There the receiver's `xecn_lost_acks` is 7.
        paper = { loss = "halves" };
        /// The assumption of the thesis's fluid model: a reaction to each mark, by the fraction of the last window.
        fluid = { fraction = "last", reaction = "every_mark" };
    },
    // The second of two windows is complete when the third begins.
    law: Some(|args| drawn::by_marks(&|| build(args), 3)),
    ..ControlEntry::of::<Params>(&build)
};

choices! {
    /// The packets over which the fraction of marks is taken.
    pub enum FractionOf {
        /// The last complete window.
        Last = "last",
        /// The window that has begun: its marks so far over the packets sent in the last one.
        Running = "running",
        /// The last complete window, as if one packet at least had been marked.
        LastAtLeastOne = "last_at_least_one",
        /// The last smoothed round-trip time, this acknowledgement included.
        Sliding = "sliding",
    }
}

choices! {
    /// The effect of three duplicates on the window.
    pub enum Loss {
        /// They halve it.
        Halves = "halves",
        /// They shrink it as a mark would. Without marks they do not change it, so that losses have no effect on a path without marks.
        AsMarked = "as_marked",
        /// They halve it until the first mark has come, and then shrink it as a mark would.
        OnceMarked = "once_marked",
        /// Nothing.
        Nothing = "nothing",
    }
}

choices! {
    /// How often the window is cut.
    pub enum Reaction {
        /// Once per window of data.
        Window = "window",
        /// At every marked acknowledgement, as in the thesis's fluid model.
        EveryMark = "every_mark",
    }
}

params! {
    /// The readings of the thesis.
    pub struct Params {
        /// The packets over which the fraction of marks is taken.
        fraction: FractionOf = "last_at_least_one", "Tahiliani 2013 equation 4.3.3, our reading";
        /// The effect of three duplicates on the window.
        loss: Loss = "once_marked", "ours: Tahiliani 2013 section 4.4.3 (as_marked) where routers mark, RFC 5681 where none does";
        /// How often the window is cut.
        reaction: Reaction = "window", "Tahiliani 2013 equation 4.3.2";
        /// Least window in segments after a cut for marks.
        window_min: f64 = "1" in [1.0, 1000.0], "ns-2's floor for ECN";
    }
}

/// Marks of a window, and the packets that it sent.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    marked: f64,
    sent: f64,
}

#[derive(Clone, Debug)]
struct Surathkal {
    params: Params,
    round_trip: RoundTrip,
    /// The tally of the last complete window.
    last: Tally,
    /// Marks of the window that has begun.
    marked: f64,
    /// Whether any mark has come: somebody on the path can.
    path_marks: bool,
    /// Packets sent when it began; absent before the first one.
    sent_before: Option<u64>,
    /// The acknowledgements of the last round-trip time and the marks that they reported. Used with `sliding` only.
    recent: VecDeque<(Instant, u64)>,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    Box::new(Classic::new(Surathkal {
        params: args.typed(),
        round_trip: RoundTrip::default(),
        last: Tally::default(),
        marked: 0.0,
        path_marks: false,
        sent_before: None,
        recent: VecDeque::new(),
    }))
}

/// [Tah13] equation 4.3.3: marked over sent, between 0 and 1. Of nothing sent everything was marked.
fn fraction(marked: f64, sent: f64) -> f64 {
    if sent > 0.0 { (marked / sent).min(1.0) } else { 1.0 }
}

impl Surathkal {
    fn alpha(&self) -> f64 {
        match self.params.fraction {
            FractionOf::Last => fraction(self.last.marked, self.last.sent),
            FractionOf::Running => fraction(self.marked, self.last.sent),
            FractionOf::LastAtLeastOne => fraction(self.last.marked.max(1.0), self.last.sent),
            FractionOf::Sliding => {
                let marked: u64 = self.recent.iter().map(|(_, marks)| marks).sum();
                fraction(marked as f64, self.recent.len() as f64)
            }
        }
    }

    /// [Tah13] equation 4.3.2: `cwnd (1 - alpha / 2)`; the threshold follows.
    fn shrink(&self, window: &mut Window, used: f64, alpha: f64) {
        window.cwnd = (used * (1.0 - alpha / 2.0)).max(self.params.window_min);
        window.ssthresh = window.cwnd.max(2.0);
    }

    fn slide(&mut self, heard: &Heard) {
        let span = self.round_trip.smoothed.map_or(Duration::MAX, Duration::from_secs_f64);
        self.recent.push_back((heard.now, heard.marks));
        while self.recent.front().is_some_and(|(at, _)| heard.now.since(*at) > span) {
            self.recent.pop_front();
        }
    }
}

impl Law for Surathkal {
    const LISTENS: bool = true;

    fn kept(&mut self, _window: &Window, event: &Congestion) -> f64 {
        event.used / 2.0
    }

    fn reset(&mut self, _setup: &Setup) {
        self.round_trip = RoundTrip::default();
        self.last = Tally::default();
        self.marked = 0.0;
        self.path_marks = false;
        self.sent_before = None;
        self.recent.clear();
    }

    fn is_whole(&self) -> bool {
        false
    }

    /// The last acknowledgement of slow start may open the window beyond the threshold.
    fn open(&mut self, window: &mut Window, acked: &Acked, counted: f64) -> bool {
        self.round_trip.observe(acked.rtt);
        let slow = window.in_slow_start();
        if slow {
            window.cwnd += counted;
        }
        slow
    }

    fn cut(&mut self, window: &mut Window, event: &Congestion) {
        let used = window.at_cut(event);
        if event.cause == Cause::Echo {
            if self.params.reaction == Reaction::Window {
                self.shrink(window, used, self.alpha());
            }
            return;
        }
        match self.params.loss {
            Loss::Halves => window.cut(event, event.used / 2.0),
            Loss::OnceMarked if !self.path_marks => window.cut(event, event.used / 2.0),
            Loss::AsMarked | Loss::OnceMarked => {
                // A loss is not a mark: the reading that counts at least one does not count it.
                let alpha = match self.params.fraction {
                    FractionOf::LastAtLeastOne => fraction(self.last.marked, self.last.sent.max(1.0)),
                    _ => self.alpha(),
                };
                self.shrink(window, used, alpha);
            }
            Loss::Nothing => {}
        }
    }

    fn on_heard(&mut self, window: &mut Window, heard: &Heard) {
        if heard.round {
            let sent = self.sent_before.replace(heard.sent).map_or(0, |before| heard.sent - before);
            self.last = Tally { marked: self.marked, sent: sent as f64 };
            self.marked = 0.0;
        }
        self.marked += heard.marks as f64;
        self.path_marks |= heard.marks > 0;
        if self.params.fraction == FractionOf::Sliding {
            self.slide(heard);
        }
        if heard.marks > 0 && self.params.reaction == Reaction::EveryMark {
            let used = window.cwnd;
            self.shrink(window, used, self.alpha());
        }
    }

    fn needs(&self) -> Needs {
        Needs { marks: Told::Marks, ..Needs::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Adjustment;
    use super::*;
    use crate::transport::congestion::testing::{Controlled, connected, echoed, heard, hears, near, used};

    /// A window of 20 packets, of whose acknowledgements `marked` are marked; the first one begins it.
    fn window(control: &mut Controlled, number: u64, marked: u64) {
        for i in 0..20 {
            hears(&mut *control).on_heard(&Heard {
                inflight: 20.0,
                sent: 20 * (number + 1) + i,
                marks: u64::from(i < marked),
                round: i == 0,
                ..heard(Instant::ZERO + Duration::from_millis(100 * number + i))
            });
        }
    }

    fn after(settings: &[(&str, &str)], last: u64, now: u64) -> Controlled {
        let mut control = connected(&ENTRY, None, settings, 20.0, 20.0);
        window(&mut control, 0, 0);
        window(&mut control, 1, last);
        window(&mut control, 2, now);
        control
    }

    #[test]
    fn the_window_shrinks_by_half_of_the_marked_fraction() {
        // 8 of 20 marked in the last window: 20 (1 - 0.4/2) = 16.
        let mut control = after(&[], 8, 1);
        control.on_congestion_event(&echoed(20.0));
        assert!(near(control.window(), 16.0) && near(control.ssthresh(), 16.0));
    }

    #[test]
    fn the_readings_of_the_fraction_differ_at_an_isolated_mark() {
        // The last window had no mark, this one has one: 0, 1/20, 1/20.
        for (reading, expected) in [("last", 20.0), ("running", 19.5), ("last_at_least_one", 19.5)] {
            let mut control = after(&[("fraction", reading)], 0, 1);
            control.on_congestion_event(&echoed(20.0));
            assert!(near(control.window(), expected), "{reading}: {}", control.window());
        }
    }

    #[test]
    fn the_sliding_reading_counts_the_acknowledgements_of_a_round_trip() {
        let mut control = connected(&ENTRY, None, &[("fraction", "sliding")], 20.0, 20.0);
        control.on_ack(&Acked {
            now: Instant::ZERO,
            segments: 1.0,
            inflight: 20.0,
            rtt: Some(Duration::from_millis(99)),
            elapsed: Duration::ZERO,
            ece: true,
            limited: false,
        });
        window(&mut control, 0, 20);
        window(&mut control, 1, 10);
        // The last 99 ms before 119 ms: from 20 ms on, so only the second window: 10 of 20.
        control.on_congestion_event(&echoed(20.0));
        assert!(near(control.window(), 15.0), "{}", control.window());
    }

    #[test]
    fn everything_marked_halves() {
        let mut control = after(&[], 20, 1);
        control.on_congestion_event(&echoed(20.0));
        assert!(near(control.window(), 10.0));
    }

    #[test]
    fn the_readings_of_a_loss() {
        // 8 of 20 marked in the last window.
        for (reading, expected) in [("halves", 10.0), ("as_marked", 16.0), ("nothing", 20.0)] {
            let mut control = after(&[("loss", reading)], 8, 0);
            control.on_congestion_event(&used(20.0));
            assert!(near(control.window(), expected), "{reading}: {}", control.window());
        }
        // No marks: a loss alone does not shrink the window.
        let mut clean = after(&[("loss", "as_marked")], 0, 0);
        clean.on_congestion_event(&used(20.0));
        assert!(near(clean.window(), 20.0));
    }

    #[test]
    fn where_nobody_has_marked_a_loss_halves() {
        let mut unheard = after(&[], 0, 0);
        unheard.on_congestion_event(&used(20.0));
        assert!(near(unheard.window(), 10.0), "nobody on the path marks");

        // 8 marks two windows ago, none in the last one: somebody marks, and saw no congestion.
        let mut heard = after(&[], 8, 0);
        window(&mut heard, 3, 0);
        window(&mut heard, 4, 0);
        heard.on_congestion_event(&used(20.0));
        assert!(near(heard.window(), 20.0));
    }

    #[test]
    fn a_window_of_one_is_the_floor() {
        let mut control = after(&[], 20, 1);
        control.adjust(Adjustment::Limit(1.5));
        control.on_congestion_event(&echoed(1.0));
        assert!(near(control.window(), 1.0));
    }

    #[test]
    fn the_fluid_model_reacts_to_each_mark() {
        let mut control = connected(&ENTRY, Some("fluid"), &[], 20.0, 20.0);
        window(&mut control, 0, 0);
        window(&mut control, 1, 4);
        assert!(near(control.window(), 20.0), "the window before had no mark");
        window(&mut control, 2, 2);
        // Twice 1 - 0.2/2: the fraction of the last window is 4/20.
        assert!(near(control.window(), 20.0 * 0.9 * 0.9), "{}", control.window());
        control.on_congestion_event(&echoed(20.0));
        assert!(near(control.window(), 16.2), "not once more");
    }

    #[test]
    fn a_timeout_is_tcps() {
        let mut control = after(&[], 8, 1);
        control.on_timeout(Some(&used(20.0)));
        assert!(near(control.window(), 1.0) && near(control.ssthresh(), 10.0));
    }
}
