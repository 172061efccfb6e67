//! CHOKe as in Linux, with the words of `tc`: RED of packets, and a candidate from a table with holes. Specification:
//! `net/sched/sch_choke.c` of Linux 6.12, and the numbers that `tc` makes of its words (`q_choke.c` of iproute2 7.1);
//! [`choke`](super::choke) has the published law. Compared with: Linux 6.12 `sch_choke`, decision by decision (`evidence/linux`).
//!
//! A packet that is dropped from the middle leaves a hole in Linux's table. A candidate is drawn from all places between the first and the
//! last packet; after three holes it is the first packet.
//!
//! The table is a ring of 2^n places, the next power of two above `limit`. An arrival that takes the last place makes a full ring look
//! empty: no packet in it leaves any more, but all count as waiting for ever, so that the average and the room for others suffer. Here
//! these packets are dropped as `stuck`, and counted on. Linux's HTB knows no idle times of an empty queue, but asks one that seems not to
//! be empty, as this does then.

use std::collections::VecDeque;

use crate::aqm::red::Mode;
use crate::aqm::sch_red::{LostMarks, Numbers, WORDS, Words, in_order};
use crate::params::Alias;
use crate::queue::prelude::*;

pub static ENTRY: QueueEntry = QueueEntry {
    name: "sch_choke",
    title: "CHOKe of Linux",
    doc: "Linux's CHOKe, with the words of tc and their defaults. Above the lower threshold an arrival is first compared with a random \
          packet from the queue, and both are dropped if they are of one flow; otherwise RED decides.",
    reference: "Linux 6.12 net/sched/sch_choke.c, iproute2 7.1 tc/q_choke.c",
    alias: Some(Alias { of: "choke", preset: "linux", words: WORDS }),
    law: Some(|args, link| {
        let params: Params = args.typed();
        let link = params.tc_red.seen(link);
        params.tc_red.published(params.thresholds(&link)?, Mode::Packets, &link).map(|red| red.graph())
    }),
    shown: &[
        Counter(OVERLIMITS, Source::With(&Source::Signals(&[Reason::EARLY, Reason::FORCED]), "lost_marks")),
        Counter("marked", Source::With(&Source::Marks, "lost_marks")),
        Counter("early", Source::Drops(&[Reason::EARLY, Reason::FORCED])),
        Counter("pdrop", Source::Drops(&[Reason::OVERFLOW])),
        Counter("other", Source::Zero),
        Counter("matched", Source::Pairs(Reason::UNFAIR)),
    ],
    ..QueueEntry::of_policy::<Params>()
};

params! {
    pub struct Params {
        ..tc_red: Words { bandwidth = "auto", "iproute2 tc/q_choke.c asks for one" };
    }
}

impl Params {
    /// The thresholds in whole packets (iproute2 tc/q_choke.c).
    fn thresholds(&self, link: &LinkContext) -> Result<(f64, f64), BuildError> {
        let Words { limit, min, max, .. } = self.tc_red;
        let packets = |size: Size| link.packets(size);
        let max = max.map_or_else(|| libm::trunc(packets(limit).max(1.0) / 4.0), packets);
        in_order((min.map_or(libm::trunc(max / 3.0), packets), max), "packets")
    }
}

impl PolicyParams for Params {
    type Policy = SchChoke;

    fn policy(&self, link: &LinkContext) -> Result<SchChoke, BuildError> {
        let link = self.tc_red.seen(link);
        let numbers = self.tc_red.numbers(self.thresholds(&link)?, Mode::Packets, &link)?;
        Ok(SchChoke::new(numbers, self.tc_red.ecn, self.limit(&link).packets))
    }
}

/// How often a place is drawn.
const TRIES: usize = 3;

#[derive(Clone, Debug)]
pub struct SchChoke {
    numbers: Numbers,
    ecn: bool,
    /// Places from the first packet to the last; `false` is a hole.
    places: VecDeque<bool>,
    lost_marks: LostMarks,
    /// Places of the table, and the most packets in it.
    table: usize,
    limit: u64,
    /// Packets in it that never leave.
    stuck: u64,
}

