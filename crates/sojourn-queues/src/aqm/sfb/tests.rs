use super::*;
use crate::packet::{Ecn, FlowId};
use crate::queue::{Context, Event, Managed, QueueDiscipline, What};
use crate::rig::args;

struct Rig {
    queue: Managed<Sfb>,
    cx: Context,
    seq: u64,
}

impl Rig {
    /// Bins of at most two packets, steps of a half, no freezing.
    fn new(settings: &[(&str, &str)]) -> Self {
        let base =
            [("limit", "100p"), ("bin_size", "2"), ("increment", "0.5"), ("decrement", "0.5"), ("hold_time", "100ms")];
        let params: Params = args(&ENTRY, Some("paper"), &[&base[..], settings].concat()).typed();
        let link = LinkContext::default();
        let sfb = params.policy(&link).expect("valid");
        Rig { queue: Managed::new(sfb, params.limit(&link)), cx: Context::new(Rng::named(1, "sfb")), seq: 0 }
    }

    fn arrive_with(&mut self, millis: u64, flow: u32, ecn: Ecn) -> Option<What> {
        self.seq += 1;
        let packet = Packet::datagram(FlowId(flow), self.seq, 1000).with_ecn(ecn);
        self.queue.enqueue(Instant::ZERO + Duration::from_millis(millis), packet, &mut self.cx);
        let events: Vec<Event> = self.cx.events.drain().collect();
        events.first().map(|event| event.what)
    }

    /// The fate of a packet.
    fn arrive(&mut self, millis: u64, flow: u32) -> Option<What> {
        self.arrive_with(millis, flow, Ecn::NotEct)
    }

    fn serve(&mut self, packets: usize) {
        for _ in 0..packets {
            self.queue.dequeue(Instant::ZERO, &mut self.cx);
        }
    }

    fn p(&self, set: usize, flow: u32) -> f64 {
        self.queue.policy().sets[set].look(FlowId(flow)).p_min
    }
}

const UNFAIR: Option<What> = Some(What::Drop(Reason::UNFAIR));

#[test]
fn an_even_part_and_a_half_is_the_automatic_size() {
    // 1.5 * 200 / 23 = 13.04, 1.5 * 300 / 23 = 19.6. The link's product is 125 packets: a fourth and a half of it is 46.9.
    for (limit, flows, size) in [("200p", 400, 13), ("300p", 400, 19), ("200p", 4, 46), ("1000p", 4, 65)] {
        let params: Params = args(&ENTRY, None, &[("limit", limit)]).typed();
        let sfb = params.policy(&LinkContext { flows, ..LinkContext::default() }).expect("valid");
        assert_eq!(sfb.law.bin_size, size, "{limit} {flows}");
    }
}

#[test]
fn a_flow_may_count_as_one_that_does_not_respond_below_one() {
    const EARLY: Option<What> = Some(What::Drop(Reason::EARLY));
    for (unresponsive, fate, warmed) in [("1", EARLY, false), ("0.98", UNFAIR, true)] {
        let settings =
            [("unresponsive", unresponsive), ("increment", "0.985"), ("decrement", "0"), ("bin_full", "none")];
        let mut rig = Rig::new(&settings);
        for _ in 0..4 {
            rig.arrive(0, 1);
        }
        assert!((rig.p(0, 1) - 0.985).abs() < 1e-12);

        rig.serve(4);

        // A limited flow may send one packet in 100 ms; by chance 1.5 % of the others pass.
        rig.arrive(10, 1);
        assert_eq!((rig.arrive(20, 1), rig.p(1, 1) > 0.0), (fate, warmed), "{unresponsive}");
    }
}

#[test]
fn packets_of_limited_flows_may_go_uncounted() {
    for (count_limited, waiting) in [("true", 1), ("false", 0)] {
        let mut rig = Rig::new(&[("count_limited", count_limited), ("decrement", "0"), ("warm_up", "none")]);
        for _ in 0..5 {
            rig.arrive(0, 1);
        }
        rig.serve(3);
        // The first in its hold time passes.
        assert_eq!(rig.arrive(100, 1), None);
        assert_eq!(rig.queue.policy().sets[0].largest().1, waiting, "{count_limited}");
        rig.serve(1);
        assert_eq!(rig.queue.policy().sets[0].largest().1, 0);
    }
}

