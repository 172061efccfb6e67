//! `fq` of Linux: a queue for each flow, served in turn, new flows first, each no faster than its rate. Specification: the behaviour of
//! Linux 6.12, `sch_fq`; tc-fq(8). Compared with: the kernel beside it (`evidence/linux`). [`fq`](super::fq) is another one, of Nagle.
//!
//! A packet goes to one of three bands by its priority ([`leaves`](super::leaves)). A band sends while it has credit, and gets its weight
//! anew when its turn comes. In it, flows that have just begun go first; a flow sends while it has credit, gets a `quantum` when it has
//! none, and goes behind the others. With `maxrate` each packet says when the next one may go, and a flow that is too early waits apart. If
//! no flow waits for its turn, a packet goes to a short queue before all others.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Senders pace themselves here; in Linux this queue keeps their rates and times, too | pacing is a part of senders | - |
//! | So nothing comes with a time in the future, which `horizon` would bound | the same | - |
//! | No flow is forgotten; Linux forgets one after 3 s if another of its tree comes | 1024 trees have 1023 flows by default | - |
//! | Ticks of the kernel are milliseconds | `CONFIG_HZ` 1000; they are a 40th of the delay that is measured in them | - |

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::leaves::{PRIOMAP, priomap, priority_of};
use crate::mechanism::hash::hash32;
use crate::packet::FlowId;
use crate::params::Several;
use crate::queue::prelude::*;

/// The registry's entry.
pub static ENTRY: QueueEntry = QueueEntry {
    name: "sch_fq",
    title: "fq of Linux",
    doc: "Fair queueing of flows that can be paced, as in Linux. Each flow has a queue and a turn, new flows go first, and `maxrate` \
          spaces the packets of each flow.",
    reference: "Dumazet 2013; Linux sch_fq",
    decides: "It decides by turns of bytes whose packet goes next, and by `maxrate` when. A packet is dropped if its flow, or its band, \
          has too many.",
    guards: true,
    shown: &[
        Counter("flows", Source::Probe("flows")),
        Counter("inactive", Source::Probe("inactive_flows")),
        Counter("throttled", Source::Probe("throttled_flows")),
        Counter("flows_plimit", Source::Drops(&[Reason::UNFAIR])),
        Counter("ce_mark", Source::Marks),
    ],
    probes: &[
        Probe::new("flows", "", Probe::UP, "flows that have ever waited for their turn"),
        Probe::new("inactive_flows", "", Probe::UP, "flows among these without packets"),
        Probe::new("throttled_flows", "", Probe::UP, "flows that wait for the time of their next packet"),
    ],
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    /// Parameters of fq.
    pub struct Params {
        /// The most packets that may wait in a band.
        limit: Size = "10000p" in [0.0, 1e12], "Linux sch_fq";
        /// The most packets of a flow that may wait.
        flow_limit: u64 = "100" in [0.0, 4_294_967_295.0], "Linux sch_fq";
        /// Bytes of a turn of a flow, in Linux from 256 bytes to 1 MiB.
        quantum: Bytes = "3028B" in [0.0, 4_294_967_295.0], "Linux sch_fq: two packets of the device's MTU";
        /// Bytes that a new flow may send in its first turn.
        initial_quantum: Bytes = "15140B" in [0.0, 1_048_576.0], "Linux sch_fq: ten packets of the device's MTU";
        /// A flow without packets for longer than this begins with a quantum at least.
        refill_delay: Duration = "40ms" in [0.0, 4295.0], "Linux sch_fq";
        /// The greatest rate of each flow; `auto`: none.
        maxrate: Option<Rate> = "auto" in [8.0, 34_359_738_360.0], "Linux sch_fq";
        /// Whether packets are spaced by `maxrate`.
        pacing: bool = "true", "Linux sch_fq", when maxrate not in ["auto"];
        /// With a `maxrate` up to this, each packet is spaced from the next; with a greater one a flow sends a quantum in one go.
        low_rate_threshold: Rate = "550kbit" in [0.0, 34_359_738_360.0], "Linux sch_fq", when maxrate not in ["auto"];
        /// Mark ECN-capable packets that leave by more than this after they might have. Automatic: never.
        ce_threshold: Option<Duration> = "auto" in [0.0, 4295.0], "Linux sch_fq";
        /// Hashes of flows have this many values, less one: the bits of a hash that count. Flows with the same one have a queue in common.
        orphan_mask: u64 = "1023" in [0.0, 4_294_967_295.0], "Linux sch_fq, for packets that a router forwards";
        /// The band of each priority from 0 to 15; those that are not said have tc's: 1 2 2 2 1 2 0 0, then 1.
        priomap: Several<u64> = "" in [0.0, 2.0], "Linux sch_fq";
        /// Bytes of a turn of each of the three bands; those that are not said have 589824, 196608 and 65536.
        weights: Several<Bytes> = "" in [16384.0, 2_147_483_647.0], "Linux sch_fq";
    }
}

