//! Loss detection by time (RACK). A segment is lost when a segment that was sent after it has arrived, and when more time has passed than
//! reordering can explain. Specification: RFC 8985 section 6.2, with its names. Compared with: Linux's `tcp_recovery.c` (behaviour).

use super::flight::{Flight, Segment};
use crate::units::{Duration, Instant};

/// The number of segments reported as received that proves a loss while no reordering has been seen (RFC 8985's DupThresh).
const DUP_THRESH: u64 = 3;
/// The largest distance of reordering that Linux assumes (`tcp_max_reordering`).
const MOST_LATE: u64 = 300;
/// The largest RACK.reo_wnd_mult in Linux, minus one.
const MOST_WIDENED: u32 = 254;
/// The number of recoveries without a DSACK after which the reordering window shrinks again.
const PERSIST: u8 = 16;

/// The state of RFC 8985 section 5.2.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Detector {
    /// The latest transmission that has arrived: RACK.xmit_ts and RACK.end_seq.
    newest: Place,
    /// RACK.rtt.
    rtt: Duration,
    /// RACK.min_RTT. Not modelled: here it is the least of the whole connection, and in Linux that of the last 300 s.
    min_rtt: Option<Duration>,
    /// RACK.fack: the byte behind the highest one that has arrived.
    fack: u64,
    reordering_seen: bool,
    /// The first byte of the segments that the present acknowledgement reports late and that were sent once.
    low: Option<u64>,
    /// The segments by which one may be late, and the others be ahead of it, beyond three (Linux `tp->reordering`).
    distance: u64,
    /// True if a segment has arrived since the last search for losses.
    advanced: bool,
    /// RACK.dsack_round. In Linux a round is over when a transmission has arrived that left after this number of transmissions.
    dsack_round: Option<u64>,
    /// In Linux, once reordering has been seen: the latest of the transmissions whose arrival the present acknowledgement reports.
    latest: Option<(Place, u64)>,
    /// A duplicate has been reported, and no arrival since.
    duplicate: bool,
    /// RACK.reo_wnd_mult minus one, and RACK.reo_wnd_persist.
    widened: u32,
    persist: u8,
}

/// The time since `then`, by a clock of whole microseconds as in Linux. That clock cannot tell apart times within one microsecond.
pub(super) fn micros_since(now: Instant, then: Instant) -> Duration {
    Duration::from_micros((now.as_nanos() / 1000).saturating_sub(then.as_nanos() / 1000))
}

/// The place of a transmission among all, by which it is known to be later or earlier (RACK_sent_after).
type Place = (u64, u64);

/// In Linux transmissions within one microsecond are in the order of their bytes, whichever was first (`tcp_rack_sent_after`). Elsewhere
/// they are in the order in which they left.
fn place(segment: &Segment, whole: bool) -> Place {
    if whole { (segment.sent_at.as_nanos() / 1000, segment.end) } else { (segment.order, 0) }
}

/// The content of an acknowledgement, as far as each of its segments is judged by it.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Told {
    /// The time at which the segment was sent that caused it.
    pub echo: Instant,
    /// [`Detector::fack`] before it.
    pub fack: u64,
    /// True if times are whole microseconds (Linux).
    pub whole: bool,
}

/// The values that bound the reordering window now.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Bounds {
    /// True in fast recovery and after a timeout.
    pub recovering: bool,
    pub sacked: u64,
    pub srtt: Duration,
    /// True if the parts of the window are whole microseconds (Linux).
    pub whole: bool,
}

impl Bounds {
    /// Whether as many segments are reported as prove a loss.
    pub fn has_many(self) -> bool {
        self.sacked >= DUP_THRESH
    }
}

/// The result of a search for losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Found {
    /// The segments that count as lost now, with retransmissions.
    pub lost: u64,
    /// The retransmissions among them.
    pub repairs: u64,
    /// The time until the next segment counts as lost, if nothing arrives before.
    pub after: Option<Duration>,
}

impl Detector {
    /// RACK.fack before an acknowledgement.
    pub fn fack(&self) -> u64 {
        self.fack
    }

    /// The handshake took the time `trip`.
    pub fn on_handshake(&mut self, trip: Duration) {
        self.min_rtt = Some(Duration::from_micros(trip.as_nanos() / 1000));
    }

