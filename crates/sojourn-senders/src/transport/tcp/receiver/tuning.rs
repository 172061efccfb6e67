//! The growth of the window at a receiver of Linux, as far as it makes acknowledgements quick: each segment with which it grows is
//! acknowledged at once. Compared with: Linux 6.12.117 `tcp_grow_window` and `tcp_rcv_space_adjust` (behaviour), acknowledgement by
//! acknowledgement (`evidence/linux/programs/same_senders.py`).
//!
//! The window grows by two segments for each that arrives, up to the payload that the buffer holds. The buffer grows once in a round trip,
//! if more has been read in it than ever before. It grows to twice that and 16 segments, and more the faster it grows. It is measured when
//! the application reads a buffer. If a segment fills a hole, those behind it that fit into its buffer are read with it. The others count
//! against them.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | With messages to queues (XCP, RCP) the way back is always that of the handshake. Without `handshake_ack` it is that of the SYN if the first data are lost | a segment then has no room for the echo of the receiver's clock | - |
//! | A segment takes 832 bytes of the buffer besides its payload | it depends on the device; this is a veth's in Linux | - |

use super::super::scale::{self, OVERHEAD};
use super::delay::{Delay, millis};
use super::segment_buffers::{Buffers, Released};
use crate::units::{Duration, Instant};

/// The largest segment of which Linux does not measure the part that is payload, because it expects one that is no larger
/// (`TCP_MSS_DEFAULT`). It takes a half for payload.
const EXPECTED: u64 = 536;
/// With such segments that are out of order and apart from others, the window grows up to this part of the payload that the largest buffer
/// holds (`__tcp_grow_window`). Of the others Linux counts the payload alone (`truesize_adjust`).
const LARGEST_PART: u64 = 2;
/// The first measure of the data read in a round trip, and the reserve for small variations, in segments.
const INITIAL: u64 = 10;
const SPARE: u64 = 16;
/// A window below a sixteenth of the buffer is not offered.
const LEAST_PART: u64 = 16;
/// Reports wait for a twentieth of a round trip, and for the time by which Linux's timer may be late (`tcp_comp_sack_slack_ns`).
const SACK_PART: u64 = 20;
const SACK_SLACK: Duration = Duration::from_micros(100);

/// The segments that wait for others before them: their bytes, and the buffers that have them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waits {
    pub bytes: u64,
    pub buffers: u64,
}

impl Waits {
    /// The part of the receive buffer that they take.
    fn takes(self) -> u64 {
        self.bytes + OVERHEAD * self.buffers
    }
}

/// The place of a segment that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    InOrder,
    /// It is added to the buffer of the segment before it.
    Added,
    /// It is not. The kernel counts such a segment only after it has decided whether the window grows.
    Apart,
}

/// Data in order that have just come. An acknowledgement that leaves before the application reads them offers less.
#[derive(Clone, Copy, Debug)]
struct Unread {
    /// The byte behind the first buffer.
    first: u64,
    /// The bytes of the receive buffer that they take.
    takes: u64,
    /// The acknowledgement may wait for the application.
    patient: bool,
}

/// The window and the buffer of one receiver, in bytes.
#[derive(Clone, Debug)]
pub(super) struct Tuning {
    mss: u64,
    /// The payload that a buffer holds, in 1/256 of it.
    part: u64,
    /// The scale in which the window is advertised.
    scale: u32,
    window: u64,
    buffer: u64,
    most: u64,
    /// The bytes that had been read in a round trip at the last measurement of the buffer, the byte up to which they were read, and the
    /// time.
    space: u64,
    read: u64,
    since: Instant,
    /// The time at which the SYN arrived; and, from the first segment on, the time that an acknowledgement takes to the sender.
    began: Instant,
    way_back: Option<Duration>,
    /// Eight smoothed round trips in microseconds, or 0 before the first.
    rtt8: u64,
    /// The echo of this receiver's clock in the last segment, in milliseconds; without such echoes the time at which that was sent.
    echoed: Option<u32>,
    measured: Option<Instant>,
    /// The byte behind the last one that has been allowed. It never goes back.
    edge: u64,
    /// The delay of acknowledgements.
    pub delay: Delay,
    /// The segments that wait for others before them.
    pub buffers: Buffers,
    unread: Option<Unread>,
    /// The last window that was offered.
    offered: u64,
}

