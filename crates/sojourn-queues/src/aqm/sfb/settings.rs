//! SFB's parameters.

use super::bins::DecrementAt;
use super::limiter::Kind;
use crate::queue::prelude::*;

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "200p" in [0.0, 1e12], "[Fen01] section 4: 200 KB";
        /// L, the levels, each with another hash.
        levels: u64 = "2" in [1.0, 64.0], "[Fen01] section 4; Chatranon 2004 table 2";
        /// N, the bins of a level.
        bins: u64 = "23" in [1.0, 1e6], "[Fen01] section 4; Chatranon 2004 table 2";
        /// Packets in a bin above which its probability rises. Automatic: one and a half times an even part of `limit`, or of the
        /// flows' bandwidth-delay product if that is more.
        bin_size: Option<u64> = "auto" in [0.0, 1e9],
            "[Fen01] section 4: half more than its part, 13 for 200 packets; a flow's own part is ours";
        /// Whether a bin above `bin_size` drops an arrival.
        bin_full: BinFull = "any", "[Fen01] figure 2; Chatranon 2004 section 2.2.3.7 for none";
        /// Step up of a bin's probability.
        increment: Fraction = "0.005" in [0.0, 1.0], "the authors' module for ns-2, as Apple's classq_sfb.c reports it";
        /// Step down of an empty bin's probability.
        decrement: Fraction = "0.001" in [0.0, 1.0], "the authors' module for ns-2, as Apple's classq_sfb.c reports it";
        /// When an empty bin's probability falls: at each arrival that finds it empty, or when the last packet in it leaves.
        decrement_at: DecrementAt = "arrival",
            "[Fen01] figure 2; Alemu 2004 algorithm 13; Apple's classq_sfb.c for departure";
        /// p_min from which on a flow does not respond, is limited, and warms the next set.
        unresponsive: Fraction = "1" in [0.0, 1.0],
            "[Fen01] section 4; Chatranon 2004 section 2.2.3.7; 0.98 in Apple's classq_sfb.c";
        /// Whether bins count the packets of flows that do not respond.
        count_limited: bool = "true", "[Fen01] does not say; Linux sch_sfb; not in Apple's classq_sfb.c";
        /// Whether each arrival of a flow that does not respond raises its bins, as a lost packet raises BLUE's probability.
        raise_limited: bool = "false", "[Fen01] does not say; our reading of BLUE's rule for lost packets";
        /// Least time between two changes of a bin's probability.
        freeze_time: Duration = "10ms" in [0.0, 1e4],
            "the authors' module for ns-2 (hold-time), as Apple's classq_sfb.c reports it; none in [Fen01] figure 2";
        /// Time after which the other set of bins takes over. 0: never.
        rehash: Duration = "20s" in [0.0, 1e6],
            "the authors' module for ns-2 (hinterval, 11 to 23 s), as Apple's classq_sfb.c reports it; \
             2 s in Chatranon 2004 section 2.2.3.7";
        /// The arrivals that update the next set of bins: arrivals of flows that do not respond, which raise it (`raise`) or change it as
        /// if it were in use (`unresponsive`); `all`; or `none`.
        warm_up: WarmUp = "raise", "[Fen01] section 4.4, our reading; Linux sch_sfb for unresponsive", when rehash not in ["0s"];
        /// Time before the next set takes over, from which it is updated. Automatic: from the last change of sets.
        warm_up_time: Option<Duration> = "auto" in [0.0, 1e6], "[Fen01] section 4.4; Linux sch_sfb warmup_time",
            when warm_up not in ["none"];
        /// How flows that do not respond are limited.
        limiter: Kind = "hold", "the authors' module for ns-2, by Chatranon 2004 section 3.3.2";
        /// Time for which a packet of such a flow keeps out the next.
        hold_time: Duration = "50ms" in [0.0, 1e6],
            "the authors' module for ns-2 (pbox-time), as Apple's classq_sfb.c reports it", when limiter in ["hold"];
        /// Packets per second of such flows that a bucket lets pass.
        penalty_rate: f64 = "10" in [0.0, 1e9], "Linux sch_sfb penalty_rate",
            when limiter in ["bucket"];
        /// Packets of such flows that a bucket lets pass at once.
        penalty_burst: u64 = "20" in [0.0, 1e9], "Linux sch_sfb penalty_burst",
            when limiter in ["bucket"];
        /// Mark ECN-capable packets instead of dropping them by probability.
        ecn: bool = "false", "RFC 3168: senders have to agree; [Fen01] marks";
    }
}

choices! {
    /// Which full bins drop an arrival.
    pub enum BinFull {
        /// One on any level.
        Any = "any",
        /// None.
        None = "none",
    }
}

choices! {
    /// The arrivals that update the next set of bins.
    pub enum WarmUp {
        /// Arrivals of flows that do not respond, each of which raises its bins.
        Raise = "raise",
        /// Arrivals of flows that do not respond, whose bins it treats as the set in use does.
        Unresponsive = "unresponsive",
        /// All.
        All = "all",
        /// None.
        None = "none",
    }
}
