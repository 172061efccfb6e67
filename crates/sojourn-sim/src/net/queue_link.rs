//! A link behind any queue discipline.

use std::collections::VecDeque;

use super::fifo_link::Waiting;
use super::moments::Moments;
use super::transmitter::Transmitter;
use super::wire::Wire;
use crate::metrics::capture::Capture;
use crate::metrics::queue::QueueRecorder;
use crate::packet::{Ecn, FlowId, Packet};
use crate::pool::{Pool, make_room, make_room_behind};
use crate::prefetch::prefetch_later;
use crate::queue::{Backlog, Context, Event, QueueDiscipline, Reason, What};
use crate::units::{Duration, Instant, Rate};

/// A packet on its way over the link.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// The packet in transmission, in the pool.
    pub handle: u32,
    /// When the transmitter becomes free again; [`CONTENDS`] if a shared medium decides.
    pub free_at: Instant,
    /// When the packet reaches the other end; `None` if it is corrupted on the way, or if a shared medium decides.
    pub arrives_at: Option<Instant>,
}

/// The packet waits for a medium that it shares with other links.
pub const CONTENDS: Instant = Instant::MAX;

/// A queue discipline and its transmitter.
pub struct QueueLink {
    discipline: Box<dyn QueueDiscipline>,
    cx: Context,
    transmitter: Transmitter,
    delay: Duration,
    transmitting: bool,
    /// Departures that are known, if the discipline decides on arrival.
    ahead: Ahead,
    recorder: Option<Box<QueueRecorder>>,
    series: Series,
    /// The variations, if there are any.
    wire: Option<Box<Wire>>,
    /// Packets for whose senders the engine makes choke packets. They are kept until the engine takes them.
    chokes: Vec<Packet>,
    /// Earliest deadline of the discipline that is scheduled, in nanoseconds; the engine's own.
    pub armed: u64,
    /// Whether deadlines are left out until a packet comes.
    rests: bool,
    /// The moments of departures, where a rule orders arrivals among them; the engine's own.
    pub moments: Option<Moments>,
}

/// Known departures to come.
#[derive(Debug)]
struct Ahead {
    /// The waiting packets, in order.
    waiting: VecDeque<Waiting>,
    /// Bytes of it.
    bytes: u64,
    /// When the next of them begins, or the transmitter goes idle; [`Instant::MAX`] if it is, or if nothing is known.
    next: Instant,
    /// When the last transmission that is known ends; where nothing is known ahead, the last that has begun.
    busy_until: Instant,
}

const NOTHING_AHEAD: Ahead =
    Ahead { waiting: VecDeque::new(), bytes: 0, next: Instant::MAX, busy_until: Instant::ZERO };

impl Ahead {
    /// A packet joins the waiting ones, and nothing overtakes these.
    #[inline(always)]
    fn push(&mut self, arrived: Instant, starts: Instant, packet: &Packet) {
        self.bytes += u64::from(packet.size);
        make_room_behind(&mut self.waiting, "packets that wait");
        self.waiting.push_back(Waiting::of(packet, arrived, starts));
    }

    /// Takes the packet whose transmission begins next.
    #[inline(always)]
    fn pop(&mut self) -> Option<Waiting> {
        let next = self.waiting.pop_front()?;
        prefetch_later(&self.waiting);
        self.bytes -= u64::from(next.size);
        Some(next)
    }

    /// The backlog: no need to ask the discipline.
    #[inline(always)]
    fn backlog(&self) -> Backlog {
        Backlog { packets: self.waiting.len() as u64, bytes: self.bytes }
    }
}

/// Per-packet records that the scenario asked for.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Every drop and mark, if kept.
    pub drops: Option<Vec<DropRow>>,
    /// Every departure and the time it had waited, if kept.
    pub packets: Option<Vec<(Instant, Packet, Duration)>>,
    /// Every packet whole, if kept.
    pub capture: Option<Box<Capture>>,
}

/// Bytes of memory at a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Bytes of the backlog.
    pub waiting: u64,
    /// Bytes of the rows of `record.drops`.
    pub drops: u64,
    /// Bytes of the rows of `record.packets`.
    pub packets: u64,
    /// Bytes of `record.pcap`.
    pub capture: u64,
}

/// Bytes that a row takes in a table: four columns of numbers, and names, which are shared and take at most 4 bytes.
const DROP_TABLE: usize = 4 * 8 + 3 * 4;
const PACKET_TABLE: usize = 4 * 8 + 2 * 4;

