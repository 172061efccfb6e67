//! DCTCP: the window shrinks in proportion to the fraction of marked data, not by half whenever there is a mark.
//! Specification: RFC 8257. Needs the receiver's exact echo, which the transport gives it unless told otherwise. Where the transport
//! counts acknowledged segments (`growth = "segments"`, profile `linux`) it is in the whole numbers of Linux 6.12.117 `tcp_dctcp.c`: the
//! estimate in 1/1024, and a cut takes `cwnd * alpha / 2048`, rounded down, so that less than two marks' worth takes nothing. A loss that
//! is found while the window falls for an echo halves it once more.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A SYN and, unless asked for, retransmissions are not ECN-capable (RFC 8257 section 3.6 would have the SYN so, section 4.1 offers it for retransmissions); both are with the profile `linux` | they follow the transport's rules | - |

use super::Told;
use super::prelude::*;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "dctcp",
    title: "DCTCP",
    doc: "A control by the extent of marks. It estimates which fraction of its data is marked, and gives up half of that fraction of the \
          window. It switches `ecn` of the transport on, and its receiver reports for each packet whether it was marked.",
    reference: "RFC 8257",
    // After this many windows the estimate does not depend on its first value.
    law: Some(|args| drawn::by_marks(&|| build(args), 200)),
    ..ControlEntry::of::<Params>(&build)
};

params! {
    pub struct Params {
        /// Weight of the last window in the estimate.
        g: Fraction = "0.0625" in [1e-6, 1.0], "RFC 8257 section 4.2";
        /// The estimate before anything has been marked.
        alpha: Fraction = "1" in [0.0, 1.0], "RFC 8257 section 3.3";
    }
}

#[derive(Clone, Debug)]
struct Dctcp {
    params: Params,
    /// DCTCP.Alpha.
    alpha: f64,
    /// DCTCP.BytesAcked and DCTCP.BytesMarked, in segments.
    acked: f64,
    marked: f64,
    /// In Linux's numbers, where `acked` and `marked` count segments when they are first reported: segments acknowledged since the
    /// connection began, and sent when the last window ended.
    una: f64,
    window_ends: f64,
    /// True in Linux's numbers: the sender counts whole segments.
    whole: bool,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    let params: Params = args.typed();
    Box::new(Classic::new(Dctcp {
        alpha: params.alpha.0,
        params,
        acked: 0.0,
        marked: 0.0,
        una: 0.0,
        window_ends: 0.0,
        whole: false,
    }))
}

/// Parts of one in which Linux counts the estimate.
const PARTS: f64 = 1024.0;

/// Linux `dctcp_update_alpha`: the estimate in parts after a window in which `acked` segments were acknowledged, `marked` of them with
/// marks. g is 1/2^`shift`.
fn in_parts(alpha: u64, acked: u64, marked: u64, shift: u32) -> u64 {
    let past = alpha >> shift;
    let left = alpha - if past == 0 { alpha } else { past };
    (left + (marked << (10 - shift)) / acked.max(1)).min(PARTS as u64)
}

impl Dctcp {
    /// Linux tests whether a window is over after it has counted the acknowledgement's marks.
    fn hear_as_linux(&mut self, heard: &Heard) {
        let sent = self.una + heard.inflight;
        self.una += heard.segments;
        self.acked += heard.delivered;
        self.marked += heard.marked_of(heard.delivered);
        if self.una >= self.window_ends {
            self.update_alpha();
            self.window_ends = sent;
        }
    }

    /// RFC 8257 section 3.3, steps 5 to 7.
    fn update_alpha(&mut self) {
        let g = self.params.g.0;
        if self.whole {
            let shift = libm::round(-libm::log2(g)).clamp(0.0, 10.0) as u32;
            let (acked, marked) = (libm::round(self.acked) as u64, libm::round(self.marked) as u64);
            self.alpha = in_parts((self.alpha * PARTS) as u64, acked, marked, shift) as f64 / PARTS;
        } else {
            self.alpha = self.alpha * (1.0 - g) + g * (self.marked / self.acked).min(1.0);
        }
        (self.acked, self.marked) = (0.0, 0.0);
    }
}

impl Law for Dctcp {
    const LISTENS: bool = true;

    /// RFC 8257 section 3.5: a loss is answered as by any other TCP. Section 3.3 step 9, of an echo: `cwnd = cwnd (1 - DCTCP.Alpha / 2)`.
    fn kept(&mut self, window: &Window, event: &Congestion) -> f64 {
        if event.cause != Cause::Echo {
            return event.used / 2.0;
        }
        let before = window.at_cut(event);
        window.counting.without(before, before * self.alpha / 2.0)
    }

    fn reset(&mut self, setup: &Setup) {
        self.alpha = self.params.alpha.0;
        self.acked = 0.0;
        self.marked = 0.0;
        (self.una, self.window_ends) = (0.0, 0.0);
        self.whole = setup.counting.is_whole();
    }

