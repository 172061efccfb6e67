//! CAKE: a shaper, a fair share for each host and within it for each flow, classes by DSCP, COBALT in each flow's queue, and a filter of
//! acknowledgements. Specification: Høiland-Jørgensen, Täht and Morton, "Piece of CAKE", LANMAN 2018; Linux 6.12 `sch_cake` (behaviour,
//! read under its BSD licence), in its numbers and its order of steps. Compared with: that kernel, decision by decision
//! (`tests/peers/linux/kernel`).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Flows and hosts are hashed by their numbers, not by addresses and ports; there is no `nat` | the simulation knows no addresses; behind a router that translates them each flow keeps its hosts | `hosts_are_those_of_the_scenario` |
//! | There are no marks of a firewall, no filters and no `skb->priority` | as above | - |
//! | Packets are single: `split-gso` has nothing to split | the simulation knows no segments that hardware cuts | - |
//! | A timestamp of an acknowledgement is the time at which its segment was sent, in nanoseconds | senders here do so; Linux counts milliseconds | `tests/peers/linux/kernel` |
//! | A packet's memory is that of a buffer that a socket makes; drivers of devices may make others | [`Buffers`](buffers::Buffers) | `a_full_datagram_takes_2304_bytes_and_a_small_one_832` |

mod ack_filter;
mod autorate;
pub(in crate::discipline) mod buffers;
mod isolation;
mod pace;
mod path_length;
mod settings;
mod statistics;
#[cfg(test)]
mod tests;
mod tin;
mod tins;
mod wire_size;

use crate::header::Dscp;
use crate::mechanism::hash::hash32;
use crate::packet::Body;
use crate::queue::prelude::*;
use ack_filter::{AckFilter, filtered};
use autorate::Autorate;
use buffers::{Fattest, Place};
use pace::Pace;
use settings::Settings;
use tin::{Tin, Waiting};
use tins::tin_of;
use wire_size::LinkLayer;

pub use settings::Params;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "cake",
    title: "CAKE",
    doc: "A shaper with fair shares for hosts and flows. Classes of service have tins with parts of the rate; in each, flows are \
          hashed to queues, whose turns are divided among the flows of a host; COBALT drops or marks in queues whose packets wait \
          too long.",
    reference: "Høiland-Jørgensen, Täht and Morton 2018; Linux sch_cake",
    decides: "The shaper decides when a packet leaves, and turns of bytes decide which queue sends it. COBALT drops or marks packets by \
              their waiting time; its page draws its law.",
    presets: presets! {
        /// Linux 6.12 sch_cake's defaults, which tc of iproute2 6.15 leaves: no shaper, three tins, triple isolation, 100 ms.
        linux = {
            bandwidth = "auto", tins = "diffserv3", isolation = "triple-isolate", path = "internet", ack_filter = "off",
            wash = "false", ingress = "false", autorate_ingress = "false", memory_limit = "auto", memory = "kernel",
            link_layer = "raw", mtu = "1514B",
        };
    },
    remarks: true,
    ..QueueEntry::of_discipline::<Params>(build)
};

/// An acknowledgement was filtered out.
const FILTERED: Reason = Reason("ack_filter");
/// BLUE's step up, 1/256.
const P_INC: u32 = 1 << 24;
fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    if let Some(limit) = params.memory_limit {
        params.memory.on(link).refuse_less(limit.0, link)?;
    }
    if params.link_layer != LinkLayer::Raw
        && params.overhead.is_some()
        && params.mpu.is_some()
        && params.framing.is_some()
    {
        let what = "this has no effect with overhead, mpu and framing, which are all that it sets";
        return Err(BuildError::new("link_layer", what, "leave one of them to it"));
    }
    Ok(Box::new(Cake::new(&params, link)))
}

/// The discipline.
pub struct Cake {
    set: Settings,
    tins: Vec<Tin>,
    /// The tin that is served.
    current: usize,
    pace: Pace,
    /// When the next packet is due, and when at the latest whatever was dropped.
    time_next: u64,
    failsafe_next: u64,
    autorate: Option<Autorate>,
    fattest: Fattest,
    memory: u64,
    memory_max: u64,
    memory_limit: u64,
    /// The rate at the start in bytes per second; 0 is no rate.
    bandwidth: u64,
    /// How often the link asked for a packet that had to wait for the rate.
    overlimits: u64,
    backlog: Backlog,
    /// Makes the hash differ from run to run; drawn at the first arrival.
    perturbation: Option<u32>,
    due: Option<Instant>,
}

