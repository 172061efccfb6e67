//! XCP's sender: the routers on the way grant the window. Specification: [KHR02] Katabi, Handley and Rohrs,
//! Congestion Control for High Bandwidth-Delay Product Networks, SIGCOMM 2002, sections 3.1 and 3.2. The routers are
//! the queue `xcp`. Compared with: ns-2 2.35 `Agent/TCP/Reno/XCP` (tests/peers/explicit.py).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | On a path on which no router speaks XCP the window grows as Reno's | [KHR02] has no such paths; a window without bound would flood them | `without_routers_the_window_grows_as_renos` |
//! | The window never exceeds the receiver's | a grant beyond it cannot be used, and would be sent in a burst later | `a_grant_ends_at_the_receivers_window` |
//! | Grants count in bytes on the wire, as the routers do; the preset `ns2` divides them by the payload | all senders together take as much as the routers gave | `ns2_takes_grants_as_throughput_and_by_the_payload` |

use super::prelude::*;
use super::window::{Halving, window_of};
use super::{Explicit, Grant, Reply, Request};
use crate::header::xcp::XcpUnit;

pub static ENTRY: ControlEntry = ControlEntry {
    name: "xcp",
    title: "XCP",
    doc: "The sender of XCP. It tells the routers its window and round-trip time in every packet, and changes the window as they answer; \
          a loss halves it. It needs queues of kind `xcp`, and is Reno without them.",
    reference: "Katabi, Handley and Rohrs 2002",
    presets: presets! {
        /// ns-2 2.35: tells its window in whole packets. Near flows, whose windows are small, send as much as far ones; the queue swings
        /// more. Measures round trips in ticks of 10 ms, and takes grants as throughput, of payload.
        ns2 = { whole_window = "true", rtt_tick = "10ms", grant_unit = "throughput", grants_payload = "true" };
    },
    ..ControlEntry::of::<Params>(&build)
};

params! {
    pub struct Params {
        /// Payload per second that the sender would like to send; `auto` takes all that it is granted.
        desired_rate: Option<Rate> = "auto" in [1.0, 1e14], "Katabi et al. 2002 section 3.3";
        /// Tell the routers the window in whole segments, as many as can be sent, rather than with its fraction.
        whole_window: bool = "false", "Katabi et al. 2002 section 3.2: the current window";
        /// Measure round trips in whole ticks of a clock that all senders share; `0s` measures them exactly.
        rtt_tick: Duration = "0s" in [0.0, 10.0], "Katabi et al. 2002 section 3.2: the current estimate";
        /// Be granted changes of the window, or of the throughput over the round-trip time known when they arrive
        /// (draft-falk-xcp-spec-03).
        grant_unit: XcpUnit = "window", "Katabi et al. 2002 section 3.3";
        /// Whether a grant changes the payload of the window and not all of its bytes.
        grants_payload: bool = "false", "Katabi et al. 2002 section 3.3: bytes as in the window";
    }
}

#[derive(Clone, Debug)]
struct Xcp {
    window: Window,
    desired_rate: Option<Rate>,
    mss: f64,
    whole_window: bool,
    grant_unit: XcpUnit,
    grants_payload: bool,
    /// Segments by which the window changes for a segment of grant.
    yields: f64,
    rtt_tick: Duration,
    round_trip: RoundTrip,
    /// With a clock of ticks: the smoothed round-trip time in 256ths of them; 0 before the first that took any.
    ticks: i64,
    /// Whether a router has answered the last acknowledged request.
    answered: bool,
}

fn build(args: &Args) -> Box<dyn CongestionControl> {
    let params: Params = args.typed();
    Box::new(Xcp {
        window: Window::new(Halving::Never),
        desired_rate: params.desired_rate,
        mss: 1.0,
        whole_window: params.whole_window,
        grant_unit: params.grant_unit,
        grants_payload: params.grants_payload,
        yields: 1.0,
        rtt_tick: params.rtt_tick,
        round_trip: RoundTrip::default(),
        ticks: 0,
        answered: true,
    })
}

/// `(r rtt - cwnd) / packets in the window`, all in segments ([KHR02] section 3.3).
fn wanted(rate: Rate, mss: f64, rtt: f64, window: f64) -> f64 {
    (rate.as_bps() as f64 / 8.0 / mss * rtt - window) / window
}

/// `s + (32 n - floor((s + 4) / 8))`: an eighth of a sample of `n` whole ticks, in 256ths; the first counts in full.
fn smoothed(old: i64, sample: i64) -> i64 {
    // ns-2 2.35, xcp/xcp-end-sys.h.
    if old == 0 { sample << 8 } else { old + (sample << 5) - ((old + 4) >> 3) }
}

impl Xcp {
    /// The factor by which a grant is multiplied to change the window.
    fn seconds(&self, rtt: f64) -> f64 {
        match self.grant_unit {
            XcpUnit::Window => 1.0,
            XcpUnit::Throughput => rtt,
        }
    }

