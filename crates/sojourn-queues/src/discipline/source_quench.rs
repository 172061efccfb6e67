//! Source quench: a router that tells the senders of packets that it drops, or would drop, by choke packets.
//! Specification: RFC 792 (source quench), RFC 1812 section 4.3.3.3 (its rate is limited); [Tah13] Tahiliani, PhD thesis,
//! NIT Karnataka, 2013, section 2.2 (choke packets, and choke packets with ECN). Compared with: a second
//! implementation in `tests/implementations`; no module in ns-2 2.35.
//!
//! Any registered policy chooses the packets. With `ecn` it marks those that can carry a mark, and the senders of the
//! others get choke packets: routers that are "new" and "old" at once.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | A policy chooses the packets; [Tah13] does not say | its register's reading | `the_senders_of_chosen_packets_are_told` |

use std::collections::BTreeMap;

use crate::packet::FlowId;
use crate::params::Value;
use crate::queue::inner::InnerPolicy;
use crate::queue::prelude::*;
use crate::queue::{Managed, Stage};

pub static ENTRY: QueueEntry = QueueEntry {
    name: "source_quench",
    title: "Source quench",
    doc: "Choke packets to senders, instead of drops or in addition. The senders of packets that a policy chooses, and of packets that \
          find the buffer full, each get a choke packet. `quench` of `tcp` says how a sender reacts.",
    reference: "RFC 792; Nagle 1984; Tahiliani 2013",
    decides: "Its policy chooses the packets whose senders get a choke packet. The policy is RED unless another is named, and its page \
              draws its law.",
    presets: presets! {
        /// RFC 792: the sender of a datagram that finds no room gets a choke packet.
        rfc792 = { policy = "fifo" };
        /// Tahiliani 2013 section 2.2: choke packets and ECN, each for the senders that it reaches.
        choke_ecn = { ecn = "true" };
    },
    ..QueueEntry::of_discipline::<Params>(build)
};

choices! {
    /// The fate of a packet that the policy chooses.
    pub enum Chosen {
        /// It goes on: the choke packet replaces its drop, as a mark does.
        Spared = "spared",
        /// It is dropped.
        Dropped = "dropped",
    }
}

