//! A tin: its flows' queues, in turn by deficit round robin with sparse flows first, and its counters. Linux 6.12 `sch_cake`.

use std::collections::VecDeque;

use super::buffers::QUEUES;
use super::isolation::{HostTable, Isolation, divided, ways};
use super::pace::{Pace, flow_quantum, spans};
use super::tins::Layout;
use crate::aqm::cobalt_kernel::{Spans, Vars};
use crate::mechanism::sparse::Sparse;
use crate::packet::Packet;
use crate::rng::Rng;
use crate::units::Duration;

/// A packet that waits.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    pub packet: Packet,
    /// Bytes that it takes of the link.
    pub charged: u32,
    /// Bytes that it takes of memory.
    pub memory: u32,
}

/// How a flow is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Set {
    /// Not at all: it is at rest.
    #[default]
    None,
    Sparse,
    /// Sparse, and empty, but in the line of those that are not.
    SparseWait,
    /// In line.
    Bulk,
    /// Empty, while COBALT's state of it decays.
    Decaying,
}

/// The lists of flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum List {
    /// None.
    #[default]
    Out,
    /// In the list of new flows, which come first.
    New,
    /// In the list of queues that have had a turn.
    Old,
    /// In the list of queues whose state decays.
    Decaying,
}

/// A flow's queue.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// The backlog.
    pub waiting: VecDeque<Waiting>,
    /// Bytes of it.
    pub backlog: u32,
    /// Bytes that it may still send.
    pub deficit: i32,
    /// COBALT's state.
    pub vars: Vars,
    /// How it is counted.
    pub set: Set,
    tag: u32,
    source: u16,
    target: u16,
    list: List,
    before: u16,
    after: u16,
}

/// The first and the last flow of a list.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    first: Option<u16>,
    last: u16,
}

/// The counters of a tin, as `tc -s` shows them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Packets that arrived.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Packets dropped, without filtered acknowledgements.
    pub drops: u64,
    /// Packets marked.
    pub marks: u64,
    /// Acknowledgements filtered out.
    pub ack_drops: u64,
    /// Flows that were given a queue in which nothing waited, queues found beside the first place, and queues shared for want of others.
    pub ways: [u64; 3],
    /// Waits in nanoseconds: a moving average, one that rises quickly, and one that falls quickly.
    pub delays: [u64; 3],
}

/// A moving average in whole numbers.
pub const fn averaged(average: u64, sample: u64, shift: u32) -> u64 {
    average - (average >> shift) + (sample >> shift)
}

impl Counts {
    /// A packet has left that waited for `span`.
    pub fn waited(&mut self, span: Duration) {
        let span = span.as_nanos();
        let [average, peak, base] = self.delays;
        let quick = |is_quick: bool| if is_quick { 2 } else { 8 };
        self.delays = [
            averaged(average, span, 8),
            averaged(peak, span, quick(span > peak)),
            averaged(base, span, quick(span < base)),
        ];
    }
}

#[derive(Clone, Debug)]
pub struct Tin {
    flows: Sparse<Flow>,
    sources: HostTable,
    targets: HostTable,
    lists: [Ends; 4],
    /// Target and interval of COBALT, and the time that an MTU takes.
    pub spans: Spans,
    mtu_time: Duration,
    flow_quantum: u16,
    /// Its time per byte.
    pub pace: Pace,
    /// Bytes per second above which it comes behind others.
    pub rate: u64,
    /// When its next packet is due by that rate.
    pub time_next: u64,
    /// Its turn in bytes where there is no rate.
    pub quantum: u16,
    /// The rest of it.
    pub deficit: i32,
    /// Bytes that wait.
    pub backlog: u64,
    /// Flows that are sparse.
    pub sparse: u32,
    /// Flows in line.
    pub bulk: u32,
    /// Empty flows whose COBALT state decays.
    pub decaying: u32,
    /// Flows that BLUE drops of.
    pub unresponsive: i64,
    /// The event.
    pub counts: Counts,
}

