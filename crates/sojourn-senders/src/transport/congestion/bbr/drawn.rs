//! BBR's law as a graph: how fast it sends and how much it keeps in flight on a path that stays as it is.

use crate::queue::drawing::{Axis, Graph};
use crate::transport::congestion::{
    CongestionControl, Counting, Cut, Growth, Milestone, Paced, Phase, Sample, Setup, Spans,
};
use crate::units::{Duration, Instant};

/// Segments per second that the path delivers, seconds of its shortest round trip, and segments of both.
const RATE: f64 = 1000.0;
const RTT: f64 = 0.1;
const PRODUCT: f64 = RATE * RTT;
/// The seconds of a step, and the steps of a round trip.
const STEP: f64 = 0.005;
const STEPS: usize = 20;
const ROUNDS: usize = 40;
const PACKET: u32 = 1000;

/// The first round trips of a connection.
pub(in super::super) fn course(mut control: Box<dyn CongestionControl>) -> Graph {
    let counting = Counting { growth: Growth::Acks, cut: Cut::Flight };
    control.on_connect(&Setup {
        window: 10.0,
        ssthresh: f64::INFINITY,
        mss: PACKET - 40,
        packet: PACKET,
        counting,
        paced: false,
        phases: false,
    });
    control.on_milestone(Milestone::Opened { now: Instant::ZERO, smoothed: Some(Duration::from_secs_f64(RTT)) });
    let (mut paces, mut flights) = (Vec::new(), Vec::new());
    let mut path = Path::default();
    for step in 0..=ROUNDS * STEPS {
        let pace = control
            .paced()
            .and_then(Paced::pacing_rate)
            .map_or(2.0 * control.window() / RTT, |rate| rate.as_bps() as f64 / 8.0 / f64::from(PACKET));
        if let Some(sample) = path.step(pace, control.window())
            && let Some(law) = control.sampled()
        {
            law.on_sample(&sample);
        }
        let rounds = step as f64 / STEPS as f64;
        paces.push((rounds, pace / RATE));
        flights.push((rounds, path.inflight() / PRODUCT));
    }
    Graph::new(Axis::new("time since the beginning", "round trips"), Axis::new("parts of the path's capacity", ""))
        .about(
            "Alone on a path of 8 Mbit/s and 100 ms, which drops nothing: Startup, Drain, and then turns of ProbeBW.",
        )
        .course("pacing rate, in rates of the path", paces)
        .course("in flight, in bandwidth-delay products", flights)
}

/// A path with a queue of any length, in a fluid: the data sent, departed from the queue and acknowledged after each step.
#[derive(Default)]
struct Path {
    sent: Vec<f64>,
    left: Vec<f64>,
    acked: Vec<f64>,
}

impl Path {
    fn inflight(&self) -> f64 {
        self.sent.last().unwrap_or(&0.0) - self.acked.last().unwrap_or(&0.0)
    }

    /// A step at this pace under this window; the sample from acknowledgements, if there are any.
    fn step(&mut self, pace: f64, window: f64) -> Option<Sample> {
        let before = self.inflight();
        let step = self.sent.len();
        let last = |of: &[f64]| of.last().copied().unwrap_or(0.0);
        let sent = last(&self.sent) + (pace * STEP).min(window - before).max(0.0);
        let left = (last(&self.left) + RATE * STEP).min(sent);
        let acked = step.checked_sub(STEPS).map_or(0.0, |then| self.left[then].floor());
        let new = acked - last(&self.acked);
        self.sent.push(sent);
        self.left.push(left);
        self.acked.push(acked);
        if new <= 0.0 {
            return None;
        }
        // When the newest acknowledged segment left.
        let then = self.sent.partition_point(|count| *count < acked);
        let elapsed = (step - then) as f64 * STEP;
        let at = |steps: usize| Instant::from_secs_f64(steps as f64 * STEP);
        Some(Sample {
            now: at(step),
            delivered: new,
            total: acked as u64,
            prior: Some(self.acked[then] as u64),
            rate: Some((acked - self.acked[then]) / elapsed),
            app_limited: false,
            rtt: Some(Duration::from_secs_f64(elapsed)),
            before,
            inflight: sent - acked,
            lost: 0.0,
            all_lost: 0,
            marked: 0.0,
            recovering: false,
            most: 1e9,
            phase: Phase::Open,
            spans: Some(Spans { left: at(then), first_left: at(then), heard: at(then) }),
            trip: Some(Duration::from_secs_f64(elapsed)),
            delayed: false,
            departs: at(step),
            flight_then: self.sent[then] - self.acked[then],
            lost_since: 0.0,
            full: before >= window,
        })
    }
}
