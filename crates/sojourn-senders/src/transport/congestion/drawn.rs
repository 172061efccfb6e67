//! A control's law as a graph: the control is called with made-up events of a sender, and its window is recorded. This module does not
//! depend on any law.

use super::controlled::{Controlled, SlowStart};
use super::{Acked, Cause, Congestion, CongestionControl, Counting, Cut, Growth, Heard, Setup};
use crate::queue::drawing::{Axis, Graph};
use crate::units::{Duration, Instant};

/// The round trip on which laws are drawn that count by time.
const RTT: Duration = Duration::from_millis(100);
/// Round trips that a course shows at most, and the window at which it ends, as part of that at the loss.
const ROUNDS: u32 = 100;
const REGAINED: f64 = 1.2;

const ROUND_TRIPS: Axis = Axis::new("time since it happened", "round trips");
const PART: Axis = Axis::new("window, as part of that before", "");

/// Makes a control of the law that is drawn.
type Make<'a> = &'a dyn Fn() -> Box<dyn CongestionControl>;

/// The window after a loss, over round trips, for a small, a middle and a large window.
pub(super) fn after_a_loss(make: Make<'_>) -> Graph {
    let named = [10.0, 100.0, 1000.0].map(|window| (format!("a loss at {window} segments"), window, Cause::Loss));
    after(make, named)
}

/// The same after a cut for each of these causes, with the window in segments at which it happens.
pub(super) fn after<const N: usize>(make: Make<'_>, events: [(String, f64, Cause); N]) -> Graph {
    let graph = Graph::new(ROUND_TRIPS, PART).about(
        "Drawn for congestion avoidance, round trips of 100 ms and an acknowledgement for each segment. A curve ends when the \
         window is a fifth larger than before.",
    );
    events.into_iter().fold(graph, |graph, (name, window, cause)| {
        graph.course(name, recovery(Connection::new(make(), window), window, cause))
    })
}

fn recovery(mut connection: Connection, before: f64, cause: Cause) -> Vec<(f64, f64)> {
    connection.suffer(cause);
    let mut points = vec![(0.0, 1.0), (1e-9, connection.window() / before)];
    for round in 1..=ROUNDS {
        connection.round(RTT, 0, true);
        points.push((f64::from(round), connection.window() / before));
        if connection.window() >= REGAINED * before {
            break;
        }
    }
    points
}

/// The window by the share of a window's packets that are marked, when that has lasted for `rounds` round trips.
pub(super) fn by_marks(make: Make<'_>, rounds: u32) -> Graph {
    Graph::new(Axis::new("packets of a window that are marked", "%"), PART).curve(
        "",
        (0.0, 100.0),
        &[50.0],
        |percent| {
            let mut connection = Connection::new(make(), 100.0);
            // Half a packet is not marked, as just below a knee.
            let marked = percent as u64;
            for _ in 0..rounds {
                connection.hear_marks(marked);
            }
            if marked > 0 && connection.control.needs().answers_echoes {
                connection.suffer(Cause::Echo);
            }
            connection.window() / 100.0
        },
    )
}

/// The change of the window in a round trip, over the number of its segments that wait in queues; the law changes at the `knees`.
pub(super) fn by_own_queue(make: Make<'_>, most: f64, knees: &[f64]) -> Graph {
    const WINDOW: f64 = 20.0;
    let change = Axis::new("change of the window in a round trip", "segments");
    Graph::new(Axis::new("own segments in queues", "segments"), change)
        .about("Drawn for a window of 20 segments in congestion avoidance.")
        .curve("", (0.0, most.min(0.8 * WINDOW)), knees, |queued| {
            let mut connection = Connection::new(make(), WINDOW);
            // The number of waiting packets follows from the longer round trip.
            let rtt = RTT.mul_f64(WINDOW / (WINDOW - queued));
            connection.round(RTT, 0, false);
            connection.round(rtt, 0, false);
            connection.round(rtt, 0, true);
            connection.window() - WINDOW
        })
}

