//! Binomial control: the window grows by `increase / w^k` per round trip and shrinks by `cut * w^l` at a cut.
//! Specification: [BB01] Bansal and Balakrishnan, "Binomial congestion control algorithms", INFOCOM 2001. Compared
//! with: ns-2 2.35, window option 6 (its `decrease_num_` is 1 minus our `cut`).
//!
//! With k + l = 1 it competes fairly with TCP; k = l = 1/2 is SQRT, k = 1 and l = 0 is IIAD, k = 0 and l = 1 is AIMD.

use super::prelude::*;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "binomial",
    title: "Binomial (SQRT, IIAD)",
    doc: "Gentler cuts than Reno's at the same mean rate. The window grows by the inverse of a power of itself, and is cut by \
          another power of itself.",
    reference: "Bansal and Balakrishnan 2001",
    presets: presets! {
        /// SQRT: increase and decrease by the square root of the window.
        sqrt = { k = "0.5", l = "0.5" };
        /// IIAD: inverse increase, additive decrease.
        iiad = { k = "1", l = "0" };
    },
    law: Some(|args| drawn::after_a_loss(&|| build(args))),
    ..ControlEntry::of::<Params>(&build)
};

params! {
    pub struct Params {
        /// Exponent of the increase.
        k: f64 = "0.5" in [0.0, 4.0], "Bansal and Balakrishnan 2001, SQRT";
        /// Exponent of the decrease.
        l: f64 = "0.5" in [0.0, 1.0], "Bansal and Balakrishnan 2001, SQRT";
        /// Segments added per round trip at a window of one.
        increase: f64 = "1" in [0.0, 1e6], "TCP's";
        /// Segments taken away by a cut at a window of one.
        cut: f64 = "0.5" in [0.001, 0.99], "TCP's; with increase / cut = 2 the mean rate is TCP's";
        /// Whether the first cut, a cut in slow start and the threshold after a timeout take half, as in ns-2.
        halve_at_start: bool = "false", "Bansal and Balakrishnan 2001";
    }
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    let params: Params = args.typed();
    let halving = params.halve_at_start.into();
    Box::new(Classic::with(params, halving))
}

/// [BB01], per acknowledgement: `increase / w^(k + 1)`.
fn opening(params: &Params, window: f64) -> f64 {
    // Bound: below one segment the power would run away.
    params.increase / libm::pow(window.max(1.0), params.k + 1.0)
}

/// [BB01]: `w - cut * w^l`.
fn kept(params: &Params, used: f64) -> f64 {
    (used - params.cut * libm::pow(used, params.l)).max(0.0)
}

impl Law for Params {
    fn is_whole(&self) -> bool {
        false
    }

    fn needed(&mut self, window: &Window, _acked: &Acked) -> Needed {
        Needed::for_segments(1.0, opening(self, window.cwnd))
    }

    fn kept(&mut self, _window: &Window, event: &Congestion) -> f64 {
        kept(self, event.used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::congestion::testing::{acked, connected, near, used};

    #[test]
    fn sqrt_opens_and_closes_by_the_root() {
        // w = 16: per ACK 1/16^1.5 = 1/64; a cut takes 0.5 * 4 = 2.
        let mut control = connected(&ENTRY, Some("sqrt"), &[], 16.0, 16.0);
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 16.0 + 1.0 / 64.0));
        control.on_congestion_event(&used(16.0));
        assert!(near(control.window(), 14.0));
    }

    #[test]
    fn iiad_opens_by_the_inverse_and_closes_by_a_constant() {
        // w = 10: per ACK 1/100; a cut takes 0.5.
        let mut control = connected(&ENTRY, Some("iiad"), &[], 10.0, 10.0);
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 10.01));
        control.on_congestion_event(&used(10.0));
        assert!(near(control.window(), 9.5));
    }

    #[test]
    fn k_0_and_l_1_is_aimd() {
        let mut control = connected(&ENTRY, None, &[("k", "0"), ("l", "1")], 10.0, 10.0);
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 10.1));
        control.on_congestion_event(&used(10.0));
        assert!(near(control.window(), 5.0));
    }

    #[test]
    fn the_window_never_falls_below_two_at_a_cut() {
        let mut control = connected(&ENTRY, Some("iiad"), &[], 2.0, 2.0);
        control.on_congestion_event(&used(2.0));
        assert!(near(control.window(), 2.0));
    }
}
