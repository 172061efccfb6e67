//! A gentler answer to marks than to losses. Specification: [KF02] Kwon and Fahmy, "TCP increase/decrease behavior
//! with explicit congestion notification (ECN)", ICC 2002: AIMD(0.2, 0.875) after a mark, AIMD(1, 0.5) after a
//! loss. RFC 8511 (alternative backoff with ECN) changes the decrease only.
//!
//! The increase is that of the last cut: after a mark it stays gentle until a loss or a timeout.

use super::prelude::*;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "kwon_fahmy",
    title: "Kwon-Fahmy (gentle with ECN)",
    doc: "Reno that distinguishes marks from losses. It cuts less after a mark than after a loss, and opens more slowly in return.",
    reference: "Kwon and Fahmy 2002; RFC 8511",
    presets: presets! {
        /// Alternative backoff with ECN (RFC 8511): 0.8 of the window is kept at a mark, the increase stays Reno's.
        abe = { ecn_increase = "1", ecn_decrease = "0.8" };
    },
    law: Some(draw_law),
    ..ControlEntry::of::<Params>(&build)
};

params! {
    pub struct Params {
        /// Segments added per round trip after a loss, and before any cut.
        increase: f64 = "1" in [0.0, 1e6], "RFC 5681 section 3.1";
        /// Fraction of the window that is kept at a loss.
        decrease: Fraction = "0.5" in [0.01, 0.99], "RFC 5681 equation 4";
        /// Segments added per round trip after a mark.
        ecn_increase: f64 = "0.2" in [0.0, 1e6], "Kwon and Fahmy 2002";
        /// Fraction of the window that is kept at a mark.
        ecn_decrease: Fraction = "0.875" in [0.01, 0.99], "Kwon and Fahmy 2002";
    }
}

#[derive(Clone, Debug)]
struct KwonFahmy {
    params: Params,
    /// That of the last cut.
    increase: f64,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    let params: Params = args.typed();
    Box::new(Classic::new(KwonFahmy { increase: params.increase, params }))
}

fn draw_law(args: &Args) -> Graph {
    let events = [("a loss at 100 segments", Cause::Loss), ("a mark at 100 segments", Cause::Echo)];
    drawn::after(&|| build(args), events.map(|(name, cause)| (name.to_owned(), 100.0, cause)))
}

impl Law for KwonFahmy {
    fn needed(&mut self, window: &Window, _acked: &Acked) -> Needed {
        Needed::for_segments(window.cwnd, self.increase)
    }

    fn kept(&mut self, _window: &Window, event: &Congestion) -> f64 {
        let (increase, kept) = match event.cause {
            Cause::Echo => (self.params.ecn_increase, self.params.ecn_decrease.0),
            Cause::Loss | Cause::Timeout => (self.params.increase, self.params.decrease.0),
        };
        self.increase = increase;
        event.used * kept
    }

    fn reset(&mut self, _setup: &Setup) {
        self.increase = self.params.increase;
    }

    fn is_whole(&self) -> bool {
        false
    }

    fn on_timeout(&mut self, _window: &Window) {
        self.increase = self.params.increase;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::congestion::testing::{acked, connected, echoed, near, used};

    #[test]
    fn a_mark_cuts_by_an_eighth_and_slows_the_increase_until_a_loss() {
        let mut control = connected(&ENTRY, None, &[], 16.0, 16.0);
        control.on_congestion_event(&echoed(16.0));
        assert!(near(control.window(), 14.0));
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 14.0 + 0.2 / 14.0));

        control.on_congestion_event(&used(14.0));
        assert!(near(control.window(), 7.0));
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 7.0 + 1.0 / 7.0));
    }

    #[test]
    fn alternative_backoff_keeps_the_increase_of_reno() {
        let mut control = connected(&ENTRY, Some("abe"), &[], 10.0, 10.0);
        control.on_congestion_event(&echoed(10.0));
        assert!(near(control.window(), 8.0));
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 8.125));
    }

    #[test]
    fn a_timeout_is_a_loss() {
        let mut control = connected(&ENTRY, None, &[], 16.0, 16.0);
        control.on_congestion_event(&echoed(16.0));
        control.on_timeout(Some(&used(14.0)));
        assert!(near(control.window(), 1.0) && near(control.ssthresh(), 7.0));
    }
}