impl Tin {
    /// Empty, without a rate.
    pub fn new() -> Self {
        let zero = Duration::ZERO;
        Tin {
            flows: Sparse::new(QUEUES),
            sources: HostTable::new(),
            targets: HostTable::new(),
            lists: [Ends::default(); 4],
            spans: Spans { target: zero, interval: zero, least: zero },
            mtu_time: zero,
            flow_quantum: 0,
            pace: Pace::default(),
            rate: 0,
            time_next: 0,
            quantum: 0,
            deficit: 0,
            backlog: 0,
            sparse: 0,
            bulk: 0,
            decaying: 0,
            unresponsive: 0,
            counts: Counts::default(),
        }
    }

    /// Gives it its share, target and interval in nanoseconds.
    pub fn lay_out(&mut self, layout: Layout, mtu: u32, target: u64, interval: u64) {
        self.pace = Pace::of(layout.rate);
        self.rate = layout.rate;
        self.quantum = layout.quantum;
        self.flow_quantum = flow_quantum(layout.rate);
        let (target, interval, mtu_time) = spans(self.pace, mtu, target, interval);
        self.spans = Spans { target, interval, least: mtu_time * 4 };
        self.mtu_time = mtu_time;
    }

    /// No wait up to this is too long: four transmissions of an MTU, and two for each flow in line where packets have come over the link
    /// already.
    #[inline]
    pub fn least(&self, is_ingress: bool) -> Duration {
        if is_ingress { self.spans.least.max(self.mtu_time * (u64::from(self.bulk) * 2)) } else { self.spans.least }
    }

    /// The queue at a place.
    #[inline]
    pub fn flow(&self, place: u16) -> &Flow {
        self.flows.get(place as usize)
    }

    /// The queue at a place, to be changed.
    #[inline]
    pub fn flow_mut(&mut self, place: u16) -> &mut Flow {
        self.flows.get_mut(place as usize)
    }

    /// Whether anything of it is to be served.
    pub fn is_active(&self) -> bool {
        self.sparse + self.bulk > 0
    }

    /// The place of the queue for a packet with this hash. `hosts` are the hashes of its hosts, where they are needed.
    pub fn place(&mut self, isolation: Isolation, hash: u32, hosts: impl FnOnce() -> (u32, u32)) -> u16 {
        if isolation == Isolation::Flowblind {
            return 0;
        }
        let ways = ways(hash);
        let first = self.flows.get(ways[0]);
        if first.tag == hash && first.set != Set::None {
            return ways[0] as u16;
        }
        let known = ways.iter().position(|place| self.flows.get(*place).tag == hash);
        let free = || ways.iter().position(|place| self.flows.get(*place).set == Set::None);
        let (way, is_new) = if let Some(way) = known {
            self.counts.ways[1] += u64::from(way > 0);
            (way, self.flows.get(ways[way]).set == Set::None)
        } else if let Some(way) = free() {
            self.counts.ways[0] += 1;
            (way, true)
        } else {
            self.counts.ways[2] += 1;
            (0, true)
        };
        let place = ways[way] as u16;
        if is_new && known.is_none() && self.flow(place).set == Set::Bulk {
            self.leave_hosts(isolation, place);
        }
        self.flow_mut(place).tag = hash;
        if is_new && (isolation.by_source() || isolation.by_target()) {
            let (source, target) = hosts();
            let is_bulk = self.flow(place).set == Set::Bulk;
            if isolation.by_source() {
                self.flow_mut(place).source = self.sources.place(source);
            }
            if isolation.by_target() {
                self.flow_mut(place).target = self.targets.place(target);
            }
            if is_bulk {
                self.join_hosts(isolation, place);
            }
        }
        place
    }

    fn join_hosts(&mut self, isolation: Isolation, place: u16) {
        let Flow { source, target, .. } = *self.flows.get(place as usize);
        if isolation.by_source() {
            self.sources.join(source);
        }
        if isolation.by_target() {
            self.targets.join(target);
        }
    }

