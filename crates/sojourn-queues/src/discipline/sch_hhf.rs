//! HHF (heavy-hitter filter) of Linux: flows that send much in a short time wait in one queue, all others in another, which has twice the
//! share. Specification: Estan and Varghese, SIGCOMM 2002 (the filter), as Linux 6.12 `sch_hhf` uses it (behaviour); tc-hhf(8). Compared
//! with: the kernel beside it (`evidence/linux`).
//!
//! A flow has a counter in each of four arrays, by its hash. A packet adds its bytes to the smallest of the four, and raises the others to
//! that; the arrays are cleared every `reset_timeout`. A flow whose counters would all be above `admit_bytes` is heavy, until no packet of
//! it has come for `evict_timeout`. The two queues are served by deficit round robin, that of the others first if it was empty. If there is
//! no room, heavy flows lose the packet that has waited longest.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Ticks of the kernel are milliseconds | `CONFIG_HZ` 1000 | - |

use std::collections::VecDeque;

use crate::mechanism::hash::hash32;
use crate::packet::FlowId;
use crate::queue::prelude::*;

/// The registry's entry.
pub static ENTRY: QueueEntry = QueueEntry {
    name: "sch_hhf",
    title: "HHF (heavy-hitter filter) of Linux",
    doc: "Two queues for heavy flows and for all others, as in Linux. A filter finds flows that send more than a number of bytes in 40 ms; \
          the queue of the others has twice the share.",
    reference: "Estan and Varghese 2002; Linux sch_hhf",
    decides: "It decides by turns of bytes which of two queues is served, and by counters in which one a flow waits. With no room left, \
          heavy flows lose a packet.",
    // A flow that becomes heavy has packets in the other queue.
    reorders: true,
    guards: true,
    shown: &[
        Counter("drop_overlimit", Source::Drops(&[Reason::OVERFLOW])),
        Counter("hh_overlimit", Source::Probe("hh_overlimit")),
        Counter("tot_hh", Source::Probe("tot_hh")),
        Counter("cur_hh", Source::Probe("cur_hh")),
    ],
    probes: &[
        Probe::new("hh_overlimit", "", Probe::UP, "how often a flow was not heavy because there were too many"),
        Probe::new("tot_hh", "", Probe::UP, "flows that became heavy"),
        Probe::new("cur_hh", "", Probe::UP, "heavy flows that are remembered"),
    ],
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    /// Parameters of HHF.
    pub struct Params {
        /// The most packets that may wait.
        limit: Size = "1000p" in [0.0, 1e12], "Linux sch_hhf";
        /// Bytes of a turn of heavy flows, at least 256.
        quantum: Bytes = "1514B" in [0.0, 2_147_483_647.0], "Linux sch_hhf: the device's MTU";
        /// The most heavy flows that are remembered.
        hh_limit: u64 = "2048" in [0.0, 2048.0], "Linux sch_hhf";
        /// Time after which the counters begin anew.
        reset_timeout: Duration = "40ms" in [0.0, 4295.0], "Linux sch_hhf";
        /// A flow is heavy if it sends more than this within that time.
        admit_bytes: Bytes = "131072B" in [0.0, 4_294_967_295.0], "Linux sch_hhf";
        /// A heavy flow is forgotten when it has sent nothing for this long.
        evict_timeout: Duration = "1s" in [0.0, 4295.0], "Linux sch_hhf";
        /// Turns of the other flows, in turns of heavy flows.
        non_hh_weight: u64 = "2" in [1.0, 4_294_967_295.0], "Linux sch_hhf";
    }
}

const ARRAYS: usize = 4;
const PLACES: usize = 1024;
const BITS: u32 = 10;
const TICK: u64 = 1_000_000;
const HEAVY: usize = 0;
const LIGHT: usize = 1;

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    let quantum = params.quantum.0.max(256) as i64;
    let light = quantum.saturating_mul(params.non_hh_weight as i64);
    if light > i64::from(i32::MAX) {
        let what = format!("a turn of {light} bytes is too long");
        return Err(BuildError::new("non_hh_weight", what, format!("quantum times it is at most {}", i32::MAX)));
    }
    let bucket = |turn| Bucket { packets: VecDeque::new(), turn, deficit: 0, is_listed: false };
    let ticks = |time: Duration| time.as_nanos().div_ceil(TICK);
    Ok(Box::new(Hhf {
        limit: link.packets(params.limit) as u64,
        reset_ticks: ticks(params.reset_timeout),
        evict_ticks: ticks(params.evict_timeout),
        params,
        buckets: [bucket(quantum), bucket(light)],
        new: VecDeque::new(),
        old: VecDeque::new(),
        counters: vec![[0; PLACES]; ARRAYS],
        reset_at: 0,
        heavy: vec![Vec::new(); PLACES],
        known: 0,
        total: 0,
        refused: 0,
        perturbation: None,
        backlog: Backlog::default(),
    }))
}