impl Cake {
    fn new(params: &Params, link: &LinkContext) -> Self {
        let rate = params.bandwidth.map_or(0, |rate| rate.as_bps() / 8);
        let set = Settings::new(params, link);
        let mut cake = Cake {
            tins: (0..set.tins.count()).map(|_| Tin::new()).collect(),
            set,
            current: 0,
            pace: Pace::default(),
            time_next: 0,
            failsafe_next: 0,
            autorate: params.autorate_ingress.then(|| Autorate::new(rate)),
            fattest: Fattest::default(),
            memory: 0,
            memory_max: 0,
            memory_limit: 0,
            bandwidth: rate,
            overlimits: 0,
            backlog: Backlog::default(),
            perturbation: None,
            due: None,
        };
        cake.shape(rate);
        cake
    }

    /// Shapes at `rate` bytes per second from now on. 0 is no rate.
    fn shape(&mut self, rate: u64) {
        let Settings { mtu, target, interval, .. } = self.set;
        for (tin, layout) in self.tins.iter_mut().zip(self.set.tins.layouts(rate)) {
            tin.lay_out(layout, mtu, target * 1000, interval * 1000);
        }
        self.pace = self.tins[0].pace;
        self.memory_limit = self.set.memory_limit(rate);
    }

    /// The queue of a packet.
    fn place(&mut self, tin: usize, packet: &Packet, cx: &Context) -> u16 {
        // From a copy, so that the queue's own numbers stay those of the kernel.
        let perturbation = *self.perturbation.get_or_insert_with(|| cx.rng.clone().below(1 << 32) as u32);
        let Settings { isolation, hosts, .. } = &self.set;
        // A packet to the sender has the hosts of its flow in reverse.
        let goes_back = packet.sent_at().is_none();
        let hosts = || {
            let seen = if let Body::Seen(seen) = packet.body { seen.hosts() } else { None };
            let hosts = seen.unwrap_or_else(|| hosts.get(packet.flow));
            let (source, target) = (hash32(hosts.source, perturbation), hash32(hosts.target, perturbation));
            if goes_back { (target, source) } else { (source, target) }
        };
        let (source, target) = if isolation.is_by_hosts() { hosts() } else { (0, 0) };
        let key = isolation.hash(hash32(packet.flow.0, perturbation), source, target);
        self.tins[tin].place(*isolation, key, hosts)
    }

    /// A shaper that has been idle begins anew.
    fn wake(&mut self, tin: usize, now: u64) {
        let tin = &mut self.tins[tin];
        if tin.backlog > 0 {
            return;
        }
        tin.time_next = tin.time_next.max(now);
        if self.backlog.packets == 0 && self.time_next < now {
            (self.time_next, self.failsafe_next) = (now, now);
        }
    }

    /// The link's time for a packet is charged to its tin and to all.
    fn charge(&mut self, tin: usize, bytes: u32, now: u64, is_dropped: bool) {
        if !self.pace.is_some() {
            return;
        }
        let tin = &mut self.tins[tin];
        let of_tin = tin.pace.take(bytes);
        if tin.time_next < now {
            tin.time_next += of_tin;
        } else if tin.time_next < now + of_tin {
            tin.time_next = now + of_tin;
        }
        let of_all = self.pace.take(bytes);
        self.time_next += of_all;
        if !is_dropped {
            self.failsafe_next += of_all + of_all / 2;
        }
    }

    /// Something that waited has left its queue.
    fn taken(&mut self, tin: usize, place: u16, gone: &Waiting) {
        let size = u64::from(gone.packet.size);
        self.tins[tin].flow_mut(place).backlog -= gone.packet.size;
        self.tins[tin].backlog -= size;
        self.backlog.packets -= 1;
        self.backlog.bytes -= size;
        self.memory -= u64::from(gone.memory);
    }

    /// Drops the acknowledgement that the one which has just come makes superfluous, and says its bytes.
    fn filter(&mut self, tin: usize, place: u16, now: Instant, cx: &mut Context) -> u32 {
        let is_aggressive = match self.set.ack_filter {
            AckFilter::Off => return 0,
            filter => filter == AckFilter::Aggressive,
        };
        let flow = self.tins[tin].flow_mut(place);
        let Some(gone) = filtered(&flow.waiting, is_aggressive).and_then(|at| flow.waiting.remove(at)) else {
            return 0;
        };
        self.taken(tin, place, &gone);
        self.tins[tin].counts.ack_drops += 1;
        if self.set.ingress {
            self.charge(tin, gone.charged, now.as_nanos(), true);
        }
        cx.events.drop(now, gone.packet, FILTERED);
        gone.packet.size
    }