const BANDS: usize = 3;
/// Packets that may be in the queue before all others.
const FAST: usize = 8;
const WEIGHTS: [i64; BANDS] = [9 << 16, 3 << 16, 1 << 16];
const SECOND: u64 = 1_000_000_000;
const TICK: u64 = 1_000_000;

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let limit = link.packets(params.limit) as u64;
    let mut weights = WEIGHTS;
    if params.weights.0.len() > BANDS {
        let what = format!("there are {} weights for {BANDS} bands", params.weights.0.len());
        return Err(BuildError::new("weights", what, format!("give at most {BANDS}")));
    }
    for (weight, said) in weights.iter_mut().zip(&params.weights.0) {
        *weight = said.0 as i64;
    }
    Ok(Box::new(Fq {
        limit,
        quantum: params.quantum.0.clamp(256, 1 << 20) as i64,
        refill_ticks: params.refill_delay.as_nanos().div_ceil(TICK),
        rate: params.maxrate.map(|rate| rate.as_bps() / 8).filter(|_| params.pacing),
        has_maxrate: params.maxrate.is_some(),
        slow: params.low_rate_threshold.as_bps() / 8,
        priomap: priomap(&params.priomap.0, PRIOMAP, BANDS)?,
        bands: std::array::from_fn(|band| Band { weight: weights[band], ..Band::default() }),
        params,
        turn: 0,
        fast: VecDeque::new(),
        perturbation: None,
        of_hash: BTreeMap::new(),
        flows: Vec::new(),
        inactive: 0,
        throttled: BTreeSet::new(),
        order: 0,
        next_throttled: u64::MAX,
        backlog: Backlog::default(),
        due: None,
    }))
}

/// Where a flow is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It has no packets and no turn since this tick.
    Detached(u64),
    /// It waits for its turn.
    Listed,
    /// It waits for the time of its next packet.
    Throttled,
}

struct Flow {
    place: Place,
    band: usize,
    credit: i64,
    /// When its next packet may go.
    time_next_packet: u64,
    /// Its packets, with the bands in which they are counted.
    packets: VecDeque<(Packet, usize)>,
}

/// Flows that wait for their turn, and the packets of all flows.
#[derive(Default)]
struct Band {
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    credit: i64,
    weight: i64,
    packets: u64,
}

struct Fq {
    params: Params,
    limit: u64,
    quantum: i64,
    refill_ticks: u64,
    /// Bytes in a second, if packets are spaced.
    rate: Option<u64>,
    has_maxrate: bool,
    slow: u64,
    priomap: [u8; 16],
    bands: [Band; BANDS],
    /// The band whose turn it is.
    turn: usize,
    /// Packets that go before all others.
    fast: VecDeque<Packet>,
    perturbation: Option<u32>,
    /// The flow here of each hash.
    of_hash: BTreeMap<u32, u32>,
    flows: Vec<Flow>,
    inactive: usize,
    /// When the next packet of a throttled flow may go, in which order among equals, which flow.
    throttled: BTreeSet<(u64, u64, u32)>,
    order: u64,
    next_throttled: u64,
    backlog: Backlog,
    due: Option<Instant>,
}

impl Fq {
    /// Whether a packet passes all others: no flow waits for its turn.
    fn is_fast(&self, now: u64) -> bool {
        let free = self.backlog.packets == 0
            || self.flows.len() == self.inactive + self.throttled.len()
                && self.fast.len() < FAST
                && self.next_throttled > now;
        free && !self.has_maxrate
    }

