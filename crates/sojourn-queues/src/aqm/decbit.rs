//! DECbit's router: sets the congestion bit of arriving packets while its average queue is at least one packet.
//! Specification: [RJ90] Ramakrishnan and Jain, "A Binary Feedback Scheme for Congestion Avoidance in Computer Networks",
//! ACM TOCS 8(2), 1990, section 4. Compared with: no module in ns-2 2.35.
//!
//! The average is taken over the last regeneration cycle, a busy time with the idle time behind it, and the busy time
//! that has begun: the area under the queue's length over the length of that interval.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The bit is CE, on ECN-capable packets only; others are never marked and dropped by a full buffer alone | DECbit's own header does not exist here; a bit that nobody reads is no reason to drop | `packets_that_cannot_carry_the_bit_pass` |

use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "decbit",
    title: "DECbit",
    doc: "A router that signals congestion by a bit in each packet. Every arriving packet is marked while the average queue of the last \
          busy and idle time and of the current busy time is at least one packet. Its senders have the control `decbit`.",
    reference: "Ramakrishnan and Jain 1990",
    law: Some(|args, _link| Ok(draw_law(&args.typed()))),
    probes: &[Probe::new(
        "avg",
        "packets",
        Probe::UP,
        "average queue over the last two cycles of work and rest, which decides about the bit",
    )],
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "100p" in [0.0, 1e12], "as fifo; [RJ90] has no overflow";
        /// Average queue in packets from which on the bit is set.
        threshold: f64 = "1" in [0.0, 1e9], "[RJ90] section 4: the most power";
    }
}

/// Area under the queue's length, in packet-seconds, and how long it has grown.
#[derive(Clone, Copy, Debug, Default)]
struct Area {
    packets: f64,
    length: Duration,
}

#[derive(Clone, Debug)]
pub struct DecBit {
    params: Params,
    /// The last cycle; empty in the first one.
    last: Area,
    /// The cycle that has begun; absent before the first packet.
    current: Option<Area>,
    /// Length of the queue since `since`.
    number: u64,
    since: Instant,
    avg: f64,
}

impl PolicyParams for Params {
    type Policy = DecBit;

    fn policy(&self, _link: &LinkContext) -> Result<DecBit, BuildError> {
        Ok(DecBit {
            params: self.clone(),
            last: Area::default(),
            current: None,
            number: 0,
            since: Instant::ZERO,
            avg: 0.0,
        })
    }
}

/// [RJ90] section 4.1: the area of both cycles over the length of both; zero over no time.
fn average(last: Area, current: Area) -> f64 {
    let length = (last.length + current.length).as_secs_f64();
    if length > 0.0 { (last.packets + current.packets) / length } else { 0.0 }
}

/// Whether the bit is set ([RJ90] section 4).
fn is_congested(average: f64, threshold: f64) -> bool {
    average >= threshold
}

fn draw_law(params: &Params) -> Graph {
    let threshold = params.threshold;
    Graph::new(Axis::new("average queue", "packets"), Axis::new("mark probability", "")).curve(
        "",
        (0.0, (3.0 * threshold).max(1.0)),
        &[threshold],
        |average| f64::from(is_congested(average, threshold)),
    )
}

impl DecBit {
    /// The queue has had its length up to now and has this one from now on.
    fn becomes(&mut self, now: Instant, waiting: u64, transmitting: bool) {
        self.settle(now);
        // The queue of [RJ90]'s M/M/1 argument holds the packet in service.
        self.number = waiting + u64::from(transmitting);
    }

    fn settle(&mut self, now: Instant) {
        let span = now.since(self.since);
        self.since = now;
        if let Some(current) = &mut self.current {
            current.packets += self.number as f64 * span.as_secs_f64();
            current.length += span;
        }
    }
}

