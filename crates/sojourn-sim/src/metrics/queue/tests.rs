use super::*;
use crate::packet::FlowId;
use crate::queue::Reason;
use crate::rig::at_millis as at;

fn waiting(packets: u64) -> Backlog {
    Backlog { packets, bytes: 1000 * packets }
}

#[test]
fn the_mean_backlog_is_weighted_with_time_and_begins_after_the_warm_up() {
    let mut recorder = QueueRecorder::new(at(10), Limit::packets(4), 1000);
    recorder.backlog_becomes(at(0), waiting(100));
    recorder.backlog_becomes(at(5), waiting(2));
    recorder.backlog_becomes(at(20), waiting(4));
    recorder.backlog_becomes(at(25), waiting(0));
    recorder.finish(at(30), at(0));

    // From 10 ms: 2 packets for 10 ms, 4 for 5 ms, none for 5 ms, of 20 ms.
    assert!((recorder.backlog_mean_packets() - 2.0).abs() < 1e-12);
    // E[n^2] = (4 * 10 + 16 * 5) / 20 = 6, so the variance is 2.
    assert!((recorder.backlog_sd_packets() - libm::sqrt(2.0)).abs() < 1e-12);
    assert!((recorder.empty_fraction() - 0.25).abs() < 1e-12);
    assert!((recorder.full_fraction() - 0.25).abs() < 1e-12);
    assert_eq!(recorder.backlog_max_packets(), 4);
}

#[test]
fn occupancy_says_for_how_long_each_backlog_stood_and_how_often_it_was_sampled() {
    let mut recorder = QueueRecorder::new(at(10), Limit::packets(4), 1000).with_occupancy();
    recorder.backlog_becomes(at(5), waiting(2));
    recorder.sample(at(12), waiting(2));
    recorder.backlog_becomes(at(20), waiting(4));
    recorder.sample(at(22), waiting(4));
    recorder.sample(at(23), waiting(4));
    recorder.backlog_becomes(at(25), waiting(0));
    recorder.sample(at(28), waiting(0));
    recorder.finish(at(30), at(0));

    // From 10 ms: 2 packets for 10 ms, 4 for 5 ms, none for 5 ms, of 20 ms.
    let found: Vec<_> = recorder.occupancy().collect();
    assert_eq!(found, [(0, 0.25, 0.25), (2, 0.5, 0.25), (4, 0.25, 0.5)]);
}

#[test]
fn what_stands_when_the_warm_up_ends_is_the_most_that_ever_waits() {
    let mut recorder = QueueRecorder::new(at(10), Limit::packets(4), 1000);
    recorder.backlog_becomes(at(5), waiting(98));
    recorder.backlog_becomes(at(20), waiting(97));
    recorder.finish(at(30), at(0));

    assert!((recorder.backlog_mean_packets() - 97.5).abs() < 1e-12);
    assert_eq!(recorder.backlog_max_packets(), 98);
}

#[test]
fn bits_count_when_they_are_sent() {
    let mut recorder = QueueRecorder::new(at(10), Limit::NONE, 1000);
    // 1000 bytes from 4 to 14 ms, 400 of which count; 500 from 20 to 25 ms; 800 from 27 to 35 ms, 300 of which count.
    recorder.departure(at(4), 1000, false, Duration::ZERO);
    recorder.begin(at(14));
    recorder.departure(at(20), 500, false, Duration::ZERO);
    recorder.departure(at(27), 800, false, Duration::ZERO);
    recorder.finish(at(30), at(35));

    assert!((recorder.sent_bits() - 8.0 * 1200.0).abs() < 1e-9, "{}", recorder.sent_bits());
}

#[test]
fn nothing_has_no_spread() {
    let recorder = QueueRecorder::new(at(10), Limit::NONE, 1000);
    let (mean, sd) = recorder.sampled_backlog_packets();
    assert!(mean.is_nan() && sd.is_nan());
}

#[test]
fn what_happened_for_one_reason_is_counted_in_one_place() {
    let mut recorder = QueueRecorder::new(at(0), Limit::NONE, 1000);
    let (early, mark, overflow) = (What::Drop(Reason::EARLY), What::Mark(Reason::EARLY), What::Drop(Reason::OVERFLOW));
    for (what, size) in [(early, 100), (mark, 200), (overflow, 300), (early, 400), (mark, 500), (early, 600)] {
        recorder.event(&Event { time: at(1), packet: Packet::datagram(FlowId(0), 0, size), what });
    }
    recorder.finish(at(2), at(0));

    let counted: Vec<_> = recorder.by_reason().iter().map(|entry| (entry.what, entry.packets, entry.bytes)).collect();
    assert_eq!(counted, [(early, 3, 1100), (overflow, 1, 300), (mark, 2, 700)]);
}

#[test]
fn runs_of_losses_end_when_a_packet_of_the_flow_is_accepted() {
    let mut recorder = QueueRecorder::new(at(0), Limit::NONE, 1000);
    let packet = |flow| Packet::datagram(FlowId(flow), 0, 1000);
    let drop = |flow| Event { time: at(1), packet: packet(flow), what: What::Drop(Reason::EARLY) };
    for step in [Err(3), Err(3), Ok(1), Err(1), Ok(3), Err(3)] {
        match step {
            Err(flow) => recorder.event(&drop(flow)),
            Ok(flow) => recorder.accepted(&packet(flow)),
        }
    }
    recorder.finish(at(2), at(0));

    assert_eq!(recorder.flow_losses(3), FlowLosses { drops: 3, marks: 0, runs: 2, run_max: 2, runs_of: [1, 1, 0] });
    assert_eq!(recorder.flow_losses(1), FlowLosses { drops: 1, marks: 0, runs: 1, run_max: 1, runs_of: [1, 0, 0] });
    assert_eq!([0, 2, 4].map(|flow| recorder.flow_losses(flow)), [FlowLosses::default(); 3]);
}

#[test]
fn bytes_and_marks_count_from_the_end_of_the_warm_up() {
    let mut recorder = QueueRecorder::new(at(10), Limit::packets(4), 1000);
    let dropped = Packet::datagram(FlowId(0), 0, 300);
    for millis in [5, 15] {
        recorder.arrival(at(millis), 1000);
        recorder.departure(at(millis), 1000, true, Duration::ZERO);
        recorder.passage(at(millis), &Packet::datagram(FlowId(0), 0, 700).with_ecn(Ecn::Ce));
        recorder.passage(at(millis), &Packet::datagram(FlowId(0), 0, 500).with_ecn(Ecn::Ect0));
        recorder.arrival(at(millis), dropped.size);
        recorder.event(&Event { time: at(millis), packet: dropped, what: What::Drop(Reason::EARLY) });
        recorder.event(&Event { time: at(millis), packet: dropped, what: What::Mark(Reason::EARLY) });
    }

    assert_eq!((recorder.departures(), recorder.departures_ce()), (3, 2));
    assert_eq!((recorder.arrived_bytes(), recorder.dropped_bytes()), (1000 + 700 + 500 + 300, 300));
}