    fn observe(&mut self, reply: &Reply) {
        let tick = self.rtt_tick.as_nanos();
        if tick == 0 {
            self.round_trip.observe(Some(reply.rtt));
            return;
        }
        // ns-2 2.35, XcpEndsys::rtt_update with time stamps: the ticks that began meanwhile.
        let (now, rtt) = (reply.now.as_nanos(), reply.rtt.as_nanos());
        let began = now / tick - now.saturating_sub(rtt) / tick;
        self.ticks = smoothed(self.ticks, began as i64);
        self.round_trip.smoothed = Some(self.ticks as f64 / 256.0 * self.rtt_tick.as_secs_f64());
    }
}

impl CongestionControl for Xcp {
    fn on_connect(&mut self, setup: &Setup) {
        self.window.connect(setup);
        self.mss = f64::from(setup.mss);
        self.yields = if self.grants_payload { f64::from(setup.packet) / self.mss } else { 1.0 };
        self.round_trip = RoundTrip::default();
        self.ticks = 0;
        self.answered = true;
    }

    fn explicit(&mut self) -> Option<&mut dyn Explicit> {
        Some(self)
    }

    fn on_ack(&mut self, acked: &Acked) {
        if !self.answered {
            let counted = self.window.counted(acked);
            self.window.cwnd += if self.window.in_slow_start() { counted } else { counted / self.window.cwnd };
        }
    }

    /// [KHR02] section 3.3: losses are rare, and answered as by TCP.
    fn on_congestion_event(&mut self, event: &Congestion) {
        self.window.cut(event, event.used / 2.0);
    }

    fn on_timeout(&mut self, event: Option<&Congestion>) {
        self.window.timeout(event, |used| used / 2.0);
    }

    window_of!();
}

impl Explicit for Xcp {
    fn request(&self) -> Option<Request> {
        let rtt = self.round_trip.smoothed.filter(|&rtt| rtt > 0.0)?;
        let window = if self.whole_window { libm::floor(self.window.cwnd).max(1.0) } else { self.window.cwnd };
        let change = self.desired_rate.map_or(f64::INFINITY, |rate| wanted(rate, self.mss, rtt, self.window.cwnd));
        let seconds = self.seconds(rtt);
        Some(Request { rtt, window, change: change / self.yields / seconds, unit: self.grant_unit })
    }

