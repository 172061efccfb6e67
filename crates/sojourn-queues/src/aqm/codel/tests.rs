use super::*;
use crate::packet::{Body, Ecn, FlowId};
use crate::queue::{Context, Event, Managed, Policed, QueueDiscipline, What};
use crate::rig::{Rig, args, at};

/// A CoDel queue whose packets all came at time zero, numbered from 0.
struct Standing {
    queue: Managed<Codel>,
    cx: Context,
}

impl Standing {
    fn of(packets: u64, settings: &[(&str, &str)], ecn: Ecn) -> Self {
        let params = args(&ENTRY, None, settings).typed::<Params>();
        let mut queue = Managed::new(params.codel(), Limit::packets(100_000));
        let mut cx = Context::new(Rng::named(1, "test"));
        for seq in 0..packets {
            queue.enqueue(at(0.0), Packet::datagram(FlowId(0), seq, 1000).with_ecn(ecn), &mut cx);
        }
        Standing { queue, cx }
    }

    /// Number of the packet that comes out at `millis`.
    fn take(&mut self, millis: f64) -> Option<u64> {
        self.queue.dequeue(at(millis / 1e3), &mut self.cx).as_ref().map(number)
    }

    /// Numbers dropped and marked since the last call.
    fn events(&mut self) -> (Vec<u64>, Vec<u64>) {
        let events: Vec<Event> = self.cx.events.drain().collect();
        let of = |drop: bool| {
            let chosen = events.iter().filter(|event| matches!(event.what, What::Drop(_)) == drop);
            chosen.map(|event| number(&event.packet)).collect()
        };
        (of(true), of(false))
    }
}

fn number(packet: &Packet) -> u64 {
    match packet.body {
        Body::Datagram { seq, .. } => seq,
        _ => unreachable!("only datagrams were queued"),
    }
}

#[test]
fn nothing_is_dropped_before_a_whole_interval_above_target() {
    let mut standing = Standing::of(20, &[], Ecn::NotEct);

    // First above target at 5 ms, so that the interval ends at 105 ms.
    assert_eq!([4.999, 5.0, 60.0, 104.999].map(|t| standing.take(t)), [Some(0), Some(1), Some(2), Some(3)]);
    assert_eq!(standing.events(), (vec![], vec![]));
    assert_eq!(standing.take(105.0), Some(5));
    assert_eq!(standing.events(), (vec![4], vec![]));
}

#[test]
fn the_packet_after_the_entering_drop_is_sent_and_not_lost() {
    // Packet 1 is chosen at 106 ms; 2 comes out and no other vanishes.
    let mut standing = Standing::of(20, &[], Ecn::NotEct);

    assert_eq!(standing.take(6.0), Some(0));
    assert_eq!(standing.take(106.0), Some(2));
    assert_eq!(standing.events().0, [1]);
    assert_eq!(standing.take(107.0), Some(3));
    assert_eq!(standing.events().0, Vec::<u64>::new());
}

#[test]
fn drops_come_at_the_control_laws_times() {
    // Entered at 106 ms with count 1: drop_next = 206, then + 100/sqrt(2), + 100/sqrt(3) ...
    let mut standing = Standing::of(1000, &[], Ecn::NotEct);
    standing.take(6.0);
    standing.take(106.0);
    standing.events();

    let mut due = 206.0;
    for count in 2..6 {
        standing.take(due - 0.001);
        assert_eq!(standing.events().0.len(), 0, "before drop {count}");
        standing.take(due + 0.000_1);
        assert_eq!(standing.events().0.len(), 1, "at drop {count}");
        due += 100.0 / f64::from(count).sqrt();
    }
}

#[test]
fn the_kernels_second_drop_comes_after_half_an_interval() {
    // Units of 1024 ns: an interval of 97656, or 97654 after multiplication with ONE. Above the target at 6 ms (unit 5859), which is
    // over in the unit after 5859 + 97656 = 103515, at 106.0003 ms. The law enters its dropping state there; the next drop is due 97654
    // later. Newton's step from 0xffff at count 2 is 0x8001; 97656 times this is 48829.
    let mut standing = Standing::of(1000, &[("arithmetic", "kernel")], Ecn::NotEct);
    let unit = |n: u64| n as f64 * 1.024e-3 + 1e-6;
    standing.take(6.0);
    standing.take(unit(103_515));
    assert_eq!(standing.events().0.len(), 0, "the interval is not over");
    standing.take(unit(103_516));
    assert_eq!(standing.events().0.len(), 1);

    for (due, drop) in [(103_516 + 97_654, "second"), (103_516 + 97_654 + 48_829, "third")] {
        standing.take(unit(due - 1));
        assert_eq!(standing.events().0.len(), 0, "before the {drop} drop");
        standing.take(unit(due));
        assert_eq!(standing.events().0.len(), 1, "at the {drop} drop");
    }
}

#[test]
fn a_fresh_queue_of_the_kernel_may_drop_all_after_an_overflow() {
    // Two packets pushed out before CoDel's first drop count as a recent rate within 1.6 s of the machine's start, with a root of 0:
    // after the entering drop and the packet that it spares all are due at once, up to the last MTU.
    for (start, left) in [(0.0, 1), (2.0, 94)] {
        let params = args(&ENTRY, None, &[("arithmetic", "kernel")]).typed::<Params>();
        let mut queue = Policed::new(params.codel(), Limit::NONE);
        let mut cx = Context::new(Rng::named(1, "test"));
        for seq in 0..100 {
            queue.enqueue(at(start), Packet::datagram(FlowId(0), seq, 1000), true, &mut cx);
        }
        queue.push_out(at(start), true, &mut cx);
        queue.push_out(at(start), true, &mut cx);
        for seconds in [0.006, 0.107, 0.108] {
            queue.dequeue(at(start + seconds), &mut cx);
        }
        assert_eq!(queue.backlog().packets, left, "{start}");
    }
}

