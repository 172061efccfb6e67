//! The medium alone, with stations that always have a packet, against closed forms and Bianchi's model.

use super::*;
use crate::net::wifi::{Preamble, Standard};

const PACKET: u32 = 1500;
const OVERHEAD: u32 = 36;

fn plan(standard: Standard, retries: u32) -> MediumPlan {
    MediumPlan {
        name: "air".to_owned(),
        phy: Phy { standard, preamble: Preamble::Long },
        basic_rate: None,
        retries,
        overhead: OVERHEAD,
        any_rate: false,
        rts_threshold: None,
        rts_retries: 6,
    }
}

fn medium(plan: &MediumPlan, rate: Rate, stations: usize) -> Medium {
    let mut medium = Medium::new(plan, Instant::ZERO);
    for number in 0..stations {
        medium.join(rate, Rng::named(1, &format!("station{number}")));
    }
    medium
}

const FRAME: Frame = Frame { handle: 0, size: PACKET };
const B: Rate = Rate::from_bps(11_000_000);
const G: Rate = Rate::from_bps(54_000_000);

/// Lets all stations send until `packets` are through or given up: the time it took, and how many arrived. A frame is
/// corrupted with probability `error`.
fn saturate(medium: &mut Medium, packets: u64, error: f64) -> (f64, u64) {
    let mut noise = Rng::named(1, "noise");
    for station in 0..medium.stations.len() {
        medium.offer(Instant::ZERO, station, FRAME);
    }
    let (mut now, mut done, mut arrived, mut over) = (Instant::ZERO, Vec::new(), 0, 0);
    while over < packets {
        now = medium.next_event().expect("somebody has a packet");
        if !medium.is_busy() {
            if let Some(attempt) = medium.begin(now) {
                medium.receive(now, &attempt, noise.uniform() >= error);
            }
            continue;
        }
        medium.end(now, &mut done);
        for (station, outcome) in done.drain(..) {
            over += 1;
            arrived += u64::from(outcome == Outcome::Delivered);
            medium.offer(now, station, FRAME);
        }
    }
    (now.as_secs_f64(), arrived)
}

/// DIFS, mean backoff, data, SIFS and ACK, in microseconds, added up by hand.
#[test]
fn one_station_sends_at_the_textbook_rate() {
    // b: 50 + 15.5 * 20 + (192 + 1118) + 10 + (192 + 56) = 1928 us: 6.22 Mbit/s of UDP at 11.
    // g: 28 + 7.5 * 9 + (20 + 228 + 6) + 10 + (28 + 6) = 393.5 us: 30.5 Mbit/s at 54.
    for (standard, rate, micros) in [(Standard::B, B, 1928.0), (Standard::G, G, 393.5)] {
        let mut medium = medium(&plan(standard, 6), rate, 1);
        let (seconds, arrived) = saturate(&mut medium, 100_000, 0.0);
        let measured = seconds * 1e6 / arrived as f64;
        // Backoffs have a standard deviation of 9.2 or 4.6 slots: 4 standard errors are 2.3 us or 0.5 us.
        assert!((measured - micros).abs() < 0.0013 * micros, "{standard:?}: {measured} us, not {micros}");
        assert_eq!(medium.attempts(0).collided, 0);
    }
}

/// Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function", JSAC 18 (3), 2000: equations
/// (7), (9) and (13), solved by bisection. The collision probability and the throughput in frames per second.
fn bianchi(stations: i32, window: f64, doublings: i32, (slot, success, collision): (f64, f64, f64)) -> (f64, f64) {
    let tau = |p: f64| {
        let p2 = 1.0 - 2.0 * p;
        2.0 * p2 / (p2 * (window + 1.0) + p * window * (1.0 - (2.0 * p).powi(doublings)))
    };
    let (mut low, mut high) = (0.0, 0.49);
    for _ in 0..60 {
        let p = f64::midpoint(low, high);
        let excess = 1.0 - (1.0 - tau(p)).powi(stations - 1) - p;
        if excess > 0.0 { low = p } else { high = p }
    }
    let t = tau(low);
    let busy = 1.0 - (1.0 - t).powi(stations);
    let alone = f64::from(stations) * t * (1.0 - t).powi(stations - 1);
    (low, alone / ((1.0 - busy) * slot + alone * success + (busy - alone) * collision))
}

