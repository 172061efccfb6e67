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
//! | A packet's memory is that of a buffer that a socket makes; drivers of devices may make others | [`Memory`] | `a_full_datagram_takes_2304_bytes_and_a_small_one_832` |

mod ack_filter;
mod autorate;
mod buffers;
mod isolation;
mod pace;
mod statistics;
#[cfg(test)]
mod tests;
mod tin;
mod tins;
mod wire_size;

use crate::header::Dscp;
use crate::mechanism::framing::Line;
use crate::mechanism::hash::hash32;
use crate::packet::FlowId;
use crate::queue::FlowHosts;
use crate::queue::prelude::*;
use ack_filter::{AckFilter, filtered};
use autorate::Autorate;
use buffers::{Fattest, Memory, Place};
use isolation::Isolation;
use pace::Pace;
use tin::{Tin, Waiting};
use tins::{Tins, tin_of};
use wire_size::{Coding, LinkLayer};

/// The registry's entry.
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
            link_layer = "raw", mtu = "1514B", header = "14B",
        };
    },
    remarks: true,
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    /// Parameters of CAKE, by the words of tc.
    pub struct Params {
        /// Rate at which packets leave, as the link layer counts their bytes. Automatic: as fast as the link takes them (tc: `unlimited`).
        bandwidth: Option<Rate> = "auto" in [8.0, 1e14], "Linux sch_cake: unlimited";
        /// Whether the rate is set to 15/16 of an estimate from arrivals (tc: `autorate-ingress`).
        autorate_ingress: bool = "false", "Linux sch_cake";
        /// Classes of service.
        tins: Tins = "diffserv3", "Linux sch_cake";
        /// The unit that has a queue of its own, and among which the link is shared. Hosts are the nodes of a scenario; in a dumbbell each
        /// flow has two hosts.
        isolation: Isolation = "triple-isolate", "Linux sch_cake";
        /// How long the paths are: sets `rtt`.
        path: PathLength = "internet", "Linux sch_cake";
        /// Interval of COBALT, about the longest round-trip time. Automatic: that of `path`. It grows as `target` does on a slow link.
        rtt: Option<Duration> = "auto" in [1e-6, 4000.0], "tc: rtt";
        /// Acceptable standing wait; at least the transmission of 1.5 MTU. Automatic: a twentieth of `rtt`.
        target: Option<Duration> = "auto" in [1e-6, 4000.0], "tc: rtt / 20";
        /// The acknowledgements that are dropped because later ones say the same (tc: `ack-filter`, `ack-filter-aggressive`).
        ack_filter: AckFilter = "off", "Linux sch_cake";
        /// Whether packets lose their codepoint (tc: `wash`). They are sorted by it before.
        wash: bool = "false", "Linux sch_cake";
        /// Whether packets have crossed the link already, so that drops count for the shaper as well (tc: `ingress`).
        ingress: bool = "false", "Linux sch_cake";
        /// Link layer by keyword of tc: sets `overhead`, `mpu` and `framing`.
        link_layer: LinkLayer = "raw", "Linux sch_cake";
        /// Bytes that each packet takes beyond those of IP (tc: `overhead`). Automatic: those of `link_layer`.
        overhead: Option<i64> = "auto" in [-64.0, 256.0], "tc: overhead";
        /// Bytes that a packet takes at least (tc: `mpu`). Automatic: those of `link_layer`.
        mpu: Option<u64> = "auto" in [0.0, 256.0], "tc: mpu";
        /// The framing of bytes on the link (tc: `noatm`, `atm`, `ptm`). Automatic: that of `link_layer`.
        framing: Option<Coding> = "auto", "tc: noatm";
        /// Bytes of the link layer in the sizes of packets; subtracted if an overhead is set.
        header: Bytes = "14B" in [0.0, 1000.0], "Linux: the header of Ethernet";
        /// The largest packet.
        mtu: Bytes = "1514B" in [1.0, 65535.0], "Linux: the device's MTU and header";
        /// The most that may wait, as `memory` counts it (tc: `memlimit`); the longest queue loses its head. Automatic: four intervals of
        /// `bandwidth`, at least 4 MiB, and at most 10240 packets of an MTU.
        memory_limit: Option<Bytes> = "auto" in [1.0, 4e9], "Linux sch_cake";
        /// The bytes that the memory limit counts.
        memory: Memory = "kernel", "Linux: skb->truesize";
    }
}

