//! A rig for the tests of policies and schedulers, here and in other crates: a queue of chosen length, chosen random numbers, one arrival
//! at a time. Mistakes panic, as in a test.

use crate::header::Header;
use crate::packet::{Body, FlowId, Packet};
use crate::params::Args;
use crate::queue::entry::{PolicyParams, QueueEntry};
use crate::queue::{Buffer, Context, Events, Limit, LinkContext, Policy, QueueDiscipline, QueueView, Tag, Verdict};
use crate::rng::Rng;
use crate::units::{Duration, Instant, Rate};

/// A datagram of 1000 bytes of flow 0.
pub const PACKET: Packet = Packet::datagram(FlowId(0), 0, 1000);

/// 1000 bytes of a TCP flow, with the header of a scheme.
pub fn segment(flow: u32, header: Option<Header>) -> Packet {
    let body = Body::Data {
        seq: 0,
        len: 960,
        sent_at: Instant::ZERO,
        syn: false,
        cwr: false,
        retransmit: false,
        push: false,
        header,
    };
    Packet { body, ..Packet::datagram(FlowId(flow), 0, 1000) }
}

/// The time `seconds` after the start.
pub fn at(seconds: f64) -> Instant {
    Instant::from_secs_f64(seconds)
}

/// The time `millis` after the start, in whole milliseconds.
pub fn at_millis(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

/// True if two numbers are equal except for rounding: to 12 of the 16 digits, or to 12 places if they are below 1.
pub fn near(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-12 * right.abs().max(1.0)
}

/// Like [`near`], but to 12 digits, however small the numbers are.
pub fn near_by_ratio(left: f64, right: f64) -> bool {
    (left / right - 1.0).abs() < 1e-12
}

/// The entry's parameters with a preset and settings.
pub fn args(entry: &QueueEntry, preset: Option<&str>, settings: &[(&str, &str)]) -> Args {
    set(entry.args(preset).expect("a preset of this entry"), settings)
}

/// The parameters with these settings.
pub fn set(mut args: Args, settings: &[(&str, &str)]) -> Args {
    for (name, value) in settings {
        args.set_text(name, value).expect("a valid setting");
    }
    args
}

/// The policy of an entry with a preset and settings, on the default link of 10 Mbit/s.
pub fn policy_of<P: PolicyParams>(entry: &QueueEntry, preset: Option<&str>, settings: &[(&str, &str)]) -> P::Policy {
    args(entry, preset, settings).typed::<P>().policy(&LinkContext::default()).expect("valid parameters")
}

/// A queue for a policy to decide about.
pub struct Rig {
    /// The waiting packets.
    pub fifo: Buffer,
    /// The events that the policy recorded.
    pub events: Events,
    /// Its random numbers.
    pub rng: Rng,
    /// The number that the policy left with the last arrival.
    pub tag: Tag,
}

impl Rig {
    /// A rig with these packets waiting.
    pub fn holding(packets: impl IntoIterator<Item = Packet>) -> Self {
        let mut fifo = Buffer::new(Limit::NONE);
        for packet in packets {
            fifo.push(Instant::ZERO, packet, 0);
        }
        Rig { fifo, events: Events::default(), rng: Rng::named(1, "bench"), tag: 0 }
    }

    /// A rig with `packets` waiting packets of flow 1.
    pub fn waiting(packets: usize) -> Self {
        Self::holding((0..packets as u64).map(|seq| Packet::datagram(FlowId(1), seq, 1000)))
    }

    /// The view of the queue on a busy link, in a hook about the last arrival.
    pub fn view(&mut self) -> QueueView<'_> {
        QueueView::new(&mut self.fifo, &mut self.events, true).about(self.tag)
    }

    /// The verdict on `packet`, which is not queued. The first number that the policy draws is `u`.
    pub fn arrive_drawing(&mut self, policy: &mut impl Policy, now: Instant, packet: &Packet, u: f64) -> Verdict {
        self.rng.supply(u);
        let mut view = QueueView::new(&mut self.fifo, &mut self.events, true);
        let verdict = policy.on_arrival(now, packet, &mut view, &mut self.rng);
        self.tag = view.tag();
        self.rng.clear_supplied();
        verdict
    }

    /// The verdict on a packet that draws a number above every probability but 1.
    pub fn arrive(&mut self, policy: &mut impl Policy, now: Instant) -> Verdict {
        self.arrive_drawing(policy, now, &PACKET, 1.0 - f64::EPSILON)
    }
}

/// A scheduler by class on a link of 8 Mbit/s, which sends 1000 bytes in a millisecond.
pub struct SchedulerRig {
    /// The scheduler.
    pub queue: Box<dyn QueueDiscipline>,
    /// The context with the events that the discipline recorded.
    pub cx: Context,
    seq: u64,
}

impl SchedulerRig {
    /// A scheduler with these settings.
    pub fn new(entry: &'static QueueEntry, settings: &[(&str, &str)]) -> Self {
        let link = LinkContext { rate: Rate::from_bps(8_000_000), ..LinkContext::default() };
        let queue = entry.build(&args(entry, None, settings), &link).expect("a valid queue");
        SchedulerRig { queue, cx: Context::new(Rng::named(1, "classes")), seq: 0 }
    }

    /// Packets of this size arrive at a time, one of each flow. They are numbered from 0.
    pub fn arrive(&mut self, millis: f64, flows: &[u32], size: u32) {
        for flow in flows {
            let packet = Packet::datagram(FlowId(*flow), self.seq, size);
            self.seq += 1;
            self.queue.enqueue(at(millis / 1000.0), packet, &mut self.cx);
        }
    }

    /// Flow and number of the packet that comes out.
    pub fn next(&mut self, millis: f64) -> Option<(u32, u64)> {
        let packet = self.queue.dequeue(at(millis / 1000.0), &mut self.cx)?;
        let Body::Datagram { seq, .. } = packet.body else { unreachable!("only datagrams were queued") };
        Some((packet.flow.0, seq))
    }

    /// Flows of the next packets, each a millisecond after the one before.
    pub fn serve(&mut self, millis: f64, packets: usize) -> Vec<u32> {
        (0..packets).filter_map(|n| self.next(millis + n as f64)).map(|(flow, _)| flow).collect()
    }
}