    /// RACK.min_RTT.
    pub fn least(&self) -> Option<Duration> {
        self.min_rtt
    }

    /// RACK.rtt.
    pub fn trip(&self) -> Duration {
        self.rtt
    }

    /// Sets RACK.rtt.
    pub fn on_trip(&mut self, trip: Duration) {
        self.rtt = trip;
    }

    /// A round trip has taken the time `trip`. In Linux the timestamp of a retransmission may say so, in whole milliseconds
    /// (`tcp_ack_update_rtt`).
    pub fn on_sample(&mut self, now: Instant, trip: Duration) {
        let rtt = micros_since(now, Instant::from_nanos(now.as_nanos().saturating_sub(trip.as_nanos())));
        self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
    }

    /// Steps 1 to 3: a segment has arrived. Returns whether the arrival counts: not if the original may have arrived and not a
    /// retransmission.
    pub fn on_arrival(&mut self, now: Instant, segment: &Segment, told: Told) -> bool {
        let rtt = micros_since(now, segment.sent_at);
        if self.reordering_seen && told.whole {
            self.latest = self.latest.max(Some((place(segment, true), segment.order)));
        }
        if !segment.resent && segment.end < told.fack {
            self.low = Some(self.low.map_or(segment.start, |low| low.min(segment.start)));
        }
        self.fack = self.fack.max(segment.end);
        if segment.resent && (told.echo < segment.sent_at || self.min_rtt.is_some_and(|least| rtt < least)) {
            // It may have been the original that arrived.
            return false;
        }
        self.advanced = true;
        self.rtt = rtt;
        self.newest = self.newest.max(place(segment, told.whole));
        true
    }

    /// Segments that counted as lost were late, from byte `low` on.
    pub fn on_reordering(&mut self, low: u64, mss: u64) {
        self.reordering_seen = true;
        let segments = self.fack.saturating_sub(low).div_ceil(mss);
        self.distance = self.distance.max(segments.min(MOST_LATE).saturating_sub(DUP_THRESH));
    }

    /// The first byte of the segments that were late, among those that have been looked at since the last call.
    pub fn take_low(&mut self) -> Option<u64> {
        self.low.take()
    }

    /// The segments by which one may be late (Linux `tp->reordering`).
    pub fn distance(&self) -> u64 {
        DUP_THRESH + self.distance
    }

    /// True if one may be late by more segments than without reordering (Linux `tcp_reordering`).
    pub fn is_wide(&self) -> bool {
        self.distance > 0
    }

    /// A timeout comes though many segments have been reported: they were not late (`tcp_enter_loss`).
    pub fn forget_distance(&mut self) {
        self.distance = 0;
    }

    /// In Linux the reports of duplicates that take a cut back are remembered for one recovery more (`tcp_try_undo_dsack`).
    pub fn on_taken_back_by_duplicates(&mut self) {
        self.persist = (self.persist + 1).min(PERSIST);
    }

    /// Without reordering Linux ignores reports of duplicates (`tcp_dsack_seen`). RFC 8985 does not.
    pub fn has_seen_reordering(&self) -> bool {
        self.reordering_seen
    }

    /// Step 4, DSACK: `reported` says that a retransmission was not necessary.
    pub fn on_duplicate(&mut self, una: u64, max: u64, reported: bool) {
        if self.dsack_round.is_some_and(|round| una >= round) {
            self.dsack_round = None;
        }
        if reported && self.dsack_round.is_none() {
            self.dsack_round = Some(max);
            self.widened += 1;
            self.persist = PERSIST;
        }
    }

    /// The same in Linux (`tcp_rack_update_reo_wnd`), where `sent` transmissions have left. A report waits for the next arrival, and does
    /// not count if that transmission left before the last report that counted.
    pub fn on_duplicate_in_linux(&mut self, sent: u64, reported: bool) {
        self.duplicate |= reported;
        let Some((_, latest)) = self.latest.take() else { return };
        self.duplicate &= self.dsack_round.is_none_or(|round| latest > round);
        if std::mem::take(&mut self.duplicate) {
            self.dsack_round = Some(sent);
            self.widened = (self.widened + 1).min(MOST_WIDENED);
            self.persist = PERSIST;
        } else if self.persist == 0 {
            self.widened = 0;
        }
    }