impl Policy for DecBit {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.settle(now);
        if queue.packets() == 0 && !queue.is_transmitting() {
            // The idle time is over, and with it the cycle.
            self.last = self.current.replace(Area::default()).unwrap_or_default();
        }
        self.avg = average(self.last, self.current.unwrap_or_default());
        if is_congested(self.avg, self.params.threshold) && packet.ecn.is_capable() {
            Verdict::Mark(Reason::FORCED)
        } else {
            Verdict::Pass
        }
    }

    fn on_enqueued(&mut self, now: Instant, _packet: &Packet, queue: &mut QueueView<'_>) {
        self.becomes(now, queue.packets(), queue.is_transmitting());
    }

    fn on_departure(&mut self, now: Instant, _packet: &Packet, queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.becomes(now, queue.packets(), true);
        Verdict::Pass
    }

    fn on_idle(&mut self, now: Instant) {
        self.becomes(now, 0, false);
    }

    probes! { |self|
        "avg" => self.avg,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Ecn, FlowId};
    use crate::queue::{Context, QueueDiscipline, What};
    use crate::rig::{args, at};

    struct Router {
        queue: Box<dyn QueueDiscipline>,
        cx: Context,
    }

    impl Router {
        fn new(settings: &[(&str, &str)]) -> Self {
            let queue = ENTRY.build(&args(&ENTRY, None, settings), &LinkContext::default()).expect("a router");
            Router { queue, cx: Context::new(Rng::named(1, "decbit")) }
        }

        /// A packet arrives. Returns whether the bit was set.
        fn arrive(&mut self, seconds: f64, ecn: Ecn) -> bool {
            let packet = Packet::datagram(FlowId(0), 0, 1000).with_ecn(ecn);
            self.queue.enqueue(at(seconds), packet, &mut self.cx);
            self.cx.events.drain().any(|event| matches!(event.what, What::Mark(_)))
        }

        /// The transmitter is free. Returns whether it has something to send.
        fn free(&mut self, seconds: f64) -> bool {
            self.queue.dequeue(at(seconds), &mut self.cx).is_some()
        }

        fn avg(&self) -> f64 {
            self.queue.probe(0)
        }
    }

    /// Two packets at 0 s, each of 1 s; then nothing until 4 s: an area of 2 + 1 over 4 s.
    fn after_a_cycle() -> Router {
        let mut router = Router::new(&[]);
        assert!(!router.arrive(0.0, Ecn::Ect0), "no time has passed");
        assert!(router.free(0.0));
        router.arrive(0.0, Ecn::Ect0);
        assert!(router.free(1.0) && !router.free(2.0));
        router
    }

    #[test]
    fn the_average_covers_the_last_cycle_and_the_current_busy_time() {
        let mut router = after_a_cycle();
        assert!(!router.arrive(4.0, Ecn::Ect0));
        assert!((router.avg() - 3.0 / 4.0).abs() < 1e-12, "the idle time belongs to the cycle");
        assert!(router.free(4.0));
        router.arrive(4.0, Ecn::Ect0);
        // Two for half a second: 3 + 1 over 4.5 s.
        assert!(!router.arrive(4.5, Ecn::Ect0));
        assert!((router.avg() - 4.0 / 4.5).abs() < 1e-12);
        // Three for half a second more: 3 + 2.5 over 5 s.
        assert!(router.arrive(5.0, Ecn::Ect0), "[RJ90] section 4: at least one");
        assert!((router.avg() - 5.5 / 5.0).abs() < 1e-12);
    }

    #[test]
    fn a_cycle_is_forgotten_when_the_one_after_the_next_begins() {
        let mut router = after_a_cycle();
        router.arrive(4.0, Ecn::Ect0);
        assert!(router.free(4.0) && !router.free(5.0));
        // The cycle from 4 s to 14 s has an area of 1; the one before it is gone.
        router.arrive(14.0, Ecn::Ect0);
        assert!((router.avg() - 1.0 / 10.0).abs() < 1e-12);
    }

    #[test]
    fn exactly_the_threshold_sets_the_bit() {
        // One packet in transmission all the time, so far without idle time: an average of 1.
        let mut router = Router::new(&[]);
        router.arrive(0.0, Ecn::Ect0);
        assert!(router.free(0.0));
        assert!(router.arrive(0.5, Ecn::Ect0));
        let mut higher = Router::new(&[("threshold", "1.001")]);
        higher.arrive(0.0, Ecn::Ect0);
        assert!(higher.free(0.0));
        assert!(!higher.arrive(0.5, Ecn::Ect0));
    }

    #[test]
    fn packets_that_cannot_carry_the_bit_pass() {
        let mut router = Router::new(&[]);
        router.arrive(0.0, Ecn::NotEct);
        assert!(router.free(0.0));
        assert!(!router.arrive(0.5, Ecn::NotEct));
        assert_eq!(router.queue.backlog().packets, 1);
    }
}