    /// `cwnd = max(cwnd + H_feedback, s)` ([KHR02] section 3.3).
    fn on_grant(&mut self, reply: &Reply) {
        self.observe(reply);
        let Grant::Step(step) = reply.grant else { return };
        self.answered = step.is_finite();
        if self.answered {
            let change = step * self.seconds(self.round_trip.smoothed.unwrap_or(0.0)) * self.yields;
            self.window.cwnd = (self.window.cwnd + change).min(reply.most).max(1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::congestion::testing::{acked, asks, connected, near, used};
    use crate::units::{Duration, Instant};

    fn grant(step: f64) -> Reply {
        grant_at(100, 100, step)
    }

    /// A grant that arrives at `now` after a round trip of `rtt`, both in milliseconds.
    fn grant_at(now: u64, rtt: u64, step: f64) -> Reply {
        let now = Instant::ZERO + Duration::from_millis(now);
        Reply { grant: Grant::Step(step), now, rtt: Duration::from_millis(rtt), most: 50.0 }
    }

    #[test]
    fn the_window_is_what_is_granted_and_at_least_one_segment() {
        let mut control = connected(&ENTRY, None, &[], 10.0, f64::INFINITY);
        asks(&mut control).on_grant(&grant(2.5));
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 12.5), "an acknowledgement adds nothing of its own");
        asks(&mut control).on_grant(&grant(-0.5));
        assert!(near(control.window(), 12.0));
        asks(&mut control).on_grant(&grant(-100.0));
        assert!(near(control.window(), 1.0));
    }

    #[test]
    fn a_grant_ends_at_the_receivers_window() {
        let mut control = connected(&ENTRY, None, &[], 10.0, f64::INFINITY);
        asks(&mut control).on_grant(&grant(1e6));
        assert!(near(control.window(), 50.0));
    }

    #[test]
    fn without_routers_the_window_grows_as_renos() {
        let mut control = connected(&ENTRY, None, &[], 10.0, 11.0);
        for _ in 0..2 {
            asks(&mut control).on_grant(&grant(f64::INFINITY));
            control.on_ack(&acked(1.0));
        }
        assert!(near(control.window(), 11.0 + 1.0 / 11.0), "slow start to 11, then a segment per window");
        asks(&mut control).on_grant(&grant(0.0));
        control.on_ack(&acked(1.0));
        assert!(near(control.window(), 11.0 + 1.0 / 11.0), "a router has been heard");
    }

    #[test]
    fn nothing_is_asked_before_a_round_trip_is_known() {
        let mut control = connected(&ENTRY, None, &[], 10.0, f64::INFINITY);
        assert_eq!(asks(&mut control).request(), None);
        asks(&mut control).on_grant(&grant(0.0));
        let all = Request { rtt: 0.1, window: 10.0, change: f64::INFINITY, unit: XcpUnit::Window };
        assert_eq!(asks(&mut control).request(), Some(all));
    }

    #[test]
    fn a_desired_rate_is_asked_for_in_parts() {
        // 7.68 Mbit/s in segments of 960 bytes: 1000 a second, 100 in a round trip. From 20 segments each of the 20
        // packets asks for a twentieth of the 80 that are missing; from 200 each gives up half a segment.
        for (window, change) in [(20.0, 4.0), (200.0, -0.5)] {
            let mut control = connected(&ENTRY, None, &[("desired_rate", "7.68Mbit")], window, f64::INFINITY);
            asks(&mut control).on_grant(&Reply { most: 1e9, ..grant(0.0) });
            assert!(near(asks(&mut control).request().expect("a request").change, change));
        }
    }

    #[test]
    fn ns2_tells_its_window_in_whole_packets() {
        for (preset, told) in [(None, 10.7), (Some("ns2"), 10.0)] {
            let mut control = connected(&ENTRY, preset, &[], 10.0, f64::INFINITY);
            // 0.7 segments by the payload of 960 in 1000 bytes over 100 ms.
            asks(&mut control).on_grant(&grant(if preset.is_none() { 0.7 } else { 0.7 * 0.96 / 0.1 }));
            assert!(near(asks(&mut control).request().expect("a request").window, told));
            assert!(near(control.window(), 10.7), "what it may send keeps its fraction");
        }
    }

    #[test]
    fn ns2_takes_grants_as_throughput_and_by_the_payload() {
        // 5 segments of 1000 bytes per second over 100 ms are 500 bytes: half a segment, or 500/960 of its payload.
        let throughput = ("grant_unit", "throughput");
        for (settings, change) in [(&[throughput][..], 0.5), (&[throughput, ("grants_payload", "true")], 500.0 / 960.0)]
        {
            let mut control = connected(&ENTRY, None, settings, 10.0, f64::INFINITY);
            asks(&mut control).on_grant(&grant(5.0));
            assert!(near(control.window(), 10.0 + change));
            assert_eq!(asks(&mut control).request().expect("a request").unit, XcpUnit::Throughput);
        }
    }

    #[test]
    fn a_throughput_counts_over_the_round_trip_known_when_it_is_granted() {
        // The round trip goes from 100 ms to an eighth more than that towards 180 ms: 110 ms.
        let mut control = connected(&ENTRY, None, &[("grant_unit", "throughput")], 10.0, f64::INFINITY);
        asks(&mut control).on_grant(&grant_at(1000, 100, 0.0));
        asks(&mut control).on_grant(&grant_at(1180, 180, 10.0));
        assert!(near(control.window(), 10.0 + 10.0 * 0.11));
    }

    #[test]
    fn a_clock_of_ticks_counts_those_that_began_meanwhile() {
        // 84 ms from 96 to 180 ms are nine ticks of 10 ms, from 100 to 184 ms eight.
        for (now, ticks) in [(180, 9.0), (184, 8.0)] {
            let mut control = connected(&ENTRY, None, &[("rtt_tick", "10ms")], 10.0, f64::INFINITY);
            asks(&mut control).on_grant(&grant_at(now, 84, 0.0));
            assert!(near(asks(&mut control).request().expect("a request").rtt, ticks * 0.01));
        }
    }

    #[test]
    fn ticks_are_smoothed_by_an_eighth_in_whole_256ths() {
        // 8 ticks are 2048; after 9, 2048 + 288 - floor(2052 / 8) = 2080; of 8, 2080 + 256 - floor(2084 / 8) = 2076.
        let mut control = connected(&ENTRY, None, &[("rtt_tick", "10ms")], 10.0, f64::INFINITY);
        for (now, parts) in [(184, 2048.0), (280, 2080.0), (384, 2076.0)] {
            asks(&mut control).on_grant(&grant_at(now, 84, 0.0));
            assert!(near(asks(&mut control).request().expect("a request").rtt, parts / 256.0 * 0.01));
        }
    }

    #[test]
    fn a_round_trip_within_one_tick_is_none_yet() {
        let mut control = connected(&ENTRY, None, &[("rtt_tick", "10ms")], 10.0, f64::INFINITY);
        asks(&mut control).on_grant(&grant_at(109, 8, 0.0));
        assert_eq!(asks(&mut control).request(), None);
        asks(&mut control).on_grant(&grant_at(112, 8, 0.0));
        assert!(near(asks(&mut control).request().expect("a request").rtt, 0.01));
    }

    #[test]
    fn a_loss_halves_and_a_timeout_starts_from_one() {
        let mut control = connected(&ENTRY, None, &[], 20.0, f64::INFINITY);
        control.on_congestion_event(&used(20.0));
        assert!(near(control.window(), 10.0));
        control.on_timeout(Some(&used(10.0)));
        assert!(near(control.window(), 1.0) && near(control.ssthresh(), 5.0));
    }
}