choices! {
    /// How long paths are, by tc's keywords.
    pub enum PathLength {
        /// 0.1 ms.
        Datacentre = "datacentre",
        /// 1 ms.
        Lan = "lan",
        /// 10 ms.
        Metro = "metro",
        /// 30 ms.
        Regional = "regional",
        /// 100 ms.
        Internet = "internet",
        /// 300 ms.
        Oceanic = "oceanic",
        /// 1 s.
        Satellite = "satellite",
        /// 1000 s.
        Interplanetary = "interplanetary",
    }
}

impl PathLength {
    const fn micros(self) -> u64 {
        match self {
            PathLength::Datacentre => 100,
            PathLength::Lan => 1_000,
            PathLength::Metro => 10_000,
            PathLength::Regional => 30_000,
            PathLength::Internet => 100_000,
            PathLength::Oceanic => 300_000,
            PathLength::Satellite => 1_000_000,
            PathLength::Interplanetary => 1_000_000_000,
        }
    }
}

/// An acknowledgement was filtered out.
const FILTERED: Reason = Reason("ack_filter");
/// BLUE's step up, 1/256.
const P_INC: u32 = 1 << 24;
/// The default limit in packets of an MTU.
const PACKETS: u64 = 10_240;
/// The least automatic memory limit.
const LEAST_MEMORY: u64 = 4 << 20;

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let needed = params.memory.of(&Packet::datagram(FlowId(0), 0, link.mean_packet.0 as u32));
    if let Some(limit) = params.memory_limit.filter(|limit| limit.0 < u64::from(needed)) {
        let what = format!("{} bytes hold no packet of {} bytes, which takes {needed}", limit.0, link.mean_packet.0);
        return Err(BuildError::new("memory_limit", what, "at least one packet"));
    }
    Ok(Box::new(Cake::new(&params, link)))
}

/// The settings, which do not change.
struct Settings {
    tins: Tins,
    codepoints: [u8; 64],
    isolation: Isolation,
    ack_filter: AckFilter,
    wash: bool,
    ingress: bool,
    line: Line,
    memory: Memory,
    memory_limit: Option<u64>,
    mtu: u32,
    /// In microseconds, as the kernel keeps them.
    target: u64,
    interval: u64,
    hosts: FlowHosts,
}

impl Settings {
    fn new(params: &Params, link: &LinkContext) -> Self {
        let micros = |span: Duration| (span.as_nanos() / 1000).max(1);
        let interval = params.rtt.map_or(params.path.micros(), micros);
        Settings {
            tins: params.tins,
            codepoints: params.tins.table(),
            isolation: params.isolation,
            ack_filter: params.ack_filter,
            wash: params.wash,
            ingress: params.ingress,
            line: wire_size::line(params.link_layer, params.overhead, params.mpu, params.framing, params.header.0),
            memory: params.memory,
            memory_limit: params.memory_limit.map(|limit| limit.0),
            mtu: params.mtu.0 as u32,
            target: params.target.map_or((interval / 20).max(1), micros),
            interval,
            hosts: link.hosts.clone(),
        }
    }

    /// The limit at a rate in bytes per second.
    fn memory_limit(&self, rate: u64) -> u64 {
        let by_rate = || (rate.saturating_mul(self.interval) / 250_000).max(LEAST_MEMORY);
        let limit = self.memory_limit.unwrap_or_else(|| if rate > 0 { by_rate() } else { u64::MAX });
        limit.min((PACKETS * u64::from(self.mtu)).max(self.memory_limit.unwrap_or(0)))
    }
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
        // What goes to the sender has the hosts of its flow the other way round.
        let goes_back = packet.sent_at().is_none();
        let hosts = || {
            let hosts = hosts.get(packet.flow);
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
            2 => self.autorate.map_or(0.0, |autorate| 8.0 * autorate.rate() as f64),
            _ => {
                let (tin, number) = statistics::place(index);
                statistics::of_tin(&self.tins[tin], number)
            }
        }
    }
}
