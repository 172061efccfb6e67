use super::*;

fn at(n: u64) -> Instant {
    Instant::from_nanos(n)
}

/// Six segments of ten bytes, sent one after the other.
fn six() -> Flight {
    let mut flight = Flight::default();
    for n in 0..6 {
        flight.on_sent(at(n), 10 * n, 10 * n + 10, n % 2 == 1);
    }
    flight
}

/// Three, each in a packet of its own.
fn three() -> Flight {
    let mut flight = Flight::default();
    (0..3).for_each(|n| flight.on_sent(at(n), 10 * n, 10 * n + 10, false));
    flight
}

fn in_order_of_transmission(flight: &Flight) -> Vec<u64> {
    std::iter::successors(flight.oldest(), |&number| flight.next_sent(number)).collect()
}

#[test]
fn what_is_in_the_network_follows_what_is_known() {
    let mut flight = six();
    assert_eq!(flight.in_network(), 6);
    flight.on_sacked(2, false);
    assert_eq!((flight.in_network(), flight.sacked()), (5, 1));
    flight.lose(0);
    flight.lose(1);
    assert_eq!(flight.in_network(), 3);
    assert_eq!(flight.next_repair(), Some(0));
    flight.on_resent(at(7), 0);
    assert_eq!((flight.in_network(), flight.next_repair()), (4, Some(1)));
    flight.lose(0);
    assert_eq!((flight.in_network(), flight.next_repair()), (3, Some(0)), "the retransmission is lost");
    assert_eq!(flight.pop_below(10).map(|(number, segment)| (number, segment.start)), Some((0, 0)));
    assert!(flight.pop_below(15).is_none());
    assert_eq!((flight.in_network(), flight.lost, flight.out()), (3, 1, 5));
}

#[test]
fn a_segment_that_probes_counts_once_and_is_no_repair() {
    let mut flight = six();
    flight.on_repeated(at(9), 5);
    assert_eq!((flight.in_network(), flight.repairing(), flight.get(5).resent), (6, 0, true));
    flight.lose_at_timeout(5);
    assert_eq!((flight.in_network(), flight.next_repair()), (5, Some(5)), "it is lost like any other");
}

#[test]
fn a_packet_that_is_cut_counts_as_two() {
    let mut flight = six();
    assert_eq!(flight.packets(), 3);
    flight.cut_before(4);
    assert_eq!(flight.packets(), 3, "a packet begins there");
    flight.cut_before(5);
    flight.cut_before(6);
    assert_eq!(flight.packets(), 4);
}

#[test]
fn a_retransmission_goes_to_the_end_of_the_order_of_transmission() {
    let mut flight = six();
    flight.on_sacked(3, false);
    flight.lose(1);
    assert_eq!(in_order_of_transmission(&flight), [0, 2, 4, 5]);
    flight.on_resent(at(9), 1);
    assert_eq!(in_order_of_transmission(&flight), [0, 2, 4, 5, 1]);
    while flight.pop_below(20).is_some() {}
    assert_eq!(in_order_of_transmission(&flight), [2, 4, 5]);
}

#[test]
fn a_block_names_the_segments_that_it_covers_as_a_whole() {
    let mut flight = six();
    assert_eq!(flight.within(10, 40), 1..4);
    assert_eq!(flight.within(5, 25), 1..2);
    while flight.pop_below(20).is_some() {}
    assert_eq!(flight.within(0, 60), 2..6);
    assert_eq!(flight.within(33, 37), 4..4);
}

#[test]
fn of_a_packet_those_are_resent_together_that_are_lost() {
    // Pairs: 0 and 1, 2 and 3, 4 and 5.
    let mut flight = six();
    for number in [0, 2, 3, 4, 5] {
        flight.lose(number);
    }
    assert_eq!((flight.lost_together(0, 9), flight.lost_together(2, 9), flight.lost_together(2, 1)), (1, 2, 1));
    flight.on_resent(at(9), 5);
    assert_eq!((flight.lost_together(3, 9), flight.lost_together(4, 9)), (1, 1));
}

#[test]
fn a_retransmission_of_a_timeout_that_was_taken_back_counts_until_nothing_is_out_in_linux() {
    let mut flight = six();
    flight.time_out();
    flight.lose_at_timeout(0);
    flight.on_resent(at(9), 0);
    flight.forgive(false);
    assert_eq!(flight.in_network(), 7, "six and a retransmission");
    for number in 0..6 {
        flight.lose_at_timeout(number);
    }
    assert_eq!(flight.in_network(), 1);
    assert_eq!(flight.next_repair(), Some(0));
    flight.on_resent(at(10), 0);
    assert_eq!((flight.in_network(), flight.next_repair()), (2, Some(1)));
    flight.pop_below(10);
    assert_eq!(flight.in_network(), 1, "its other retransmission");
    for number in 1..5 {
        flight.on_sacked(number, false);
    }
    assert_eq!(flight.next_repair(), None, "one is lost, and one counts as sent again");
    while flight.pop_below(60).is_some() {}
    assert_eq!(flight.in_network(), 0);
}

