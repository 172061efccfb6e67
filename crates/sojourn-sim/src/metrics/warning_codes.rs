//! The checks of a run.

/// The subject of a check of a finished run.
#[derive(Clone, Copy, Debug)]
pub struct WarningEntry {
    /// Its name in the table `warnings`.
    pub code: &'static str,
    /// The finding and its consequence.
    pub doc: &'static str,
    /// The advice to the user.
    pub advice: &'static str,
}

/// All checks, in the order in which they are made.
pub static WARNINGS: &[WarningEntry] = &[
    WarningEntry {
        code: "standstill",
        doc: "A sender's cumulative acknowledgement did not move for longer than three of its timeouts (as they were then, with back-off) \
              while data was out. Its timer was restarted without progress, or its path delivered nothing. The whole run counts, warm-up \
              included.",
        advice: "The text names a flow: `record.cwnd` shows when it did not move. If its path was up, another `rto_restart` or `profile` \
                 of the transport avoids it. If a link was down or a queue let nothing through, it is a result.",
    },
    WarningEntry {
        code: "goodput_above_capacity",
        doc: "Receivers got more new payload in the window than the link in front of them could carry in it and in a round trip \
              more, or more packets in ten round trips than in these and in the longest delay of a packet. That is a fault of Sojourn.",
        advice: "Do not use the numbers of this run. Please report it, with the scenario and the seed.",
    },
    WarningEntry {
        code: "warmup_too_short",
        doc: "The mean delay of a group's packets in the first tenth of the window differs from that in the other nine by more than a \
              fifth and by more than four standard deviations of these. The queue had not settled when the warm-up ended, or the scenario \
              has a change at that time. There is no check without a warm-up.",
        advice: "Make `warmup` longer, and `duration` by as much. If the load changes on purpose, use the series over time instead of the \
                 means.",
    },
    WarningEntry {
        code: "run_too_short",
        doc: "The window holds fewer than 20 mean round trips of a group: its means, and intervals over replications, say little about \
              a longer run.",
        advice: "Make `duration` longer.",
    },
    WarningEntry {
        code: "bucket_below_packet",
        doc: "`profile_burst` is less than a mean packet: the token bucket never holds enough for one, and every packet is Out.",
        advice: "Raise `profile_burst` to several packets.",
    },
    WarningEntry {
        code: "threshold_above_limit",
        doc: "The scenario sets a threshold or a target of a queue above the queue's limit. The queue never gets there: packets are \
              lost to the full buffer first.",
        advice: "Raise the limit, or lower the threshold.",
    },
    WarningEntry {
        code: "drops_at_short_queue",
        doc: "A quarter or more of the early drops of RED or one of its relatives, 20 at least in all, found at most one packet waiting: \
              the average was still high, and the queue had drained. The link then falls idle while the senders have small windows. Such \
              drops follow from the laws of 1993 together with today's greater `max_p`.",
        advice: "`spare_short = true` avoids them. The presets `ns2` have it, and space drops by `count = \"wait\"`. If the law of 1993 \
                 is studied, such drops are a result.",
    },
    WarningEntry {
        code: "drops_instead_of_marks",
        doc: "A queue with `ecn = true` dropped 20 ECN-capable packets or more by its decision, not for lack of room, and marked none. \
              RED drops them above `max_th` by RFC 3168 section 7, so that a step (`min_th` = `max_th`) never marks.",
        advice: "`mark_max_p = 2` marks at every probability, like Linux without `harddrop`; `preset = \"dctcp\"` of RED is DCTCP's step, \
                 and the scenario `dctcp` shows it with its senders.",
    },
    WarningEntry {
        code: "equal_ways_unused",
        doc: "Two or more flows have several ways of the least delay and the fewest links. Each takes the way whose links come first in \
              the file, so that other ways stay idle.",
        advice: "`ecmp = \"linux_l4\"` at the top level spreads flows over equal ways by a hash, as routers do. If they shall share one \
                 way, make the others longer by `1ns`.",
    },
    WarningEntry {
        code: "nothing_passes",
        doc: "No packet left the queue in the window, and some were dropped: it lets no packet of this traffic through.",
        advice: "A limit, a burst or a threshold in bytes may be less than a packet; `sojourn explain` has their units. If it is meant, \
                 it is a result.",
    },
];
