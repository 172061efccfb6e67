//! Reno: slow start, then one segment per round trip; halved on congestion. Specification: RFC 5681
//! section 3.1. Compared with: ns-2 2.35 `TcpAgent::opencwnd` and `slowdown`.

use super::prelude::*;

/// The law of a TCP sender that names none.
pub static ENTRY: ControlEntry = ControlEntry {
    name: "reno",
    title: "Reno (AIMD)",
    doc: "Additive increase, multiplicative decrease. The window doubles every round trip up to a threshold (slow start), then \
          grows by one segment per round trip, and is halved on congestion.",
    reference: "RFC 5681",
    law: Some(|args| drawn::after_a_loss(&|| build(args))),
    ..ControlEntry::of::<Params>(&build)
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

/// Additive increase, multiplicative decrease.
#[derive(Clone, Debug)]
pub(super) struct Aimd {
    /// Segments added per round trip.
    pub increase: f64,
    /// The part of the window that is kept at a cut.
    pub decrease: f64,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    let Params { increase, decrease } = args.typed();
    Box::new(Classic::new(Aimd { increase, decrease: decrease.0 }))
}

impl Law for Aimd {
    /// RFC 5681 equation 3: SMSS * SMSS / cwnd per ACK.
    fn needed(&mut self, window: &Window, _acked: &Acked) -> Needed {
        Needed::for_segments(window.cwnd, self.increase)
    }

    fn kept(&mut self, _window: &Window, event: &Congestion) -> f64 {
        event.used * self.decrease
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params as _;
    use crate::rig::near;
    use crate::transport::congestion::{Cause, Counting, Cut, Growth, Setup};
    use crate::units::{Duration, Instant};

    fn reno(window: f64, ssthresh: f64, growth: Growth, cut: Cut) -> Box<dyn CongestionControl> {
        let mut control = build(&Args::defaults(Params::SPECS));
        control.on_connect(&Setup {
            window,
            ssthresh,
            mss: 960,
            packet: 1000,
            counting: Counting { growth, cut },
            paced: false,
            phases: false,
        });
        control
    }

    fn acked(segments: f64) -> Acked {
        Acked {
            now: Instant::ZERO,
            segments,
            inflight: 10.0,
            rtt: None,
            elapsed: Duration::ZERO,
            ece: false,
            limited: false,
        }
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
        let event = Congestion { now: Instant::ZERO, used: 7.0, cause: Cause::Loss };
        let mut rfc = reno(9.0, 100.0, Growth::Acks, Cut::Flight);
        rfc.on_congestion_event(&event);
        assert!(near(rfc.ssthresh(), 3.5) && near(rfc.window(), 3.5));

        let mut ns2 = reno(9.0, 100.0, Growth::Acks, Cut::Window);
        ns2.on_congestion_event(&event);
        assert!(near(ns2.ssthresh(), 3.0) && near(ns2.window(), 3.5), "threshold rounded, window not");

        let mut ns2_of_2004 = reno(9.0, 100.0, Growth::Acks, Cut::WholeWindow);
        ns2_of_2004.on_congestion_event(&event);
        assert!(near(ns2_of_2004.ssthresh(), 3.0) && near(ns2_of_2004.window(), 3.0), "both rounded");
    }

    #[test]
    fn a_small_window_is_cut_to_two_by_the_rfc_and_below_by_ns2() {
        let event = Congestion { now: Instant::ZERO, used: 1.0, cause: Cause::Loss };
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
        control.on_timeout(Some(&Congestion { now: Instant::ZERO, used: 16.0, cause: Cause::Loss }));
        assert!(near(control.ssthresh(), 8.0) && near(control.window(), 1.0));

        control.on_timeout(None);
        assert!(near(control.ssthresh(), 8.0));
    }
}
