//! HighSpeed TCP: the increase grows and the decrease shrinks with the window, so that a large one can be reached
//! at realistic loss rates. Specification: RFC 3649. Compared with: ns-2 2.35, window option 8 (preset `ns2`); Linux 6.12
//! `tcp_highspeed`, window by window (preset `linux`, `tests/peers/linux/kernel`).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The law is evaluated at whole segments | as the RFC's own table is; and logarithms per packet cost time | `the_law_gives_the_table_of_the_rfc` |
//! | The increase is at least one segment | RFC 3649 section 5's Low_P of 0.001 would give 0.96 at Low_Window; its table says 1 | `at_the_low_window_it_is_reno` |

use super::classic;
use super::prelude::*;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "hstcp",
    title: "HighSpeed TCP",
    doc: "Reno for large windows. Small windows are Reno's; above, the window grows faster and is cut less the larger it is.",
    reference: "RFC 3649",
    presets: presets! {
        // Checked on 2026-11-25: ns-2 2.35 of 2011, its defaults and tcp.cc, by runs (tests/peers).
        /// ns-2 2.35: Low_P is 1.5 / Low_Window^2; the first cut, cuts in slow start and thresholds after timeouts halve.
        ns2 = { low_p = "0.0010387811634349031", halve_at_start = "true" };
        // Checked on 2026-11-25: tcp_highspeed.c of Linux 6.12.117.
        /// Linux 6.12: increase and decrease are those of the RFC's table, at the first row whose window is not exceeded; the increase is
        /// spread over acknowledgements, not over segments. Under the profile `linux` its window is Linux's after each acknowledgement of
        /// the recordings (docs/linux.md).
        linux = { law = "table" };
    },
    law: Some(|args| drawn::after_a_loss(&|| build(args))),
    ..ControlEntry::of::<Params>(&build)
};

choices! {
    /// The source of increase and decrease.
    pub enum Law {
        /// The formulas, at the present window (RFC 3649 section 5).
        Formula = "formula",
        /// The table of the RFC's appendix B, at the first row whose window is not exceeded: from 39 segments on at least 2 for a window
        /// of acknowledgements, for any number of segments that each of them acknowledges. The parameters do not change it (Linux).
        Table = "table",
    }
}

params! {
    /// Parameters of HighSpeed TCP, in the RFC's names.
    pub struct Params {
        /// Window in segments up to which the law is Reno's.
        low_window: f64 = "38" in [2.0, 1000.0], "RFC 3649 section 5", when law in ["formula"];
        /// Window in segments at which `high_p` and `high_decrease` hold.
        high_window: f64 = "83000" in [2000.0, 1e9], "RFC 3649 section 5", when law in ["formula"];
        /// Loss rate at which the mean window is `low_window`.
        low_p: Fraction = "0.001" in [1e-5, 0.5], "RFC 3649 section 5", when law in ["formula"];
        /// Loss rate at which the mean window is `high_window`.
        high_p: Fraction = "0.0000001" in [1e-12, 1e-6], "RFC 3649 section 5", when law in ["formula"];
        /// Fraction of the window that is given up at a cut at `high_window` and above.
        high_decrease: Fraction = "0.1" in [0.01, 0.5], "RFC 3649 section 7", when law in ["formula"];
        /// Whether the first cut, a cut in slow start and the threshold after a timeout take half, as in ns-2.
        halve_at_start: bool = "false", "RFC 3649";
        /// The source of increase and decrease.
        law: Law = "formula", "RFC 3649 section 5";
    }
}

/// RFC 3649 appendix B, the windows of its table: up to row `i` the increase is `i + 1`. Linux leaves out the rows above.
const ROWS: [u32; 72] = [
    38, 118, 221, 347, 495, 663, 851, 1058, 1284, 1529, 1793, 2076, 2378, 2699, 3039, 3399, 3778, 4177, 4596, 5036,
    5497, 5979, 6483, 7009, 7558, 8130, 8726, 9346, 9991, 10661, 11358, 12082, 12834, 13614, 14424, 15265, 16137,
    17042, 17981, 18955, 19965, 21013, 22101, 23230, 24402, 25618, 26881, 28193, 29557, 30975, 32450, 33986, 35586,
    37253, 38992, 40808, 42707, 44694, 46776, 48961, 51258, 53677, 56230, 58932, 61799, 64851, 68113, 71617, 75401,
    79517, 84035, 89053,
];

/// Linux counts the decreases of the table in parts of this.
const PARTS: f64 = 256.0;

#[derive(Clone, Debug)]
struct HighSpeed {
    params: Params,
    /// The window in whole segments for which `increase` was computed.
    computed_at: f64,
    /// a(w) of that window.
    increase: f64,
    /// Of [`ROWS`]; looked up when the window grows in congestion avoidance, as in Linux.
    row: usize,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    let params: Params = args.typed();
    let halving = params.halve_at_start.into();
    Box::new(Classic::with(HighSpeed { params, computed_at: 0.0, increase: 1.0, row: 0 }, halving))
}