impl SchChoke {
    /// A queue whose table holds `limit` packets.
    fn new(numbers: Numbers, ecn: bool, limit: u64) -> Self {
        // Without a limit in packets there is no table of this kind.
        let table = limit.checked_add(1).and_then(u64::checked_next_power_of_two);
        SchChoke {
            numbers,
            ecn,
            places: VecDeque::new(),
            lost_marks: LostMarks::default(),
            table: table.map_or(usize::MAX, |size| usize::try_from(size).unwrap_or(usize::MAX)),
            limit,
            stuck: 0,
        }
    }

    /// The place of a packet to compare with.
    fn candidate(&self, rng: &mut Rng) -> Option<usize> {
        if self.places.is_empty() {
            return None;
        }
        let drawn = (0..TRIES).map(|_| rng.below(self.places.len() as u64) as usize).find(|place| self.places[*place]);
        Some(drawn.unwrap_or(0))
    }

    /// Drops the candidate if it is of the arrival's flow. Returns whether it was.
    fn compare(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> bool {
        let Some(place) = self.candidate(rng) else { return false };
        let index = self.places.iter().take(place).filter(|taken| **taken).count();
        if queue.get(index).is_none_or(|candidate| candidate.flow != packet.flow) {
            return false;
        }
        queue.drop_at(now, index, Reason::UNFAIR);
        self.places[place] = false;
        self.skip_holes();
        true
    }

    /// CHOKe's decision about an arrival.
    fn decide(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        self.numbers.observe(now, queue.packets() + self.stuck);
        let (average, min_th, max_th) = self.numbers.places();
        if average <= min_th {
            self.numbers.outside();
            return Verdict::Pass;
        }
        if self.compare(now, packet, queue, rng) {
            return Verdict::Drop(Reason::UNFAIR);
        }
        let marks = self.ecn && packet.ecn.is_capable();
        if average > max_th {
            self.numbers.outside();
            return if marks { Verdict::Mark(Reason::FORCED) } else { Verdict::Drop(Reason::FORCED) };
        }
        match (self.numbers.is_chosen(rng), marks) {
            (false, _) => Verdict::Pass,
            (true, true) => Verdict::Mark(Reason::EARLY),
            (true, false) => Verdict::Drop(Reason::EARLY),
        }
    }

    /// The table takes the packet, if the verdict says so.
    fn admit(&mut self, now: Instant, verdict: Verdict, queue: &mut QueueView<'_>) -> Verdict {
        let marked = match verdict {
            Verdict::Drop(_) => return verdict,
            Verdict::Mark(_) => 1,
            Verdict::Pass => 0,
        };
        if self.stuck > 0 && queue.packets() + self.stuck >= self.limit {
            self.lost_marks.count += marked;
            return Verdict::Drop(Reason::OVERFLOW);
        }
        if self.places.len() + 1 < self.table || queue.packets() >= self.limit {
            return verdict;
        }
        self.lost_marks.count += marked;
        self.stuck += queue.packets() + 1;
        self.places.clear();
        while queue.drop_at(now, 0, Reason::STUCK).is_some() {}
        Verdict::Drop(Reason::STUCK)
    }

    /// Holes before the first packet go.
    fn skip_holes(&mut self) {
        while self.places.front() == Some(&false) {
            self.places.pop_front();
        }
    }
}

impl Policy for SchChoke {
    fn on_arrival(&mut self, now: Instant, packet: &Packet, queue: &mut QueueView<'_>, rng: &mut Rng) -> Verdict {
        let verdict = self.decide(now, packet, queue, rng);
        let verdict = self.admit(now, verdict, queue);
        self.lost_marks.after(verdict)
    }

    fn on_enqueued(&mut self, _now: Instant, _packet: &Packet, _queue: &mut QueueView<'_>) {
        self.places.push_back(true);
    }

    fn on_departure(&mut self, _now: Instant, _packet: &Packet, _queue: &mut QueueView<'_>, _rng: &mut Rng) -> Verdict {
        self.places.pop_front();
        self.skip_holes();
        Verdict::Pass
    }