/// An acknowledgement reports these blocks of segments. Returns them.
fn reports(flight: &mut Flight, blocks: &[(u64, u64)], before: &Blocks) -> Blocks {
    let mut told = Blocks::default();
    for &(from, to) in blocks {
        for number in from.max(flight.first)..to {
            if !flight.get(number).sacked {
                flight.on_sacked(number, true);
            }
        }
        told.push(Block { start: 10 * from, end: 10 * to, twice: false });
    }
    told.sort();
    flight.gather(&told, before);
    told
}

#[test]
fn what_has_been_reported_is_kept_in_one_packet_where_it_is_next_to_each_other() {
    // Pairs: 0 and 1, 2 and 3, 4 and 5. By turns 2 apart from 3, 34 apart from 5, 345, 0 apart from 1 and 1 from the rest, 12345.
    let mut flight = six();
    assert_eq!(flight.packets(), 3);
    let mut before = Blocks::default();
    for (block, packets) in [((3, 4), 4), ((3, 5), 4), ((3, 6), 3), ((1, 2), 4), ((1, 6), 2)] {
        before = reports(&mut flight, &[block], &before);
        assert_eq!(flight.packets(), packets, "{block:?}");
    }
    assert!(flight.pop_below(10).is_some());
    assert_eq!(flight.packets(), 1);
    assert!(flight.pop_below(20).is_some());
    assert_eq!(flight.packets(), 1, "the rest of it is still there");
    while flight.pop_below(60).is_some() {}
    assert_eq!(flight.packets(), 0);
}

#[test]
fn what_the_acknowledgement_before_had_in_its_blocks_is_not_walked_again() {
    // 4 is reported, then 3 before it. It is a packet of its own while the block of 4 is known, and else 4 is added to it.
    for (forgets, packets) in [(false, 5), (true, 4)] {
        let mut flight = six();
        let before = reports(&mut flight, &[(4, 5)], &Blocks::default());
        assert_eq!(flight.packets(), 4);
        let known = if forgets { Blocks::default() } else { before };
        reports(&mut flight, &[(3, 5)], &known);
        assert_eq!(flight.packets(), packets, "{forgets}");
    }
}

#[test]
fn a_report_of_a_segment_that_came_twice_cuts_its_packet_behind_it() {
    let mut flight = six();
    let mut told = reports(&mut flight, &[(1, 6)], &Blocks::default());
    assert_eq!(flight.packets(), 2);
    let before = told;
    told.push(Block { start: 20, end: 30, twice: true });
    told.sort();
    flight.gather(&told, &before);
    assert_eq!(flight.packets(), 3, "12 and 345");
}

#[test]
fn a_repair_that_is_in_the_network_keeps_its_packet_apart() {
    let mut flight = three();
    flight.lose(1);
    flight.on_resent(at(10), 1);
    flight.forgive(true);
    let before = reports(&mut flight, &[(0, 1)], &Blocks::default());
    reports(&mut flight, &[(0, 3)], &before);
    assert_eq!(flight.packets(), 3);
}

#[test]
fn a_packet_has_fewer_than_eight_times_65535_bytes() {
    for (length, packets) in [(262_139, 2), (262_140, 3)] {
        let mut flight = Flight::default();
        (0..3).for_each(|n| flight.on_sent(at(n), n * length, (n + 1) * length, false));
        let mut told = Blocks::default();
        for number in 1..3 {
            flight.on_sacked(number, true);
        }
        told.push(Block { start: length, end: 3 * length, twice: false });
        flight.gather(&told, &Blocks::default());
        assert_eq!(flight.packets(), packets, "{length}");
    }
}

#[test]
fn what_was_only_late_counts_as_in_the_network_again() {
    let mut flight = six();
    flight.lose(0);
    flight.lose(1);
    flight.on_resent(at(9), 0);
    flight.forgive(false);
    assert_eq!((flight.lost, flight.in_network(), flight.next_repair()), (0, 7, None));
}

#[test]
fn in_linux_a_repair_of_a_segment_that_was_only_late_is_in_the_network_until_it_is_reported_too() {
    for (keeps, left) in [(true, 1), (false, 0)] {
        let mut flight = three();
        flight.lose(1);
        flight.on_resent(at(10), 1);
        flight.forgive(true);
        flight.on_sacked(1, keeps);
        assert_eq!((flight.in_network(), flight.repairing()), (2 + left, left), "0 and 2, and the repair");
        flight.on_twice(1);
        assert_eq!((flight.in_network(), flight.repairing()), (2, 0));
    }
    // While it counts as lost, the repair is what has arrived.
    let mut flight = three();
    flight.lose(1);
    flight.on_resent(at(10), 1);
    flight.on_sacked(1, true);
    assert_eq!(flight.repairing(), 0);
}
