//! SFQ (stochastic fairness queueing): a queue for each of a few hashes of flows, served in turn, with a hash that changes now and
//! then. Specification: McKenney, "Stochastic Fairness Queueing", INFOCOM 1990 [McK90], as Linux `sch_sfq` and ns-2 2.35 `Queue/SFQ`
//! do it (behaviour); the original was not available. The queues are those of [`round_robin`](super::round_robin).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Preset `paper` changes the hash every 10 s | secondary sources say that the hash is perturbed periodically; tc-sfq(8) advises 10 s | `the_papers_hash_changes` |
//! | The hash changes at the first arrival after its time; Linux has a timer | the backlog is sorted anew in both | `a_new_hash_keeps_the_order_of_a_flow` |
//! | After a change a queue may hold more than `depth`, unless `flows` is given; Linux drops the excess | a new hash should lose nothing | `a_new_hash_of_linux_drops_what_is_too_deep` |
//! | RED in each queue counts as Linux does | `sch_sfq` with redflowlimit | `reds_average_is_a_queues_own_and_begins_with_it` |
//! | ns-2 marks a queue emptied in the middle of the round idle, but keeps it linked | ours leaves the round | - |

use super::flow_queue::linux_quantum;
use super::round_robin::{Full, Length, OfEquals, QueueRed, RoundRobin, Rules, Service, Settings};
use crate::aqm::sch_red::Numbers;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "sfq",
    title: "SFQ (stochastic fairness queueing)",
    doc: "Fair queueing by flow in turns, with a hash that may change. Flows are hashed to queues, which are served in turn; \
          another hash from time to time parts flows that share a queue.",
    reference: "McKenney 1990",
    decides: "It decides by turns whose packet goes next. With the defaults nothing is dropped before the buffer is full; \
          then the longest queue loses a packet.",
    presets: presets! {
        /// McKenney 1990: a packet in each turn, the longest queue loses its last; the hash changes every 10 s, as tc-sfq(8) advises.
        paper = { turn = "packet", full = "longest", perturb = "10s" };
        /// Linux 6.12 sch_sfq's defaults, as tc of iproute2 7.1 leaves them: 127 packets, 1024 hashes, turns of 1514 bytes, the longest
        /// queue loses its last, among equals that of the packet that arrives.
        linux = {
            limit = "127p", queues = "1024", turn = "bytes", quantum = "1514B", full = "longest", of_equals = "last_changed",
            depth = "127", flows = "128", perturb = "0s",
        };
        /// ns-2 2.35's defaults: 40 packets, 16 queues, a packet in each turn, arrivals beyond a share dropped.
        ns2 = { limit = "40p", queues = "16", turn = "packet", full = "fair_share" };
    },
    shown: &[
        Counter(OVERLIMITS, Source::Signals(&[Reason::EARLY, Reason::FORCED])),
        Counter("prob_drop", Source::Drops(&[Reason::EARLY])),
        Counter("forced_drop", Source::Drops(&[Reason::FORCED])),
        Counter("active_queues", Source::Probe("active_queues")),
    ],
    ..QueueEntry::of_discipline::<Params>(build)
};