    /// The longest queue loses its head.
    fn make_room(&mut self, now: Instant, cx: &mut Context) {
        let longest = self.fattest.get(backlogs(&self.tins));
        let tin = longest.tin as usize;
        let flow =
            if tin < self.tins.len() { self.tins[tin].flow_mut(longest.queue).waiting.pop_front() } else { None };
        let Some(gone) = flow else { return self.fattest.forget() };
        let spans = self.tins[tin].spans;
        let begins = self.tins[tin].flow_mut(longest.queue).vars.queue_full(&spans, P_INC, now.as_nanos());
        self.tins[tin].unresponsive += i64::from(begins);
        self.taken(tin, longest.queue, &gone);
        self.tins[tin].counts.drops += 1;
        if self.set.ingress {
            self.charge(tin, gone.charged, now.as_nanos(), true);
        }
        cx.events.drop(now, gone.packet, Reason::OVERFLOW);
        self.fattest.first_shrank(backlogs(&self.tins));
    }

    /// The tin whose turn it is, if any has something to be served.
    fn choose_tin(&mut self, now: u64) -> Option<usize> {
        if self.pace.is_some() {
            // The last one whose time has come, which has the highest priority; if none, the one whose time comes first.
            let mut best = None;
            let active = self.tins.iter().enumerate().filter(|(_, tin)| tin.is_active());
            for (at, tin) in active {
                let wait = tin.time_next as i64 - now as i64;
                if wait <= 0 || best.is_none_or(|(_, least)| wait <= least) {
                    best = Some((at, wait));
                }
            }
            return best.map(|(at, _)| at);
        }
        let (mut at, mut has_wrapped, mut is_empty) = (self.current, false, true);
        loop {
            let tin = &mut self.tins[at];
            if tin.deficit >= 0 && tin.is_active() {
                return Some(at);
            }
            if tin.deficit <= 0 {
                tin.deficit += i32::from(tin.quantum);
            }
            is_empty &= !tin.is_active();
            at += 1;
            if at == self.tins.len() {
                if has_wrapped && is_empty {
                    self.current = 0;
                    return None;
                }
                (at, has_wrapped) = (0, true);
            }
        }
    }

    /// The head of a queue, unless COBALT drops all but the last packet there; with `ingress` a drop ends the turn.
    fn take(&mut self, tin: usize, place: u16, now: Instant, cx: &mut Context) -> Option<Taken> {
        loop {
            let head = self.tins[tin].flow_mut(place).waiting.pop_front();
            let Some(mut gone) = head else { return Some(Taken::Nothing) };
            self.taken(tin, place, &gone);
            if self.fattest.is_kept() {
                let longest = Place { tin: tin as u8, queue: place };
                self.fattest.shrank(longest, backlogs(&self.tins));
            }
            let waited = now.since(gone.packet.enqueued_at);
            let (spans, least) = (self.tins[tin].spans, self.tins[tin].least(self.set.ingress));
            let flow = self.tins[tin].flow_mut(place);
            let can = gone.packet.ecn.is_capable();
            let signal = flow.vars.decide(&spans, now.as_nanos(), (waited, least), can, &mut cx.rng);
            match signal.drops() {
                Some(reason) if !flow.waiting.is_empty() => {
                    self.tins[tin].counts.drops += 1;
                    cx.events.drop(now, gone.packet, reason);
                    if self.set.ingress {
                        self.charge(tin, gone.charged, now.as_nanos(), true);
                        self.tins[tin].flow_mut(place).deficit -= gone.charged as i32;
                        self.tins[tin].deficit -= gone.charged as i32;
                        return None;
                    }
                }
                _ => {
                    if signal.marks {
                        self.tins[tin].counts.marks += 1;
                        cx.events.mark(now, &mut gone.packet, Reason::SOJOURN);
                    }
                    self.tins[tin].counts.waited(waited);
                    return Some(Taken::Packet(gone));
                }
            }
        }
    }