/// The part of the window that a loss leaves, by the ratio of the present round trip to the shortest one.
pub(super) fn by_delay(make: Make<'_>) -> Graph {
    let ratio = Axis::new("round trip at the loss, in shortest ones", "");
    Graph::new(ratio, PART)
        .about("Drawn for a loss at 100 segments, after a hundred round trips as long as that. The shortest round trip took 100 ms.")
        .curve("", (1.0, 4.0), &[], |ratio| {
            let mut connection = Connection::new(make(), 100.0);
            connection.round(RTT, 0, false);
            for _ in 0..100 {
                connection.round(RTT.mul_f64(ratio), 0, false);
            }
            connection.suffer(Cause::Loss);
            connection.window() / 100.0
        })
}

/// A connection whose windows are acknowledged as a whole, segment by segment.
struct Connection {
    control: Controlled,
    now: Instant,
    sent: u64,
}

impl Connection {
    /// In congestion avoidance with this window, by the rules of RFC 5681.
    fn new(control: Box<dyn CongestionControl>, window: f64) -> Self {
        let mut control = Controlled::new(control, SlowStart::Standard, false);
        let counting = Counting { growth: Growth::Acks, cut: Cut::Flight };
        control.on_connect(&Setup {
            window,
            ssthresh: 2.0,
            mss: 960,
            packet: 1000,
            counting,
            paced: false,
            phases: false,
        });
        Connection { control, now: Instant::ZERO, sent: window as u64 }
    }

    fn window(&self) -> f64 {
        self.control.window()
    }

    /// Whole segments, as many as are in flight.
    fn flight(&self) -> f64 {
        libm::floor(self.window()).max(1.0)
    }

    fn suffer(&mut self, cause: Cause) {
        self.control.on_congestion_event(&Congestion { now: self.now, used: self.window(), cause });
    }

    /// A window of acknowledgements comes, `marked` of them with an echo. An acknowledgement with an echo does not open the window; none
    /// does unless `opens`.
    fn round(&mut self, rtt: Duration, marked: u64, opens: bool) {
        let segments = self.flight() as u64;
        for place in 0..segments {
            self.now += rtt.mul_f64(1.0 / segments as f64);
            self.sent += 1;
            self.hear(place == 0, u64::from(place < marked), rtt);
            self.control.on_ack(&Acked {
                now: self.now,
                segments: 1.0,
                inflight: self.flight(),
                rtt: Some(rtt),
                elapsed: rtt,
                ece: !opens || place < marked,
                limited: false,
            });
        }
    }

    /// The law hears the acknowledgements of a window of 100 segments, `marked` of which carry marks.
    fn hear_marks(&mut self, marked: u64) {
        for place in 0..100 {
            self.now += RTT.mul_f64(0.01);
            self.sent += 1;
            self.hear(place == 0, u64::from(place < marked), RTT);
        }
    }