/// Where `window` lies between `low_window` (0) and `high_window` (1), by logarithms.
fn position(params: &Params, window: f64) -> f64 {
    libm::log(window / params.low_window) / libm::log(params.high_window / params.low_window)
}

/// RFC 3649 section 7, b(w) = (High_Decrease - 0.5) (log w - log W) / (log W_1 - log W) + 0.5.
fn decrease(params: &Params, window: f64) -> f64 {
    if window <= params.low_window {
        return 0.5;
    }
    // Bound: above High_Window the line would fall below zero.
    0.5 + (params.high_decrease.0 - 0.5) * position(params, window).min(1.0)
}

/// RFC 3649 section 7, a(w) = w^2 p(w) 2 b(w) / (2 - b(w)), with p(w) on a line between the two points in
/// logarithms: 0.078 / w^1.2.
fn increase(params: &Params, window: f64) -> f64 {
    if window <= params.low_window {
        return 1.0;
    }
    let p = params.low_p.0 * libm::pow(params.high_p.0 / params.low_p.0, position(params, window));
    let b = decrease(params, window);
    (window * window * p * 2.0 * b / (2.0 - b)).max(1.0)
}

/// The row of the table for a window in whole segments.
fn row(window: f64) -> usize {
    ROWS.partition_point(|&end| f64::from(end) < window).min(ROWS.len() - 1)
}

/// b(w) of a row, in whole parts of [`PARTS`].
fn decrease_of_row(row: usize) -> f64 {
    let params = Params::default();
    // Its last row lies above High_Window, and the line goes on there.
    let line = 0.5 + (params.high_decrease.0 - 0.5) * position(&params, f64::from(ROWS[row]));
    libm::floor(PARTS * line) / PARTS
}

impl HighSpeed {
    fn increase(&mut self, cwnd: f64) -> f64 {
        let whole = libm::floor(cwnd);
        if whole.to_bits() != self.computed_at.to_bits() {
            self.computed_at = whole;
            self.increase = match self.params.law {
                Law::Formula => increase(&self.params, whole),
                Law::Table => {
                    self.row = row(whole);
                    self.row as f64 + 1.0
                }
            };
        }
        self.increase
    }
}

impl classic::Law for HighSpeed {
    fn needed(&mut self, window: &Window, _acked: &Acked) -> Needed {
        Needed::for_segments(window.cwnd, self.increase(window.cwnd))
    }

    fn kept(&mut self, window: &Window, event: &Congestion) -> f64 {
        match self.params.law {
            Law::Formula => event.used * (1.0 - decrease(&self.params, window.cwnd)),
            // Whole segments are given up, where there are such.
            Law::Table => event.used - libm::floor(event.used * decrease_of_row(self.row)),
        }
    }

    fn reset(&mut self, _setup: &Setup) {
        (self.computed_at, self.row) = (0.0, 0);
    }

    fn is_whole(&self) -> bool {
        self.params.law == Law::Table
    }

    /// Linux 6.12 `hstcp_cong_avoid`: above the threshold acknowledgements count, whatever they acknowledge.
    fn open(&mut self, window: &mut Window, _acked: &Acked, counted: f64) -> bool {
        if !window.whole {
            return false;
        }
        if window.in_slow_start() {
            window.open_in_slow_start(counted);
        } else if counted > 0.0 {
            let parts = self.increase(window.cwnd);
            window.open_by_acknowledgement(parts);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::congestion::testing::{acked, connected, connected_linux, near, used};

    /// RFC 3649 appendix B: w, a(w), b(w): the window at which a(w) has grown to the next whole number.
    const TABLE: [(f64, f64, f64); 14] = [
        (118.0, 2.0, 0.44),
        (221.0, 3.0, 0.41),
        (347.0, 4.0, 0.38),
        (495.0, 5.0, 0.37),
        (663.0, 6.0, 0.35),
        (851.0, 7.0, 0.34),
        (1058.0, 8.0, 0.33),
        (1284.0, 9.0, 0.32),
        (1529.0, 10.0, 0.31),
        (1793.0, 11.0, 0.30),
        (2076.0, 12.0, 0.29),
        (2378.0, 13.0, 0.28),
        (10661.0, 30.0, 0.21),
        (84035.0, 71.0, 0.10),
    ];

    #[test]
    fn in_linux_acknowledgements_count_whatever_they_acknowledge() {
        // Linux 6.12: 100 segments are in the second row, so that each acknowledgement counts 2: fifty add a segment. A cut
        // takes 112/256 of
        // the window in whole segments: 101 - 44.
        let mut control = connected_linux(&ENTRY, Some("linux"), 100.0, 2.0);
        for _ in 0..49 {
            control.on_ack(&acked(2.0));
        }
        assert!(near(control.window(), 100.0));
        control.on_ack(&acked(2.0));
        assert!(near(control.window(), 101.0));
        control.on_congestion_event(&used(101.0));
        assert!(near(control.window(), 57.0), "{}", control.window());
    }

    #[test]
    fn the_decreases_are_those_of_linuxs_table() {
        // tcp_highspeed.c of 6.12.117: every sixth row, and the last.
        let rows = [128, 86, 72, 64, 57, 52, 47, 43, 39, 35, 32, 28].into_iter().enumerate();
        for (row, expected) in rows.map(|(place, parts)| (6 * place, parts)).chain([(71, 24)]) {
            let parts = PARTS * decrease_of_row(row);
            assert!(near(parts, f64::from(expected)), "row {row}: {parts}, not {expected}");
        }
    }

    #[test]
    fn the_law_gives_the_table_of_the_rfc() {
        let params = Params::default();
        for (window, a, b) in TABLE {
            // The table rounds b to two digits, and its p to 0.078 / w^1.2, which at the high window is 2.5 %
            // below the line through the two points.
            assert!((decrease(&params, window) - b).abs() < 0.0051, "b({window}) = {}", decrease(&params, window));
            let computed = increase(&params, window);
            assert!((computed / a - 1.0).abs() < 0.035, "a({window}) = {computed}");
        }
    }

    #[test]
    fn the_loss_rate_is_0_078_over_w_to_the_1_2() {
        // RFC 3649 section 7: a = w^2 p 2b/(2 - b), so p = a (2 - b) / (2 b w^2).
        let params = Params::default();
        for window in [100.0, 1000.0, 10_000.0, 83_000.0] {
            let (a, b) = (increase(&params, window), decrease(&params, window));
            let p = a * (2.0 - b) / (2.0 * b * window * window);
            assert!((p / (0.078 / libm::pow(window, 1.2)) - 1.0).abs() < 0.03, "p({window}) = {p}");
        }
    }

    #[test]
    fn at_the_low_window_it_is_reno() {
        let mut control = connected(&ENTRY, None, &[], 38.0, 2.0);
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 38.0 + 1.0 / 38.0));
        control.on_congestion_event(&used(38.0));
        // Just above 38 the decrease has hardly left one half.
        assert!((control.window() - 19.0).abs() < 0.01);
    }