    fn leave_hosts(&mut self, isolation: Isolation, place: u16) {
        let Flow { source, target, .. } = *self.flows.get(place as usize);
        if isolation.by_source() {
            self.sources.leave(source);
        }
        if isolation.by_target() {
            self.targets.leave(target);
        }
    }

    /// A turn of the flow at this place: its quantum, divided by the flows of its host in line.
    fn turn(&self, isolation: Isolation, place: u16, rng: &mut Rng) -> i32 {
        let flow = self.flow(place);
        let of_source = if isolation.by_source() { self.sources.bulk(flow.source) } else { 1 };
        let of_target = if isolation.by_target() { self.targets.bulk(flow.target) } else { 1 };
        let random = (rng.uniform() * 65536.0) as u16;
        i32::from(divided(self.flow_quantum, of_source.max(of_target), random))
    }

    /// A packet has arrived at the queue in this place.
    pub fn joined(&mut self, isolation: Isolation, place: u16, rng: &mut Rng) {
        match self.flow(place).set {
            Set::None | Set::Decaying => {
                self.decaying -= u32::from(self.flow(place).set == Set::Decaying);
                self.move_to(place, List::New);
                self.sparse += 1;
                let turn = self.turn(isolation, place, rng);
                let flow = self.flow_mut(place);
                (flow.set, flow.deficit) = (Set::Sparse, turn);
            }
            Set::SparseWait => self.stands_in_line(isolation, place),
            Set::Sparse | Set::Bulk => {}
        }
    }

    fn stands_in_line(&mut self, isolation: Isolation, place: u16) {
        self.flow_mut(place).set = Set::Bulk;
        self.sparse -= 1;
        self.bulk += 1;
        self.join_hosts(isolation, place);
    }

    /// The flow whose turn it is. Those whose COBALT state decays are looked at once for each packet, before all others.
    pub fn next(&self, is_first: bool) -> Option<u16> {
        let first = |list: List| self.lists[list as usize].first;
        let decaying = first(List::Decaying);
        let others = || first(List::New).or_else(|| first(List::Old));
        decaying.filter(|_| is_first).or_else(others).or(decaying)
    }

    /// A flow without deficit goes to the end of the line with another turn.
    pub fn goes_behind(&mut self, isolation: Isolation, place: u16, rng: &mut Rng) {
        if self.flow(place).set == Set::Sparse {
            if self.flow(place).waiting.is_empty() {
                self.flow_mut(place).set = Set::SparseWait;
            } else {
                self.stands_in_line(isolation, place);
            }
        }
        let turn = self.turn(isolation, place, rng);
        self.flow_mut(place).deficit += turn;
        self.move_to(place, List::Old);
    }

    /// The queue whose turn it is has turned out to be empty.
    pub fn emptied(&mut self, isolation: Isolation, place: u16, now: u64) {
        let spans = self.spans;
        let flow = self.flow_mut(place);
        if flow.vars.queue_empty(&spans, now) {
            self.unresponsive -= 1;
        }
        let (set, rests) = (self.flow(place).set, self.flow(place).vars.is_at_rest(now));
        match set {
            Set::Bulk => {
                self.bulk -= 1;
                self.leave_hosts(isolation, place);
            }
            Set::Sparse | Set::SparseWait => self.sparse -= 1,
            Set::Decaying => self.decaying -= 1,
            Set::None => {}
        }
        self.decaying += u32::from(!rests);
        self.move_to(place, if rests { List::Out } else { List::Decaying });
        self.flow_mut(place).set = if rests { Set::None } else { Set::Decaying };
    }