    fn hear(&mut self, round: bool, marks: u64, rtt: Duration) {
        let inflight = self.flight();
        if let Some(law) = self.control.listener() {
            law.on_heard(&Heard {
                now: self.now,
                segments: 1.0,
                delivered: 1.0,
                inflight,
                sent: self.sent,
                marks,
                counted: false,
                round,
                smoothed: Some(rtt),
                plain: true,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::queue::drawing::{Curve, Graph};
    use crate::registry::{CONTROLS, control};
    use crate::rig::near;

    /// The law of a control, with a preset or without.
    fn law(name: &str, preset: Option<&str>) -> Graph {
        let entry = control(name).expect("a control");
        entry.law.expect("a law")(&entry.args(preset).expect("a preset"))
    }

    /// The curve at a point that is drawn.
    fn at(curve: &Curve, x: f64) -> f64 {
        curve.points.iter().rfind(|(drawn, _)| (drawn - x).abs() < 1e-6).expect("a point").1
    }

    #[test]
    fn every_law_has_finite_points_in_order() {
        for entry in CONTROLS.iter().filter(|entry| entry.law.is_some()) {
            for preset in std::iter::once(None).chain(entry.presets.iter().map(|preset| Some(preset.name))) {
                for curve in law(entry.name, preset).curves {
                    let name = format!("{} {preset:?} {}", entry.name, curve.name);
                    assert!(curve.points.len() > 2, "{name}");
                    assert!(curve.points.is_sorted_by(|one, next| one.0 < next.0), "{name}");
                    assert!(curve.points.iter().all(|(x, y)| x.is_finite() && y.is_finite()), "{name}");
                }
            }
        }
    }

    #[test]
    fn reno_halves_and_adds_a_segment_in_each_round_trip() {
        let graph = law("reno", None);

        // At 100 segments: 50, then one more in each round trip. An acknowledgement adds one over a window that has grown already, and
        // of a part of a segment none comes: a round trip adds at least 1 - 1.5 / 50.
        let middle = &graph.curves[1];
        assert!(near(at(middle, 1e-9), 0.5));
        assert!((0.597..=0.6).contains(&at(middle, 10.0)), "{}", at(middle, 10.0));
        assert!((70.0..=72.0).contains(&middle.points.last().expect("an end").0));
    }

    #[test]
    fn scalable_takes_fourteen_round_trips_at_any_large_window() {
        // Kelly 2003: ln(8/7) / ln(1.01) = 13.4.
        for curve in &law("scalable", None).curves[1..] {
            assert!(near(at(curve, 1e-9), 0.875), "{}", curve.name);
            assert!(at(curve, 13.0) < 1.0 && at(curve, 14.0) >= 1.0, "{}", curve.name);
        }
    }

    #[test]
    fn cubic_is_back_at_its_plateau_after_its_own_time() {
        // RFC 9438: K = cbrt(100 (1 - 0.7) / 0.4) = 4.2 s, 42 round trips; Reno's share alone would need 30 / 0.53 = 57.
        let graph = law("cubic", None);
        let middle = &graph.curves[1];
        assert!(near(at(middle, 1e-9), 0.7));
        assert!((at(middle, 42.0) - 1.0).abs() < 0.02, "{}", at(middle, 42.0));
    }

    #[test]
    fn dctcp_and_surathkal_give_up_half_of_what_was_marked() {
        for name in ["dctcp", "surathkal"] {
            let graph = law(name, None);
            for percent in [1.0, 20.0, 100.0] {
                let kept = at(&graph.curves[0], percent);
                assert!((kept - (1.0 - percent / 200.0)).abs() < 1e-4, "{name} {percent}: {kept}");
            }
        }
    }

    #[test]
    fn decbit_shrinks_from_half_of_the_bits_on() {
        let graph = law("decbit", None);
        assert!(near(at(&graph.curves[0], 49.0), 1.01));
        assert!(near(at(&graph.curves[0], 50.0), 0.875));
    }

    #[test]
    fn vegas_grows_below_alpha_and_shrinks_above_beta() {
        let graph = law("vegas", None);
        let change = |queued: f64| {
            let points = &graph.curves[0].points;
            points.iter().find(|(x, _)| *x > queued).expect("a point").1
        };
        assert!((change(0.5) - 1.0).abs() < 1e-9);
        assert!(near(change(2.0), 0.0));
        assert!((change(3.5) + 1.0).abs() < 1e-9);
    }

    #[test]
    fn westwood_keeps_what_the_shortest_round_trip_holds() {
        let graph = law("westwood", None);
        for (x, y) in &graph.curves[0].points {
            assert!((y - 1.0 / x).abs() < 0.02, "{x}: {y}");
        }
    }

    #[test]
    fn a_mark_is_gentler_than_a_loss_to_kwon_and_fahmys() {
        let graph = law("kwon_fahmy", None);
        assert!(near(at(&graph.curves[0], 1e-9), 0.5) && near(at(&graph.curves[1], 1e-9), 0.875));
    }

    #[test]
    fn bbr_starts_with_its_high_gain_and_then_probes_by_a_quarter() {
        let graph = law("bbr", None);
        let paces: Vec<f64> = graph.curves[0].points.iter().map(|(_, pace)| *pace).collect();
        let late = &paces[paces.len() / 2..];
        let comes_near = |gain: f64| late.iter().any(|pace| (pace - gain).abs() < 0.02);
        assert!(paces.iter().any(|pace| *pace > 2.8));
        assert!(comes_near(1.25) && comes_near(0.75));
        assert!(late.iter().all(|pace| (0.7..1.3).contains(pace)));
    }
}