struct Bucket {
    packets: VecDeque<Packet>,
    /// Bytes of its turn.
    turn: i64,
    deficit: i64,
    is_listed: bool,
}

#[derive(Clone, Copy)]
struct HeavyFlow {
    hash: u32,
    /// The tick of its last packet.
    hit: u64,
}

struct Hhf {
    params: Params,
    limit: u64,
    reset_ticks: u64,
    evict_ticks: u64,
    buckets: [Bucket; 2],
    /// Buckets with a turn.
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    counters: Vec<[u32; PLACES]>,
    /// The tick of the last reset.
    reset_at: u64,
    /// Heavy flows by the last bits of their hashes.
    heavy: Vec<Vec<HeavyFlow>>,
    known: u64,
    total: u64,
    refused: u64,
    perturbation: Option<u32>,
    backlog: Backlog,
}

/// The places of a hash in the arrays: three parts of its bits, and these and the two that are left by exclusive or.
fn places(hash: u32) -> [usize; ARRAYS] {
    let part = |number: u32| hash >> (number * BITS) & (PLACES as u32 - 1);
    [part(0), part(1), part(2), part(0) ^ part(1) ^ part(2) ^ hash >> (3 * BITS)].map(|place| place as usize)
}

impl Hhf {
    /// Whether a flow is remembered as heavy. Those before it in its list that are out of date are forgotten; the last of a list stays.
    fn is_heavy(&mut self, hash: u32, now: u64) -> bool {
        let list = &mut self.heavy[hash as usize % PLACES];
        let mut at = 0;
        while at < list.len() {
            if list[at].hit + self.evict_ticks < now {
                if at + 1 == list.len() {
                    return false;
                }
                list.remove(at);
                self.known -= 1;
            } else if list[at].hash == hash {
                list[at].hit = now;
                return true;
            } else {
                at += 1;
            }
        }
        false
    }

    /// A flow becomes heavy, if there is room for one more.
    fn admit(&mut self, hash: u32, now: u64) -> bool {
        let list = &mut self.heavy[hash as usize % PLACES];
        let flow = HeavyFlow { hash, hit: now };
        if let Some(old) = list.iter_mut().find(|old| old.hit + self.evict_ticks < now) {
            *old = flow;
        } else if self.known >= self.params.hh_limit {
            self.refused += 1;
            return false;
        } else {
            list.push(flow);
            self.known += 1;
        }
        self.total += 1;
        true
    }

    fn bucket_of(&mut self, now: u64, flow: FlowId, size: u32, cx: &mut Context) -> usize {
        if self.reset_at + self.reset_ticks < now {
            self.counters.iter_mut().for_each(|array| array.fill(0));
            self.reset_at = now;
        }
        let perturbation = *self.perturbation.get_or_insert_with(|| cx.rng.clone().below(1 << 32) as u32);
        let hash = hash32(flow.0, perturbation);
        if self.is_heavy(hash, now) {
            return HEAVY;
        }
        let places = places(hash);
        let sums = self.counters.iter().zip(places).map(|(array, place)| array[place].wrapping_add(size));
        let least = sums.min().unwrap_or(0);
        if u64::from(least) > self.params.admit_bytes.0 {
            return if self.admit(hash, now) { HEAVY } else { LIGHT };
        }
        for (array, place) in self.counters.iter_mut().zip(places) {
            array[place] = array[place].max(least);
        }
        LIGHT
    }

    fn pop(&mut self, bucket: usize) -> Option<Packet> {
        let packet = self.buckets[bucket].packets.pop_front()?;
        self.backlog.packets -= 1;
        self.backlog.bytes -= u64::from(packet.size);
        Some(packet)
    }
}