    fn key(&mut self, flow: FlowId, cx: &mut Context) -> u32 {
        let perturbation = *self.perturbation.get_or_insert_with(|| cx.rng.clone().below(1 << 32) as u32);
        hash32(flow.0, perturbation) & self.params.orphan_mask as u32
    }

    /// The flow of a packet, which is new if its hash has not come before.
    fn flow_of(&mut self, now: u64, flow: FlowId, cx: &mut Context) -> u32 {
        let key = self.key(flow, cx);
        let next = self.flows.len() as u32;
        let found = *self.of_hash.entry(key).or_insert(next);
        if found == next {
            self.inactive += 1;
            let (credit, place) = (self.params.initial_quantum.0 as i64, Place::Detached((now / TICK) | 1));
            self.flows.push(Flow { place, band: 0, credit, time_next_packet: 0, packets: VecDeque::new() });
        }
        found
    }

    fn takes(&mut self, packet: &Packet) {
        self.backlog.packets += 1;
        self.backlog.bytes += u64::from(packet.size);
    }

    fn gives(&mut self, packet: &Packet) {
        self.backlog.packets -= 1;
        self.backlog.bytes -= u64::from(packet.size);
    }

    /// Throttled flows whose time has come wait for their turn, as old ones.
    fn release(&mut self, now: u64) {
        if self.next_throttled > now {
            return;
        }
        self.next_throttled = u64::MAX;
        while let Some(&(time, order, flow)) = self.throttled.first() {
            if time > now {
                self.next_throttled = time;
                break;
            }
            self.throttled.remove(&(time, order, flow));
            self.flows[flow as usize].place = Place::Listed;
            self.bands[self.flows[flow as usize].band].old.push_back(flow);
        }
    }

    /// The flow whose turn it is, and whether it is a new one.
    fn turn(&mut self) -> Option<(u32, bool)> {
        let mut tries = 0;
        loop {
            let band = &self.bands[self.turn];
            if band.credit > 0
                && let Some(flow) = band.new.front().or(band.old.front())
            {
                return Some((*flow, !band.new.is_empty()));
            }
            // Each band gets its weight, until one has credit; then its flows are looked at.
            loop {
                tries += 1;
                if tries > BANDS {
                    return None;
                }
                self.turn = (self.turn + 1) % BANDS;
                let next = &mut self.bands[self.turn];
                next.credit = (next.credit + next.weight).min(next.weight);
                if next.credit > 0 {
                    break;
                }
                tries = 0;
            }
        }
    }

    /// The flow whose turn it is leaves its list.
    fn unlist(&mut self, is_new: bool) {
        let band = &mut self.bands[self.turn];
        if is_new {
            band.new.pop_front()
        } else {
            band.old.pop_front()
        };
    }

    /// The time of the next packet follows from this one.
    fn space(&mut self, now: u64, flow: u32, size: u32) {
        let Some(rate) = self.rate else { return };
        let flow = &mut self.flows[flow as usize];
        let mut bytes = u64::from(size);
        if rate <= self.slow {
            flow.credit = 0;
        } else {
            bytes = bytes.max(self.quantum as u64);
            if flow.credit > 0 {
                return;
            }
        }
        let mut length = (bytes * SECOND / rate).min(SECOND);
        // A packet that left too late makes the next interval shorter.
        if flow.time_next_packet > 0 {
            length -= (length / 2).min(now - flow.time_next_packet);
        }
        flow.time_next_packet = now + length;
    }
}

