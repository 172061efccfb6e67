//! DualPI2: two queues before one link, for scalable (L4S) and for classic senders. The classic queue has PI2; the L4S queue is served
//! first, marks by a ramp over its own delay, and at least as often as the coupling asks for, so that both kinds of flows get the same
//! share. Specification: RFC 9332 appendix A (controller, ramp, coupling, `recur`, overload, order of steps). Compared with: a second
//! implementation; Linux's is [a queue of its own](super::sch_dualpi2). Read only: the model for
//! ns-3 of Shravya and Henderson (draft 10). There is no module in ns-2 2.35.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The scheduler is a weighted round robin that keeps a share for the classic queue; RFC 9332 leaves it open | as in Linux, which keeps the credit while one queue is empty | `the_classic_queue_keeps_its_share`, `an_empty_queue_is_owed_nothing` |
//! | The limit bounds both queues together, and an arrival that finds it full is dropped | RFC 9332 appendix A.1 | `both_queues_share_the_limit` |
//! | p' is kept in [0, 1], also without traffic | RFC 9332 says so in a comment | `the_probability_stays_in_its_bounds` |

use std::collections::VecDeque;

mod parameters;

use crate::aqm::pi2;
use crate::queue::prelude::*;

pub use parameters::{Identifier, Params};

pub static ENTRY: QueueEntry = QueueEntry {
    name: "dualpi2",
    title: "DualPI2 (L4S)",
    doc: "Two coupled queues: one for packets with ECT(1), whose senders are scalable, and one for all others. The first is \
          served first and marked early, the second has PI2, and both probabilities are coupled so that flows of both kinds get \
          the same share.",
    reference: "RFC 9332",
    presets: presets! {
        /// RFC 9332 appendix A: 250 ms of buffer, target 15 ms, round trips up to 100 ms, a ramp from 0.8 to 1.2 ms.
        rfc9332 = {
            limit = "250ms", target = "15ms", interval = "15ms", alpha = "0.15", beta = "3", coupling = "2", ramp_from = "800us",
            ramp_to = "1200us", ramp_spares = "1", classic_share = "0.1",
        };
    },
    reorders: true,
    guards: true,
    law: Some(draw_law),
    shown: &[
        Counter(OVERLIMITS, Source::Drops(&[Reason::OVERFLOW])),
        Counter("prob", Source::Probe("p_linear")),
        Counter("maxq", Source::Found),
        Counter("ecn_mark", Source::Marks),
        Counter("step_mark", Source::Signals(&[Reason::SOJOURN])),
    ],
    probes: &[Probe::new("drop_prob", "", Probe::SHARE, "probability for classic packets, the square of `p_linear`")],
    ..QueueEntry::of_discipline::<Params>(build)
};

/// The probability of a mark by the L4S queue's own delay: 0 up to `from`, 1 from `to` on, a straight line between (RFC 9332 appendix A).
pub fn ramp(delay: f64, from: f64, to: f64) -> f64 {
    if delay >= to {
        1.0
    } else if delay > from {
        (delay - from) / (to - from)
    } else {
        0.0
    }
}

/// A queue with its count of marks (RFC 9332's `recur`).
#[derive(Clone, Debug, Default)]
struct Queue {
    packets: VecDeque<Packet>,
    bytes: u64,
    count: f64,
}

impl Queue {
    fn push(&mut self, now: Instant, packet: Packet) {
        self.bytes += u64::from(packet.size);
        self.packets.push_back(Packet { enqueued_at: now, ..packet });
    }

    fn pop(&mut self) -> Option<Packet> {
        let packet = self.packets.pop_front()?;
        self.bytes -= u64::from(packet.size);
        Some(packet)
    }

    /// How long the first packet has waited, in seconds; 0 where there is none.
    fn delay(&self, now: Instant) -> f64 {
        self.packets.front().map_or(0.0, |packet| now.since(packet.enqueued_at).as_secs_f64())
    }

