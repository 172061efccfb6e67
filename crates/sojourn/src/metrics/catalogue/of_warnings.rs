//! What a run is checked for.

use super::column::{Metric, text};

/// `warnings`: one row for each thing that a check found.
pub(super) static WARNING: &[Metric] = &[
    text("code", "Which check: one of those below."),
    text("place", "The link or the group of flows that it is about."),
    text("text", "What was found, in a sentence."),
];

/// What a check of a finished run looks for.
#[derive(Clone, Copy, Debug)]
pub struct WarningEntry {
    /// Its name in the table `warnings`.
    pub code: &'static str,
    /// What it means, and what to do.
    pub doc: &'static str,
}

/// All checks, in the order in which they are made.
pub static WARNINGS: &[WarningEntry] = &[
    WarningEntry {
        code: "standstill",
        doc: "A sender's cumulative acknowledgement did not move for longer than three of its timeouts (as they were then, with \
              back-off) while data was out. Its timer was restarted by what is not progress, or its path delivered nothing. The \
              whole run counts, warm-up included.",
    },
    WarningEntry {
        code: "goodput_above_capacity",
        doc: "Receivers got more new payload in the window than the link in front of them could carry in it and in a round trip \
              more, or more packets in ten round trips than in these and in the longest delay of a packet. That is a fault of Sojourn.",
    },
    WarningEntry {
        code: "warmup_too_short",
        doc: "The mean delay of a group's packets in the first tenth of the window is off from that in the other nine by more than \
              a fifth and by more than four standard deviations of these. The queue had not settled when the warm-up ended, or what \
              the scenario does at that time does not recur. Not looked for without a warm-up.",
    },
    WarningEntry {
        code: "run_too_short",
        doc: "The window holds fewer than 20 mean round trips of a group: its means, and intervals over replications, say little about \
              a longer run.",
    },
    WarningEntry {
        code: "bucket_below_packet",
        doc: "`profile_burst` is less than a mean packet: the token bucket never holds enough for one, and every packet is Out.",
    },
];