    fn needs(&self) -> Needs {
        // Linux `dctcp_state`.
        Needs { marks: Told::Packets, cuts_again: self.whole, ..Needs::default() }
    }

    /// RFC 8257 section 3.3, steps 1 to 8.
    fn on_heard(&mut self, _window: &mut Window, heard: &Heard) {
        if self.whole {
            self.hear_as_linux(heard);
            return;
        }
        self.acked += heard.segments;
        self.marked += heard.marked_of(heard.segments);
        if heard.round && self.acked > 0.0 {
            self.update_alpha();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::congestion::testing::{
        Controlled, acked, connected, connected_linux, echoed, heard, hears, near, used,
    };
    use crate::units::Instant;

    /// A window of 16 segments; `marked` of them come back marked; the last acknowledgement ends it.
    fn window(control: &mut Controlled, marked: u32) {
        for i in 0..16 {
            hears(&mut *control).on_heard(&Heard {
                marks: u64::from(i < marked),
                round: i == 15,
                ..heard(Instant::ZERO)
            });
        }
    }

    #[test]
    fn in_linux_the_estimate_is_in_1024ths_and_a_cut_takes_whole_segments() {
        // Linux 6.12: 1024 - 1024/16 + 64 * 1/10 = 966; below 16 the past is forgotten at once; never above 1024.
        assert_eq!(in_parts(1024, 10, 1, 4), 966);
        assert_eq!(in_parts(15, 10, 0, 4), 0);
        assert_eq!(in_parts(1020, 10, 10, 4), 1021);
        // 17 * 1024 / 2048 = 8.5: eight are taken.
        let mut control = connected_linux(&ENTRY, None, 17.0, 2.0);
        control.on_congestion_event(&echoed(17.0));
        assert!(near(control.window(), 9.0));
    }

    #[test]
    fn in_linux_segments_count_when_they_are_reported() {
        // Of ten segments six are reported out of order with an echo: 60 % are marked, and not the tenth that is acknowledged with one.
        let mut control = connected_linux(&ENTRY, None, 100.0, 2.0);
        let mut hear = |segments: f64, delivered: f64, marks| {
            let heard = Heard { segments, delivered, marks, inflight: 10.0, ..heard(Instant::ZERO) };
            hears(&mut control).on_heard(&heard);
        };
        hear(0.0, 0.0, 0);
        hear(0.0, 6.0, 1);
        hear(10.0, 4.0, 0);
        // A sixteenth less twice, 960 and 900, since the first one ends a window of nothing; and 64 * 6/10.
        control.on_congestion_event(&echoed(100.0));
        assert!(near(control.window(), 100.0 - f64::from(100 * (900 + 38) / 2048)));
    }

    #[test]
    fn in_linux_less_than_two_marks_worth_takes_nothing_and_windows_add_whole_segments() {
        // A round of ten without marks decays by a sixteenth: 1024 times 15/16, rounded up in each of 60, is below 2048/100.
        let mut control = connected_linux(&ENTRY, None, 100.0, 2.0);
        for _ in 0..700 {
            hears(&mut control).on_heard(&Heard { inflight: 10.0, ..heard(Instant::ZERO) });
        }
        control.on_congestion_event(&echoed(100.0));
        assert!(near(control.window(), 100.0), "{}", control.window());
        (0..49).for_each(|_| control.on_ack(&acked(2.0)));
        assert!(near(control.window(), 100.0));
        control.on_ack(&acked(2.0));
        assert!(near(control.window(), 101.0));
    }

    #[test]
    fn the_first_mark_halves() {
        let mut control = connected(&ENTRY, None, &[], 16.0, 2.0);
        control.on_congestion_event(&echoed(16.0));
        assert!(near(control.window(), 8.0));
    }

    #[test]
    fn the_estimate_moves_by_a_sixteenth_of_the_way_per_window() {
        // From 0: 8 of 16 marked gives 1/32; then 4 of 16: 1/32 * 15/16 + 1/64 = 23/512... = 0.044921875.
        let mut control = connected(&ENTRY, None, &[("alpha", "0")], 512.0, 2.0);
        window(&mut control, 8);
        window(&mut control, 4);
        control.on_congestion_event(&echoed(512.0));
        assert!(near(control.window(), 512.0 - 512.0 * 0.044_921_875 / 2.0));
    }

    #[test]
    fn windows_without_marks_let_the_estimate_decay() {
        let mut control = connected(&ENTRY, None, &[], 100.0, 2.0);
        for _ in 0..16 {
            window(&mut control, 0);
        }
        // (15/16)^16 = 0.356074.
        control.on_congestion_event(&echoed(100.0));
        assert!((control.window() - 100.0 * (1.0 - 0.356_074 / 2.0)).abs() < 1e-4);
    }

    #[test]
    fn a_loss_halves_whatever_the_estimate() {
        let mut control = connected(&ENTRY, None, &[("alpha", "0")], 16.0, 2.0);
        control.on_congestion_event(&used(16.0));
        assert!(near(control.window(), 8.0));
    }
}
