//! RCP's sender: it sends at the rate that the routers on the way tell, the same for all flows of a router, from its first packet on.
//! Specification: [DKZM05] Dukkipati, Kobayashi, Zhang-Shen and McKeown, "Processor sharing flows in the Internet", IWQoS 2005, section 2;
//! [DM06] Dukkipati and McKeown, "Why flow-completion time is the right metric for congestion control", CCR 36(1), 2006. The routers are
//! the queue `rcp`. No implementation is installed that this could be compared with; the printed flow completion times are in
//! `tests/integration/rcp.rs`.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A window of the rate times the round trip, and a segment more, goes with the rate | TCP's recovery repairs losses; [DKZM05]'s sender has no window, and packets leave one by one | `the_window_holds_a_round_trip_at_the_rate` |
//! | Packets leave one by one only with `recovery = "rack"` (profile `linux`); elsewhere acknowledgements clock them | the other senders have no pacer | - |
//! | On a path on which no router speaks RCP the window grows as Reno's | [DKZM05] has no such paths | `without_routers_the_window_grows_as_renos` |

use super::prelude::*;
use super::window::{Halving, window_of};
use super::{Explicit, Grant, Paced, Reply, whole};

pub static ENTRY: ControlEntry = ControlEntry {
    name: "rcp",
    title: "RCP",
    doc: "The sender of RCP. It sends at the rate that the routers on its way write, one rate for all flows of a router, from the first \
          round trip on; losses do not change it. It needs queues of kind `rcp`, and is Reno without them.",
    reference: "Dukkipati, Kobayashi, Zhang-Shen and McKeown 2005",
    ..ControlEntry::of::<Params>(&build)
};

params! {
    pub struct Params {
        /// Greatest rate on the wire that the sender asks for; `auto` sets no bound.
        desired_rate: Option<Rate> = "auto" in [1.0, 1e14], "Dukkipati et al. 2005 section 2";
    }
}

#[derive(Clone, Debug)]
struct Rcp {
    window: Window,
    desired_rate: Option<Rate>,
    packet: f64,
    round_trip: RoundTrip,
    /// Segments per second that the routers have told; `None` before that, and on paths without such routers.
    rate: Option<f64>,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    let params: Params = args.typed();
    Box::new(Rcp {
        window: Window::new(Halving::Never),
        desired_rate: params.desired_rate,
        packet: 1.0,
        round_trip: RoundTrip::default(),
        rate: None,
    })
}

impl CongestionControl for Rcp {
    fn on_connect(&mut self, setup: &Setup) {
        self.window.connect(setup);
        self.packet = f64::from(setup.packet);
        self.round_trip = RoundTrip::default();
        self.rate = None;
    }

    fn explicit(&mut self) -> Option<&mut dyn Explicit> {
        Some(self)
    }

    fn on_ack(&mut self, acked: &Acked) {
        if self.rate.is_none() {
            let counted = self.window.counted(acked);
            self.window.cwnd += if self.window.in_slow_start() { counted } else { counted / self.window.cwnd };
        }
    }

    /// The routers know of the congestion, and tell a lower rate.
    fn on_congestion_event(&mut self, event: &Congestion) {
        if self.rate.is_none() {
            self.window.cut(event, event.used / 2.0);
        }
    }

    fn on_timeout(&mut self, event: Option<&Congestion>) {
        self.window.timeout(event, |used| used / 2.0);
    }

    fn paced(&self) -> Option<&dyn Paced> {
        Some(self)
    }

    window_of!();
}

impl Paced for Rcp {
    fn pacing_rate(&self) -> Option<Rate> {
        // Bound: a bit per second at least.
        self.rate.map(|rate| Rate::from_bps((rate * self.packet * 8.0).max(1.0) as u64))
    }
}

impl Explicit for Rcp {
    fn rate_request(&self) -> Option<f64> {
        Some(self.round_trip.smoothed.unwrap_or(0.0))
    }

    fn on_grant(&mut self, reply: &Reply) {
        self.round_trip.observe(Some(reply.rtt));
        let Grant::Rate(granted) = reply.grant else { return };
        if granted.is_infinite() {
            self.rate = None;
            return;
        }
        if granted > 0.0 {
            let most = self.desired_rate.map_or(f64::INFINITY, |rate| rate.as_bps() as f64 / 8.0 / self.packet);
            self.rate = Some(granted.min(most));
        }
        if let (Some(rate), Some(rtt)) = (self.rate, self.round_trip.smoothed) {
            // A part of a segment cannot be sent, and the rate must not wait for the window.
            self.window.cwnd = (whole(rate * rtt) + 2.0).min(reply.most).max(1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::congestion::testing::{acked, asks, connected, near, used};
    use crate::units::{Duration, Instant};

    fn grant(rate: f64) -> Reply {
        let now = Instant::ZERO + Duration::from_millis(100);
        Reply { grant: Grant::Rate(rate), now, rtt: Duration::from_millis(100), most: 50.0 }
    }

    fn rate_of(control: &dyn CongestionControl) -> Option<Rate> {
        control.paced().expect("it paces").pacing_rate()
    }

    #[test]
    fn the_window_holds_a_round_trip_at_the_rate() {
        let mut control = connected(&ENTRY, None, &[], 10.0, f64::INFINITY);
        assert_eq!((asks(&mut control).rate_request(), rate_of(&*control)), (Some(0.0), None));
        // 205 segments of 1000 bytes a second over 100 ms: 20.5, rounded down to 20, and two more.
        asks(&mut control).on_grant(&grant(205.0));
        assert!(near(control.window(), 22.0));
        assert_eq!(rate_of(&*control), Some(Rate::from_bps(205 * 8000)));
        assert!(near(asks(&mut control).rate_request().expect("a round trip"), 0.1));
        // No more than the receiver's window, and at least one segment.
        asks(&mut control).on_grant(&grant(1e6));
        assert!(near(control.window(), 50.0));
        // An acknowledgement without word from the routers leaves the rate.
        asks(&mut control).on_grant(&grant(0.0));
        assert_eq!(rate_of(&*control), Some(Rate::from_bps(8_000_000_000)));
    }

    #[test]
    fn no_more_than_the_desired_rate_is_taken() {
        let mut control = connected(&ENTRY, None, &[("desired_rate", "800kbit")], 10.0, f64::INFINITY);
        asks(&mut control).on_grant(&grant(205.0));
        assert_eq!(rate_of(&*control), Some(Rate::from_bps(800_000)));
    }

    #[test]
    fn losses_do_not_change_the_rate() {
        let mut control = connected(&ENTRY, None, &[], 10.0, f64::INFINITY);
        asks(&mut control).on_grant(&grant(100.0));
        control.on_congestion_event(&used(12.0));
        assert!(near(control.window(), 12.0));
        control.on_timeout(Some(&used(12.0)));
        assert!(near(control.window(), 1.0));
        asks(&mut control).on_grant(&grant(100.0));
        assert!(near(control.window(), 12.0));
    }

    #[test]
    fn without_routers_the_window_grows_as_renos() {
        let mut control = connected(&ENTRY, None, &[], 10.0, f64::INFINITY);
        asks(&mut control).on_grant(&grant(f64::INFINITY));
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 11.0) && rate_of(&*control).is_none());
        control.on_congestion_event(&used(11.0));
        assert!(near(control.window(), 5.5));
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 5.5 + 1.0 / 5.5));
    }
}