    /// Step 4: a recovery has ended. In Linux the window shrinks with the next arrival alone.
    pub fn on_recovered(&mut self, at_once: bool) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 && at_once {
            self.widened = 0;
        }
    }

    /// Step 4: RACK_update_reo_wnd.
    pub fn window(&self, bounds: Bounds) -> Duration {
        if !self.reordering_seen && (bounds.recovering || bounds.has_many()) {
            return Duration::ZERO;
        }
        let least = self.min_rtt.unwrap_or(Duration::ZERO);
        let quarter = if bounds.whole { Duration::from_micros(least.as_nanos() / 4000) } else { least.mul_f64(0.25) };
        (quarter * u64::from(self.widened + 1)).min(bounds.srtt)
    }

    /// Step 5 after an acknowledgement. It finds a loss only if a segment has arrived.
    pub fn detect_by_arrival(&mut self, now: Instant, flight: &mut Flight, bounds: Bounds) -> Found {
        if std::mem::take(&mut self.advanced) { self.detect(now, flight, bounds) } else { Found::default() }
    }

    /// A cut has been taken back: Linux looks for losses again though nothing may have arrived (`tcp_undo_cwnd_reduction`).
    pub fn look_again(&mut self) {
        self.advanced = true;
    }

    /// Step 5: RACK_detect_loss. Marks the lost segments in `flight`.
    pub fn detect(&self, now: Instant, flight: &mut Flight, bounds: Bounds) -> Found {
        let mut found = Found::default();
        let patience = self.rtt + self.window(bounds);
        let mut next = flight.oldest();
        while let Some(number) = next {
            let segment = flight.get(number);
            next = flight.next_sent(number);
            if segment.lost && !segment.repairing {
                continue;
            }
            // RACK_sent_after.
            if self.newest <= place(&segment, bounds.whole) {
                break;
            }
            let waited = micros_since(now, segment.sent_at);
            if waited >= patience {
                flight.lose(number);
                found.lost += 1;
                found.repairs += u64::from(segment.repairing);
            } else {
                let left = Duration::from_nanos(patience.as_nanos() - waited.as_nanos());
                found.after = Some(found.after.map_or(left, |after| after.max(left)));
            }
        }
        found
    }

    /// Section 6.3: the timer has expired. The first segment is lost, and so is each segment that has had the time to arrive. Linux grants
    /// them a round trip without a window for reordering (`tcp_timeout_mark_lost`).
    pub fn on_timeout(&self, now: Instant, flight: &mut Flight, bounds: Bounds) {
        let window = if bounds.whole { Duration::ZERO } else { self.window(bounds) };
        let patience = self.rtt + window;
        let head = flight.head().map(|head| head.start);
        flight.time_out();
        for number in flight.numbers() {
            let segment = flight.get(number);
            let late = Some(segment.start) == head || micros_since(now, segment.sent_at) >= patience;
            if late && !segment.sacked {
                if bounds.whole { flight.lose_at_timeout(number) } else { flight.lose(number) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::at_millis as at;

    const OPEN: Bounds = Bounds { recovering: false, sacked: 1, srtt: Duration::from_millis(100), whole: false };

    /// Six segments of ten bytes sent 1 ms apart.
    fn six() -> Flight {
        let mut flight = Flight::default();
        for n in 0..6 {
            flight.on_sent(at(n), 10 * n, 10 * n + 10, false);
        }
        flight
    }

    fn arrives(detector: &mut Detector, flight: &mut Flight, number: u64, now: Instant) {
        arrives_by(false, detector, flight, number, now);
    }

    fn arrives_by(whole: bool, detector: &mut Detector, flight: &mut Flight, number: u64, now: Instant) {
        let segment = flight.on_sacked(number, false);
        let fack = detector.fack();
        if !segment.resent {
            detector.on_sample(now, now.since(segment.sent_at));
        }
        detector.on_arrival(now, &segment, Told { echo: segment.sent_at, fack, whole });
    }

    /// All segments of an acknowledgement have been looked at.
    fn sees_reordering(detector: &mut Detector) {
        if let Some(low) = detector.take_low() {
            detector.on_reordering(low, 10);
        }
    }

    #[test]
    fn a_segment_is_lost_a_quarter_of_a_round_trip_after_a_later_one_has_arrived() {
        // Segment 1 arrives at 101: RTT 100 ms, window 25 ms. Segment 0, sent at 0, has waited 101 of 125 ms.
        let (mut flight, mut detector) = (six(), Detector::default());
        arrives(&mut detector, &mut flight, 1, at(101));
        let found = detector.detect(at(101), &mut flight, OPEN);
        assert_eq!(found, Found { after: Some(Duration::from_millis(24)), ..Found::default() });
        assert_eq!(detector.detect(at(125), &mut flight, OPEN).lost, 1);
        assert!(flight.get(0).lost && !flight.get(2).lost, "2 was sent after 1");
    }

    #[test]
    fn without_an_arrival_losses_are_looked_for_after_a_cut_that_was_taken_back() {
        let (mut flight, mut detector) = (six(), Detector::default());
        arrives(&mut detector, &mut flight, 1, at(101));
        let mut lost = |by: &mut Detector, now: u64| by.detect_by_arrival(at(now), &mut flight, OPEN).lost;
        assert_eq!((lost(&mut detector, 101), lost(&mut detector, 200)), (0, 0));
        detector.look_again();
        assert_eq!(lost(&mut detector, 200), 1);
    }

    #[test]
    fn three_reports_or_a_recovery_leave_no_doubt() {
        for bounds in [Bounds { sacked: 3, ..OPEN }, Bounds { recovering: true, ..OPEN }] {
            let (mut flight, mut detector) = (six(), Detector::default());
            arrives(&mut detector, &mut flight, 1, at(101));
            assert_eq!(detector.detect(at(101), &mut flight, bounds), Found { lost: 1, ..Found::default() });
        }
    }

    #[test]
    fn who_has_seen_reordering_waits_all_the_same() {
        // 2 arrives before 1, which has been sent once.
        let (mut flight, mut detector) = (six(), Detector::default());
        arrives(&mut detector, &mut flight, 2, at(102));
        arrives(&mut detector, &mut flight, 1, at(103));
        sees_reordering(&mut detector);
        let found = detector.detect(at(103), &mut flight, Bounds { sacked: 3, ..OPEN });
        // RTT of the newer arrival: that of 1, 102 ms; least 100: 102 + 25 - 103.
        assert_eq!(found, Found { after: Some(Duration::from_millis(24)), ..Found::default() });
    }

    #[test]
    fn at_a_timeout_linux_grants_a_round_trip_without_a_window() {
        // Segment 1 arrives at 101: RTT 100 ms, window 25 ms. At 104 ms the others have waited 104, 102, 101, 100 and 99 ms.
        // The head is lost.
        for (whole, lost) in [(false, vec![0]), (true, vec![0, 2, 3, 4])] {
            let (mut flight, mut detector) = (six(), Detector::default());
            arrives_by(whole, &mut detector, &mut flight, 1, at(101));
            detector.on_timeout(at(104), &mut flight, Bounds { whole, ..OPEN });
            let found: Vec<u64> = flight.numbers().filter(|&number| flight.get(number).lost).collect();
            assert_eq!(found, lost);
        }
    }

    #[test]
    fn the_distance_of_reordering_is_the_largest_by_which_a_segment_was_late() {
        let (mut flight, mut detector) = (six(), Detector::default());
        let mut after = |by: &mut Detector, numbers: &[u64]| {
            for &number in numbers {
                arrives(by, &mut flight, number, at(101));
            }
            sees_reordering(by);
            by.distance()
        };
        // Behind byte 60: segment 3 is late by three segments, and the first of two that come together counts.
        assert_eq!([&[5][..], &[3], &[1, 2]].map(|numbers| after(&mut detector, numbers)), [3, 3, 5]);
        assert_eq!(after(&mut detector, &[4]), 5, "a shorter distance does not count");
        detector.forget_distance();
        flight.on_resent(at(102), 0);
        flight.on_sent(at(103), 60, 4000, false);
        for (number, distance) in [(0, 3), (6, 3)] {
            arrives(&mut detector, &mut flight, number, at(203));
            sees_reordering(&mut detector);
            assert_eq!(detector.distance(), distance, "neither a repair nor the last segment was late");
        }
        detector.on_reordering(0, 10);
        assert_eq!(detector.distance(), MOST_LATE);
    }

    #[test]
    fn a_retransmission_is_lost_when_a_later_one_has_arrived() {
        let (mut flight, mut detector) = (six(), Detector::default());
        let sure = Bounds { recovering: true, ..OPEN };
        for number in 2..6 {
            arrives(&mut detector, &mut flight, number, at(100 + number));
        }
        assert_eq!(detector.detect(at(105), &mut flight, sure).lost, 2);
        flight.on_resent(at(105), 0);
        flight.on_resent(at(106), 1);
        arrives(&mut detector, &mut flight, 1, at(206));
        assert_eq!(detector.detect(at(206), &mut flight, sure).lost, 1);
        assert!(flight.get(0).lost && !flight.get(0).repairing);
    }

    #[test]
    fn an_arrival_that_may_be_the_originals_says_nothing() {
        // The retransmission of 0 leaves at 50 ms, and the original's acknowledgement comes at 100: before the least round trip, and
        // with the original's timestamp.
        for (now, echo) in [(at(100), at(50)), (at(200), at(0))] {
            let (mut flight, mut detector) = (six(), Detector::default());
            arrives(&mut detector, &mut flight, 1, at(101));
            flight.on_resent(at(50), 0);
            let segment = flight.on_sacked(0, false);
            let fack = detector.fack();
            detector.on_arrival(now, &segment, Told { echo, fack, whole: false });
            assert_eq!(detector.newest, (2, 0), "that of segment 1");
            assert!(!detector.reordering_seen);
        }
    }

    #[test]
    fn a_handshake_shorter_than_any_data_tells_that_a_repair_has_arrived() {
        // Data waits in queues for 60 ms, the repair of 0 takes 45: less than any data, and more than the handshake's 40.
        for (handshake, says) in [(None, false), (Some(Duration::from_millis(40)), true)] {
            let (mut flight, mut detector) = (six(), Detector::default());
            if let Some(trip) = handshake {
                detector.on_handshake(trip);
            }
            arrives(&mut detector, &mut flight, 1, at(61));
            flight.on_resent(at(62), 0);
            let segment = flight.on_sacked(0, false);
            let fack = detector.fack();
            let told = Told { echo: segment.sent_at, fack, whole: false };
            assert_eq!(detector.on_arrival(at(107), &segment, told), says);
            assert_eq!(detector.newest == place(&segment, false), says, "2 is lost then, which left before");
        }
    }

    #[test]
    fn a_timestamp_counts_for_the_shortest_round_trip() {
        // As `a_segment_is_lost_a_quarter_of_a_round_trip_after_a_later_one_has_arrived`, with 80 ms for 100: the window has 20 ms.
        let (mut flight, mut detector) = (six(), Detector::default());
        arrives(&mut detector, &mut flight, 1, at(101));
        for millis in [80, 90] {
            detector.on_sample(at(101), Duration::from_millis(millis));
        }
        let found = detector.detect(at(101), &mut flight, OPEN);
        assert_eq!(found, Found { after: Some(Duration::from_millis(19)), ..Found::default() });
    }

    #[test]
    fn each_round_with_a_dsack_widens_the_window_until_sixteen_recoveries_had_none() {
        let (mut flight, mut detector) = (six(), Detector::default());
        arrives(&mut detector, &mut flight, 1, at(101));
        detector.on_duplicate(0, 60, true);
        detector.on_duplicate(0, 60, true);
        assert_eq!(detector.window(OPEN), Duration::from_millis(50), "once a round");
        detector.on_duplicate(60, 90, true);
        assert_eq!(detector.window(OPEN), Duration::from_millis(75));
        for _ in 0..10 {
            let round = detector.dsack_round.unwrap_or(0);
            detector.on_duplicate(round, round + 10, true);
        }
        assert_eq!(detector.window(OPEN), OPEN.srtt, "at most the smoothed round-trip time");
        for _ in 0..16 {
            detector.on_recovered(true);
        }
        assert_eq!(detector.window(OPEN), Duration::from_millis(25));
    }

    #[test]
    fn in_linux_the_window_shrinks_with_the_arrival_after_the_sixteenth_recovery() {
        let (mut flight, mut detector) = (six(), Detector::default());
        detector.on_handshake(Duration::from_millis(40));
        let mut arrives = |by: &mut Detector, number: u64, reported| {
            arrives_by(true, by, &mut flight, number, at(103));
            sees_reordering(by);
            by.on_duplicate_in_linux(6, reported);
            by.window(OPEN).as_nanos() / 10_000_000
        };
        let found = [(2, false), (1, false), (3, true)].map(|(number, told)| arrives(&mut detector, number, told));
        assert_eq!(found, [1, 1, 2]);
        (0..16).for_each(|_| detector.on_recovered(false));
        assert_eq!(detector.window(OPEN).as_nanos() / 10_000_000, 2);
        assert_eq!(arrives(&mut detector, 4, false), 1);
    }

    #[test]
    fn in_linux_a_report_of_a_duplicate_counts_with_an_arrival_that_left_after_the_last_one_that_counted() {
        // 2 and then 1: reordering. Each line: the number that arrives, whether a duplicate is reported, and the window in quarters of the
        // shortest round trip, which is 40 ms. Six have left when the first report counts, so that 6 is the next that counts.
        let (mut flight, mut detector) = (six(), Detector::default());
        detector.on_handshake(Duration::from_millis(40));
        let mut window = |arrival: Option<u64>, reported| {
            if let Some(number) = arrival {
                arrives_by(true, &mut detector, &mut flight, number, at(103));
            }
            sees_reordering(&mut detector);
            detector.on_duplicate_in_linux(6, reported);
            detector.window(OPEN).as_nanos() / 10_000_000
        };
        window(Some(2), false);
        assert_eq!(window(Some(1), false), 1);
        assert_eq!(window(None, true), 1, "nothing has arrived with it");
        assert_eq!(window(Some(3), false), 2, "it counts now");
        assert_eq!(window(Some(4), true), 2, "4 left before that");
        assert_eq!(window(Some(5), false), 2, "the report of 4 is forgotten");
        flight.on_sent(at(104), 60, 70, false);
        arrives_by(true, &mut detector, &mut flight, 6, at(205));
        detector.on_duplicate_in_linux(7, true);
        assert_eq!(detector.window(OPEN).as_nanos() / 10_000_000, 3);
    }

    #[test]
    fn a_timeout_takes_the_first_and_what_had_time_to_arrive() {
        let (mut flight, mut detector) = (six(), Detector::default());
        arrives(&mut detector, &mut flight, 1, at(101));
        flight.on_sent(at(250), 60, 70, false);
        flight.on_resent(at(260), 0);
        detector.on_timeout(at(300), &mut flight, Bounds { sacked: 3, ..OPEN });
        let lost: Vec<u64> = (0..7).filter(|&number| flight.get(number).lost).collect();
        assert_eq!(lost, [0, 2, 3, 4, 5], "6 left 50 ms ago");
    }

    #[test]
    fn in_linux_what_left_in_one_microsecond_is_in_the_order_of_its_bytes() {
        // 0 leaves again in the microsecond in which the others left, or in the next one. The arrival of 5 says that 1 to 4 are lost, and
        // in Linux also the repair of 0, which is the first of that microsecond by its bytes.
        for (nanos, whole, lost) in [(7_999, true, 5), (8_000, true, 4), (7_999, false, 4)] {
            let (mut flight, mut detector) = (Flight::default(), Detector::default());
            for n in 0..6 {
                flight.on_sent(Instant::from_nanos(7_000 + n), 10 * n, 10 * n + 10, false);
            }
            flight.lose(0);
            flight.on_resent(Instant::from_nanos(nanos), 0);
            arrives_by(whole, &mut detector, &mut flight, 5, at(100));
            let bounds = Bounds { recovering: true, whole, ..OPEN };
            assert_eq!(detector.detect(at(100), &mut flight, bounds).lost, lost, "{nanos} {whole}");
        }
    }

    #[test]
    fn in_linux_what_a_timeout_has_lost_keeps_its_place_in_the_list() {
        // All six are lost at 300 ms, and 0 leaves again. The original of 3 arrives: the timeout is taken back. 1 and 2 left before 3.
        for (whole, lost) in [(true, 2), (false, 0)] {
            let (mut flight, mut detector) = (six(), Detector::default());
            let bounds = Bounds { recovering: true, whole, ..OPEN };
            detector.on_timeout(at(300), &mut flight, bounds);
            flight.on_resent(at(300), 0);
            arrives_by(whole, &mut detector, &mut flight, 3, at(301));
            flight.forgive(whole);
            assert_eq!(detector.detect(at(301), &mut flight, bounds).lost, lost, "{whole}");
        }
    }
}