impl Tuning {
    /// A connection begins with a SYN. The buffer has at most `most` bytes, and room for at least one segment.
    pub fn new(now: Instant, mss: u64, most: u64, delay: Delay) -> Self {
        let offered = scale::first_window(mss, most);
        let most = scale::largest(mss, most);
        let buffer = scale::RECEIVE_BUFFER.min(most);
        let half = buffer / 2;
        // One segment less than the buffer holds, but at least two (Linux `tcp_init_buffer_space`).
        let window = if half > 2 * mss { offered.min((half - mss).max(2 * mss)) } else { offered };
        let space = window.min(INITIAL * mss);
        let (began, way_back) = (now, None);
        Tuning {
            mss,
            part: if mss <= EXPECTED { 128 } else { 256 * mss / (mss + OVERHEAD) },
            scale: scale::of_largest(most),
            window,
            buffer,
            most,
            space,
            read: 0,
            since: now,
            began,
            way_back,
            rtt8: 0,
            echoed: None,
            measured: None,
            edge: offered,
            delay,
            buffers: Buffers::default(),
            unread: None,
            offered,
        }
    }

    /// The first packet since the SYN has arrived. It was sent at `sent_at`, when the answer of the time `answered` had arrived. The
    /// handshake took `trip`.
    pub fn on_opened(&mut self, now: Instant, sent_at: Instant, answered: Instant, trip: Duration) {
        self.way_back = Some(sent_at.since(answered));
        self.since = now;
        self.delay.on_opened(trip);
    }

    /// The payload that a buffer of `buffer` bytes holds.
    fn holds(&self, buffer: u64) -> u64 {
        buffer * self.part / 256
    }

    /// A full segment has arrived. Others wait for segments before them. Returns whether the window grows with it.
    pub fn on_segment(&mut self, place: Place, waits: Waits) -> bool {
        let itself = match place {
            Place::InOrder => self.mss + OVERHEAD,
            Place::Added => self.mss,
            Place::Apart => 0,
        };
        let used = waits.takes() + itself;
        let small = place == Place::Apart && self.mss <= EXPECTED;
        let grows = !small || self.window <= self.holds(self.most) / LARGEST_PART;
        let room = if grows { self.holds(self.buffer.saturating_sub(used)).saturating_sub(self.window) } else { 0 };
        self.window += room.min(2 * self.mss);
        room > 0
    }

    /// The window to advertise from byte `next` on, while segments wait for others before them (Linux `__tcp_select_window`).
    /// It is in the units of its scale.
    pub fn room(&mut self, next: u64, waits: Waits) -> u16 {
        let used = waits.takes();
        let mut open = self.opens(used + self.unread.map_or(0, |unread| unread.takes));
        if open < self.offered && self.unread.is_some_and(|unread| unread.patient) {
            open = self.opens(used);
        }
        let open = self.in_units(open.max(self.edge.saturating_sub(next)));
        self.offered = open << self.scale;
        self.edge = self.edge.max(next + self.offered);
        u16::try_from(open).unwrap_or(u16::MAX)
    }

    /// Of `segments` that shall be acknowledged at once, as many as half of the window holds, but two if it holds none (Linux
    /// `tcp_incr_quickack`).
    pub fn quick_at_most(&self, segments: u8) -> u8 {
        match self.offered / (2 * self.mss) {
            0 => segments.min(2),
            half => u8::try_from(half).map_or(segments, |half| segments.min(half)),
        }
    }

    /// The window if segments take `used` bytes of the buffer.
    fn opens(&self, used: u64) -> u64 {
        let (free, all) = (self.holds(self.buffer.saturating_sub(used)), self.holds(self.buffer));
        let free = if free < all / 2 { free >> self.scale << self.scale } else { free };
        // If less than this is free, the window stays where it is.
        let is_short = free < all / LEAST_PART || free < self.mss;
        let open = if is_short { 0 } else { free.min(self.window) };
        self.in_units(open) << self.scale
    }