    /// Adds the likelihood to a sum. Returns true, which is a hit, each time the sum passes a whole number.
    fn recur(&mut self, likelihood: f64) -> bool {
        self.count += likelihood;
        if self.count > 1.0 {
            self.count -= 1.0;
            return true;
        }
        false
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    Ok(Box::new(args.typed::<Params>().dualpi2(link)?))
}

impl Params {
    fn dualpi2(&self, link: &LinkContext) -> Result<DualPi2, BuildError> {
        if self.ramp_to < self.ramp_from {
            return Err(BuildError::new(
                "ramp_to",
                format!("ramp_to is {} and ramp_from is {}", self.ramp_to, self.ramp_from),
                "ramp_to is at least ramp_from",
            ));
        }
        Ok(DualPi2 {
            params: self.clone(),
            limit: Limit::from_size(self.limit, link),
            low: Queue::default(),
            classic: Queue::default(),
            credit: 0.0,
            p: 0.0,
            old: 0.0,
            due: Instant::ZERO + self.interval,
        })
    }
}

/// The discipline.
#[derive(Clone, Debug)]
pub struct DualPi2 {
    params: Params,
    limit: Limit,
    /// The queue of L4S packets.
    low: Queue,
    /// The queue of all other packets.
    classic: Queue,
    /// Bytes that the classic queue is owed of its share; below zero it had more.
    credit: f64,
    /// p'.
    p: f64,
    /// The greater queuing delay at the last update, in seconds.
    old: f64,
    due: Instant,
}

impl DualPi2 {
    /// The queue that is served next: the L4S queue, unless the classic one is owed of its share.
    fn takes_low(&self) -> bool {
        !self.low.packets.is_empty() && (self.classic.packets.is_empty() || self.credit <= 0.0)
    }

    /// Books the service of a packet while both queues had some; alone, nothing is owed.
    fn book(&mut self, low: bool, size: u32, both: bool) {
        let share = self.params.classic_share.0;
        self.credit = match (both, low) {
            (false, _) => 0.0,
            (true, true) => self.credit + share * f64::from(size),
            (true, false) => self.credit - (1.0 - share) * f64::from(size),
        };
    }

    /// The probability of a mark for the first packet of the L4S queue (RFC 9332 appendix A: `max(p'_L, p_CL)`).
    fn low_probability(&self, now: Instant) -> f64 {
        let (from, to) = (self.params.ramp_from.as_secs_f64(), self.params.ramp_to.as_secs_f64());
        let spared = self.low.packets.len() as u64 <= self.params.ramp_spares;
        let own = if spared { 0.0 } else { ramp(self.low.delay(now), from, to) };
        own.max(self.coupled())
    }

    /// `p_CL = k p'`, at most 1.
    fn coupled(&self) -> f64 {
        pi2::scalable(self.p, self.params.coupling)
    }

    /// Takes the next packet of the L4S queue; where the coupled probability is at its end, it is dropped as a classic one.
    fn take_low(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        let p = self.low_probability(now);
        let is_overloaded = self.coupled() >= 1.0;
        let mut packet = self.low.pop()?;
        if is_overloaded && self.low.recur(pi2::classic(self.p)) {
            cx.events.drop(now, packet, Reason::EARLY);
            return None;
        }
        if is_overloaded || self.low.recur(p) {
            cx.events.mark(now, &mut packet, Reason::EARLY);
        }
        Some(packet)
    }

    /// Takes the next packet of the classic queue; a packet that cannot be marked is dropped, and above `1 / k^2` every packet is.
    fn take_classic(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        let mut packet = self.classic.pop()?;
        if self.classic.recur(pi2::classic(self.p)) {
            if !packet.ecn.is_capable() || self.coupled() >= 1.0 {
                cx.events.drop(now, packet, Reason::EARLY);
                return None;
            }
            cx.events.mark(now, &mut packet, Reason::EARLY);
        }
        Some(packet)
    }
}

/// Marks and drops by the queues' delays and by p'.
fn draw_law(args: &Args, link: &LinkContext) -> Result<Graph, BuildError> {
    let DualPi2 { params, .. } = args.typed::<Params>().dualpi2(link)?;
    let own = format!("from {} on, and every packet from {} on", params.ramp_from, params.ramp_to);
    Ok(drawn(params.coupling, &own))
}

/// Marks and drops by p' with this coupling; `own` says when the L4S queue marks by its own delay.
pub fn drawn(coupling: f64, own: &str) -> Graph {
    Graph::new(Axis::new("controller's output p'", ""), Axis::PROBABILITY)
        .about(format!(
            "p' moves until the classic queue's delay is at its target. By its own delay the L4S queue marks {own}."
        ))
        .curve("classic", (0.0, 1.0), &[], pi2::classic)
        .curve("L4S, coupled", (0.0, 1.0), &[1.0 / coupling], |p| pi2::scalable(p, coupling))
}

impl QueueDiscipline for DualPi2 {
    fn enqueue(&mut self, now: Instant, packet: Packet, cx: &mut Context) {
        if !self.limit.admits(self.backlog(), &packet) {
            cx.events.drop(now, packet, Reason::OVERFLOW);
            return;
        }
        let queue = if self.params.identifier.takes(packet.ecn) { &mut self.low } else { &mut self.classic };
        queue.push(now, packet);
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        while self.backlog().packets > 0 {
            let both = !self.low.packets.is_empty() && !self.classic.packets.is_empty();
            let low = self.takes_low();
            let taken = if low { self.take_low(now, cx) } else { self.take_classic(now, cx) };
            if let Some(packet) = taken {
                self.book(low, packet.size, both);
                return Some(packet);
            }
        }
        None
    }