params! {
    pub struct Params {
        ..round_robin: Settings {
            limit = "127p", "Linux sch_sfq";
            queues = "1024", "Linux sch_sfq divisor";
            /// Bytes that a queue may send in its turn.
            quantum = "1514B", "Linux sch_sfq: the device's MTU", when turn in ["bytes"];
            /// Which packet of the longest queue is lost when there is no room.
            drop_from = "back", "Linux sch_sfq; its headdrop for front", when full in ["longest"];
        };
        /// The measure of a queue's turn: bytes of a quantum, or one packet.
        turn: Turn = "bytes", "Linux sch_sfq; ns-2 2.35 sfq.cc for packet";
        /// When there is no room the longest queue loses a packet (`longest`), or the one that comes goes if its queue has its share
        /// (`fair_share`).
        full: WhenFull = "longest", "Linux sch_sfq; ns-2 2.35 sfq.cc for fair_share";
        /// Which of several equally long queues loses it.
        of_equals: OfEquals = "first_turn", "the one that is served next has waited longest; last_changed for Linux sch_sfq",
            when full in ["longest"];
        /// Packets that a queue may hold.
        depth: u64 = "127" in [1.0, 1e9], "Linux sch_sfq depth";
        /// Queues that may hold packets at a time; a packet that needs one more is lost. Automatic: all. With a number, the others have
        /// Linux's bounds: `limit` is at most `depth` times `flows`, `flows` at most `limit`, `depth` at most 127, and `quantum` from 256
        /// bytes to 1 MiB.
        flows: Option<u64> = "auto" in [1.0, 65408.0], "Linux sch_sfq flows";
        /// Time after which the hash changes. 0: never.
        perturb: Duration = "0s" in [0.0, 1e6], "Linux sch_sfq perturb";
        /// RED in each queue: average bytes of the queue from which on packets are dropped or marked at random, in Linux's numbers.
        /// Automatic: no RED.
        red_min: Option<Bytes> = "auto" in [1.0, 1e9], "Linux sch_sfq without redflowlimit", when full in ["longest"];
        /// Average bytes of a queue from which on RED drops or marks every packet. Automatic: three times `red_min`.
        red_max: Option<Bytes> = "auto" in [1.0, 1e9], "tc-sfq(8)", when red_min not in ["auto"];
        /// RED's probability at `red_max`.
        red_max_p: f64 = "0.02" in [0.0, 1.0], "tc-sfq(8)", when red_min not in ["auto"];
        /// RED's weight of a sample, a power of 1/2.
        red_w_q: f64 = "0.0625" in [0.0, 1.0], "tc makes it of burst and avpkt", when red_min not in ["auto"];
        /// Whether RED marks ECN-capable packets.
        ecn: bool = "false", "tc-sfq(8)", when red_min not in ["auto"];
        /// Whether RED drops them all the same from `red_max` on.
        hard_drop: bool = "false", "tc-sfq(8)", when ecn in ["true"];
    }
}

choices! {
    /// The amount that a queue sends in its turn.
    pub enum Turn {
        /// A quantum of bytes, the last packet whole.
        Bytes = "bytes",
        /// One packet.
        Packet = "packet",
    }
}

choices! {
    /// The rule if there is no room.
    pub enum WhenFull {
        /// The longest queue loses a packet.
        Longest = "longest",
        /// The packet that arrives goes, if its queue has its share.
        FairShare = "fair_share",
    }
}

fn build(args: &Args, link: &LinkContext) -> Result<Box<dyn QueueDiscipline>, BuildError> {
    let params: Params = args.typed();
    Ok(Box::new(RoundRobin::new(params.round_robin.queues, params.rules(link)?).with_red(params.red()?)))
}

impl Params {
    fn red(&self) -> Result<Option<QueueRed>, BuildError> {
        let Some(Bytes(least)) = self.red_min else { return Ok(None) };
        let most = self.red_max.map_or(3 * least, |most| most.0);
        if most <= least {
            let what = format!("RED's thresholds are {least} and {most} bytes");
            return Err(BuildError::new("red_max", what, "red_max is greater than red_min"));
        }
        let numbers = Numbers::with((least, most), self.red_max_p, self.red_w_q)?;
        Ok(Some(QueueRed { numbers, ecn: self.ecn, hard_drop: self.hard_drop }))
    }

    fn rules(&self, link: &LinkContext) -> Result<Rules, BuildError> {
        let Bounds { limit, flows, depth, quantum } = self.bounds(link)?;
        Ok(Rules {
            limit,
            flows,
            service: if self.turn == Turn::Bytes { Service::Surplus { quantum } } else { Service::Packet },
            full: match self.full {
                WhenFull::Longest => {
                    Full::Longest { from: self.round_robin.drop_from, by: Length::Packets, of_equals: self.of_equals }
                }
                WhenFull::FairShare => Full::FairShare { buffer: link.packets(self.round_robin.limit).max(2.0) as u64 },
            },
            depth,
            perturb: self.perturb,
        })
    }

