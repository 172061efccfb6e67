//! Prague's law as a graph: the packets of 25 ms, by the share of them that is marked.

use crate::queue::drawing::{Axis, Graph};
use crate::transport::congestion::{
    Cause, Congestion, CongestionControl, Counting, Cut, Growth, Paced, Phase, Sample, Setup,
};
use crate::units::{Duration, Instant};

/// The packets until the law has settled, and those that are counted then.
const SETTLES: u64 = 60_000;
const COUNTED: u64 = 20_000;
/// The time in which packets are counted, in seconds.
const SPAN: f64 = 0.025;
const PACKET: u32 = 1500;

/// Makes a control of the law that is drawn.
type Make<'a> = &'a dyn Fn() -> Box<dyn CongestionControl>;

/// The graph, for a short round trip and for one of 25 ms.
pub(super) fn drawn(make: Make<'_>) -> Graph {
    let about = "Drawn for marks at even distances and an acknowledgement for each packet, when that has lasted for 60,000 packets.";
    let graph = Graph::new(Axis::new("packets that are marked", "%"), Axis::new("packets in 25 ms", "")).about(about);
    [10_u64, 25].into_iter().fold(graph, |graph, millis| {
        let rtt = Duration::from_millis(millis);
        graph.curve(format!("a round trip of {millis} ms"), (2.0, 50.0), &[], |percent| {
            packets(make, percent / 100.0, rtt)
        })
    })
}

fn packets(make: Make<'_>, share: f64, rtt: Duration) -> f64 {
    let mut law = make();
    let counting = Counting { growth: Growth::Segments, cut: Cut::Cwnd };
    let (window, ssthresh) = (20.0, 2.0);
    law.on_connect(&Setup { window, ssthresh, mss: PACKET - 52, packet: PACKET, counting, paced: false, phases: true });
    let (mut now, mut marks, mut heard) = (Instant::ZERO, 0.0, 0);
    let mut began = Instant::ZERO;
    for total in 1..=SETTLES + COUNTED {
        // The pacer, and not the whole window, lets packets go.
        let rate =
            law.paced().and_then(Paced::pacing_rate).map_or(0.0, |rate| rate.as_bps() as f64 / 8.0 / f64::from(PACKET));
        let flight = if rate > 0.0 { (rate * rtt.as_secs_f64()).max(1.0) } else { window };
        now += rtt.mul_f64(1.0 / flight);
        marks += share;
        let marked = marks >= 1.0;
        if marked {
            marks -= 1.0;
            if total > heard {
                // The sender tells an echo once in a window of data.
                law.on_congestion_event(&Congestion { now, used: flight, cause: Cause::Echo });
                heard = total + flight as u64;
            }
        }
        if let Some(law) = law.sampled() {
            law.on_sample(&sample(now, total, flight as u64, rtt, marked));
        }
        if total == SETTLES {
            began = now;
        }
    }
    COUNTED as f64 / now.since(began).as_secs_f64() * SPAN
}

/// The acknowledgement of one packet while the window is full.
pub(super) fn sample(now: Instant, total: u64, flight: u64, rtt: Duration, marked: bool) -> Sample {
    Sample {
        now,
        delivered: 1.0,
        marked: f64::from(u8::from(marked)),
        total,
        prior: Some(total.saturating_sub(flight)),
        rate: None,
        app_limited: false,
        rtt: Some(rtt),
        before: flight as f64,
        inflight: flight as f64 - 1.0,
        lost: 0.0,
        all_lost: 0,
        recovering: false,
        most: 1e9,
        phase: Phase::Open,
        spans: None,
        trip: Some(rtt),
        delayed: false,
        departs: now,
        flight_then: flight as f64,
        lost_since: 0.0,
        full: true,
    }
}