/// The record of a drop, a mark or a loss: there may be millions.
#[derive(Clone, Copy, Debug)]
pub struct DropRow {
    /// The time.
    pub time: Instant,
    /// The flow of the packet.
    pub flow: FlowId,
    /// Its bytes on the wire.
    pub size: u32,
    /// The event and its reason.
    pub what: What,
    /// The time since which the packet was at the queue.
    pub since: Instant,
}

impl From<&Event> for DropRow {
    fn from(event: &Event) -> Self {
        let Event { time, packet, what } = event;
        DropRow { time: *time, flow: packet.flow, size: packet.size, what: *what, since: packet.enqueued_at }
    }
}

impl DropRow {
    /// How long the packet had been at the queue when it was dropped or marked; `None` if it was lost behind the queue.
    pub fn waited(&self) -> Option<Duration> {
        (!matches!(self.what, What::Loss(_))).then(|| self.time.since(self.since))
    }
}

impl QueueLink {
    /// Idle and empty.
    pub fn new(
        discipline: Box<dyn QueueDiscipline>,
        cx: Context,
        (rate, delay): (Rate, Duration),
        recorder: Option<Box<QueueRecorder>>,
        series: Series,
    ) -> Self {
        QueueLink {
            discipline,
            cx,
            transmitter: Transmitter::new(rate),
            delay,
            transmitting: false,
            ahead: NOTHING_AHEAD,
            recorder,
            series,
            wire: None,
            chokes: Vec::new(),
            armed: u64::MAX,
            rests: false,
            moments: None,
        }
    }

    /// The same link with its variations.
    #[must_use]
    pub fn with_wire(mut self, wire: Option<Wire>) -> Self {
        self.wire = wire.map(Box::new);
        self
    }

    /// A packet arrives. [`QueueLink::transmit`] must follow.
    #[inline]
    pub fn arrive(&mut self, now: Instant, packet: &Packet) {
        self.discipline.enqueue(now, Packet { enqueued_at: now, ..*packet }, &mut self.cx);
        let Some(recorder) = &mut self.recorder else {
            if !self.cx.events.is_empty() {
                self.keep_events();
            }
            return;
        };
        recorder.arrival(now, packet.size);
        if self.cx.events.is_empty() || !is_dropped(self.cx.events.as_slice(), packet) {
            recorder.accepted(packet);
        }
        if let Some(capture) = &mut self.series.capture {
            capture.arrived(now, packet);
        }
        // With a free transmitter the packet does not wait: `transmit` follows and keeps the books.
        if self.transmitting {
            self.keep_books(now);
        }
    }

    /// Whether a packet's departure is known as soon as it comes: then [`QueueLink::arrive_ahead`] spares an event.
    pub fn decides_on_arrival(&self) -> bool {
        let watched = self.series.packets.is_some() || self.series.capture.is_some();
        let chokes = self.discipline.sends_chokes() || self.discipline.hears_chokes();
        self.discipline.decides_on_arrival() && self.wire.is_none() && !watched && !chokes
    }

    /// A packet arrives at a discipline that decides on arrival: when it will reach the other end, marked if that was
    /// decided; `None` if it is dropped. Nothing else needs to follow.
    #[inline]
    pub fn arrive_ahead(&mut self, now: Instant, packet: &mut Packet) -> Option<Instant> {
        self.settle(now);
        packet.enqueued_at = now;
        let is_admitted = self.discipline.admit(now, packet, &mut self.cx);
        if let Some(recorder) = &mut self.recorder {
            recorder.arrival(now, packet.size);
            if is_admitted {
                recorder.accepted(packet);
            }
        }
        if !is_admitted {
            if self.transmitting {
                self.keep_books_ahead(now);
            } else {
                self.account(now); // The discipline hears that the transmitter stays idle.
            }
            return None;
        }
        let duration = self.transmitter.send(packet.size);
        if self.transmitting {
            packet.wait(self.ahead.busy_until - now);
            self.ahead.push(now, self.ahead.busy_until, packet);
            self.ahead.busy_until += duration;
            self.keep_books_ahead(now);
        } else {
            self.ahead.push(now, now, packet);
            self.ahead.busy_until = now + duration;
            self.account(now);
        }
        Some(self.ahead.busy_until + self.delay)
    }

    /// Accounts for the departures up to and including `now`, where they are known ahead.
    #[inline]
    pub fn settle(&mut self, now: Instant) {
        while self.ahead.next <= now {
            self.account(self.ahead.next);
        }
    }