    #[test]
    fn at_the_high_window_a_tenth_is_given_up() {
        let mut control = connected(&ENTRY, None, &[], 83_000.0, 2.0);
        control.on_congestion_event(&used(83_000.0));
        assert!((control.window() - 74_700.0).abs() < 1e-6);
        // Beyond it no less.
        let mut beyond = connected(&ENTRY, None, &[], 1e6, 2.0);
        beyond.on_congestion_event(&used(1e6));
        assert!((beyond.window() - 9e5).abs() < 1e-3);
    }

    #[test]
    fn linux_takes_the_row_of_the_table_that_is_not_exceeded() {
        // From 39 segments on 2 are added per round trip, where the formula adds hardly more than 1.
        let mut control = connected(&ENTRY, Some("linux"), &[], 39.0, 2.0);
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 39.0 + 2.0 / 39.0));
        // Its b is that of 118 segments, 0.44, in parts of 256: 112/256.
        control.on_congestion_event(&used(96.0));
        assert!(near(control.window(), 54.0));

        let mut small = connected(&ENTRY, Some("linux"), &[], 38.0, 2.0);
        small.on_ack(&acked(1.0));
        assert!(near(small.window(), 38.0 + 1.0 / 38.0));
        let mut beyond = connected(&ENTRY, Some("linux"), &[], 1e6, 2.0);
        beyond.on_ack(&acked(1.0));
        assert!(near(beyond.window(), 1e6 + 72.0 / 1e6));
    }

    #[test]
    fn the_rows_are_those_of_the_program_of_the_rfc() {
        // RFC 3649 appendix B, table 13: a row where a(w) has grown by more than 1 since the last one.
        let b = |w: f64| (0.1 - 0.5) * (w.ln() - 38_f64.ln()) / (83_000_f64.ln() - 38_f64.ln()) + 0.5;
        let a = |w: f64| w * w * 2.0 * b(w) / ((2.0 - b(w)) * w.powf(1.2) * 12.8);
        let (mut last, mut windows) = (1.0, vec![38]);
        for end in 38..90_000 {
            let grown = a(f64::from(end));
            if grown > last + 1.0 {
                windows.push(end);
                last = grown;
            }
        }
        assert_eq!(windows, ROWS);
    }

    #[test]
    fn ns2_joins_reno_without_a_step() {
        // With Low_P = 1.5 / 38^2 the formula gives 38^2 * 1.5/38^2 * 2 * 0.5 / 1.5 = 1 at Low_Window.
        let params: Params = ENTRY.args(Some("ns2")).expect("a preset").typed();
        assert!((increase(&params, 38.000_001) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn in_linux_what_is_left_of_a_count_stays_for_the_next_segment() {
        // Linux hstcp_cong_avoid: 2 for each acknowledgement from 39 to 118 segments. 101 are reached by 51, which leave 1;
        // then 102 by 51 more, which leave 1 again.
        let mut control = connected_linux(&ENTRY, Some("linux"), 101.0, 2.0);
        for window in [101.0, 102.0] {
            for _ in 0..51 {
                assert!(near(control.window(), window));
                control.on_ack(&acked(2.0));
            }
        }
        assert!(near(control.window(), 103.0));
    }
}