    /// The numbers of `sfq_change` where `flows` is given.
    fn bounds(&self, link: &LinkContext) -> Result<Bounds, BuildError> {
        let limit = Limit::from_size(self.round_robin.limit, link);
        let (depth, quantum) = (self.depth, self.round_robin.quantum);
        let Some(flows) = self.flows else {
            return Ok(Bounds { limit, flows: u64::MAX, depth, quantum: quantum.0 as i64 });
        };
        let (depth, flows) = (depth.min(DEEPEST), flows.min(self.round_robin.queues));
        let limit = Limit { packets: limit.packets.min(depth * flows), ..limit };
        // Without a word about the limit there are 128 queues for 127 packets.
        let flows = if limit.packets == DEEPEST { flows } else { flows.min(limit.packets) };
        Ok(Bounds { limit, flows, depth, quantum: linux_quantum(quantum)?.0 as i64 })
    }
}

/// Packets that a queue of Linux may hold.
const DEEPEST: u64 = 127;

struct Bounds {
    limit: Limit,
    flows: u64,
    depth: u64,
    quantum: i64,
}

#[cfg(test)]
mod tests {
    use super::super::round_robin::rig::{Rig, name};
    use super::*;
    use crate::packet::{FlowId, Packet};
    use crate::rig::{args, at};

    fn sfq(preset: &str, settings: &[(&str, &str)]) -> Rig {
        let params: Params = args(&ENTRY, Some(preset), settings).typed();
        Rig::new(params.rules(&LinkContext::default()).expect("valid parameters"))
    }

    #[test]
    fn queues_take_turns_packet_by_packet() {
        let mut rig = sfq("paper", &[]);
        rig.arrive(&[1, 1, 1, 2], 1500);
        rig.arrive(&[3, 3], 40);

        assert_eq!(rig.serve(9), [1, 2, 3, 1, 3, 1]);
    }

    #[test]
    fn linux_lets_a_turn_end_below_zero() {
        // Allotment 1514: 1000 leave 514, another 1000 take it below; the next turn starts with -486 + 1514.
        let mut rig = sfq("linux", &[]);
        rig.arrive(&[1; 5], 1000);
        rig.arrive(&[2; 2], 1514);

        // Flow 1 sends two, flow 2 one; flow 1 has 1028 and sends two more, flow 2 its last.
        assert_eq!(rig.serve(9), [1, 1, 2, 1, 1, 2, 1]);
    }

    /// sfq_link puts a queue in front of those of its length, and sfq_drop takes the first (net/sched/sch_sfq.c of 6.12).
    #[test]
    fn of_equally_long_queues_linuxs_is_the_one_that_changed_last() {
        let lost = |settings: &[(&str, &str)]| {
            let mut rig = sfq("linux", &[settings, &[("limit", "4p")]].concat());
            // Flow 1 has its turn first, and both have two; a fifth packet makes flow 2 the longer or an equal third one of one packet.
            assert_eq!(rig.arrive(&[1, 1, 2, 2], 100), []);
            rig.arrive(&[3], 100)
        };
        // Flow 2 came to two packets last: its last packet, the fourth, goes. By turns it is flow 1's, the second.
        assert_eq!(lost(&[]), [(2, 3)]);
        assert_eq!(lost(&[("of_equals", "first_turn")]), [(1, 1)]);
        // Where all have one packet, the one whose turn comes first.
        let mut rig = sfq("linux", &[("limit", "2p"), ("flows", "auto")]);
        assert_eq!(rig.arrive(&[1, 2, 3], 100), [(1, 0)]);
    }

