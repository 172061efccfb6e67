//! Reno: slow start, then one segment per round trip; halved on congestion. Specification: RFC 5681
//! section 3.1. Compared with: ns-2 2.35 `TcpAgent::opencwnd` and `slowdown`.

use super::{Acked, Congestion, CongestionControl, Cut, Growth, Laws, Setup};
use crate::params;
use crate::params::{Args, Fraction, Params as _};
use crate::transport::registry::ControlEntry;

/// The registry's entry.
pub static ENTRY: ControlEntry = ControlEntry {
    name: "reno",
    title: "Reno (AIMD)",
    doc: "Doubles the window every round trip up to a threshold (slow start), then adds one segment per round trip, and halves it on congestion.",
    reference: "RFC 5681",
    params: Params::SPECS,
    build,
};

params! {
    /// Parameters of additive increase, multiplicative decrease.
    pub struct Params {
        /// Segments added per round trip in congestion avoidance.
        increase: f64 = "1" in [0.0, 1e6], "RFC 5681 section 3.1";
        /// Fraction of the window that is kept at a cut.
        decrease: Fraction = "0.5" in [0.01, 0.99], "RFC 5681 equation 4";
    }
}

#[derive(Clone, Debug)]
struct Reno {
    window: f64,
    ssthresh: f64,
    increase: f64,
    decrease: f64,
    laws: Laws,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    let params: Params = args.typed();
    let laws = Laws { growth: Growth::Acks, cut: Cut::Flight };
    Box::new(Reno {
        window: 1.0,
        ssthresh: f64::INFINITY,
        increase: params.increase,
        decrease: params.decrease.0,
        laws,
    })
}

impl Reno {
    /// RFC 5681 equation 4: ssthresh = max(FlightSize / 2, 2 * SMSS).
    fn cut_threshold(&mut self, used: f64) {
        let kept = used * self.decrease;
        self.ssthresh = match self.laws.cut {
            Cut::Flight | Cut::Cwnd => kept.max(2.0),
            Cut::Window => libm::floor(kept).max(2.0),
        };
    }
}

impl CongestionControl for Reno {
    fn on_connect(&mut self, setup: &Setup) {
        self.window = setup.window;
        self.ssthresh = setup.ssthresh;
        self.laws = setup.laws;
    }

    fn on_ack(&mut self, acked: &Acked) {
        if acked.ece {
            // RFC 3168 §6.1.2: an ACK with ECN-Echo does not open the window.
            return;
        }
        let counted = match self.laws.growth {
            Growth::Acks => 1.0,
            // RFC 5681 equation 2: min(N, SMSS), against receivers that divide their ACKs.
            Growth::Bytes => acked.segments.min(1.0),
        };
        if self.window < self.ssthresh {
            self.window += counted;
        } else {
            // RFC 5681 equation 3: SMSS * SMSS / cwnd per ACK.
            self.window += self.increase * counted / self.window;
        }
    }

    fn on_congestion_event(&mut self, event: &Congestion) {
        self.cut_threshold(event.used);
        self.window = match self.laws.cut {
            Cut::Flight | Cut::Cwnd => self.ssthresh,
            Cut::Window => event.used * self.decrease,
        };
    }

    fn on_timeout(&mut self, event: Option<&Congestion>) {
        if let Some(event) = event {
            self.cut_threshold(event.used);
        }
        // RFC 5681 §3.1: the loss window is one segment.
        self.window = 1.0;
    }

    fn limit_window(&mut self, segments: f64) {
        self.window = self.window.min(segments);
    }

    fn window(&self) -> f64 {
        self.window
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Instant;

    fn reno(window: f64, ssthresh: f64, growth: Growth, cut: Cut) -> Box<dyn CongestionControl> {
        let mut control = build(&Args::defaults(Params::SPECS));
        control.on_connect(&Setup { window, ssthresh, mss: 960, laws: Laws { growth, cut } });
        control
    }

    fn acked(segments: f64) -> Acked {
        Acked { now: Instant::ZERO, segments, inflight: 10.0, rtt: None, ece: false }
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn slow_start_adds_one_segment_per_ack_up_to_the_threshold() {
        let mut control = reno(2.0, 4.0, Growth::Acks, Cut::Flight);
        control.on_ack(&acked(1.0));
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 4.0));

        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 4.25), "above it 1/cwnd per ACK");
    }

    #[test]
    fn a_divided_ack_counts_for_what_it_acknowledges() {
        let mut bytes = reno(2.0, 100.0, Growth::Bytes, Cut::Flight);
        let mut acks = reno(2.0, 100.0, Growth::Acks, Cut::Flight);
        for control in [&mut bytes, &mut acks] {
            control.on_ack(&acked(0.25));
            control.on_ack(&acked(2.0));
        }
        assert!(near(bytes.window(), 3.25), "a quarter, then at most one");
        assert!(near(acks.window(), 4.0));
    }

    #[test]
    fn an_ack_with_echo_does_not_open_the_window() {
        let mut control = reno(2.0, 100.0, Growth::Acks, Cut::Flight);
        control.on_ack(&Acked { ece: true, ..acked(1.0) });
        assert!(near(control.window(), 2.0));
    }

    #[test]
    fn a_cut_halves_what_was_used() {
        let event = Congestion { now: Instant::ZERO, used: 7.0 };
        let mut rfc = reno(9.0, 100.0, Growth::Acks, Cut::Flight);
        rfc.on_congestion_event(&event);
        assert!(near(rfc.ssthresh(), 3.5) && near(rfc.window(), 3.5));

        let mut ns2 = reno(9.0, 100.0, Growth::Acks, Cut::Window);
        ns2.on_congestion_event(&event);
        assert!(near(ns2.ssthresh(), 3.0) && near(ns2.window(), 3.5), "threshold rounded, window not");
    }

    #[test]
    fn a_small_window_is_cut_to_two_by_the_rfc_and_below_by_ns2() {
        let event = Congestion { now: Instant::ZERO, used: 1.0 };
        let mut rfc = reno(1.0, 100.0, Growth::Acks, Cut::Flight);
        rfc.on_congestion_event(&event);
        assert!(near(rfc.window(), 2.0));

        let mut ns2 = reno(1.0, 100.0, Growth::Acks, Cut::Window);
        ns2.on_congestion_event(&event);
        assert!(near(ns2.ssthresh(), 2.0) && near(ns2.window(), 0.5));
    }

    #[test]
    fn a_repeated_timeout_holds_the_threshold() {
        let mut control = reno(20.0, 100.0, Growth::Acks, Cut::Flight);
        control.on_timeout(Some(&Congestion { now: Instant::ZERO, used: 16.0 }));
        assert!(near(control.ssthresh(), 8.0) && near(control.window(), 1.0));

        control.on_timeout(None);
        assert!(near(control.ssthresh(), 8.0));
    }
}