impl QueueDiscipline for Fq {
    fn enqueue(&mut self, now: Instant, mut packet: Packet, cx: &mut Context) {
        packet.enqueued_at = now;
        let nanos = now.as_nanos();
        let band = usize::from(self.priomap[priority_of(&packet)]);
        if self.bands[band].packets >= self.limit {
            return cx.events.drop(now, packet, Reason::OVERFLOW);
        }
        if self.is_fast(nanos) {
            self.takes(&packet);
            return self.fast.push_back(packet);
        }
        let number = self.flow_of(nanos, packet.flow, cx);
        let flow = &mut self.flows[number as usize];
        if flow.packets.len() as u64 >= self.params.flow_limit {
            return cx.events.drop(now, packet, Reason::UNFAIR);
        }
        if let Place::Detached(since) = flow.place {
            // In the list of the band that it had before.
            flow.place = Place::Listed;
            self.bands[flow.band].new.push_back(number);
            if nanos / TICK > since + self.refill_ticks {
                flow.credit = flow.credit.max(self.quantum);
            }
        }
        flow.band = band;
        self.bands[band].packets += 1;
        if flow.packets.is_empty() {
            self.inactive -= 1;
        }
        flow.packets.push_back((packet, band));
        self.takes(&packet);
    }

    fn dequeue(&mut self, now: Instant, cx: &mut Context) -> Option<Packet> {
        self.due = None;
        if self.backlog.packets == 0 {
            return None;
        }
        if let Some(packet) = self.fast.pop_front() {
            self.gives(&packet);
            return Some(packet);
        }
        let nanos = now.as_nanos();
        self.release(nanos);
        while let Some((number, is_new)) = self.turn() {
            let flow = &mut self.flows[number as usize];
            if flow.credit <= 0 {
                flow.credit += self.quantum;
                self.unlist(is_new);
                self.bands[self.flows[number as usize].band].old.push_back(number);
                continue;
            }
            let Some((head, _)) = flow.packets.front() else {
                // A new flow passes through the old ones once, so that these are not starved.
                self.unlist(is_new);
                if is_new {
                    self.bands[self.flows[number as usize].band].old.push_back(number);
                } else {
                    self.flows[number as usize].place = Place::Detached((nanos / TICK) | 1);
                }
                continue;
            };
            let ready = head.enqueued_at.as_nanos().max(flow.time_next_packet);
            if nanos < ready {
                flow.time_next_packet = ready;
                flow.place = Place::Throttled;
                self.unlist(is_new);
                self.order += 1;
                self.throttled.insert((ready, self.order, number));
                self.next_throttled = self.next_throttled.min(ready);
                continue;
            }
            let (mut packet, band) = flow.packets.pop_front()?;
            let late = self.params.ce_threshold.is_some_and(|most| nanos - ready > most.as_nanos());
            if late && packet.ecn.is_capable() {
                cx.events.mark(now, &mut packet, Reason::SOJOURN);
            }
            if flow.packets.is_empty() {
                self.inactive += 1;
            }
            flow.credit -= i64::from(packet.size);
            self.bands[band].packets -= 1;
            self.bands[self.turn].credit -= i64::from(packet.size);
            self.gives(&packet);
            self.space(nanos, number, packet.size);
            return Some(packet);
        }
        self.due = (self.next_throttled < u64::MAX).then(|| Instant::from_nanos(self.next_throttled));
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
        // The packets of all bands, and those that passed them.
        let all = self.limit.saturating_mul(BANDS as u64).saturating_add(FAST as u64);
        Limit { packets: all, bytes: u64::MAX }
    }