    fn next_deadline(&self) -> Option<Instant> {
        Some(self.due)
    }

    fn on_deadline(&mut self, now: Instant, _cx: &mut Context) {
        while self.due <= now {
            // RFC 9332 appendix A: the greater of both queuing times.
            let delay = self.classic.delay(self.due).max(self.low.delay(self.due));
            let gains = (self.params.alpha, self.params.beta);
            self.p = pi2::updated(self.p, gains, self.params.target.as_secs_f64(), delay, self.old, 1.0);
            self.old = delay;
            self.due += self.params.interval;
        }
    }

    fn backlog(&self) -> Backlog {
        Backlog {
            packets: (self.low.packets.len() + self.classic.packets.len()) as u64,
            bytes: self.low.bytes + self.classic.bytes,
        }
    }

    fn limit(&self) -> Limit {
        self.limit
    }

    probes! { |self|
        "p_linear" => self.p,
        "drop_prob" => pi2::classic(self.p),
        "delay_s" => self.old,
        "backlog_l4s" => self.low.packets.len() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Ecn, FlowId};
    use crate::queue::What;
    use crate::rig::{args, at, near};

    fn dualpi2(settings: &[(&str, &str)]) -> DualPi2 {
        args(&ENTRY, Some("rfc9332"), &[&[("limit", "10000p")], settings].concat())
            .typed::<Params>()
            .dualpi2(&LinkContext::default())
            .expect("valid parameters")
    }

    fn cx() -> Context {
        Context::new(Rng::named(1, "test"))
    }

    fn packet(seq: u64, ecn: Ecn) -> Packet {
        Packet::datagram(FlowId(0), seq, 1000).with_ecn(ecn)
    }

    /// The discipline with `low` packets for low latency and `classic` classic ones, which arrived at the start.
    fn holding(settings: &[(&str, &str)], low: u64, classic: u64) -> DualPi2 {
        let (mut dualpi2, mut cx) = (dualpi2(settings), cx());
        for seq in 0..low {
            dualpi2.enqueue(at(0.0), packet(seq, Ecn::Ect1), &mut cx);
        }
        for seq in 0..classic {
            dualpi2.enqueue(at(0.0), packet(1000 + seq, Ecn::NotEct), &mut cx);
        }
        dualpi2
    }

    #[test]
    fn the_ramp_rises_from_0_8_to_1_2_ms() {
        for (delay, expected) in [(0.0008, 0.0), (0.0009, 0.25), (0.001, 0.5), (0.0012, 1.0), (0.1, 1.0)] {
            assert!(near(ramp(delay, 0.0008, 0.0012), expected), "{delay}");
        }
        // A step: up to it nothing, from it on everything.
        assert!(near(ramp(0.000_999, 0.001, 0.001), 0.0) && near(ramp(0.001, 0.001, 0.001), 1.0));
    }

    #[test]
    fn the_codepoint_tells_the_queue() {
        let (mut dualpi2, mut cx) = (dualpi2(&[]), cx());
        for (seq, ecn) in [(0, Ecn::NotEct), (1, Ecn::Ect0), (2, Ecn::Ect1), (3, Ecn::Ce)] {
            dualpi2.enqueue(at(0.0), packet(seq, ecn), &mut cx);
        }

        assert_eq!((dualpi2.classic.packets.len(), dualpi2.low.packets.len()), (2, 2));

        let mut any = self::dualpi2(&[("identifier", "any_ect")]);
        any.enqueue(at(0.0), packet(0, Ecn::Ect0), &mut cx);
        assert_eq!(any.low.packets.len(), 1);
    }

    #[test]
    fn a_short_l4s_queue_is_not_marked_and_a_long_one_is() {
        for (low, seconds, marked) in [(2, 0.0008, false), (2, 0.0012, false), (3, 0.0012, true), (1, 1.0, false)] {
            let (mut dualpi2, mut cx) = (holding(&[], low, 0), cx());
            // The first hit needs a sum above 1: the second certain packet.
            dualpi2.dequeue(at(seconds), &mut cx);
            dualpi2.dequeue(at(seconds), &mut cx);
            let marks = cx.events.as_slice().iter().any(|event| matches!(event.what, What::Mark(_)));
            assert_eq!(marks, marked, "{low} packets, {seconds} s");
        }
    }

