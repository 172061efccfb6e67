//! Prague: the scalable sender of L4S. It gives up half of the share of its packets that are marked, and shares by rate below a round trip
//! of 25 ms. Two forms: `tcp`, a fractional window (Linux's `tcp_prague.c`), and `udp`, the L4S team's library udp_prague in its whole numbers.
//! Specification: draft-briscoe-iccrg-prague-congestion-control-04 (July 2024, expired; its values as quinn and quiche quote its sections);
//! read on 2026-11-29 (behaviour): `tcp_prague.c` 0.6 of L4STeam/linux and 0.7 of Nokia's tree for Linux 6.18; udp_prague
//! `prague_cc.cpp` of February 2026. Compared with: udp_prague, step by step (`whole/tests.rs`); a second implementation of the form
//! `tcp` (`tests/implementations/test_window_laws.py`).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Segments have one size: a slow sender does not send smaller ones | as in all of `tcp`; the rate falls all the same | - |
//! | The window may also grow when the pacer, and not the application, kept it from being filled | Linux asks `tcp_is_cwnd_limited` alone | `test_application_limited.py` |
//! | Without accurate ECN the sender has no marks, and answers losses as Reno does | Linux changes to Reno | - |

mod detection;
mod fractional;
mod steady;
mod whole;

use super::CongestionControl;
use crate::component::Preset;
use crate::params::{Args, Fraction, Params as _};
use crate::transport::entry::ControlEntry;
use crate::units::{Duration, Rate};
use crate::{choices, params};

pub static ENTRY: ControlEntry = ControlEntry {
    name: "prague",
    title: "Prague",
    doc: "The scalable sender of L4S. It estimates which fraction of its packets is marked, and gives up half of that fraction of its \
          window once in a round trip, or in 25 ms if that is longer. It paces its segments, counts marks by accurate ECN, and asks for \
          the short queue by ECT(1). Wants the profile `linux` of `tcp`.",
    reference: "De Schepper, Tilmans, Briscoe and Goel 2024, draft-briscoe-iccrg-prague-congestion-control-04; RFC 9331 section 4",
    params: Params::SPECS,
    presets: &[
        Preset {
            name: "draft",
            doc: "The values of draft-briscoe-iccrg-prague-congestion-control-04.",
            settings: &[
                ("form", "tcp"),
                ("alpha", "1"),
                ("first_mark_halves", "false"),
                ("cuts", "virtual_rtt"),
                ("scaling", "rate"),
                ("transition", "500"),
                ("rate_below", "auto"),
                ("swing", "0%"),
            ],
        },
        Preset {
            name: "linux",
            doc: "The values of tcp_prague 0.7, for Linux 6.18: no estimate before the first mark, which halves the window; \
                  independence of round trips after 4 of them; a rate instead of a window up to 4 packets. A cut waits for the end of the \
                  state CWR, so that one with a round trip of 20 ms comes after 40 ms at the earliest.",
            settings: &[
                ("form", "tcp"),
                ("alpha", "0"),
                ("first_mark_halves", "true"),
                ("cuts", "cwr"),
                ("scaling", "rate"),
                ("transition", "4"),
                ("rate_below", "4"),
                ("swing", "3.125%"),
            ],
        },
        Preset {
            name: "udp_prague",
            doc: "The library udp_prague of 2026 in its whole numbers: no slow start, but a rate of 100 kbit/s that grows faster when no \
                  mark comes for some round trips.",
            settings: &[("form", "udp")],
        },
    ],
    law: Some(|args| steady::drawn(&|| build(args))),
    build: &build,
};

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
        /// The first one when all is acknowledged that was in flight at the last such mark. If the target has not passed since the last cut,
        /// it cuts nothing, and others have to wait as long again (Linux's state CWR).
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

fn build(args: &Args) -> Box<dyn CongestionControl> {
    let params: Params = args.typed();
    match params.form {
        Form::Tcp => Box::new(fractional::Prague::new(params)),
        Form::Udp => Box::new(whole::Prague::new(params.least_rate.as_bps() / 8, params.burst.as_nanos() / 1000)),
    }
}