    /// A transmission begins that was known ahead, or the transmitter goes idle.
    fn account(&mut self, time: Instant) {
        let taken = self.ahead.pop();
        self.discipline.depart(time, taken.map(|packet| packet.size), &mut self.cx);
        self.keep_books_ahead(time);
        self.transmitting = taken.is_some();
        let Some(packet) = taken else {
            self.ahead.next = Instant::MAX;
            return;
        };
        if let Some(recorder) = &mut self.recorder {
            recorder.departure(time, packet.size, packet.ce, time - packet.arrived);
        }
        self.ahead.next = self.ahead.waiting.front().map_or(self.ahead.busy_until, |next| next.starts);
    }

    /// Starts the next transmission, if the transmitter is free and a packet comes out; it goes into `pool`.
    #[inline]
    pub fn transmit(&mut self, now: Instant, pool: &mut Pool) -> Option<Departure> {
        if self.transmitting {
            return None;
        }
        let taken = self.discipline.dequeue(now, &mut self.cx);
        self.keep_books(now);
        let handle = pool.insert(taken?);
        let packet = pool.get_mut(handle);
        let mut waited = now - packet.enqueued_at;
        if self.transmitter.takes_no_time() {
            waited = now - (packet.enqueued_at + self.discipline.sending());
        }
        packet.wait(waited);
        self.transmitting = true;
        if let Some(recorder) = &mut self.recorder {
            recorder.departure(now, packet.size, packet.ecn == Ecn::Ce, waited);
        }
        if let Some(packets) = &mut self.series.packets {
            make_room(packets, 1, "record.packets");
            packets.push((now, *packet, waited));
        }
        if let Some(capture) = &mut self.series.capture {
            capture.sent(now, packet);
        }
        if let Some(mut wire) = self.wire.take() {
            let (free_at, arrives_at) = self.send_over(now, packet, &mut wire);
            self.wire = Some(wire);
            // A packet that contends has no end yet; it counts when it is taken.
            self.ahead.busy_until = if free_at == CONTENDS { now } else { free_at };
            return Some(Departure { handle, free_at, arrives_at });
        }
        let free_at = now + self.transmitter.send(packet.size);
        self.ahead.busy_until = free_at;
        Some(Departure { handle, free_at, arrives_at: Some(free_at + self.delay) })
    }

    /// Starts a transmission on a link on which something varies: when it ends, and when the packet arrives.
    fn send_over(&mut self, now: Instant, packet: &Packet, wire: &mut Wire) -> (Instant, Option<Instant>) {
        if wire.contends() {
            return (CONTENDS, None);
        }
        let (rate, delay) = wire.changes_until(now);
        if let Some(rate) = rate {
            self.transmitter = Transmitter::new(rate);
        }
        self.delay = delay.unwrap_or(self.delay);
        let free_at = now + self.transmitter.send(wire.framed(packet.size));
        let arrives_at = wire.arrival(free_at + self.delay, packet.size);
        if arrives_at.is_none() {
            self.lose(now, packet, Reason::CORRUPTION);
        }
        (free_at, arrives_at)
    }

    /// When a frame of `bytes` whose last bit is sent at `sent` reaches the other end; `None` if it is corrupted.
    pub fn attempt(&mut self, sent: Instant, bytes: u32) -> Option<Instant> {
        let due = sent + self.delay;
        self.wire.as_mut().map_or(Some(due), |wire| wire.arrival(due, bytes))
    }

    /// A packet that was taken for transmission is lost on the link.
    #[cold]
    pub fn lose(&mut self, now: Instant, packet: &Packet, reason: Reason) {
        let event = Event { time: now, packet: *packet, what: What::Loss(reason) };
        if let Some(recorder) = &mut self.recorder {
            recorder.event(&event);
        }
        if let Some(drops) = &mut self.series.drops {
            make_room(drops, 1, "record.drops");
            drops.push(DropRow::from(&event));
        }
        if let Some(capture) = &mut self.series.capture {
            capture.happened(&[event]);
        }
    }

    /// The transmission has ended.
    pub fn transmitter_free(&mut self) {
        self.transmitting = false;
    }

    /// The discipline's deadline has been reached.
    pub fn on_deadline(&mut self, now: Instant) {
        self.discipline.on_deadline(now, &mut self.cx);
        self.keep_books(now);
    }

    /// An idle link whose deadlines change nothing: they are left out until a packet comes. Returns whether it is one.
    pub fn comes_to_rest(&mut self) -> bool {
        self.rests = !self.transmitting && self.ahead.next == Instant::MAX && self.discipline.rests();
        self.rests
    }