    #[test]
    fn the_coupling_marks_twice_p_and_the_classic_queue_meets_its_square() {
        let (mut dualpi2, mut cx) = (holding(&[("ramp_from", "10s"), ("ramp_to", "10s")], 1000, 1000), cx());
        dualpi2.p = 0.3;
        while dualpi2.dequeue(at(0.0), &mut cx).is_some() {}

        let of = |wanted: fn(&What) -> bool| cx.events.as_slice().iter().filter(|event| wanted(&event.what)).count();
        // 0.6 and 0.09 of 1000, but for the last sum of each.
        assert!(of(|what| matches!(what, What::Mark(_))).abs_diff(600) <= 1);
        assert!(of(|what| matches!(what, What::Drop(_))).abs_diff(90) <= 1);
    }

    #[test]
    fn in_overload_l4s_packets_are_dropped_as_classic_ones() {
        let (mut dualpi2, mut cx) = (holding(&[], 1000, 0), cx());
        dualpi2.p = 0.6;
        while dualpi2.dequeue(at(0.0), &mut cx).is_some() {}

        let drops = cx.events.as_slice().iter().filter(|event| matches!(event.what, What::Drop(_))).count();
        let marks = cx.events.as_slice().iter().filter(|event| matches!(event.what, What::Mark(_))).count();
        // 0.36 are dropped, all others marked.
        assert!(drops.abs_diff(360) <= 1 && drops + marks == 1000, "{drops} {marks}");
    }

    #[test]
    fn classic_packets_that_can_be_marked_are_until_overload() {
        for (p, dropped) in [(0.49, false), (0.5, true)] {
            let (mut dualpi2, mut cx) = (dualpi2(&[]), cx());
            for seq in 0..100 {
                dualpi2.enqueue(at(0.0), packet(seq, Ecn::Ect0), &mut cx);
            }
            dualpi2.p = p;
            while dualpi2.dequeue(at(0.0), &mut cx).is_some() {}
            let drops = cx.events.as_slice().iter().any(|event| matches!(event.what, What::Drop(_)));
            assert_eq!(drops, dropped, "{p}");
        }
    }

    #[test]
    fn the_classic_queue_keeps_its_share() {
        let (mut dualpi2, mut cx) = (holding(&[], 500, 500), cx());
        let served: Vec<bool> = (0..500)
            .filter_map(|_| dualpi2.dequeue(at(0.0), &mut cx))
            .map(|packet| packet.ecn == Ecn::NotEct)
            .collect();

        // A tenth of the packets, which are of one size, and never two in a row.
        assert_eq!(served.iter().filter(|classic| **classic).count(), 50);
        assert!(served.windows(2).all(|pair| pair != [true, true]));
    }

    #[test]
    fn an_empty_queue_is_owed_nothing() {
        let (mut dualpi2, mut cx) = (holding(&[], 100, 0), cx());
        for _ in 0..100 {
            dualpi2.dequeue(at(0.0), &mut cx);
        }

        assert!(near(dualpi2.credit, 0.0));
    }

    #[test]
    fn both_queues_share_the_limit() {
        let (mut dualpi2, mut cx) = (holding(&[("limit", "5p")], 3, 2), cx());
        dualpi2.enqueue(at(0.0), packet(9, Ecn::Ect1), &mut cx);

        assert_eq!(dualpi2.backlog().packets, 5);
        assert_eq!(cx.events.as_slice()[0].what, What::Drop(Reason::OVERFLOW));
    }

    #[test]
    fn the_probability_stays_in_its_bounds() {
        let (mut idle, mut full, mut cx) = (dualpi2(&[]), holding(&[], 1, 0), cx());
        idle.on_deadline(at(1.0), &mut cx);
        full.on_deadline(at(60.0), &mut cx);

        assert!(near(idle.p, 0.0));
        assert!(near(full.p, 1.0));
    }

    #[test]
    fn the_controller_sees_the_greater_delay() {
        let (mut dualpi2, mut cx) = (dualpi2(&[]), cx());
        dualpi2.enqueue(at(0.0), packet(0, Ecn::NotEct), &mut cx);
        dualpi2.enqueue(at(0.01), packet(1, Ecn::Ect1), &mut cx);

        // At 15 ms: 0.15 * 0 + 3 * 0.015.
        dualpi2.on_deadline(at(0.015), &mut cx);
        assert!(near(dualpi2.p, 0.045));
    }

    #[test]
    fn a_ramp_that_falls_is_refused_by_name() {
        let params = args(&ENTRY, None, &[("ramp_from", "2ms"), ("ramp_to", "1ms")]).typed::<Params>();

        assert_eq!(params.dualpi2(&LinkContext::default()).map(|_| ()).map_err(|error| error.param), Err("ramp_to"));
    }
}
