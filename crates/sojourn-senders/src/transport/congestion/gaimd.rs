//! GAIMD(a, b): additive increase by `a` segments per round trip, a fraction `b` of the window kept at a cut.
//! Specification: [YL00] Yang and Lam, "General AIMD congestion control", ICNP 2000; the presets of Floyd,
//! Handley and Padhye, "A comparison of equation-based and AIMD congestion control", 2000. Compared with: ns-2
//! 2.35, `increase_num_` and `decrease_num_`.
//!
//! The law with a = 4 (1 - b²) / 3 sends as much as TCP at a small loss rate ([YL00] equation 15): 0.3125 for
//! b = 7/8.

use super::prelude::*;
use super::reno::Aimd;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "gaimd",
    title: "GAIMD (general AIMD)",
    doc: "Additive increase and multiplicative decrease with other numbers than Reno's. The window grows by a chosen number of \
          segments per round trip, and keeps a chosen fraction on congestion.",
    reference: "Yang and Lam 2000; Floyd, Handley and Padhye 2000",
    presets: presets! {
        /// GAIMD(0.31, 0.875), TCP-friendly by Yang and Lam's formula.
        yang_lam = { increase = "0.31", decrease = "0.875" };
        /// AIMD(1/5, 1/8), TCP-friendly by measurement.
        fifth_eighth = { increase = "0.2", decrease = "0.875" };
        /// AIMD(1, 1/8): TCP's increase with a gentle decrease, more than a fair share.
        one_eighth = { increase = "1", decrease = "0.875" };
    },
    law: Some(|args| drawn::after_a_loss(&|| build(args))),
    ..ControlEntry::of::<Params>(&build)
};

params! {
    pub struct Params {
        /// Segments added per round trip in congestion avoidance.
        increase: f64 = "0.31" in [0.0, 1e6], "Yang and Lam 2000";
        /// Fraction of the window that is kept at a cut.
        decrease: Fraction = "0.875" in [0.01, 0.99], "Yang and Lam 2000";
        /// Whether the first cut, a cut in slow start and the threshold after a timeout take half, as in ns-2.
        halve_at_start: bool = "false", "Yang and Lam 2000";
    }
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    let params: Params = args.typed();
    let law = Aimd { increase: params.increase, decrease: params.decrease.0 };
    Box::new(Classic::with(law, params.halve_at_start.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::congestion::testing::{acked, connected, near, used};

    #[test]
    fn each_preset_opens_and_closes_by_its_numbers() {
        // From a window of 16 in congestion avoidance: one ACK adds a/16; a cut of 16 keeps 7/8 of it, 14.
        for (preset, a) in [("yang_lam", 0.31), ("fifth_eighth", 0.2), ("one_eighth", 1.0)] {
            let mut control = connected(&ENTRY, Some(preset), &[], 16.0, 16.0);
            control.on_ack(&acked(1.0));
            assert!(near(control.window(), 16.0 + a / 16.0), "{preset}");

            control.on_congestion_event(&used(16.0));
            assert!(near(control.window(), 14.0) && near(control.ssthresh(), 14.0), "{preset}");
        }
    }

    #[test]
    fn ns2_halves_the_first_time() {
        let mut control = connected(&ENTRY, None, &[("halve_at_start", "true")], 16.0, 16.0);
        control.on_congestion_event(&used(16.0));
        assert!(near(control.window(), 8.0));
        control.on_congestion_event(&used(16.0));
        assert!(near(control.window(), 14.0));
    }
}