#[test]
fn stations_collide_and_share_as_in_bianchis_model() {
    // The model never gives up: with 255 attempts neither does a station here. Its backoff counts the slot in which the
    // medium becomes busy, too, which 9.3.4 does not: an attempt costs a slot less here, and the first slot after an
    // exchange belongs to those who sent in it. That matters more where the window is small. The chain of the rest of the
    // other's backoff after each exchange, without that error, gives 0.0589 (b) and 0.1102 (g) instead of 0.0570 and 0.1046.
    let stations = 2;
    for (standard, rate, data, ack, tolerance) in
        [(Standard::B, B, 1310.0, 248.0, 0.03), (Standard::G, G, 254.0, 34.0, 0.06)]
    {
        let plan = plan(standard, 254);
        let mut medium = medium(&plan, rate, stations);
        let (seconds, arrived) = saturate(&mut medium, 400_000, 0.0);

        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let (slot, sifs, difs) = (standard.slot(), standard.sifs(), standard.difs());
        let success = data + micros(sifs) + ack + micros(difs);
        let collision = data + micros(sifs) + micros(plan.phy.slowest_ack()) + micros(difs);
        let (window, _) = standard.windows();
        let doublings = if standard == Standard::B { 5 } else { 6 };
        let (p, per_micro) =
            bianchi(stations as i32, f64::from(window + 1), doublings, (micros(slot), success, collision));

        let all = (0..stations).map(|station| medium.attempts(station));
        let (sent, collided) = all.fold((0, 0), |sum, each| (sum.0 + each.sent, sum.1 + each.collided));
        let (ratio, throughput) = (collided as f64 / sent as f64, arrived as f64 / seconds * 1e-6);
        assert!((ratio / p - 1.0).abs() < tolerance, "{standard:?} {stations}: p = {ratio}, Bianchi {p}");
        assert!((throughput / per_micro - 1.0).abs() < 0.03, "{standard:?} {stations}: {throughput} {per_micro}");
    }
}

#[test]
fn what_is_left_after_r_retries_is_p_to_the_r_plus_one() {
    for (error, retries) in [(0.3, 0), (0.3, 1), (0.3, 3), (0.6, 7), (0.04, 0)] {
        let mut medium = medium(&plan(Standard::B, retries), B, 1);
        let packets = 200_000;
        let (_, arrived) = saturate(&mut medium, packets, error);

        let lost = libm::pow(error, f64::from(retries + 1));
        let n = packets as f64;
        let seen = 1.0 - arrived as f64 / n;
        assert!(
            (seen - lost).abs() < 4.0 * libm::sqrt(lost * (1.0 - lost) / n),
            "{error} {retries}: {seen}, not {lost}"
        );
        // A geometric number of attempts, cut off at r + 1.
        let mean = (1.0 - lost) / (1.0 - error);
        let attempts = medium.attempts(0);
        let each = attempts.sent as f64 / n;
        assert!((each / mean - 1.0).abs() < 0.01, "{error} {retries}: {each} attempts, not {mean}");
        assert_eq!(attempts.sent, attempts.delivered + attempts.corrupted);
        assert_eq!(attempts.given_up + arrived, packets);
    }
}

fn micros(micros: u64) -> Instant {
    Instant::ZERO + Duration::from_micros(micros)
}

