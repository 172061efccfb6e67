//! Prague: the scalable sender of L4S. It gives up half of the share of its packets that are marked, and shares by rate below a round trip
//! of 25 ms. Two forms: `tcp`, a fractional window (Linux's `tcp_prague.c`), and `udp`, the L4S team's library udp_prague in its whole
//! numbers. Specification: draft-briscoe-iccrg-prague-congestion-control-04 (July 2024, expired; its values as quinn and quiche quote its
//! sections); read on 2026-11-29 (behaviour): `tcp_prague.c` 0.6 of L4STeam/linux and 0.7 of Nokia's tree for Linux 6.18; udp_prague
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
mod variants;
mod whole;

use super::CongestionControl;
use crate::component::Preset;
use crate::params::{Args, Params as _};
use crate::transport::entry::ControlEntry;
use variants::{Form, Params};

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
            name: "tcp_prague",
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

fn build(args: &Args) -> Box<dyn CongestionControl> {
    let params: Params = args.typed();
    match params.form {
        Form::Tcp => Box::new(fractional::Prague::new(params)),
        Form::Udp => Box::new(whole::Prague::new(params.least_rate.as_bps() / 8, params.burst.as_nanos() / 1000)),
    }
}
