//! Segmentation offload: the network device gets one packet of several segments at a time. It has as many segments as a wire would carry in
//! 1/1024 s at the pacing rate, more where round trips take less than 8 ms, and at least two. The last segment carries PSH, which the
//! receiver answers. The rest of the window behind such a packet may wait (`defer`), unless the application has just made its packet whole.
//! No packet is more than half of the window, so that two packets are in flight if the window has two segments. Compared with: Linux
//! 6.12, segment by segment (`tests/peers/linux/kernel`); its `tcp_write_xmit`, `tcp_tso_autosize` and `tcp_tso_should_defer` (behaviour).
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | Without `send_buffer` an application's writes end only at the end of its data | in Linux the last segment of each write carries PSH too, with iperf3 every 128 KiB | - |
//! | Retransmissions leave without PSH, and one by one unless the law paces as Linux does | Linux resends the packets that the device got | - |

use super::scale::{self, OVERHEAD};
use super::stream::Stream;
use crate::transport::congestion::Paced;
use crate::units::{Duration, Instant};

/// A packet is larger by its greatest size, halved for each 512 us of the least round trip (Linux `tcp_tso_rtt_log`).
const HALVED: u64 = 512;
/// The fewest segments that the device gets at a time (Linux `tcp_min_tso_segs`).
const LEAST: u64 = 2;
/// The longest time after other packets, and before the next acknowledgement, for which a part waits.
const SOON: Duration = Duration::from_millis(1);
/// A part that is at least a third of the window is sent at once (Linux `tcp_tso_win_divisor`).
const PART: u64 = 3;

/// The window and the segments in flight, which size a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// The window, in segments.
    pub window: f64,
    /// The segments in flight, whatever their state.
    pub out: u64,
}

/// The values that decide whether a part waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub now: Instant,
    /// The time at which the last packet was sent.
    pub last: Instant,
    /// The sending time of the first segment that is not acknowledged.
    pub head: Option<Instant>,
    /// The window, in segments.
    pub window: u64,
    /// The window minus the amount in the network, in segments.
    pub room: u64,
    /// The bytes that the receiver's window allows, and those of the whole window.
    pub allowed: u64,
    pub offered: u64,
    /// True if the receiver's window may cut a segment.
    pub cuts: bool,
    /// True if a short segment at the end of the written data waits for more of them.
    pub grows: bool,
    /// The window and the segments in flight.
    pub extent: Extent,
    /// True if the sender repairs losses.
    pub recovering: bool,
    /// The least round trip, if one is known.
    pub least: Option<Duration>,
}

impl Moment {
    /// The bytes that both windows allow.
    fn limit(&self, mss: u64) -> u64 {
        self.room.saturating_mul(mss).min(self.allowed)
    }

    /// The segments that the receiver's window allows. It allows the first, however long it is, and may cut the last (Linux
    /// `tcp_snd_wnd_test`, `tcp_mss_split_point`).
    fn allowed_segments(&self, mss: u64) -> u64 {
        let whole = self.allowed / mss;
        (whole + u64::from(self.cuts && !self.allowed.is_multiple_of(mss))).max(1)
    }
}

impl Stream {
    /// The segments of the next packet that the device gets, or 0 if they wait for an acknowledgement.
    pub(super) fn hand_over(&mut self, moment: &Moment) -> u64 {
        if !self.config.params.offload {
            return 1;
        }
        let mss = u64::from(self.config.mss);
        let written = self.written - self.nxt;
        let left = if moment.grows { written / mss } else { written.div_ceil(mss) }.max(1);
        let moment = &match &self.known {
            // An older recording, which has what could be sent as bytes of segments.
            Some(known) if self.buffer.is_none() => {
                Moment { room: moment.room.min(known.allowed(self.nxt, mss)), ..*moment }
            }
            _ => *moment,
        };
        let may_wait = self.config.params.defer && !self.pushes_one() && self.is_better_later(moment);
        // Any packet fills so little room, unless the law says how large one is: its size need not be known.
        let most = if moment.room <= LEAST && !may_wait && !self.config.samples_as_linux {
            u64::MAX
        } else {
            self.most_at_once(moment.extent, moment.least)
        };
        // Linux `tcp_cwnd_test`.
        let quota = most.min(moment.room).min((moment.window / 2).max(1));
        if let Some(buffer) = &mut self.buffer {
            buffer.grow(self.nxt, quota * mss);
        }
        if may_wait && self.waits_for_more(most, left, quota, moment) {
            0
        } else {
            quota.min(left).min(moment.allowed_segments(mss))
        }
    }