    /// A packet comes; deadlines of this time are before it. Returns whether the link rested, and its deadline is to be scheduled.
    #[inline(always)]
    pub fn wakes(&mut self, now: Instant) -> bool {
        let rested = std::mem::take(&mut self.rests);
        if rested {
            self.discipline.rest_until(now + Duration::from_nanos(1));
        }
        rested
    }

    /// A choke packet has come by. Returns whether it goes on.
    pub fn on_choke(&mut self, now: Instant, choke: &Packet) -> bool {
        let goes_on = self.discipline.on_choke(now, choke, &mut self.cx);
        self.keep_books(now);
        goes_on
    }

    /// True if choke packets are to be made.
    #[inline]
    pub fn has_chokes(&self) -> bool {
        !self.chokes.is_empty()
    }

    /// Takes the packets for whose senders choke packets are to be made.
    pub fn take_chokes(&mut self) -> Vec<Packet> {
        std::mem::take(&mut self.chokes)
    }

    /// The time from the begin of a packet's transmission to its arrival at the other end.
    pub fn crossing(&self, size: u32) -> Duration {
        self.transmitter.time(size) + self.delay
    }

    /// The queue discipline.
    pub fn discipline(&self) -> &dyn QueueDiscipline {
        &*self.discipline
    }

    /// The end of the current transmission, as of [`QueueLink::settle`]; a past moment if there is none.
    pub fn busy_until(&self) -> Instant {
        if self.ahead.next == Instant::MAX { self.ahead.busy_until } else { self.ahead.next }
    }

    /// The measurements.
    pub fn recorder(&self) -> Option<&QueueRecorder> {
        self.recorder.as_deref()
    }

    /// The measurements.
    pub fn recorder_mut(&mut self) -> Option<&mut QueueRecorder> {
        self.recorder.as_deref_mut()
    }

    /// Bytes of memory of the backlog and of the records, with their tables.
    pub fn footprint(&self) -> Footprint {
        let packets = |count: u64| count * size_of::<Packet>() as u64;
        let rows = |count: Option<usize>, bytes: usize| count.unwrap_or(0) as u64 * bytes as u64;
        Footprint {
            waiting: packets(self.discipline.backlog().packets),
            drops: rows(self.series.drops.as_ref().map(Vec::len), size_of::<DropRow>() + DROP_TABLE),
            packets: rows(
                self.series.packets.as_ref().map(Vec::len),
                size_of::<(Instant, Packet, Duration)>() + PACKET_TABLE,
            ),
            capture: self.series.capture.as_ref().map_or(0, |capture| capture.footprint()),
        }
    }

    /// The records.
    pub fn series(&self) -> &Series {
        &self.series
    }

    /// Takes out the packets that were kept whole, if they are.
    pub fn take_capture(&mut self) -> Option<Capture> {
        self.series.capture.take().map(|capture| *capture)
    }

    #[inline]
    fn keep_books(&mut self, now: Instant) {
        if let Some(recorder) = &mut self.recorder {
            recorder.backlog_becomes(now, self.discipline.backlog());
        }
        if !self.cx.events.is_empty() {
            self.keep_events();
        }
    }

    /// [`QueueLink::keep_books`] where departures are known ahead.
    #[inline(always)]
    fn keep_books_ahead(&mut self, now: Instant) {
        debug_assert_eq!(self.ahead.backlog(), self.discipline.backlog(), "both know what waits");
        if let Some(recorder) = &mut self.recorder {
            recorder.backlog_becomes(now, self.ahead.backlog());
        }
        if !self.cx.events.is_empty() {
            self.keep_events();
        }
    }

    #[cold]
    fn keep_events(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            for event in self.cx.events.as_slice() {
                recorder.event(event);
            }
        }
        if let Some(drops) = &mut self.series.drops {
            make_room(drops, self.cx.events.as_slice().len(), "record.drops");
            drops.extend(self.cx.events.as_slice().iter().map(DropRow::from));
        }
        let choked = self.cx.events.as_slice().iter().filter(|event| matches!(event.what, What::Choke(_)));
        self.chokes.extend(choked.map(|event| event.packet));
        if let Some(capture) = &mut self.series.capture {
            capture.happened(self.cx.events.as_slice());
        }
        self.cx.events.clear();
    }
}

fn is_dropped(events: &[Event], packet: &Packet) -> bool {
    events.iter().any(|event| {
        matches!(event.what, What::Drop(_)) && event.packet.flow == packet.flow && event.packet.body == packet.body
    })
}