impl QueueDiscipline for Hhf {
    fn enqueue(&mut self, now: Instant, mut packet: Packet, cx: &mut Context) {
        packet.enqueued_at = now;
        let bucket = self.bucket_of(now.as_nanos() / TICK, packet.flow, packet.size, cx);
        let of = &mut self.buckets[bucket];
        of.packets.push_back(packet);
        self.backlog.packets += 1;
        self.backlog.bytes += u64::from(packet.size);
        if !of.is_listed {
            of.is_listed = true;
            of.deficit = of.turn;
            if bucket == HEAVY {
                self.old.push_back(bucket);
            } else {
                self.new.push_back(bucket);
            }
        }
        if self.backlog.packets > self.limit {
            let from = if self.buckets[HEAVY].packets.is_empty() { LIGHT } else { HEAVY };
            if let Some(lost) = self.pop(from) {
                cx.events.drop(now, lost, Reason::OVERFLOW);
            }
        }
    }

    fn dequeue(&mut self, _now: Instant, _cx: &mut Context) -> Option<Packet> {
        loop {
            let is_new = !self.new.is_empty();
            let bucket = *self.new.front().or(self.old.front())?;
            let of = &mut self.buckets[bucket];
            let is_over = of.deficit <= 0;
            if is_over {
                of.deficit += of.turn;
            } else if let Some(packet) = self.pop(bucket) {
                self.buckets[bucket].deficit -= i64::from(packet.size);
                return Some(packet);
            }
            // Its turn is over, or nothing waits in it: then a new one passes through the old ones once.
            if is_new {
                self.new.pop_front()
            } else {
                self.old.pop_front()
            };
            if is_over || is_new && !self.old.is_empty() {
                self.old.push_back(bucket);
            } else {
                self.buckets[bucket].is_listed = false;
            }
        }
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn limit(&self) -> Limit {
        Limit { packets: self.limit, bytes: u64::MAX }
    }

    probes! { |self|
        "hh_overlimit" => self.refused as f64,
        "tot_hh" => self.total as f64,
        "cur_hh" => self.known as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::SchedulerRig;

    fn heavy(rig: &SchedulerRig) -> (f64, f64, f64) {
        (rig.queue.probe(0), rig.queue.probe(1), rig.queue.probe(2))
    }

    #[test]
    fn a_flow_above_the_bytes_is_heavy_from_that_packet_on() {
        // 131072 bytes: 131 packets of 1000 are not above, the next one is.
        let mut rig = SchedulerRig::new(&ENTRY, &[]);
        rig.arrive(0.0, &[1; 131], 1000);
        assert_eq!(heavy(&rig), (0.0, 0.0, 0.0));
        rig.arrive(0.0, &[1], 1000);
        assert_eq!(heavy(&rig), (0.0, 1.0, 1.0));
        // In 40 ms and a tick the counters are gone: a flow with 100 packets in each window is not heavy.
        let mut slow = SchedulerRig::new(&ENTRY, &[]);
        for window in 0..3 {
            slow.arrive(41.0 * f64::from(window), &[1; 100], 1000);
        }
        assert_eq!(heavy(&slow), (0.0, 0.0, 0.0));
    }

    #[test]
    fn others_have_twice_the_share() {
        let mut rig = SchedulerRig::new(&ENTRY, &[("admit_bytes", "1000B"), ("quantum", "1000B")]);
        // The first packet is not heavy yet.
        rig.arrive(0.0, &[1; 8], 1000);
        rig.arrive(0.0, &[2, 3, 4, 5, 6, 7], 500);
        // 2000 bytes of others: 1, then two; the heavy flow 1000; then 2000 and 1000 in turn.
        assert_eq!(rig.serve(0.0, 12), [1, 2, 3, 1, 4, 5, 6, 7, 1, 1, 1, 1]);
    }

    #[test]
    fn heavy_flows_lose_the_packet_that_has_waited_longest() {
        let mut rig = SchedulerRig::new(&ENTRY, &[("admit_bytes", "1000B"), ("limit", "3p")]);
        rig.arrive(0.0, &[1, 1, 1, 2], 1000);
        let lost: Vec<u32> = rig.cx.events.drain().map(|event| event.packet.flow.0).collect();
        assert_eq!(lost, [1]);
        // Its first packet is among the others: the second was lost.
        assert_eq!(rig.next(0.0), Some((1, 0)));
        assert_eq!((rig.next(0.0), rig.next(0.0)), (Some((2, 3)), Some((1, 2))));
    }

    #[test]
    fn a_heavy_flow_is_forgotten_where_another_wants_its_place() {
        let limits = [("admit_bytes", "0B"), ("hh_limit", "1")];
        let mut rig = SchedulerRig::new(&ENTRY, &limits);
        rig.arrive(0.0, &[1, 2], 1000);
        assert_eq!(heavy(&rig), (1.0, 1.0, 1.0));
    }
}
