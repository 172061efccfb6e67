//! The parameters of PIE.

use crate::mechanism::queuing_delay::DelayFrom;
use crate::queue::prelude::*;

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "1000p" in [0.0, 1e12], "Linux sch_pie limit";
        /// Target of the queuing delay (QDELAY_REF).
        target: Duration = "15ms" in [0.0, 100.0], "RFC 8033 section 4.2";
        /// Time between two updates of the probability (T_UPDATE).
        interval: Duration = "15ms" in [1e-6, 100.0], "RFC 8033 section 4.2";
        /// Gain of the distance from the target, in Hz.
        alpha: f64 = "0.125" in [0.0, 1e6], "RFC 8033 section 4.2";
        /// Gain of the change since the last update, in Hz.
        beta: f64 = "1.25" in [0.0, 1e6], "RFC 8033 section 4.2";
        /// How steps become smaller at small probabilities.
        scaling: Scaling = "rfc8033", "RFC 8033 section 4.2; RFC 8034 appendix A for docsis";
        /// The time for which every packet of a burst passes (MAX_BURST).
        max_burst: Duration = "150ms" in [0.0, 100.0], "RFC 8033 section 4.4; 142 ms in RFC 8034";
        /// The event after which a burst may pass.
        bursts: Bursts = "after_calm", "RFC 8033 section 4.4; RFC 8034 appendix A for after_drop";
        /// The source of the queuing delay.
        delay_from: DelayFrom = "timestamps", "RFC 8033 section 4.3; section 5.2 for departure_rate; RFC 8034 for link_rate";
        /// Bytes that a measurement of the departures takes (DQ_THRESHOLD).
        dq_threshold: Bytes = "16384B" in [1.0, 1e9], "RFC 8033 section 5.2: 2^14", when delay_from in ["departure_rate"];
        /// Part of the limit from which on it drops; 0 is always.
        active_from: Fraction = "0" in [0.0, 1.0], "RFC 8033 section 4; a third in section 5.3 and RFC 8034";
        /// When the probability decays by 2 % in an update: two delays of zero in a row, or both below half of the target (`low`).
        calm: Calm = "empty", "RFC 8033 section 4.2; RFC 8034 appendix A for low";
        /// How long both delays have to be below half of the target, at a probability of 0, before bursts pass again (`after_calm`) and
        /// PIE is no longer active.
        rest: Duration = "0s" in [0.0, 1000.0],
            "RFC 8033 sections 4.4 and 5.3; 1 s in RFC 8034 (BURST_RESET_TIMEOUT)", when bursts in ["after_calm"];
        /// Queuing delay above which the probability rises by 2 % more in each update. Automatic: never.
        high_delay: Option<Duration> = "auto" in [0.0, 1000.0],
            "RFC 8033 has none; 200 ms in RFC 8034, 250 ms in Linux";
        /// Whether no step above a probability of 10 % is greater than 2 %.
        cap_steps: bool = "true", "RFC 8033 section 5.5";
        /// Space drops: none before the probabilities of arrivals sum up to 0.85, one at 8.5 at the latest.
        derandomize: bool = "true", "RFC 8033 section 5.4";
        /// Whether a packet's probability is in proportion to its size; that of the controller may then exceed 1.
        by_size: bool = "false", "RFC 8033: whatever the size; RFC 8034 appendix A for true";
        /// Mean packet: sizes count in it, and two of them are never dropped. Automatic: the link's.
        mean_packet: Option<Bytes> = "auto" in [1.0, 65535.0],
            "that of the link; RFC 8034 appendix A has 1024 B (MEAN_PKTSIZE)";
        /// Keep the probability at 0 while bursts pass.
        hold_in_burst: bool = "false", "RFC 8033 appendix A; RFC 8034 appendix A for true";
        /// Mark ECN-capable packets instead of dropping them.
        ecn: bool = "false", "RFC 8033 section 5.1: may";
        /// Mark only while the probability is below this, and drop from it on; more than 1 always marks.
        mark_below: Fraction = "0.1" in [0.0, 2.0], "RFC 8033 section 5.1: mark_ecnth", when ecn in ["true"];
    }
}

choices! {
    /// How steps become smaller at small probabilities.
    pub enum Scaling {
        /// By 2048 below 0.000001 ... by 2 below 0.1.
        Rfc8033 = "rfc8033",
        /// The same, and twice to 32 times larger from 0.1 on.
        Docsis = "docsis",
        /// Not at all.
        Off = "off",
    }
}

choices! {
    /// When bursts begin to pass.
    pub enum Bursts {
        /// After a calm, and when PIE becomes active. While PIE is not active, the probability does not change.
        AfterCalm = "after_calm",
        /// With the first packet that is dropped after an update without congestion. The probability moves always, and packets that are
        /// spared for a short delay count in the sum by which drops are spaced.
        AfterDrop = "after_drop",
    }
}

choices! {
    /// When the probability decays.
    pub enum Calm {
        /// The last two delays were zero.
        Empty = "empty",
        /// They were below half of the target.
        Low = "low",
    }
}

impl Params {
    /// Whether any backlog is enough for it to be active.
    pub(super) fn is_always_active(&self) -> bool {
        self.active_from.0 <= 0.0
    }
}
