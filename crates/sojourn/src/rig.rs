//! A bench for the tests of policies: a queue of chosen length, chosen random numbers, one arrival at a time.

use crate::packet::{FlowId, Packet};
use crate::params::Args;
use crate::queue::entry::QueueEntry;
use crate::queue::{Buffer, Events, Limit, Policy, QueueView, Tag, Verdict};
use crate::rng::Rng;
use crate::units::Instant;

/// A datagram of 1000 bytes of flow 0.
pub(crate) const PACKET: Packet = Packet::datagram(FlowId(0), 0, 1000);

/// `seconds` after the start.
pub(crate) fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

/// Whether two numbers are the same but for rounding: to 12 of the 16 digits, or 12 places where they are below 1.
pub(crate) fn near(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-12 * right.abs().max(1.0)
}

/// As [`near`], to 12 digits however small they are.
pub(crate) fn near_by_ratio(left: f64, right: f64) -> bool {
    (left / right - 1.0).abs() < 1e-12
}

/// The entry's parameters with a preset and settings.
pub(crate) fn args(entry: &QueueEntry, preset: Option<&str>, settings: &[(&str, &str)]) -> Args {
    let mut args = entry.args(preset).expect("a preset of this entry");
    for (name, value) in settings {
        args.set_text(name, value).expect("a valid setting");
    }
    args
}

/// A queue to decide over.
pub(crate) struct Rig {
    pub(crate) fifo: Buffer,
    pub(crate) events: Events,
    pub(crate) rng: Rng,
    /// The number that the policy left with the last arrival.
    pub(crate) tag: Tag,
}

impl Rig {
    /// With these packets waiting.
    pub(crate) fn holding(packets: impl IntoIterator<Item = Packet>) -> Self {
        let mut fifo = Buffer::new(Limit::NONE);
        for packet in packets {
            fifo.push(Instant::ZERO, packet, 0);
        }
        Rig { fifo, events: Events::default(), rng: Rng::named(1, "bench"), tag: 0 }
    }

    /// With so many packets of flow 1 waiting.
    pub(crate) fn waiting(packets: usize) -> Self {
        Self::holding((0..packets as u64).map(|seq| Packet::datagram(FlowId(1), seq, 1000)))
    }

    /// Sight of the queue on a busy link, in a hook about the last arrival.
    pub(crate) fn view(&mut self) -> QueueView<'_> {
        QueueView::new(&mut self.fifo, &mut self.events, true).about(self.tag)
    }

    /// The verdict on `packet`, which is not queued; the policy draws `u` first.
    pub(crate) fn arrive_drawing(
        &mut self,
        policy: &mut impl Policy,
        now: Instant,
        packet: &Packet,
        u: f64,
    ) -> Verdict {
        self.rng.supply(u);
        let mut view = QueueView::new(&mut self.fifo, &mut self.events, true);
        let verdict = policy.on_arrival(now, packet, &mut view, &mut self.rng);
        self.tag = view.tag();
        self.rng.clear_supplied();
        verdict
    }

    /// The verdict on a packet that draws a number above every probability but 1.
    pub(crate) fn arrive(&mut self, policy: &mut impl Policy, now: Instant) -> Verdict {
        self.arrive_drawing(policy, now, &PACKET, 1.0 - f64::EPSILON)
    }
}