#[test]
fn what_comes_to_an_idle_medium_begins_with_the_next_slot() {
    let mut medium = medium(&plan(Standard::B, 6), B, 2);
    medium.offer(micros(1_000_001), 0, FRAME);
    assert_eq!(medium.next_event(), Some(micros(1_000_020)));
    // In the same slot: they will collide. In the next one the medium would be busy.
    medium.offer(micros(1_000_020), 1, FRAME);
    assert!(medium.begin(micros(1_000_020)).is_none());
    assert_eq!([medium.attempts(0).collided, medium.attempts(1).collided], [1, 1]);
}

#[test]
fn a_failure_lasts_as_long_as_eifs() {
    let mut medium = medium(&plan(Standard::B, 0), B, 1);
    medium.offer(micros(0), 0, FRAME);
    assert!(medium.begin(micros(0)).is_some());
    // The frame takes 1310 us. EIFS is 10 + 304 + 50 us; the slots begin there.
    assert_eq!(medium.next_event(), Some(micros(1310 + 10 + 304)));
    let mut done = Vec::new();
    medium.end(micros(1624), &mut done);
    assert_eq!(done, [(0, Outcome::GivenUp(0))]);
    assert_eq!(medium.slots_from, micros(1310 + 364));
}

#[test]
fn a_busy_medium_is_waited_for_and_the_rest_of_a_backoff_is_kept() {
    let mut medium = medium(&plan(Standard::B, 6), B, 2);
    medium.offer(micros(0), 0, FRAME);
    let first = medium.begin(micros(0)).expect("nobody else sends");
    medium.receive(micros(0), &first, true);
    medium.offer(micros(100), 1, FRAME);
    // It has drawn a number of slots, which begin 10 + 248 + 50 us after the frame of 1310.
    let waits = medium.stations[1].backoff.expect("it waits");
    medium.end(micros(1568), &mut Vec::new());
    let others = 3;
    medium.stations[0].backoff = Some(others);
    medium.stations[1].backoff = Some(waits + others + 1);
    medium.offer(micros(1568), 0, FRAME);
    assert_eq!(medium.next_event(), Some(micros(1618 + 20 * others)));
    assert!(medium.begin(micros(1618 + 20 * others)).is_some());
    assert_eq!(medium.stations[1].backoff, Some(waits + 1));
}

#[test]
fn the_window_doubles_with_each_failure_up_to_its_limit_and_begins_again() {
    let mut medium = medium(&plan(Standard::B, 7), B, 1);
    medium.offer(micros(0), 0, FRAME);
    let mut windows = Vec::new();
    for _ in 0..8 {
        let start = medium.next_event().expect("a packet waits");
        windows.push(medium.stations[0].window);
        assert!(medium.begin(start).is_some());
        let end = medium.next_event().expect("something is in the air");
        medium.end(end, &mut Vec::new());
    }
    assert_eq!(windows, [31, 63, 127, 255, 511, 1023, 1023, 1023]);
    assert_eq!(medium.stations[0].window, 31);
}

fn protected(standard: Standard, retries: u32, rts_retries: u32) -> MediumPlan {
    MediumPlan { rts_threshold: Some(0), rts_retries, ..plan(standard, retries) }
}

/// The textbook's sum with RTS, CTS and two SIFS before the frame, in microseconds, added up by hand.
#[test]
fn one_station_with_rts_and_cts_sends_at_the_textbook_rate() {
    // b: 1928 without, and 272 (RTS: 192 + 160 bits at 2 Mbit/s) + 10 + 248 (CTS: 192 + 112 bits) + 10.
    // g: 393.5 without, and 34 (20 + 8 + 6: 182 bits are two symbols at 24 Mbit/s) + 10 + 34 (134 bits, two symbols) + 10.
    for (standard, rate, micros) in [(Standard::B, B, 2468.0), (Standard::G, G, 481.5)] {
        let mut medium = medium(&protected(standard, 6, 6), rate, 1);
        let (seconds, arrived) = saturate(&mut medium, 100_000, 0.0);
        let measured = seconds * 1e6 / arrived as f64;
        assert!((measured - micros).abs() < 0.0013 * micros, "{standard:?}: {measured} us, not {micros}");
    }
}