    /// Whether segments wait for more room, if waiting is better. There are `left` segments, the device gets `most` at a time, and the
    /// sender's own window allows `quota` of these now.
    fn waits_for_more(&self, most: u64, left: u64, quota: u64, moment: &Moment) -> bool {
        let mss = u64::from(self.config.mss);
        if let Some(buffer) = &self.buffer {
            let limit = moment.limit(mss);
            return most * mss > limit && !buffer.ends_within(self.nxt, limit, quota * mss);
        }
        let ends_here = self.known.as_ref().is_some_and(|known| known.ends_at(self.nxt + mss));
        most.min(left) > moment.room.min(moment.allowed / mss) && !ends_here
    }

    /// True if the application's write sends one packet, whatever its size.
    pub(super) fn pushes_one(&self) -> bool {
        self.buffer.as_ref().is_some_and(|buffer| buffer.pushes_one)
    }

    /// True if the part that the window allows shall wait, because others have just left, and an acknowledgement is due that will allow
    /// more.
    fn is_better_later(&self, moment: &Moment) -> bool {
        let Moment { now, last, recovering, offered, window, .. } = *moment;
        let mss = u64::from(self.config.mss);
        let all = window.saturating_mul(mss).min(offered);
        if recovering || now.since(last) > SOON || PART * moment.limit(mss) >= all {
            return false;
        }
        let Some((head, srtt)) = moment.head.zip(self.rtt.srtt(&self.config.rtt)) else { return false };
        (head + srtt).since(now) <= SOON.min(srtt.mul_f64(0.5))
    }

    /// The most segments that the device gets at a time (Linux `tcp_tso_autosize`), at the rate that a paced sender would have. The `least`
    /// round trip is known.
    pub(super) fn most_at_once(&self, extent: Extent, least: Option<Duration>) -> u64 {
        if let Some(segments) = self.control.paced().filter(|_| self.config.samples).and_then(Paced::at_once) {
            return segments;
        }
        let Some(gap) = self.gap_of_segment(extent).filter(|gap| gap.as_nanos() > 0) else { return LEAST };
        let mss = u64::from(self.config.mss);
        let rate = f64::from(self.config.mss) / gap.as_secs_f64();
        let more = least.map_or(0, |least| scale::DEVICE >> (least.as_nanos() / 1000 / HALVED).min(63));
        let bytes = ((rate / 1024.0) as u64).saturating_add(more).min(scale::DEVICE);
        (bytes / mss).max(LEAST)
    }

    /// The bytes that may wait for the device before another packet of `segments` segments is handed to it (Linux
    /// `tcp_small_queue_check`): two of such packets with their buffers, or the bytes of 1/1024 s at the pacing rate.
    pub(super) fn may_wait(&self, segments: u64, extent: Extent) -> u64 {
        let gap = self.gap_of_segment(extent).map_or(0.0, Duration::as_secs_f64);
        let rate = if gap > 0.0 { f64::from(self.config.mss) / gap } else { 0.0 };
        (2 * self.buffered(segments)).max((rate / 1024.0) as u64)
    }

    /// The bytes that a packet of `segments` segments takes in the sender's memory.
    pub(super) fn buffered(&self, segments: u64) -> u64 {
        segments * u64::from(self.config.mss) + OVERHEAD
    }

    /// The time between two segments at the pacing rate. That rate is a window in a round trip, faster by a factor (Linux
    /// `tcp_update_pacing_rate`), or the law's own rate. Unknown before the first round trip has been measured.
    pub(super) fn gap_of_segment(&self, Extent { window, out }: Extent) -> Option<Duration> {
        if let Some(rate) = self.control.paced().and_then(Paced::pacing_rate) {
            return Some(rate.time_to_send(crate::units::Bytes(u64::from(self.config.packet))));
        }
        let srtt = self.rtt.srtt(&self.config.rtt)?;
        let slow = window < self.control.ssthresh() / 2.0;
        let factor = if slow { self.config.params.pacing_slow_start } else { self.config.params.pacing_avoidance };
        Some(srtt.mul_f64(1.0 / (factor * window.max(out as f64))))
    }
}

