//! The parameters of Prague, and the variants that they choose between.

use crate::params::Fraction;
use crate::units::{Duration, Rate};
use crate::{choices, params};

choices! {
    /// The text whose rules hold.
    pub enum Form {
        /// A fractional window with slow start, as in Linux.
        Tcp = "tcp",
        /// The library udp_prague.
        Udp = "udp",
    }
}

choices! {
    /// The marks that cut the window.
    pub enum Cuts {
        /// The first one when a round trip, or the target, has passed since the last cut.
        VirtualRtt = "virtual_rtt",
        /// The first one when all is acknowledged that was in flight at the last such mark. If the target has not passed since the last
        /// cut, it cuts nothing, and others have to wait as long again (Linux's state CWR).
        Cwr = "cwr",
    }
}

choices! {
    /// The growth of short round trips.
    pub enum Scaling {
        /// A segment in each round trip.
        None = "none",
        /// As fast as a flow of the target: flows below it share by rate.
        Rate = "rate",
        /// Faster below 16 ms, so that a mark comes in 8 round trips at least.
        Scalable = "scalable",
        /// As a flow whose round trip is longer by the target.
        Additive = "additive",
    }
}

params! {
    /// Parameters of Prague.
    pub struct Params {
        /// The text whose rules hold.
        form: Form = "tcp", "the TCP of the draft and of Linux";
        /// The estimate of marks before the first one.
        alpha: Fraction = "1" in [0.0, 1.0], "draft section 2.4.1; 0 in tcp_prague 0.7", when form in ["tcp"];
        /// Weight of a round trip in the estimate.
        g: Fraction = "0.0625" in [1e-6, 1.0], "draft section 2.4.1: 1/16", when form in ["tcp"];
        /// Whether the first mark halves the window.
        first_mark_halves: bool = "false", "draft; true in tcp_prague 0.7, with an estimate of 0", when form in ["tcp"];
        /// The marks that cut the window.
        cuts: Cuts = "virtual_rtt", "draft section 2.4.2; cwr in tcp_prague 0.6 and 0.7", when form in ["tcp"];
        /// The growth of round trips shorter than the target.
        scaling: Scaling = "rate", "draft section 2.4.4", when form in ["tcp"];
        /// The round trip below which flows share by rate.
        target: Duration = "25ms" in [0.0001, 1.0], "draft section 2.4.4", when form in ["tcp"];
        /// Round trips after slow start until flows become independent of their round trips.
        transition: u64 = "500" in [0.0, 1e6], "draft section 2.4.4; 4 in tcp_prague 0.7", when form in ["tcp"];
        /// The window in packets up to which a rate takes its place. With `auto` there is always a window.
        rate_below: Option<u64> = "auto" in [1.0, 1e6], "draft; 4 in tcp_prague 0.7", when form in ["tcp"];
        /// The share by which that rate is higher in the first half of a round trip and lower in the second.
        swing: Fraction = "0%" in [0.0, 0.5], "draft; 4/128 in tcp_prague 0.7", when form in ["tcp"];
        /// The longest time for which a burst at the pacing rate lasts.
        burst: Duration = "250us" in [0.0, 0.1], "draft section 2.5.1; udp_prague; 1/4096 s in Linux";
        /// Least pacing rate.
        least_rate: Rate = "100kbit" in [1e3, 1e9], "tcp_prague 0.7, udp_prague";
        /// Whether a queue that marks like a classic one is looked for, and answered as by Reno.
        fallback: bool = "false", "off in tcp_prague 0.6, and not in 0.7; RFC 9331 section 4.3 leaves it to operators",
            when form in ["tcp"];
    }
}
