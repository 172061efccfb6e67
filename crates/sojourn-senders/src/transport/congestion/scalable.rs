//! Scalable TCP: a fixed increase per acknowledgement and a fixed fraction lost at a cut, so that the time to
//! recover does not depend on the rate. Specification: [Kel03] Kelly, "Scalable TCP: improving performance in
//! highspeed wide area networks", CCR 33(2), 2003. Compared with:
//! Linux 6.12 `tcp_scalable`, window by window (preset `linux`, `tests/peers/linux/kernel`).

use super::prelude::*;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "scalable",
    title: "Scalable TCP",
    doc: "A window that recovers from a cut in the same number of round trips at any size. It grows by 0.01 segments per \
          acknowledgement and gives up an eighth on congestion; a small window is controlled as by Reno.",
    reference: "Kelly 2003",
    presets: presets! {
        // Checked on 2026-11-25: tcp_scalable.c of Linux 6.12.117; the hundredth is of 2018.
        /// Linux 6.12: 0.01 per acknowledged segment or Reno's increase, whichever is greater; an eighth is given up at any window. Under
        /// the profile `linux` its window is Linux's after each acknowledgement of the recordings (docs/linux.md).
        linux = { increase = "0.01", small = "greater" };
    },
    law: Some(|args| drawn::after_a_loss(&|| build(args))),
    ..ControlEntry::of::<Params>(&build)
};

choices! {
    /// The law for small windows.
    pub enum Small {
        /// Reno's law up to the legacy window (Kelly 2003).
        Legacy = "legacy",
        /// Whichever increase is greater; the decrease is the same at any window (Linux).
        Greater = "greater",
    }
}

params! {
    pub struct Params {
        /// Segments added per acknowledgement.
        increase: f64 = "0.01" in [0.0, 1.0], "Kelly 2003";
        /// Fraction of the window that is kept at a cut.
        decrease: Fraction = "0.875" in [0.01, 0.99], "Kelly 2003";
        /// The law for small windows.
        small: Small = "legacy", "Kelly 2003";
        /// Window in segments up to which the law is Reno's.
        legacy_window: f64 = "16" in [1.0, 1e6], "Kelly 2003", when small in ["legacy"];
    }
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    let params: Params = args.typed();
    Box::new(Classic::new(params))
}

impl Law for Params {
    fn needed(&mut self, window: &Window, _acked: &Acked) -> Needed {
        let is_reno = match self.small {
            Small::Legacy => window.cwnd <= self.legacy_window,
            Small::Greater => self.increase < 1.0 / window.cwnd,
        };
        if is_reno { Needed::for_one(window.cwnd) } else { Needed::for_segments(1.0, self.increase) }
    }

    fn kept(&mut self, window: &Window, event: &Congestion) -> f64 {
        match self.small {
            Small::Legacy if window.cwnd <= self.legacy_window => event.used / 2.0,
            Small::Legacy => event.used * self.decrease.0,
            Small::Greater => window.counting.part(event.used, self.decrease.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::congestion::testing::{acked, connected, connected_linux, near, used};

    #[test]
    fn in_linux_a_hundred_acknowledged_segments_add_one_and_whole_ones_are_taken_away() {
        // Linux 6.12: min(cwnd, 100) acknowledged segments, and cwnd - (cwnd >> 3): of 200 and of 20 the eighths are 25 and 2.
        let mut large = connected_linux(&ENTRY, Some("linux"), 200.0, 2.0);
        for _ in 0..49 {
            large.on_ack(&acked(2.0));
        }
        assert!(near(large.window(), 200.0));
        large.on_ack(&acked(2.0));
        assert!(near(large.window(), 201.0));
        for (before, after) in [(200.0, 175.0), (20.0, 18.0)] {
            let mut control = connected_linux(&ENTRY, Some("linux"), before, 2.0);
            control.on_congestion_event(&used(before));
            assert!(near(control.window(), after), "{}", control.window());
        }
        // Up to 100 it is Reno's increase.
        let mut small = connected_linux(&ENTRY, Some("linux"), 20.0, 2.0);
        (0..10).for_each(|_| small.on_ack(&acked(2.0)));
        assert!(near(small.window(), 21.0));
    }

    #[test]
    fn a_large_window_grows_by_a_hundredth_per_ack_and_loses_an_eighth() {
        let mut control = connected(&ENTRY, None, &[], 80.0, 2.0);
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 80.01));
        control.on_congestion_event(&used(80.0));
        assert!(near(control.window(), 70.0));
    }

    #[test]
    fn up_to_the_legacy_window_it_is_reno() {
        let mut control = connected(&ENTRY, None, &[], 16.0, 2.0);
        control.on_congestion_event(&used(16.0));
        assert!(near(control.window(), 8.0));
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 8.125));
    }

    #[test]
    fn linux_takes_the_greater_increase_at_any_window() {
        // 1/25 is greater than 1/100; above 100 segments 1/100 is greater.
        let mut small = connected(&ENTRY, Some("linux"), &[], 25.0, 2.0);
        small.on_ack(&acked(1.0));
        assert!(near(small.window(), 25.04));
        let mut large = connected(&ENTRY, Some("linux"), &[], 200.0, 2.0);
        large.on_ack(&acked(1.0));
        assert!(near(large.window(), 200.01));
        let mut cut = connected(&ENTRY, Some("linux"), &[], 8.0, 2.0);
        cut.on_congestion_event(&used(8.0));
        assert!(near(cut.window(), 7.0));
    }

    #[test]
    fn recovery_takes_the_same_number_of_round_trips_at_any_rate() {
        // Kel03: ln(8/7) / ln(1.01) = 13.4 round trips from 7/8 back to 1, each of as many ACKs as the window.
        for full in [200.0, 2000.0] {
            let mut control = connected(&ENTRY, None, &[], full, 2.0);
            control.on_congestion_event(&used(full));
            let mut rounds = 0;
            while control.window() < full {
                for _ in 0..control.window() as u64 {
                    control.on_ack(&acked(1.0));
                }
                rounds += 1;
            }
            assert_eq!(rounds, 14, "{full}");
        }
    }
}