#[test]
fn a_full_bin_drops_the_packet_and_raises_all() {
    let mut rig = Rig::new(&[]);
    assert_eq!([rig.arrive(0, 1), rig.arrive(0, 1), rig.arrive(0, 1)], [None; 3]);

    // Three are more than two: the fourth goes, and with the fifth both of the flow's bins say 1.
    assert_eq!(rig.arrive(0, 1), UNFAIR);
    assert!((rig.p(0, 1) - 0.5).abs() < 1e-12);
    assert_eq!(rig.arrive(0, 1), UNFAIR);
    assert!((rig.p(0, 1) - 1.0).abs() < 1e-12);
    assert_eq!(rig.queue.backlog().packets, 3);
}

#[test]
fn a_flow_that_does_not_respond_passes_once_in_a_hold_time() {
    let mut rig = Rig::new(&[("decrement", "0")]);
    for _ in 0..5 {
        rig.arrive(0, 1);
    }
    rig.serve(3);

    let fates: Vec<_> = [10, 20, 109, 110, 120].map(|millis| rig.arrive(millis, 1)).into();

    assert_eq!(fates, [None, UNFAIR, UNFAIR, None, UNFAIR]);
    assert_eq!(rig.arrive(120, 2), None, "another flow is free");
}

#[test]
fn a_flow_that_leaves_its_bins_empty_is_forgiven() {
    let mut rig = Rig::new(&[("freeze_time", "50ms")]);
    for _ in 0..4 {
        rig.arrive(0, 1);
    }
    // Frozen since the first arrival lowered it from 0.
    assert!(rig.p(0, 1) <= 0.0);
    rig.arrive(50, 1);
    assert!((rig.p(0, 1) - 0.5).abs() < 1e-12);
    rig.serve(3);

    rig.arrive(100, 1);

    assert!(rig.p(0, 1) <= 0.0);
}

#[test]
fn limited_arrivals_may_keep_their_bins_raised() {
    // p is 1 after five arrivals, and the bins run empty. The next two arrivals lower it by a half each: to a half, at which
    // the flow is limited still, and to 0. Where limited arrivals raise, the first brings it back to 1, and so does the second.
    for (raises, p) in [("false", 0.0), ("true", 1.0)] {
        let mut rig = Rig::new(&[("unresponsive", "0.5"), ("raise_limited", raises), ("hold_time", "10s")]);
        for _ in 0..5 {
            rig.arrive(0, 1);
        }
        rig.serve(3);

        // The first passes the box, and leaves an empty bin again.
        rig.arrive(1, 1);
        rig.serve(1);
        rig.arrive(2, 1);

        assert!((rig.p(0, 1) - p).abs() < 1e-12, "raise_limited = {raises}");
        assert!(rig.p(0, 2) <= 0.0, "the bins of another flow");
    }
}

#[test]
fn full_bins_need_not_drop() {
    for (bin_full, dropped) in [("none", 0), ("any", 3)] {
        let mut rig = Rig::new(&[("bin_full", bin_full), ("increment", "0")]);
        let fates: Vec<_> = (0..6).map(|_| rig.arrive(0, 1)).collect();
        assert_eq!(fates.iter().flatten().count(), dropped, "{bin_full}");
    }
    // [Cha04] section 2.2.3.7 knows no drop at a full bin.
    assert_eq!(args(&ENTRY, Some("chatranon2004"), &[]).typed::<Params>().bin_full, BinFull::None);
}

#[test]
fn an_overflow_changes_nothing() {
    let mut rig = Rig::new(&[("limit", "3p")]);
    for _ in 0..3 {
        rig.arrive(0, 1);
    }

    assert_eq!(rig.arrive(0, 1), Some(What::Drop(Reason::OVERFLOW)));

    assert!(rig.p(0, 1) <= 0.0);
    assert_eq!(rig.queue.policy().sets[0].largest().1, 3);
}