    /// Rounded up.
    fn in_units(&self, bytes: u64) -> u64 {
        (bytes + (1 << self.scale) - 1) >> self.scale
    }

    /// The time for which a report of data out of order waits (Linux `__tcp_ack_snd_check`): a twentieth of a round trip, at most `most`.
    /// The timer's slack is added, because no other timer goes off meanwhile.
    pub fn sack_delay(&self, most: Duration) -> Duration {
        let trip = self.delay.trip_micros().map_or(self.rtt8 / 8, |trip| trip.min(self.rtt8 / 8));
        most.min(Duration::from_nanos(1000 * trip / SACK_PART)) + SACK_SLACK
    }

    /// A segment has arrived, perhaps a `whole` one, which echoes the clock of an acknowledgement (Linux `tcp_rcv_rtt_measure_ts`).
    pub fn on_echo(&mut self, now: Instant, clock: u32, whole: bool) {
        let before = self.echoed.replace(clock);
        if before.is_none() && self.way_back.is_none() {
            self.since = now;
        }
        let trip = (millis(now) as u32).wrapping_sub(clock);
        if before != Some(clock) && whole && trip > 0 {
            self.average(1000 * u64::from(trip));
        }
    }

    /// A segment has arrived that was sent at `sent_at`, perhaps `again`, and echoes no clock.
    pub fn on_arrival(&mut self, now: Instant, sent_at: Instant, again: bool) {
        if self.measured.replace(sent_at) == Some(sent_at) {
            return;
        }
        let way_back = *self.way_back.get_or_insert_with(|| {
            self.since = now;
            if again { self.delay.way() } else { sent_at.since(self.began) }
        });
        // In whole milliseconds of the timestamps.
        self.average(((now.since(sent_at) + way_back).as_nanos() / 1_000_000 * 1000).max(1000));
    }

    /// Takes a round trip in microseconds into the average.
    fn average(&mut self, sample: u64) {
        self.rtt8 =
            if self.rtt8 == 0 || 8 * sample < self.rtt8 { 8 * sample } else { self.rtt8 - self.rtt8 / 8 + sample };
    }

    /// The segment `from..to` has filled a hole, and all bytes before `next` are in order. The acknowledgement leaves before they are read.
    pub fn fill(&mut self, from: u64, to: u64, next: u64) {
        let Released { first, buffers } = self.buffers.release(from, to, next);
        let takes = Waits { bytes: next - from, buffers }.takes();
        self.unread = Some(Unread { first, takes, patient: false });
    }

    /// The segment `from..to` has come in order. The acknowledgement of a `patient` one waits for the application where it would offer less
    /// than the last one.
    pub fn follow(&mut self, from: u64, to: u64, patient: bool) {
        self.unread = Some(Unread { first: to, takes: to - from + OVERHEAD, patient });
    }