    /// sfq_change and sfq_enqueue (net/sched/sch_sfq.c of 6.12); the numbers are those that `tc -s -d qdisc show` prints.
    #[test]
    fn linux_has_so_many_queues_at_a_time_and_its_numbers_have_bounds() {
        let params = |settings: &[(&str, &str)]| args(&ENTRY, Some("linux"), settings).typed::<Params>();
        let bounds = |settings: &[(&str, &str)]| {
            let found = params(settings).bounds(&LinkContext::default()).expect("valid parameters");
            (found.limit.packets, found.flows, found.depth, found.quantum)
        };
        assert_eq!(bounds(&[]), (127, 128, 127, 1514));
        assert_eq!(bounds(&[("limit", "100000p")]), (16_256, 128, 127, 1514));
        assert_eq!(bounds(&[("limit", "5000p"), ("flows", "10")]), (1270, 10, 127, 1514));
        assert_eq!(bounds(&[("limit", "100000p"), ("queues", "64")]), (8128, 64, 127, 1514));
        assert_eq!(bounds(&[("limit", "400p"), ("depth", "500"), ("quantum", "100B")]), (400, 128, 127, 256));
        let refused = params(&[("quantum", "2000000B")]).bounds(&LinkContext::default());
        assert_eq!(refused.map(|_| ()).map_err(|error| error.param), Err("quantum"));

        // A third flow finds no queue for its packet; one that has a queue has the longest lose one.
        let mut rig = sfq("linux", &[("limit", "10p"), ("flows", "2")]);
        assert_eq!(rig.arrive(&[1, 2, 3, 2], 100), [(3, 2)]);
    }

    #[test]
    fn the_longest_queue_in_packets_loses_its_last() {
        let mut rig = sfq("linux", &[("limit", "5p")]);
        rig.arrive(&[1], 1500);
        assert_eq!(rig.arrive(&[2; 4], 100), []);

        assert_eq!(rig.arrive(&[3], 100), [(2, 4)]);
    }

    #[test]
    fn a_deep_queue_takes_no_more() {
        for (drop_from, gone) in [("back", (1, 3)), ("front", (1, 0))] {
            let mut rig = sfq("linux", &[("depth", "3"), ("drop_from", drop_from)]);
            assert_eq!(rig.arrive(&[1, 1, 1], 100), []);
            assert_eq!(rig.arrive(&[1], 100), [gone], "{drop_from}");
        }
    }

    #[test]
    fn reds_average_is_a_queues_own_and_begins_with_it() {
        // A weight of 1: the average is the backlog. From 400 bytes on every packet of this queue is lost, and none of the other queue.
        let red = [("red_min", "200B"), ("red_max", "400B"), ("red_w_q", "1"), ("red_max_p", "0")];
        let mut rig = sfq_red(&red);
        assert_eq!(rig.arrive(&[1; 6], 100), [(1, 4), (1, 5)]);
        assert_eq!(rig.arrive(&[2; 3], 100), []);
        // From the front: the first one goes, and the queue keeps its length.
        let mut front = sfq_red(&[&red[..], &[("drop_from", "front")]].concat());
        assert_eq!(front.arrive(&[1; 6], 100), [(1, 0), (1, 1)]);
        assert_eq!(front.serve(9).len(), 4);
    }

    fn sfq_red(settings: &[(&str, &str)]) -> Rig {
        let params: Params = args(&ENTRY, Some("linux"), settings).typed();
        let mut rig = Rig::new(params.rules(&LinkContext::default()).expect("valid parameters"));
        rig.queue = rig.queue.with_red(params.red().expect("thresholds"));
        rig
    }

    #[test]
    fn ns2_keeps_half_of_the_room_left_for_others() {
        // 40 packets: a lone flow with u packets gets in while u < (40 - u) / 2, rounded down: 12 < 14, 13 < 13 not.
        let params: Params = args(&ENTRY, Some("ns2"), &[]).typed();
        let mut rig = Rig::with_queues(16, params.rules(&LinkContext::default()).expect("valid parameters"));
        let dropped = rig.arrive(&[1; 20], 1000);
        assert_eq!(dropped.len(), 7);

        // 27 are left: another gets in while u < (27 - u) / 2: nine times (8 < 9), not at 9 < 9.
        assert_eq!(rig.arrive(&[2; 20], 1000).len(), 11);
    }