    probes! { |self|
        "flows" => self.flows.len() as f64,
        "inactive_flows" => self.inactive as f64,
        "throttled_flows" => self.throttled.len() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::Dscp;
    use crate::packet::Ecn;
    use crate::rig::{SchedulerRig, args, at};

    /// Packets for the short queue, so that the next ones wait for their turns.
    const FIRST: [u32; FAST] = [99; FAST];

    #[test]
    fn a_new_flow_has_ten_packets_and_then_turns_of_two() {
        let mut rig = SchedulerRig::new(&ENTRY, &[]);
        rig.arrive(0.0, &FIRST, 1514);
        rig.arrive(0.0, &[1; 15], 1514);
        rig.arrive(0.0, &[2; 15], 1514);
        let order = rig.serve(0.0, 38);
        let turns: Vec<usize> = order.chunk_by(|one, other| one == other).map(<[u32]>::len).collect();
        // Both send ten, then two in turn, and what is left.
        assert_eq!(turns, [8, 10, 10, 2, 2, 2, 2, 1, 1]);
    }

    #[test]
    fn a_flow_has_a_limit() {
        let mut rig = SchedulerRig::new(&ENTRY, &[("flow_limit", "3")]);
        rig.arrive(0.0, &FIRST, 1000);
        rig.arrive(0.0, &[1; 5], 1000);
        let lost: Vec<Reason> = rig.cx.events.drain().map(|event| event.what.reason()).collect();
        assert_eq!(lost, [Reason::UNFAIR; 2]);
    }

    /// [`space`](Fq::space) by hand: 12 Mbit/s, packets of 1500 bytes, each in 1 ms; a quantum of 3000 bytes is two in one go.
    #[test]
    fn a_flow_is_spaced_by_its_rate() {
        let settings = [("maxrate", "12Mbit"), ("quantum", "3000B"), ("initial_quantum", "3000B")];
        let left = |said: &[(&str, &str)]| -> Vec<f64> {
            let mut rig = SchedulerRig::new(&ENTRY, said);
            rig.arrive(0.0, &[1; 6], 1500);
            let mut now = 0.0;
            let mut times = Vec::new();
            while times.len() < 6 {
                if rig.next(now).is_some() {
                    times.push(now);
                } else {
                    now = rig.queue.next_deadline().expect("a time").as_secs_f64() * 1e3;
                }
            }
            times
        };
        // Two go at once. Then the flow has no credit, and 3000 bytes take 2 ms.
        assert_eq!(left(&settings), [0.0, 0.0, 2.0, 2.0, 4.0, 4.0]);
        // Up to the low rate each packet is spaced: 1500 bytes at 400 kbit/s are 30 ms.
        let slow = [("maxrate", "400kbit"), ("quantum", "3000B"), ("initial_quantum", "3000B")];
        assert_eq!(left(&slow), [0.0, 30.0, 60.0, 90.0, 120.0, 150.0]);
        // No interval is longer than a second.
        assert_eq!(left(&[("maxrate", "8bit")])[..2], [0.0, 1000.0]);
    }

    #[test]
    fn bands_send_by_their_weights() {
        let mut queue =
            ENTRY.build(&args(&ENTRY, None, &[("quantum", "65536B")]), &LinkContext::default()).expect("a queue");
        let mut cx = Context::new(Rng::named(1, "test"));
        // Priority 6 has band 0, 0 band 1 and 2 band 2.
        for (flow, dscp) in [(0, "DF"), (1, "12"), (2, "DF"), (3, "AF11")] {
            let dscp = Dscp::read(dscp).expect("a codepoint");
            for seq in 0..if flow == 0 { FAST as u64 } else { 81 } {
                queue.enqueue(at(0.0), Packet { dscp, ..Packet::datagram(FlowId(flow), seq, 8192) }, &mut cx);
            }
        }
        for _ in 0..FAST {
            queue.dequeue(at(0.0), &mut cx);
        }
        let mut sent = [0; 4];
        for _ in 0..104 {
            sent[queue.dequeue(at(0.0), &mut cx).expect("a packet").flow.0 as usize] += 1;
        }
        // 8 packets are 65536 bytes: of 13 parts of 8 packets 9, 3 and 1. A new flow has its first turn, of the initial 15140 bytes, two
        // packets, in the first band, whatever its own: fq_enqueue lists it before it knows its band. So 2 and 2 of the 72 are others'.
        assert_eq!(sent, [0, 68, 26, 10]);
    }

    #[test]
    fn what_leaves_late_is_marked() {
        let settings = args(&ENTRY, None, &[("ce_threshold", "2ms")]);
        let mut queue = ENTRY.build(&settings, &LinkContext::default()).expect("a queue");
        let mut cx = Context::new(Rng::named(1, "test"));
        for flow in (0..2).chain([9; FAST]).rev() {
            queue.enqueue(at(0.0), Packet::datagram(FlowId(flow), 0, 1000).with_ecn(Ecn::Ect0), &mut cx);
        }
        for _ in 0..FAST {
            queue.dequeue(at(0.0), &mut cx);
        }
        let marked = [0.002, 0.003].map(|now| queue.dequeue(at(now), &mut cx).map(|packet| packet.ecn == Ecn::Ce));
        assert_eq!(marked, [Some(false), Some(true)]);
    }
}