#[test]
fn the_kernel_counts_what_is_pushed_out() {
    let packet = Packet::datagram(FlowId(0), 0, 1000);
    for (arithmetic, dropped, expected) in
        [("kernel", Dropped::PUSHED_OUT, 2), ("kernel", Dropped::OVERFLOW, 1), ("real", Dropped::PUSHED_OUT, 1)]
    {
        let mut standing = Standing::of(1000, &[("arithmetic", arithmetic)], Ecn::NotEct);
        standing.take(6.0);
        standing.take(107.0);
        let mut codel = standing.queue.policy().clone();
        codel.on_drop(at(0.2), &packet, dropped, &mut Rig::waiting(10).view());
        let State::Dropping(drops) = codel.state else { panic!("one packet has been dropped") };
        assert_eq!(drops.count, expected, "{arithmetic} {dropped:?}");
    }
}

#[test]
fn one_call_drops_as_many_as_are_due() {
    // At 400 ms drops are due at 206, 276.7, 334.4, 384.4 (100/sqrt(4) later) and not yet at 429.2.
    let mut standing = Standing::of(1000, &[], Ecn::NotEct);
    standing.take(6.0);
    standing.take(106.0);
    standing.events();

    assert_eq!(standing.take(400.0), Some(7));
    assert_eq!(standing.events().0, [3, 4, 5, 6]);
}

#[test]
fn the_last_mtu_is_never_dropped() {
    // Of three packets, two wait behind the first and one behind the second.
    let mut standing = Standing::of(3, &[("mtu", "1000B")], Ecn::NotEct);

    assert_eq!([200.0, 400.0, 600.0].map(|t| standing.take(t)), [Some(0), Some(1), Some(2)]);
    assert_eq!(standing.take(601.0), None);
    assert_eq!(standing.events().0, Vec::<u64>::new());
}

#[test]
fn a_wait_below_target_ends_dropping() {
    let mut standing = Standing::of(10, &[], Ecn::NotEct);
    standing.take(6.0);
    standing.take(106.0);
    for seq in 10..40 {
        standing.queue.enqueue(at(0.3), Packet::datagram(FlowId(0), seq, 1000), &mut standing.cx);
    }
    // Packets 3 to 9 leave before 206 ms; at 301 ms packet 10 has waited 1 ms.
    for seq in 3..10 {
        assert_eq!(standing.take(150.0), Some(seq));
    }
    assert_eq!(standing.take(301.0), Some(10));

    assert!(matches!(standing.queue.policy().state, State::Sending(Some(_))));
    assert_eq!(standing.take(310.0), Some(11), "a new interval begins");
    assert_eq!(standing.take(409.0), Some(12));
    assert_eq!(standing.take(411.0), Some(14));
    assert_eq!(standing.events().0, [1, 13]);
}

#[test]
fn coming_back_soon_resumes_at_the_former_rate() {
    let params = Params::default();
    let interval = params.interval;
    let last = Drops { count: 7, lastcount: 2, drop_next: at(1.0), root: Root::ONE };

    // Within 16 intervals of drop_next: count = 7 - 2.
    let soon = Drops::entered(Some(last), at(2.599), &params);
    assert_eq!((soon.count, soon.lastcount), (5, 5));
    assert_eq!(soon.drop_next, control_law(at(2.599), interval, 5));

    assert_eq!(Drops::entered(Some(last), at(2.6), &params).count, 1);

    // A single drop more than last time starts over.
    assert_eq!(Drops::entered(Some(Drops { lastcount: 6, ..last }), at(1.5), &params).count, 1);
    assert_eq!(Drops::entered(None, at(0.1), &params).count, 1);
}

#[test]
fn a_mark_takes_the_place_of_the_drop() {
    let mut standing = Standing::of(1000, &[("ecn", "true")], Ecn::Ect0);
    standing.take(6.0);

    // Entering marks packet 1 and sends it; drop_next is 206 ms.
    assert_eq!(standing.take(106.0), Some(1));
    assert_eq!(standing.events(), (vec![], vec![1]));
    assert_eq!(standing.take(205.0), Some(2));
    assert_eq!(standing.take(206.0), Some(3));
    // 206 + 100/sqrt(2) = 276.7.
    assert_eq!(standing.take(276.0), Some(4));
    assert_eq!(standing.take(277.0), Some(5));
    assert_eq!(standing.events(), (vec![], vec![3, 5]));
}

#[test]
fn the_ce_threshold_marks_whoever_waited_longer() {
    let mut standing = Standing::of(10, &[("ce_threshold", "1ms")], Ecn::Ect1);

    standing.take(1.0);
    standing.take(1.1);

    assert_eq!(standing.events(), (vec![], vec![1]));
}

#[test]
fn an_empty_queue_ends_the_interval_and_dropping() {
    let mut standing = Standing::of(5, &[], Ecn::NotEct);
    standing.take(6.0);
    standing.take(106.0);
    for _ in 0..3 {
        standing.take(110.0);
    }

    assert_eq!(standing.take(111.0), None);

    assert!(matches!(standing.queue.policy().state, State::Sending(Some(_))));
    assert_eq!(standing.queue.policy().first_above_time, None);
}