/// Bianchi's model with the times of RTS and CTS (his section V): an RTS collides.
#[test]
fn stations_with_rts_and_cts_share_as_in_bianchis_model() {
    let stations = 10;
    let plan = protected(Standard::B, 254, 254);
    let mut medium = medium(&plan, B, stations);
    let (seconds, arrived) = saturate(&mut medium, 400_000, 0.0);

    // Success: RTS + SIFS + CTS + SIFS + data + SIFS + ACK + DIFS; collision: RTS + EIFS.
    let success = 272.0 + 10.0 + 248.0 + 10.0 + 1310.0 + 10.0 + 248.0 + 50.0;
    let collision = 272.0 + 10.0 + 304.0 + 50.0;
    let (p, per_micro) = bianchi(stations as i32, 32.0, 5, (20.0, success, collision));
    let all = (0..stations).map(|station| medium.attempts(station));
    let (sent, collided) = all.fold((0, 0), |sum, each| (sum.0 + each.sent, sum.1 + each.collided));
    let (ratio, throughput) = (collided as f64 / sent as f64, arrived as f64 / seconds * 1e-6);
    // The same distance as without RTS: the slot that 9.3.4 does not count.
    assert!((ratio / p - 1.0).abs() < 0.06, "p = {ratio}, Bianchi {p}");
    assert!((throughput / per_micro - 1.0).abs() < 0.03, "{throughput} frames a microsecond, Bianchi {per_micro}");
}

#[test]
fn an_rts_that_collides_lasts_as_long_as_eifs() {
    let mut medium = medium(&protected(Standard::B, 0, 1), B, 2);
    medium.offer(micros(0), 0, FRAME);
    medium.offer(micros(0), 1, FRAME);
    assert!(medium.begin(micros(0)).is_none());
    // An RTS takes 272 us; EIFS is 10 + 304 + 50 us; 50 of them are DIFS.
    assert_eq!(medium.next_event(), Some(micros(272 + 10 + 304)));
    let mut done = Vec::new();
    medium.end(micros(586), &mut done);
    // No frame was sent, so `retries = 0` gives up nothing; the second unanswered RTS is one too many.
    assert_eq!(done, []);
    medium.stations[0].backoff = Some(0);
    medium.stations[1].backoff = Some(0);
    assert!(medium.begin(micros(636)).is_none());
    medium.end(micros(636 + 586), &mut done);
    assert_eq!(done, [(0, Outcome::GivenUp(0)), (1, Outcome::GivenUp(0))]);
}

#[test]
fn a_frame_at_the_threshold_is_not_protected() {
    for (threshold, ends_at) in [(PACKET + OVERHEAD, 1310), (PACKET + OVERHEAD - 1, 540 + 1310)] {
        let plan = MediumPlan { rts_threshold: Some(threshold), ..plan(Standard::B, 6) };
        let mut medium = medium(&plan, B, 1);
        medium.offer(micros(0), 0, FRAME);
        assert_eq!(medium.begin(micros(0)).map(|attempt| attempt.ends_at), Some(micros(ends_at)));
    }
}

#[test]
fn a_cts_sets_the_count_of_unanswered_requests_back() {
    let mut medium = medium(&protected(Standard::B, 3, 1), B, 2);
    medium.offer(micros(0), 0, FRAME);
    medium.offer(micros(0), 1, FRAME);
    assert!(medium.begin(micros(0)).is_none());
    medium.end(micros(586), &mut Vec::new());
    assert_eq!(medium.stations[0].unanswered, 1);
    medium.stations[0].backoff = Some(0);
    medium.stations[1].backoff = Some(5);
    assert!(medium.begin(micros(636)).is_some());
    assert_eq!(medium.stations[0].unanswered, 0);
}