#[cfg(test)]
mod tests {
    use super::super::pair::{MSS, Pair};
    use super::super::timelines::ten;
    use super::*;
    use crate::packet::Body;

    fn linux(settings: &[(&str, &str)]) -> Pair {
        ten(&[&[("profile", "linux"), ("ack_every", "1")], settings].concat(), "2000")
    }

    #[test]
    fn the_device_has_enough_of_two_packets_or_of_what_the_rate_sends_in_a_millisecond() {
        // The pacing rate is 1.2 or 2 windows of ten a round trip of 100 ms, so that the two packets decide: of 960 + 832 bytes each.
        let mut pair = linux(&[]);
        pair.run_until(0);
        let stream = &pair.sender.stream;
        let extent = Extent { window: 10.0, out: 10 };
        assert_eq!((stream.buffered(1), stream.may_wait(1, extent)), (1792, 3584));
        assert_eq!(stream.may_wait(5, extent), 2 * (5 * MSS + 832));
    }

    /// Each segment that leaves at 100 ms, after how many acknowledgements, and whether it carries PSH.
    fn sent(pair: &mut Pair) -> Vec<(usize, u64, bool)> {
        let mut all = Vec::new();
        pair.run_until(99);
        while all.len() < 11 && pair.step(Instant::ZERO + Duration::from_millis(100)) {
            let from = 10 + all.len();
            all.extend(pair.data[from..].iter().map(|seen| match seen.packet.body {
                Body::Data { seq, push, .. } => (pair.heard.len(), seq / MSS, push),
                _ => unreachable!("data"),
            }));
        }
        all
    }

    #[test]
    fn a_single_segment_waits_for_a_second_one_if_an_acknowledgement_is_due() {
        // Ten acknowledgements come at 100 ms. Nothing has left for long before the first: 10 goes. Behind it 11 waits, since the round
        // trip of 2 is over; the next acknowledgement makes it a pair. The tenth opens the window to eleven; those that are out have just
        // left.
        let mut pair = linux(&[]);
        pair.start();
        let pairs = [(3, 11), (5, 13), (7, 15), (9, 17), (10, 19)];
        let mut expected = vec![(1, 10, false)];
        expected.extend(pairs.iter().flat_map(|&(acks, first)| [(acks, first, false), (acks, first + 1, true)]));
        assert_eq!(sent(&mut pair), expected);
    }

    #[test]
    fn without_deferral_each_segment_leaves_at_its_acknowledgement() {
        let mut pair = linux(&[("defer", "false")]);
        pair.start();
        let mut expected: Vec<(usize, u64, bool)> = (1..10).map(|n| (n, 9 + n as u64, false)).collect();
        expected.extend([(10, 19, false), (10, 20, true)]);
        assert_eq!(sent(&mut pair), expected);
    }

    /// Nothing but its own window bounds the sender.
    const UNBOUNDED: Moment = Moment {
        now: Instant::ZERO,
        last: Instant::ZERO,
        head: None,
        window: 0,
        room: 0,
        allowed: u64::MAX,
        offered: u64::MAX,
        cuts: true,
        grows: false,
        extent: Extent { window: 0.0, out: 0 },
        recovering: false,
        least: None,
    };

    fn micros(n: u64) -> Duration {
        Duration::from_nanos(1000 * n)
    }

    /// A sender that has sent its window and knows of a round trip of 100 ms.
    fn measured(settings: &[(&str, &str)]) -> Pair {
        let mut pair = linux(settings);
        pair.start();
        pair.sender.stream.sample_rtt(Instant::ZERO, Duration::from_millis(100));
        pair
    }

