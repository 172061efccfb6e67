//! The library's outputs for the same inputs, and its worked numbers.

use super::*;

/// Time in microseconds, round trip, packets received, marked, lost and sent; then the library's pacing rate in bytes per second, window
/// and burst in packets, and packet in bytes. Recorded with `prague_cc.cpp` of February 2026 whose clock was that of the inputs: nine
/// hundred acknowledgements at round trips of 0.5 to 60 ms, with marks, losses, and packets that were late.
const RECORDED: &str = include_str!("recorded.csv");

/// The library's law, whose packets may be small.
fn library() -> Prague {
    let mut law = Prague::new(12_500, 250);
    law.sized(1400, LEAST_PACKET);
    law
}

#[test]
fn the_library_is_followed_step_by_step() {
    let mut law = library();
    // The library's clock begins with one.
    law.estimated.at = 1;
    for (at, line) in RECORDED.lines().enumerate() {
        let row: Vec<u64> = line.split(',').map(|number| number.parse().expect("a number")).collect();
        let [now, rtt, received, marked, lost, sent, rate, window, burst, packet] = row[..] else {
            unreachable!("ten")
        };
        law.on_round_trip(rtt);
        law.on_report(&Report { now, received, marked, lost, sent });
        let got = (law.swung(now), law.packets(), law.at_once(), law.packet);
        assert_eq!(got, (rate, window, burst, packet), "line {}", at + 1);
    }
}

#[test]
fn it_begins_at_100_kbit_per_second() {
    let law = library();
    assert_eq!((law.rate, law.packet, law.wait), (12_500, 156, 7));
    // Waiting times grow with the rate: 123 Mbit/s.
    assert_eq!(15_375_000 / RATE_STEP + WAIT, 15);
}

#[test]
fn a_burst_is_of_whole_packets() {
    // 12.5 MB/s for 250 us are 3,125 bytes; below 90 Mbit/s a packet.
    for (rate, burst) in [(12_500_000, 2), (11_100_000, 1)] {
        let law = Prague { rate, ..library() };
        let law = Prague { packet: 1400, ..law };
        assert_eq!(law.at_once(), burst);
    }
}