    fn on_drop(&mut self, _now: Instant, _packet: &Packet, dropped: Dropped, _queue: &mut QueueView<'_>) {
        self.lost_marks.on_drop(dropped);
        // Taken out by a discipline around, from the head.
        if dropped == Dropped::PUSHED_OUT {
            self.places.pop_front();
            self.skip_holes();
        }
    }

    fn on_idle(&mut self, now: Instant) {
        self.numbers.on_idle(now);
    }

    fn is_stuck(&self) -> bool {
        self.stuck > 0
    }

    probes! { |self|
        "avg" => self.numbers.average(),
        "count" => self.numbers.count() as f64,
        "lost_marks" => self.lost_marks.count as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FlowId;
    use crate::rig::args;

    /// Thresholds 5 and 15 packets, a weight of a half.
    fn choke() -> SchChoke {
        SchChoke::new(Numbers::with((5, 15), 0.1, 0.5).expect("valid parameters"), false, 50)
    }

    /// By hand after q_choke.c and tc_red.c of iproute2 7.1, in whole packets.
    #[test]
    fn thresholds_and_weight_follow_the_limit() {
        let of = |limit| {
            let params: Params = args(&ENTRY, None, &[("limit", limit)]).typed();
            let thresholds = params.thresholds(&LinkContext::default()).expect("thresholds");
            (thresholds, params.tc_red.weight(thresholds, 1.0))
        };
        // Burst (2 * 20 + 60) / 3 = 33; 33 + 1 - 20 = 14 <= (1 - (15/16)^33) * 16 = 14.1, and for 1/8 7.9.
        assert_eq!(of("240p"), ((20.0, 60.0), Ok(1.0 / 16.0)));
        // 102 / 4 = 25, 25 / 3 = 8; burst 13; 6 <= (1 - (7/8)^13) * 8 = 6.6, and for 1/4 3.9.
        assert_eq!(of("102p"), ((8.0, 25.0), Ok(1.0 / 8.0)));
    }

    /// choke_enqueue and choke_dequeue (net/sched/sch_choke.c of 6.12): `head == tail` says that nothing waits.
    #[test]
    fn a_table_full_of_packets_and_holes_keeps_them_for_ever() {
        let mut choke = choke();
        (choke.table, choke.limit) = (4, 3);
        choke.places = VecDeque::from([true, false, true]);
        let others = [1, 2].map(|flow| Packet::datagram(FlowId(flow), 0, 1000));
        let mut rig = crate::rig::Rig::holding(others);
        let mine = Packet::datagram(FlowId(7), 9, 1000);

        // The fourth place: two packets that wait, and this one.
        assert_eq!(rig.arrive_drawing(&mut choke, Instant::ZERO, &mine, 0.5), Verdict::Drop(Reason::STUCK));
        assert_eq!((choke.stuck, rig.fifo.backlog().packets, choke.places.len()), (3, 0, 0));
        // They take the room of all others.
        assert_eq!(rig.arrive_drawing(&mut choke, Instant::ZERO, &mine, 0.5), Verdict::Drop(Reason::OVERFLOW));
    }

    #[test]
    fn three_holes_in_a_row_mean_the_first_packet() {
        let mut choke = choke();
        choke.places = VecDeque::from([true, false, false, false]);
        let mut rng = Rng::named(1, "test");
        // Packets are at place 0 only.
        assert!((0..100).all(|_| choke.candidate(&mut rng) == Some(0)));
        choke.places.clear();
        assert_eq!(choke.candidate(&mut rng), None);
    }

    #[test]
    fn a_match_leaves_a_hole_that_goes_with_the_head() {
        let mut choke = choke();
        let mine = Packet::datagram(FlowId(7), 9, 1000);
        let mut rig = crate::rig::Rig::holding([mine, mine, mine]);
        choke.places = VecDeque::from([true; 3]);
        let mut rng = Rng::named(1, "test");
        rng.supply(0.5);
        assert!(choke.compare(Instant::ZERO, &mine, &mut rig.view(), &mut rng));
        assert_eq!(choke.places, [true, false, true]);

        choke.on_departure(Instant::ZERO, &mine, &mut rig.view(), &mut rng);
        assert_eq!(choke.places, [true]);
    }
}