    /// The application reads the data in order up to byte `next`. Those up to `first` are in one buffer.
    pub fn on_read(&mut self, now: Instant, first: u64, next: u64) {
        let first = self.unread.take().map_or(first, |unread| unread.first);
        if self.rtt8 == 0 || now.since(self.since).as_nanos() / 1000 < self.rtt8 / 8 {
            return;
        }
        let copied = (first - self.read).saturating_sub(next - first);
        if copied > self.space {
            let base = 2 * copied + SPARE * self.mss;
            let wanted = base + 2 * (base * (copied - self.space) / self.space);
            let buffer = wanted * 256 / self.part;
            self.buffer = self.buffer.max(buffer.min(self.most));
            self.space = copied;
        }
        (self.read, self.since) = (first, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::at_millis as at;

    /// A segment arrives that echoes no clock.
    fn arrives(tuning: &mut Tuning, now: Instant, sent_at: Instant, place: Place, waits: Waits) -> bool {
        tuning.on_arrival(now, sent_at, false);
        tuning.on_segment(place, waits)
    }

    /// A run of waiting segments.
    fn waits(segments: u64) -> Waits {
        Waits { bytes: 1448 * segments, buffers: segments.div_ceil(17) }
    }

    /// A SYN at 20 ms, whose acknowledgement takes 20 ms.
    fn begun() -> Tuning {
        let delay = Delay::new(at(20), Duration::from_millis(20), Duration::from_millis(40));
        Tuning::new(at(20), 1448, 6_291_456, delay)
    }

    #[test]
    fn seven_segments_fill_the_first_buffer() {
        // 64088 bytes at first; of 131072 less one segment's 2280 it holds 162/256, which are 81501: six times 2896 and a part.
        let mut tuning = begun();
        let grows: Vec<bool> =
            (0..9).map(|n| arrives(&mut tuning, at(61 + n), at(40 + n), Place::InOrder, Waits::default())).collect();
        assert_eq!(grows, [true, true, true, true, true, true, true, false, false]);
        assert_eq!(tuning.window, 81_501);
    }

    #[test]
    fn a_round_trip_in_which_more_is_read_than_ever_lets_it_grow_again() {
        let mut tuning = begun();
        (0..9).for_each(|n| {
            arrives(&mut tuning, at(61 + n), at(40 + n), Place::InOrder, Waits::default());
            tuning.on_read(at(61 + n), (n + 1) * 1448, (n + 1) * 1448);
        });
        assert!(
            !arrives(&mut tuning, at(72), at(51), Place::InOrder, Waits::default()),
            "9 segments are fewer than 10"
        );
        // 41 ms after the first: 20 segments, twice as many as at the beginning. 2 * 20 + 16, and twice that again.
        tuning.on_read(at(102), 20 * 1448, 20 * 1448);
        assert_eq!(tuning.buffer, 168 * 1448 * 256 / 162);
        assert!(arrives(&mut tuning, at(112), at(91), Place::InOrder, Waits::default()));
        assert!(
            !arrives(&mut tuning, at(113), at(92), Place::InOrder, waits(210)),
            "the buffer is full of what is out of order"
        );
    }

    #[test]
    fn a_round_trip_is_that_of_the_clock_that_a_full_segment_echoes_first() {
        let mut tuning = begun();
        tuning.on_echo(at(61), 20, true);
        assert_eq!(tuning.rtt8, 8 * 41_000);
        tuning.on_echo(at(70), 20, true);
        assert_eq!(tuning.rtt8, 8 * 41_000, "not the first segment with this echo");
        tuning.on_echo(at(100), 61, false);
        tuning.on_echo(at(101), 61, true);
        assert_eq!(tuning.rtt8, 8 * 41_000, "the first one was not full");
        tuning.on_echo(at(111), 62, true);
        assert_eq!(tuning.rtt8, 7 * 41_000 + 49_000);
        tuning.on_echo(at(112), 112, true);
        assert_eq!(tuning.rtt8, 7 * 41_000 + 49_000, "it took less than a millisecond");
    }

    #[test]
    fn what_waits_behind_a_filled_hole_counts_against_what_is_read() {
        // 40 segments in a round trip, of which 25 stood behind a hole: 15 less 25 are none. The rest counts in the next one.
        let mut tuning = begun();
        arrives(&mut tuning, at(61), at(40), Place::InOrder, Waits::default());
        tuning.on_read(at(102), 15 * 1448, 40 * 1448);
        assert_eq!((tuning.buffer, tuning.space, tuning.read), (scale::RECEIVE_BUFFER, 10 * 1448, 15 * 1448));
    }

    #[test]
    fn a_report_waits_for_a_twentieth_of_a_round_trip_and_the_slack() {
        let mut tuning = begun();
        let most = Duration::from_millis(1);
        arrives(&mut tuning, at(30), at(25), Place::InOrder, Waits::default());
        // 5 ms there and 5 back: 500 us. With 41 ms it is the most.
        assert_eq!(tuning.sack_delay(most), Duration::from_micros(600));
        let mut long = begun();
        arrives(&mut long, at(61), at(40), Place::InOrder, Waits::default());
        assert_eq!(long.sack_delay(most), Duration::from_micros(1100));
    }

    #[test]
    fn data_that_are_not_read_yet_make_the_window_smaller() {
        // 131072 bytes less 2280 of a segment hold 81501 of payload; without any they hold 82944.
        let offers = |patient, before: u16| {
            let mut tuning = begun();
            (tuning.window, tuning.offered) = (90_000, u64::from(before) << tuning.scale);
            tuning.follow(0, 1448, patient);
            tuning.room(1448, waits(0))
        };
        assert_eq!([offers(true, 600), offers(false, 648)], [637; 2]);
        assert_eq!(offers(true, 648), 648, "it waits until the segment has been read");
        // 17 segments and the one before them are in two buffers.
        let mut tuning = begun();
        tuning.window = 90_000;
        (1..18).for_each(|segment| tuning.buffers.add(1448 * segment, 1448 * (segment + 1)));
        tuning.fill(0, 1448, 18 * 1448);
        assert_eq!(
            tuning.room(18 * 1448, waits(0)),
            ((131_072 - 18 * 1448 - 2 * 832) * 162 / 256_u64).div_ceil(128) as u16
        );
        tuning.on_read(at(30), 1448, 18 * 1448);
        assert_eq!(tuning.room(30 * 1448, waits(0)), 648);
    }

    /// A SYN of a connection with segments of `mss` bytes.
    fn of_segments(mss: u64) -> Tuning {
        Tuning::new(at(20), mss, 6_291_456, Delay::new(at(20), Duration::from_millis(20), Duration::from_millis(40)))
    }

    #[test]
    fn the_first_window_leaves_room_for_one_segment_more_but_has_at_least_two() {
        // Offered are 65500, 65160 and 62636 bytes, of a half of 65536. One of 30000 bytes less would leave one of these.
        let windows = [524, 1448, 8948, 30_000].map(|mss| of_segments(mss).window);
        assert_eq!(windows, [65_012, 64_088, 56_588, 60_000]);
        // The first seven segments may come, though the window has become smaller.
        assert_eq!(of_segments(8948).room(0, waits(0)), 490);
    }

    #[test]
    fn of_segments_that_linux_expects_a_half_is_payload() {
        // 524 of 1356 bytes would be 98. The window grows by two segments up to half of the largest buffer; if they are
        // apart, to a quarter.
        let mut tuning = of_segments(524);
        assert_eq!([524, 536, 537].map(|mss| of_segments(mss).part), [128, 128, 100]);
        tuning.buffer = tuning.most;
        let mut grown = |place, window| {
            tuning.window = window;
            tuning.on_segment(place, Waits::default());
            tuning.window - window
        };
        assert_eq!([100_000, 1_572_864, 1_572_865].map(|window| grown(Place::Apart, window)), [1048, 1048, 0]);
        for place in [Place::InOrder, Place::Added] {
            assert_eq!([1_572_865, 3_140_000].map(|window| grown(place, window)), [1048, 1048]);
        }
    }

    #[test]
    fn as_many_are_acknowledged_at_once_as_half_of_the_window_holds() {
        assert_eq!([524, 1448, 8948, 40_000].map(|mss| of_segments(mss).quick_at_most(16)), [16, 16, 3, 2]);
    }

    #[test]
    fn what_has_been_offered_is_never_taken_back() {
        let mut tuning = begun();
        // 65160 bytes in units of 128, which the answer to the SYN has offered. The window is 64088.
        assert_eq!(tuning.room(0, waits(0)), 510);
        (0..9).for_each(|n| {
            arrives(&mut tuning, at(61 + n), at(40 + n), Place::InOrder, Waits::default());
        });
        // 81496, which the buffer holds. 20 segments out of order leave 100432 of its bytes, which hold 63554.
        assert_eq!(tuning.room(1448, waits(0)), 637);
        assert_eq!(tuning.room(1448, waits(20)), 637, "not before byte 82984");
        assert_eq!(tuning.room(41_448, waits(20)), 497);
    }

    #[test]
    fn the_least_buffer_holds_a_segment() {
        let delay = || Delay::new(at(20), Duration::from_millis(20), Duration::from_millis(40));
        for mss in [1, 4, 100, 1448, 9000, 65_334] {
            let mut tuning = Tuning::new(at(20), mss, 4096, delay());
            assert!(scale::bytes(tuning.room(0, waits(0)), mss, 4096) >= mss, "{mss}");
            assert!(scale::bytes(tuning.room(tuning.edge, waits(0)), mss, 4096) >= mss, "{mss}");
        }
    }
}