    #[test]
    fn what_makes_a_part_wait() {
        let mut pair = measured(&[]);
        // 1 ms after another packet, 1 ms before an acknowledgement.
        let now = Instant::ZERO + Duration::from_millis(200);
        let head = Some(Instant::ZERO + Duration::from_millis(101));
        let last = Instant::ZERO + Duration::from_millis(199);
        let extent = Extent { window: 10.0, out: 9 };
        let part = Moment { now, last, head, window: 10, room: 1, extent, ..UNBOUNDED };
        let sender = &mut pair.sender;
        assert_eq!(sender.stream.hand_over(&part), 0);
        assert_eq!(sender.stream.hand_over(&Moment { room: 2, ..part }), 2);
        assert_eq!(sender.stream.hand_over(&Moment { room: 5, ..part }), 2);
        assert_eq!(sender.stream.hand_over(&Moment { window: 3, room: 2, ..part }), 1, "half of the window");
        assert_eq!(sender.stream.hand_over(&Moment { now: now + micros(1), ..part }), 1, "longer after the last");
        assert_eq!(
            sender.stream.hand_over(&Moment { head: head.map(|head| head + micros(1)), ..part }),
            1,
            "longer before"
        );
        assert_eq!(sender.stream.hand_over(&Moment { recovering: true, ..part }), 1);
        assert_eq!(sender.stream.hand_over(&Moment { head: None, ..part }), 1);
        // The application's write sends it.
        let mut written = measured(&[]);
        written.sender.stream.buffer.as_deref_mut().expect("a buffer").pushes_one = true;
        assert_eq!(written.sender.stream.hand_over(&part), 1);
        // A third of the window goes.
        for (window, segments) in [(3, 1), (4, 0)] {
            assert_eq!(measured(&[]).sender.stream.hand_over(&Moment { window, ..part }), segments, "{window}");
        }
        for (switch, off) in [("offload", "false"), ("defer", "false")] {
            let mut without = measured(&[(switch, off)]);
            assert_eq!(without.sender.stream.hand_over(&part), 1, "{switch}");
        }
    }

    #[test]
    fn at_high_rates_the_device_gets_what_fits_into_a_1024th_of_a_second() {
        // In slow start twice the window per round trip of 10 ms, above the threshold 1.2 of it: 100 segments are 20000 and 12000 a second.
        // 65343 bytes hold 68 segments of 960 bytes.
        for (window, threshold, segments) in [("100", "1000", 19), ("100", "10", 11), ("1000", "10", 68)] {
            let mut pair = linux(&[("initial_window", window), ("initial_ssthresh", threshold)]);
            pair.start();
            pair.sender.stream.sample_rtt(Instant::ZERO, Duration::from_millis(10));
            let now = Instant::ZERO + Duration::from_millis(10);
            let moment = Moment {
                now,
                last: Instant::ZERO,
                head: Some(Instant::ZERO),
                window: 200,
                room: 80,
                extent: Extent { window: pair.sender.stream.control.window(), out: 50 },
                ..UNBOUNDED
            };
            assert_eq!(pair.sender.stream.hand_over(&moment), segments, "{window}, {threshold}");
        }
    }

    #[test]
    fn a_short_end_waits_if_it_grows_later() {
        for (grows, segments) in [(false, 2), (true, 1)] {
            let mut pair = measured(&[("initial_window", "100")]);
            let now = Instant::ZERO + Duration::from_millis(200);
            let moment = Moment { now, window: 100, room: 50, grows, ..UNBOUNDED };
            let stream = &mut pair.sender.stream;
            stream.written = stream.nxt + MSS + 100;
            assert_eq!(stream.hand_over(&moment), segments, "{grows}");
        }
    }

    #[test]
    fn the_receivers_window_cuts_the_last_segment_unless_a_small_one_is_out() {
        let mut pair = measured(&[("initial_window", "100")]);
        let moment = Moment { now: Instant::ZERO + Duration::from_millis(200), window: 100, room: 50, ..UNBOUNDED };
        let mut segments =
            |allowed, cuts| pair.sender.stream.hand_over(&Moment { allowed, offered: 100 * MSS, cuts, ..moment });
        assert_eq!([MSS, MSS + 1, 2 * MSS].map(|allowed| segments(allowed, true)), [1, 2, 2]);
        assert_eq!([MSS, MSS + 1, 2 * MSS].map(|allowed| segments(allowed, false)), [1, 1, 2]);
        assert_eq!(segments(100, true), 1, "the rest of the data, which the window allows");
    }
}
