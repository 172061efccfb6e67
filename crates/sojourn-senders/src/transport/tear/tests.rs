use super::*;
use crate::packet::Body;
use crate::rig::{at_millis as at, near};

const RTT: Duration = Duration::from_millis(100);

/// In congestion avoidance at this window, the next packet being number 100.
fn avoiding(window: f64) -> Emulation {
    let mut emulation = Emulation::new(8, 3);
    emulation.ssthresh = 2.0;
    emulation.begin(window);
    emulation.next = 100;
    emulation
}

fn come(emulation: &mut Emulation, packets: std::ops::Range<u64>) {
    packets.for_each(|seq| emulation.on_packet(at(0), seq, RTT));
}

#[test]
fn a_round_is_a_window_of_packets_and_opens_it_by_one() {
    let mut emulation = avoiding(10.0);
    come(&mut emulation, 100..110);
    assert!(near(emulation.cwnd, 11.0) && near(emulation.held, 11.0), "{emulation:?}");
    come(&mut emulation, 110..121);
    assert!(near(emulation.cwnd, 12.0));
    // Two rounds stand for two round trips, however long they took.
    assert!(near(emulation.windows, 21.0) && near(emulation.time, 0.2));
}

#[test]
fn slow_start_doubles_and_its_rate_is_the_window_per_round_trip() {
    let mut emulation = Emulation::new(8, 3);
    come(&mut emulation, 0..7);
    // 1, 2 and 4 packets.
    assert!(near(emulation.held, 8.0) && near(emulation.rate(RTT), 80.0), "{emulation:?}");
}

#[test]
fn the_window_grows_while_its_application_is_the_limit() {
    let mut emulation = Emulation::new(8, 3);
    // A packet in each ten round trips: in slow start each opens the window by one.
    (0..20).for_each(|seq| emulation.on_packet(at(1000 * seq), seq, RTT));
    assert!(near(emulation.cwnd, 21.0), "{emulation:?}");
}

#[test]
fn the_third_packet_after_a_missing_one_halves_the_window_once() {
    let mut emulation = avoiding(10.0);
    come(&mut emulation, 100..110);
    // 110 is missing. A TCP would have sent up to 120.
    come(&mut emulation, 111..113);
    assert!(matches!(emulation.state, State::Gap { lost: 110, end: 121, later: 2, .. }), "{:?}", emulation.state);
    come(&mut emulation, 113..114);
    assert!(near(emulation.cwnd, 11.0) && emulation.state == State::Recovery { end: 121 });
    // 115 and 118 belong to the same window; 122 does not.
    for seq in [114, 116, 117, 119, 120, 121] {
        emulation.on_packet(at(0), seq, RTT);
    }
    assert!(emulation.state == State::Open && near(emulation.cwnd, 5.5 + 1.0 / 5.5), "{emulation:?}");
    // A round of ten, and eight of eleven.
    assert!(near(emulation.past[0], 18.0 / (0.1 + 0.1 * 8.0 / 11.0)) && emulation.past.len() == 1);
    come(&mut emulation, 123..126);
    assert_eq!(emulation.state, State::Recovery { end: 127 });
}

#[test]
fn too_few_packets_after_a_loss_are_a_timeout() {
    let mut emulation = avoiding(3.0);
    // Of 100 to 102 two are lost: a TCP with a window of three hears no third duplicate.
    come(&mut emulation, 102..103);
    come(&mut emulation, 103..104);
    assert!(
        near(emulation.cwnd, 1.0) && near(emulation.ssthresh, 2.0) && emulation.state == State::Open,
        "{emulation:?}"
    );

    // By time: a timeout of 400 ms is part of the epoch.
    let mut late = avoiding(10.0);
    come(&mut late, 100..110);
    come(&mut late, 111..112);
    late.time_out(RTT);
    assert!(near(late.past[0], 11.0 / (0.5 + 0.1 / 11.0)));
}

#[test]
fn a_packet_that_was_only_late_is_not_lost() {
    let mut emulation = avoiding(10.0);
    come(&mut emulation, 101..103);
    come(&mut emulation, 100..101);
    assert_eq!(emulation.state, State::Open);
    come(&mut emulation, 103..110);
    assert!(emulation.past.is_empty());
}

#[test]
fn the_present_epoch_counts_only_if_it_raises_the_rate() {
    let mut emulation = avoiding(10.0);
    emulation.past = [100.0, 100.0].into();
    (emulation.windows, emulation.time) = (5.0, 0.1);
    assert!(near(emulation.rate(RTT), 100.0));
    (emulation.windows, emulation.time) = (16.0, 0.1);
    // (160 + 100 + 100) / 3.
    assert!(near(emulation.rate(RTT), 120.0));
    // With nine the oldest has no weight left: 4 of weight 1, then .8, .6, .4, .2 for 200: (4 100 + 2 200) / 6.
    emulation.past = [100.0, 100.0, 100.0, 100.0, 200.0, 200.0, 200.0, 200.0].into();
    (emulation.windows, emulation.time) = (1.0, 0.1);
    assert!(near(emulation.rate(RTT), 800.0 / 6.0));
}

#[test]
fn without_reports_the_rate_is_halved() {
    let mut law = Tear::new();
    law.on_sent(at(0), 0, 960);
    let body = Body::Report { echo: at(0), report: Report::Tear(0.0) };
    law.on_report(&Heard { now: at(100), rtt: RTT, echo: at(0), body: &body }, &mut Counters::default());
    assert!(near(law.rate, 10.0), "one in a round trip");
    assert_eq!(law.next_deadline(), Some(at(500)));
    law.on_deadline(at(500), &mut Counters::default());
    // Two packets take 400 ms as well.
    assert!(near(law.rate, 5.0) && law.next_deadline() == Some(at(900)));
}