params! {
    pub struct Params {
        /// The most that may wait, without the packet in transmission.
        limit: Size = "100p" in [0.0, 1e12], "as fifo";
        /// The policy that chooses.
        policy: InnerPolicy = "red", "Tahiliani 2013 section 2.2, our reading";
        /// The fate of a packet that it chooses.
        chosen: Chosen = "spared", "Tahiliani 2013 section 2.2, our reading";
        /// Whether the senders of packets that find the buffer full get a choke packet, too.
        overflow: bool = "true", "RFC 792";
        /// Whether the policy marks ECN-capable packets, whose senders then get no choke packet; sets `ecn` of the policy.
        ecn: bool = "false", "RFC 3168: senders have to agree";
        /// Least time between two choke packets to the sender of a flow.
        interval: Duration = "0s" in [0.0, 1000.0], "RFC 792: one for every message that is discarded";
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let mut chooser = params.policy.clone().over(params.limit);
    if params.ecn {
        chooser.set_if_known("ecn", Value::Bool(true));
    }
    let inner = chooser.build("policy", link)?;
    let limit = Limit::from_size(params.limit, link);
    let Params { overflow, interval, .. } = params;
    let policy = SourceQuench { overflow, interval, ..SourceQuench::new(inner, params.chosen) };
    Ok(Box::new(Managed::new(policy, limit)))
}

/// The policy: one around another.
pub struct SourceQuench {
    inner: Box<dyn Policy>,
    chosen: Chosen,
    overflow: bool,
    interval: Duration,
    /// When the sender of each flow was told last; only if there is an interval.
    last: BTreeMap<FlowId, Instant>,
    /// Whether the policy has chosen the packet that arrives: its sender is told once, whatever its fate.
    is_chosen: bool,
}

impl SourceQuench {
    /// Around `inner`, which chooses; every sender is told each time.
    pub fn new(inner: Box<dyn Policy>, chosen: Chosen) -> Self {
        SourceQuench {
            inner,
            chosen,
            overflow: true,
            interval: Duration::ZERO,
            last: BTreeMap::new(),
            is_chosen: false,
        }
    }

    fn tell(&mut self, now: Instant, packet: &Packet, reason: Reason, queue: &mut QueueView<'_>) {
        if self.interval > Duration::ZERO {
            if self.last.get(&packet.flow).is_some_and(|last| now.since(*last) < self.interval) {
                return;
            }
            self.last.insert(packet.flow, now);
        }
        queue.choke(now, packet, reason);
    }

    /// The fate of a packet on which the policy has decided.
    fn judge(&mut self, now: Instant, packet: &Packet, verdict: Verdict, queue: &mut QueueView<'_>) -> Verdict {
        let reason = match verdict {
            Verdict::Pass => return Verdict::Pass,
            Verdict::Mark(_) if packet.ecn.is_capable() => return verdict,
            Verdict::Mark(reason) | Verdict::Drop(reason) => reason,
        };
        self.is_chosen = true;
        self.tell(now, packet, reason, queue);
        match self.chosen {
            Chosen::Spared => Verdict::Pass,
            Chosen::Dropped => Verdict::Drop(reason),
        }
    }
}

impl Policy for SourceQuench {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.is_chosen = false;
        let verdict = self.inner.on_arrival(now, packet, queue, rng);
        self.judge(now, packet, verdict, queue)
    }

    fn on_enqueued(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>) {
        self.inner.on_enqueued(now, packet, queue);
    }

    fn on_departure(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let verdict = self.inner.on_departure(now, packet, queue, rng);
        self.judge(now, packet, verdict, queue)
    }

    fn on_transmission(&mut self, now: Instant, packet: &mut Packet, waiting: Backlog) {
        self.inner.on_transmission(now, packet, waiting);
    }

    fn on_idle(&mut self, now: Instant) {
        self.inner.on_idle(now);
    }

    fn on_drop(&mut self, now: Instant, packet: &Packet, dropped: Dropped, queue: &mut QueueView<'_>) {
        self.inner.on_drop(now, packet, dropped, queue);
        let is_told = self.is_chosen && dropped.stage == Stage::Arrival;
        if self.overflow && dropped.is_overflow() && !is_told {
            self.tell(now, packet, Reason::OVERFLOW, queue);
        }
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.inner.next_deadline()
    }

    fn on_deadline(&mut self, now: Instant, queue: &mut QueueView<'_>) {
        self.inner.on_deadline(now, queue);
    }

    fn sends_chokes(&self) -> bool {
        true
    }

    fn probes(&self) -> &'static [&'static str] {
        self.inner.probes()
    }

    fn probe(&self, index: usize) -> f64 {
        self.inner.probe(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Ecn, FlowId};
    use crate::queue::{Context, Event, What};
    use crate::rig::{args, at};

    struct Router {
        queue: Box<dyn QueueDiscipline>,
        cx: Context,
        sent: u64,
    }

    impl Router {
        fn new(preset: Option<&str>, settings: &[(&str, &str)]) -> Self {
            let queue = ENTRY.build(&args(&ENTRY, preset, settings), &LinkContext::default()).expect("a router");
            Router { queue, cx: Context::new(Rng::named(1, "quench")), sent: 0 }
        }

        /// A packet arrives. Returns the events.
        fn arrive(&mut self, seconds: f64, flow: u32, ecn: Ecn) -> Vec<What> {
            let packet = Packet::datagram(FlowId(flow), self.sent, 1000).with_ecn(ecn);
            self.sent += 1;
            self.queue.enqueue(at(seconds), packet, &mut self.cx);
            self.cx.events.drain().map(|event: Event| event.what).collect()
        }
    }

    #[test]
    fn the_sender_of_a_packet_without_room_is_told() {
        let mut router = Router::new(Some("rfc792"), &[("limit", "2p")]);
        assert_eq!(router.arrive(0.0, 0, Ecn::NotEct), []);
        assert_eq!(router.arrive(0.0, 0, Ecn::NotEct), []);
        assert_eq!(
            router.arrive(0.0, 0, Ecn::NotEct),
            [What::Choke(Reason::OVERFLOW), What::Drop(Reason::OVERFLOW)],
            "RFC 792"
        );
        let mut silent = Router::new(Some("rfc792"), &[("limit", "2p"), ("overflow", "false")]);
        silent.arrive(0.0, 0, Ecn::NotEct);
        silent.arrive(0.0, 0, Ecn::NotEct);
        assert_eq!(silent.arrive(0.0, 0, Ecn::NotEct), [What::Drop(Reason::OVERFLOW)]);
    }

    /// A queue of a thousand under DECbit's rule, which chooses every packet from the second on, and only capable ones.
    fn busy(settings: &[(&str, &str)]) -> Router {
        let mut router = Router::new(None, settings);
        router.arrive(0.0, 0, Ecn::NotEct);
        assert!(router.queue.dequeue(at(0.0), &mut router.cx).is_some());
        router
    }

    #[test]
    fn marks_of_capable_packets_stay_marks() {
        let mut router = busy(&[("policy", "decbit"), ("ecn", "true")]);
        assert_eq!(router.arrive(1.0, 0, Ecn::Ect0), [What::Mark(Reason::FORCED)]);
    }

    /// RED whose average follows 60 packets that wait: above twice its upper threshold it drops every packet.
    fn choosing(settings: &[(&str, &str)]) -> Router {
        let mut router = Router::new(None, settings);
        for i in 0..4000 {
            router.arrive(0.001 * f64::from(i), 1, Ecn::NotEct);
        }
        router
    }

    #[test]
    fn the_senders_of_chosen_packets_are_told() {
        let mut spared = choosing(&[("limit", "1000000p")]);
        let told = spared.arrive(4.0, 0, Ecn::NotEct);
        assert!(matches!(told[..], [What::Choke(_)]), "{told:?}: it goes on");
        let mut dropped = choosing(&[("limit", "1000000p"), ("chosen", "dropped")]);
        let events = dropped.arrive(4.0, 0, Ecn::NotEct);
        assert!(matches!(events[..], [What::Choke(_), What::Drop(_)]), "{events:?}");
    }

    #[test]
    fn a_packet_that_is_chosen_and_finds_no_room_is_told_of_once() {
        // RED chooses every packet, which is spared, and the buffer is full.
        let mut router = choosing(&[("limit", "60p")]);
        let events = router.arrive(4.0, 0, Ecn::NotEct);
        assert!(matches!(events[..], [What::Choke(Reason::FORCED), What::Drop(Reason::OVERFLOW)]), "{events:?}");
    }

    #[test]
    fn a_flow_is_told_once_per_interval() {
        let mut router = choosing(&[("limit", "1000000p"), ("interval", "1s")]);
        let mut told = |seconds, flow| router.arrive(seconds, flow, Ecn::NotEct).len();
        assert_eq!(
            (told(10.0, 0), told(10.9, 0), told(10.9, 2), told(11.0, 0)),
            (1, 0, 1, 1),
            "RFC 1812 section 4.3.3.3"
        );
    }
}