    #[test]
    fn ns2_gives_an_even_part_where_room_is_short() {
        // 40 in 16 queues: with less than 16 left a queue holds at most 40 / 16 = 2 before the packet that comes.
        let params: Params = args(&ENTRY, Some("ns2"), &[]).typed();
        let mut queue = RoundRobin::new(16, params.rules(&LinkContext::default()).expect("valid parameters"));
        let mut cx = crate::queue::Context::new(crate::rng::Rng::named(1, "sfq"));
        for flow in 0..1000 {
            queue.enqueue(at(0.0), Packet::datagram(FlowId(flow), 0, 1000), &mut cx);
        }

        // With 34 in, 6 are left and a queue of at most 2 takes one: there is one, 34 < 16 * 3. With 35 or 36 in one of at most
        // 1 does, with 37 an empty one, and none is.
        assert!((35..=37).contains(&queue.backlog().packets), "{}", queue.backlog().packets);
    }

    #[test]
    fn the_papers_hash_changes() {
        let perturbed = |preset: &str| args(&ENTRY, Some(preset), &[]).typed::<Params>().perturb;
        assert_eq!(perturbed("paper"), Duration::from_secs(10));
        assert_eq!(perturbed("linux"), Duration::ZERO, "sch_sfq's default");
    }

    /// sfq_rehash (net/sched/sch_sfq.c of 6.12).
    #[test]
    fn a_new_hash_of_linux_drops_what_is_too_deep() {
        // Every second flows 1 and 2, of four packets each, get one of two queues by a new hash, in half of the cases the same one.
        let most = |settings: &[(&str, &str)]| {
            let settings = [settings, &[("queues", "2"), ("perturb", "1s"), ("depth", "4")]].concat();
            let params: Params = args(&ENTRY, Some("linux"), &settings).typed();
            let mut rig = Rig::with_queues(2, params.rules(&LinkContext::default()).expect("valid parameters"));
            let lost = (0..20).map(|second| {
                let now = at(f64::from(second) + 0.5);
                for flow in [1, 1, 1, 1, 2, 2, 2, 2] {
                    rig.queue.enqueue(now, Packet::datagram(FlowId(flow), 0, 100), &mut rig.cx);
                }
                let waiting = rig.queue.backlog().packets;
                rig.queue.enqueue(at(f64::from(second) + 1.0), Packet::datagram(FlowId(1), 0, 100), &mut rig.cx);
                let lost = waiting + 1 - rig.queue.backlog().packets;
                while rig.queue.dequeue(now, &mut rig.cx).is_some() {}
                lost
            });
            lost.max()
        };
        // The arrival, and four that waited.
        assert_eq!(most(&[]), Some(5));
        assert_eq!(most(&[("flows", "auto")]), Some(1));
    }

    #[test]
    fn a_new_hash_keeps_the_order_of_a_flow() {
        let mut rig = sfq("linux", &[("perturb", "1s")]);
        rig.arrive(&[1, 2, 1, 3, 1, 2], 1000);
        rig.queue.enqueue(at(1.0), Packet::datagram(FlowId(3), 6, 1000), &mut rig.cx);

        let mut sent = Vec::new();
        while let Some(packet) = rig.queue.dequeue(at(1.0), &mut rig.cx) {
            sent.push(name(&packet));
        }

        assert_eq!(sent.len(), 7);
        for flow in 1..=3 {
            let numbers: Vec<u64> = sent.iter().filter(|(of, _)| *of == flow).map(|(_, number)| *number).collect();
            assert!(numbers.is_sorted(), "{numbers:?}");
        }
    }
}