#[test]
fn sets_of_bins_take_turns() {
    for (warm_up, time, warm) in
        [("raise", "auto", 1.0), ("unresponsive", "auto", 1.0), ("raise", "1s", 0.0), ("none", "auto", 0.0)]
    {
        let mut rig =
            Rig::new(&[("warm_up", warm_up), ("warm_up_time", time), ("decrement", "0"), ("hold_time", "0s")]);
        // Flow 1 does not respond; each packet that it is then allowed is counted in the other set, too.
        for _ in 0..5 {
            rig.arrive(0, 1);
        }
        rig.serve(3);
        for _ in 0..5 {
            rig.arrive(500, 1);
        }
        assert!((rig.p(1, 1) - warm).abs() < 1e-12, "{warm_up} {time}");

        // Two seconds after the first arrival it is not yet time.
        rig.arrive(2000, 2);
        assert_eq!(rig.queue.policy().active(), 0);
        rig.arrive(2001, 2);
        assert_eq!(rig.queue.policy().active(), 1);
        assert!(rig.p(0, 1) <= 0.0);

        // Packets that were counted in the old bins are not subtracted from the new ones.
        rig.serve(20);
        assert_eq!(rig.queue.policy().sets.iter().map(|set| set.largest().1).max(), Some(0));
    }
}

#[test]
fn only_raised_bins_know_a_limited_flow_at_once() {
    for (warm_up, fate) in [("raise", UNFAIR), ("unresponsive", None)] {
        let mut rig = Rig::new(&[("warm_up", warm_up), ("decrement", "0")]);
        // One packet of the flow in 100 ms passes and is sent at once; 10 ms apart they come.
        for millis in 0..=200 {
            rig.arrive(10 * millis, 1);
            rig.serve(usize::from(millis > 5));
        }
        assert!((rig.p(0, 1) - 1.0).abs() < 1e-12);

        // The first after the turn is the one of its 100 ms, or a free one; the second is limited if it is known.
        rig.arrive(2001, 1);
        assert_eq!(rig.queue.policy().active(), 1);
        assert_eq!(rig.arrive(2002, 1), fate, "{warm_up}");
    }
}

#[test]
fn a_tag_says_in_which_sets_a_packet_counts() {
    let sets = |sfb: &mut Sfb, tag| {
        sfb.sets.iter_mut().for_each(|set| set.renew(1));
        sfb.sets_of(tag).for_each(|set| set.add(FlowId(1)));
        [0, 1].map(|index| sfb.sets[index].largest().1)
    };
    let params: Params = args(&ENTRY, None, &[]).typed();
    let mut sfb = params.policy(&LinkContext::default()).expect("valid");
    for start in [0, 1, 6, TURNS_MAX] {
        let tag = |warms_up| Counted { turns: start, warms_up }.tag();
        assert_eq!(Counted::from_tag(tag(true)), Some(Counted { turns: start, warms_up: true }));
        sfb.turns = start;
        let (active, next) = if start % 2 == 0 { ([1, 0], [0, 1]) } else { ([0, 1], [1, 0]) };
        assert_eq!(
            [sets(&mut sfb, 0), sets(&mut sfb, tag(false)), sets(&mut sfb, tag(true))],
            [[0; 2], active, [1; 2]]
        );
        // After a turn only the set that was next still counts it, and after two none.
        sfb.turns = (start + 1) & TURNS_MAX;
        assert_eq!([sets(&mut sfb, tag(false)), sets(&mut sfb, tag(true))], [[0; 2], next]);
        sfb.turns = (start + 2) & TURNS_MAX;
        assert_eq!([sets(&mut sfb, tag(false)), sets(&mut sfb, tag(true))], [[0; 2]; 2]);
    }
}

#[test]
fn hashes_may_stay() {
    let mut rig = Rig::new(&[("rehash", "0s")]);
    rig.arrive(0, 1);
    rig.arrive(1_000_000, 1);

    assert_eq!(rig.queue.policy().active(), 0);
    assert_eq!(rig.queue.policy().sets[1].largest(), (0.0, 0));
}