    /// Serves a tin until a packet comes out or nothing is left there.
    fn serve(&mut self, tin: usize, looks_at_decaying: &mut bool, now: Instant, cx: &mut Context) -> Option<Waiting> {
        let isolation = self.set.isolation;
        while let Some(place) = self.tins[tin].next(*looks_at_decaying) {
            *looks_at_decaying = false;
            if self.tins[tin].flow(place).deficit <= 0 {
                self.tins[tin].goes_behind(isolation, place, &mut cx.rng);
                continue;
            }
            match self.take(tin, place, now, cx) {
                None => {}
                Some(Taken::Packet(gone)) => {
                    self.charge(tin, gone.charged, now.as_nanos(), false);
                    self.tins[tin].flow_mut(place).deficit -= gone.charged as i32;
                    self.tins[tin].deficit -= gone.charged as i32;
                    return Some(gone);
                }
                Some(Taken::Nothing) => {
                    self.tins[tin].emptied(isolation, place, now.as_nanos());
                    return None;
                }
            }
        }
        None
    }
}

/// The result of a turn.
enum Taken {
    Packet(Waiting),
    /// The queue is empty.
    Nothing,
}

/// Bytes that wait in each queue.
fn backlogs(tins: &[Tin]) -> impl Fn(Place) -> u32 + '_ {
    |place| tins.get(place.tin as usize).map_or(0, |tin| tin.flow(place.queue).backlog)
}

impl QueueDiscipline for Cake {
    fn enqueue(&mut self, now: Instant, mut packet: Packet, cx: &mut Context) {
        let tin = tin_of(&self.set.codepoints, packet.dscp);
        if self.set.wash {
            packet.dscp = Dscp::DF;
        }
        let place = self.place(tin, &packet, cx);
        self.wake(tin, now.as_nanos());

        packet.enqueued_at = now;
        let (size, memory) = (packet.size, self.set.memory.of(&packet));
        let flow = self.tins[tin].flow_mut(place);
        flow.waiting.push_back(Waiting { packet, charged: self.set.line.bytes(size), memory });
        flow.backlog += size;
        self.tins[tin].backlog += u64::from(size);
        self.tins[tin].counts.packets += 1;
        self.tins[tin].counts.bytes += u64::from(size);
        self.backlog.packets += 1;
        self.backlog.bytes += u64::from(size);
        self.memory += u64::from(memory);
        let filtered = self.filter(tin, place, now, cx);
        if self.fattest.is_kept() {
            self.fattest.grew(Place { tin: tin as u8, queue: place }, backlogs(&self.tins));
        }
        let more = i64::from(size) - i64::from(filtered);
        if let Some(rate) = self.autorate.as_mut().and_then(|autorate| autorate.arrival(now.as_nanos(), more)) {
            self.shape(rate);
        }

        self.tins[tin].joined(self.set.isolation, place, &mut cx.rng);
        self.memory_max = self.memory_max.max(self.memory);
        while self.memory > self.memory_limit {
            self.make_room(now, cx);
        }
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        self.due = None;
        let mut looks_at_decaying = true;
        while self.backlog.packets > 0 {
            let due = self.time_next.min(self.failsafe_next);
            if due > now.as_nanos() {
                self.due = Some(Instant::from_nanos(due));
                self.overlimits += 1;
                return None;
            }
            self.current = self.choose_tin(now.as_nanos())?;
            if let Some(sent) = self.serve(self.current, &mut looks_at_decaying, now, cx) {
                self.fattest.departed();
                return Some(sent.packet);
            }
        }
        None
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.due
    }

    fn on_deadline(&mut self, now: Instant, _cx: &mut Context) {
        // The link asks for a packet then.
        if self.due.is_some_and(|due| due <= now) {
            self.due = None;
        }
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn limit(&self) -> Limit {
        Limit { packets: u64::MAX, bytes: self.memory_limit }
    }

    fn probes(&self) -> &'static [&'static str] {
        statistics::names(self.set.tins)
    }

    fn probe(&self, index: usize) -> f64 {
        match index {
            0 => self.memory as f64,
            1 => self.memory_max as f64,
            2 => 8.0 * self.autorate.map_or(self.bandwidth, |autorate| autorate.rate()) as f64,
            3 => self.overlimits as f64,
            _ => {
                let (tin, number) = statistics::place(index);
                statistics::of_tin(&self.tins[tin], number)
            }
        }
    }
}