    /// Moves a flow to the end of a list, from the list that it is on.
    fn move_to(&mut self, place: u16, list: List) {
        let Flow { list: from, before, after, .. } = *self.flow(place);
        if from != List::Out {
            let Ends { first, last } = self.lists[from as usize];
            if first == Some(place) {
                self.lists[from as usize].first = (last != place).then_some(after);
            } else {
                self.flow_mut(before).after = after;
            }
            if last == place {
                self.lists[from as usize].last = before;
            } else {
                self.flow_mut(after).before = before;
            }
        }
        self.flow_mut(place).list = list;
        if list == List::Out {
            return;
        }
        let Ends { first, last } = self.lists[list as usize];
        if first.is_some() {
            self.flow_mut(last).after = place;
            self.flow_mut(place).before = last;
        }
        self.lists[list as usize] = Ends { first: first.or(Some(place)), last: place };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(tin: &Tin, list: List) -> Vec<u16> {
        let Ends { first, last } = tin.lists[list as usize];
        let next = |place: &u16| (*place != last).then(|| tin.flow(*place).after);
        std::iter::successors(first, next).collect()
    }

    #[test]
    fn flows_move_between_lists_from_any_place() {
        let mut tin = Tin::new();
        for place in [5, 7, 900, 2] {
            tin.move_to(place, List::New);
        }
        tin.move_to(7, List::Decaying);
        tin.move_to(2, List::Decaying);
        assert_eq!((order(&tin, List::New), order(&tin, List::Decaying)), (vec![5, 900], vec![7, 2]));
        tin.move_to(5, List::Out);
        tin.move_to(7, List::New);
        tin.move_to(900, List::New);
        assert_eq!((order(&tin, List::New), order(&tin, List::Decaying)), (vec![7, 900], vec![2]));
        tin.move_to(2, List::Out);
        assert_eq!(order(&tin, List::Decaying), Vec::<u16>::new());
    }

    #[test]
    fn nine_flows_of_a_set_share_eight_queues() {
        let mut tin = Tin::new();
        let mut rng = Rng::named(1, "test");
        let places: Vec<u16> = (0..9)
            .map(|flow| {
                let place = tin.place(Isolation::Flows, 3 + 1024 * flow, || (0, 0));
                tin.joined(Isolation::Flows, place, &mut rng);
                place
            })
            .collect();
        assert_eq!(places, [3, 4, 5, 6, 7, 0, 1, 2, 3]);
        assert_eq!((tin.counts.ways, tin.sparse), ([8, 0, 1], 8));
        assert_eq!(tin.place(Isolation::Flows, 3 + 1024 * 4, || (0, 0)), 7);
        assert_eq!(tin.counts.ways[1], 1, "found beside its first place");
    }

    #[test]
    fn a_flows_turn_is_divided_by_the_flows_of_its_host_that_stand_in_line() {
        let mut tin = Tin::new();
        tin.lay_out(Layout { rate: 0, quantum: 1 }, 1514, 5_000_000, 100_000_000);
        let mut rng = Rng::named(1, "test");
        let isolation = Isolation::TripleIsolate;
        // Three flows from host 1 to three others, and one from host 2.
        let places = [(1, 10), (1, 11), (1, 12), (2, 13)].map(|(source, target)| {
            let place = tin.place(isolation, 1000 + target, || (source, target));
            tin.joined(isolation, place, &mut rng);
            let packet = Packet::datagram(crate::packet::FlowId(0), 0, 100);
            tin.flow_mut(place).waiting.push_back(Waiting { packet, charged: 100, memory: 768 });
            place
        });
        for place in places {
            tin.goes_behind(isolation, place, &mut rng);
        }
        assert_eq!((tin.sparse, tin.bulk), (0, 4));
        let near = |turn: i32, expected: i32| (turn - expected).abs() <= 1;
        assert!(near(tin.turn(isolation, places[0], &mut rng), 504), "a third of 1514");
        assert!(near(tin.turn(isolation, places[3], &mut rng), 1513));
        assert!(near(tin.turn(Isolation::DualDsthost, places[0], &mut rng), 1513));
    }
}
