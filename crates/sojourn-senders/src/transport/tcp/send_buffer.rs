//! The send buffer of Linux: the limit of how far an application can write ahead of the acknowledgements. The buffer holds all bytes that
//! have been written and not acknowledged, and the kernel's description of each packet that they are in. The application writes until the
//! buffer is full. It then waits, and is woken when a third of the buffer is free. Compared with: Linux 6.12.117 `tcp_sendmsg_locked`,
//! `tcp_check_space`, `tcp_sndbuf_expand` (behaviour), acknowledgement by acknowledgement.
//!
//! The buffer has room for two windows, or for the number that the law asks for. It grows with the window, at the moments at which the
//! application waits and the window is not full.
//!
//! | Deviation | Why | Test |
//! |---|---|---|
//! | The application writes at most 128 KiB at a time | it depends on the application; this is iperf3 and the oracle's sender | - |
//! | A packet's description takes 832 bytes, and headers and descriptions take 512 and 256 bytes of a segment when the buffer grows | they depend on how the kernel was built; these are the oracle's. A segment of 1448 bytes counts as 2304, in other kernels as up to 4352 | - |

use std::collections::VecDeque;

use super::scale::{self, OVERHEAD};

/// The size of a single write of the application.
const WRITE: u64 = 131_072;
/// The buffer at the beginning (Linux's `tcp_wmem`).
const BUFFER: u64 = 16_384;
/// A segment counts with more than its payload when the buffer grows: with headers and timestamps, which share a power of two with the
/// payload, and with its description.
const HEADERS: u64 = 192 + 320;
const DESCRIPTION: u64 = 256;
const TIMESTAMPS: u64 = 12;
/// The least number of segments that are counted then.
const LEAST: u64 = 10;

/// The present state of a connection's bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// The first byte that is not acknowledged, and the next one to send.
    pub una: u64,
    pub nxt: u64,
    /// The packets that have been sent and are not acknowledged.
    pub packets: u64,
}

/// The end of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct End {
    at: u64,
    /// Its last segment carries PSH.
    push: bool,
}

/// The buffer of one connection, in bytes.
#[derive(Clone, Debug)]
pub(super) struct SendBuffer {
    size: u64,
    most: u64,
    /// The number of windows that it has room for.
    windows: u64,
    /// The payload of a segment.
    mss: u64,
    /// The ends of the packets that have been written and not sent. The last one may grow.
    ends: VecDeque<End>,
    /// The byte behind the present write of the application, and behind the last packet that got PSH.
    call: u64,
    pushed: u64,
    /// The largest window that the receiver has allowed.
    allowed: u64,
    /// True while the application waits for room.
    pub waits: bool,
    /// True if the application has just made the first packet whole: a part of it is sent alone, and does not wait to become larger (Linux
    /// `tcp_push_one`).
    pub pushes_one: bool,
    /// True if the application has just filled the buffer, or made the first packet whole, and has more to write: short segments are sent,
    /// whatever is out (Linux `TCP_NAGLE_PUSH`).
    pub pushes_all: bool,
}

impl SendBuffer {
    /// The buffer of a connection that has opened, with segments of `mss` bytes. It grows up to `most` bytes. The receiver has `allowed` a
    /// window.
    pub fn new(most: u64, windows: u64, mss: u64, allowed: u64) -> Self {
        let ends = VecDeque::new();
        let (size, call, pushed) = (BUFFER.min(most), 0, 0);
        let (waits, pushes_one, pushes_all) = (false, false, false);
        let mut buffer =
            SendBuffer { size, most, windows, mss, ends, call, pushed, allowed, waits, pushes_one, pushes_all };
        buffer.expand(LEAST);
        buffer
    }

    /// The bytes for which a segment counts when the buffer grows (Linux `tcp_sndbuf_expand`).
    fn segment(&self) -> u64 {
        (self.mss + TIMESTAMPS + HEADERS).next_power_of_two() + DESCRIPTION
    }

    #[cfg(test)]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Makes room for a window of `window` segments.
    fn expand(&mut self, window: u64) {
        let wanted = self.windows * window.max(LEAST) * self.segment();
        if self.size < wanted {
            self.size = wanted.min(self.most);
        }
    }

    /// The receiver's window has this number of bytes. Packets are as large as the largest window lets them be, also when it has become
    /// smaller (Linux `tcp_bound_to_half_wnd`).
    pub fn allow(&mut self, window: u64) {
        self.allowed = self.allowed.max(window);
    }

    /// The bytes that are in use when the application has written up to byte `written`.
    fn holds(&mut self, at: Progress, written: u64) -> u64 {
        while self.ends.front().is_some_and(|end| end.at <= at.nxt) {
            self.ends.pop_front();
        }
        written - at.una + OVERHEAD * (at.packets + self.ends.len() as u64)
    }

    /// Whether the application may begin another packet.
    pub fn has_room(&mut self, at: Progress, written: u64) -> bool {
        self.holds(at, written) < self.size
    }

    /// A packet has been sent, or an acknowledgement has arrived, while the application waits: the buffer grows if the window is not full,
    /// and the application is woken if there is room. `window` and `in_network` are in segments. A segment may be late by `distance`
    /// segments, which the buffer holds then (Linux `tcp_sndbuf_expand`).
    pub fn make_room(&mut self, at: Progress, written: u64, window: u64, in_network: u64, distance: u64) {
        if in_network < window {
            self.expand(window.max(distance + 1));
        }
        let held = self.holds(at, written);
        self.waits = self.size.saturating_sub(held) < (held / 2).max(1);
    }

    /// Returns whether the application begins another write at byte `written`. If it does, the last packet may go on without PSH.
    pub fn begins_to_write(&mut self, written: u64) -> bool {
        let begins = written >= self.call;
        if begins {
            self.call = written + WRITE;
            if let Some(last) = self.ends.back_mut() {
                last.push = false;
            }
        }
        begins
    }

    /// The first packet that ends behind byte `nxt`.
    fn next_end(&self, nxt: u64) -> Option<&End> {
        self.ends.iter().find(|end| end.at > nxt)
    }

    /// The packet that holds byte `nxt` is to be sent and may have this number of bytes from there on. What it lacks it takes from the next
    /// one, which it may take as a whole (Linux `tcp_grow_skb`).
    pub fn grow(&mut self, nxt: u64, bytes: u64) {
        while self.ends.front().is_some_and(|end| end.at <= nxt) {
            self.ends.pop_front();
        }
        let (Some(&first), Some(&next)) = (self.ends.front(), self.ends.get(1)) else { return };
        let end = next.at.min(nxt + bytes);
        if end == next.at {
            self.ends.pop_front();
            self.ends[0].push |= first.push;
        } else if end > first.at {
            self.ends[0].at = end;
        }
    }

    /// Whether the packet that holds byte `nxt` is at most `limit` bytes from there on. It has been filled up to `quota` bytes from the
    /// next packet. The last packet may still grow, unless it is a single segment.
    pub fn ends_within(&self, nxt: u64, limit: u64, quota: u64) -> bool {
        let mut ends = self.ends.iter().skip_while(|end| end.at <= nxt).map(|end| end.at - nxt);
        let (first, second) = (ends.next(), ends.next());
        let most = if second.is_some() { limit } else { self.mss };
        first.is_some_and(|end| end.max(second.map_or(0, |second| quota.min(second))) <= most)
    }

    /// Whether the packet that holds byte `nxt` ends at byte `end`, and its last segment carries PSH.
    pub fn pushes_at(&self, nxt: u64, end: u64) -> bool {
        self.next_end(nxt).is_some_and(|next| next.at == end && next.push)
    }

    /// The last packet gets PSH.
    fn push(&mut self) {
        if let Some(last) = self.ends.back_mut() {
            last.push = true;
            self.pushed = last.at;
        }
    }

    /// The application writes from byte `written` on, up to byte `end` at most, until the buffer is full or the first packet is whole. That
    /// packet can then be sent. Returns the byte behind the last one that has been written.
    pub fn write(&mut self, at: Progress, written: u64, end: u64) -> u64 {
        let allowed = self.allowed;
        let packet = (allowed / 2 / self.mss).clamp(1, scale::most_segments(self.mss)) * self.mss;
        let until = end.min(self.call);
        let mut written = written;
        let mut held = self.holds(at, written);
        (self.pushes_one, self.pushes_all) = (false, false);
        while written < until {
            // The last packet begins at the end of the packet before it, or behind the part of it that has been sent.
            let before = self.ends.len().checked_sub(2).map_or(at.nxt, |place| self.ends[place].at);
            let left = packet.saturating_sub(written - before);
            let grows = !self.ends.is_empty() && left > 0;
            if !grows && held >= self.size {
                self.waits = true;
                self.pushes_all = written + WRITE > self.call;
                self.push();
                return written;
            }
            let room = if grows { left } else { packet };
            let more = room.min(until - written);
            written += more;
            held += more;
            if let Some(last) = self.ends.back_mut().filter(|_| grows) {
                last.at = written;
            } else {
                self.ends.push_back(End { at: written, push: false });
                held += OVERHEAD;
            }
            let pushes = more == room && written > self.pushed.saturating_add(allowed / 2);
            if pushes {
                self.push();
            }
            if more == room && self.ends.len() == 1 {
                self.pushes_all = written < self.call;
                self.pushes_one = self.pushes_all && !pushes;
                return written;
            }
        }
        if written >= end {
            // The application has no more data. Its next write begins here.
            self.call = written;
        }
        self.push();
        written
    }
}

#[cfg(test)]
mod tests {
    use super::super::timelines::ten;
    use super::*;

    const MSS: u64 = 1448;
    const ENDLESS: u64 = u64::MAX;

    /// The bytes for which a segment of 1448 bytes counts: 2048 and 256.
    const SEGMENT: u64 = 2304;

    fn of(most: u64, windows: u64) -> SendBuffer {
        SendBuffer::new(most, windows, MSS, 65_160)
    }

    fn at(una: u64, nxt: u64, packets: u64) -> Progress {
        Progress { una, nxt, packets }
    }

    /// The first two round trips of a sender of Linux 6.12, over 10 Mbit/s: the bytes written, and those in its buffer (`SO_MEMINFO`).
    #[test]
    fn the_buffer_fills_and_grows_as_in_linux() {
        let mut buffer = of(4_194_304, 2);
        assert_eq!(buffer.size, 46_080);
        assert!(buffer.begins_to_write(0));
        // A packet of 22 segments is half of the window that the receiver has told. Of it ten segments leave in five packets.
        let written = buffer.write(at(0, 0, 0), 0, ENDLESS);
        assert_eq!((written, buffer.waits, buffer.pushes_one, buffer.pushes_all), (31_856, false, true, true));
        let written = buffer.write(at(0, 14_480, 5), written, ENDLESS);
        assert_eq!((written, buffer.waits), (46_336, false), "the packet grows by what has left of it");
        assert!(!buffer.pushes_one, "more than half of the window has been written without PSH: all of it goes");
        assert_eq!(buffer.write(at(0, 14_480, 5), written, ENDLESS), written);
        assert!(buffer.waits && buffer.holds(at(0, 14_480, 5), written) == 51_328);
        // The window is full, and more than two thirds of the buffer.
        buffer.make_room(at(15_928, 46_336, 10), written, 21, 21, 3);
        assert_eq!((buffer.size, buffer.waits), (46_080, true));
        // Two segments are missing from a window of 22.
        buffer.make_room(at(17_376, 46_336, 10), written, 22, 20, 3);
        assert_eq!((buffer.size, buffer.waits), (101_376, false));
        buffer.allow(81_536);
        // It has become smaller since.
        buffer.allow(75_520);
        let written = buffer.write(at(17_376, 46_336, 10), written, ENDLESS);
        let written = buffer.write(at(17_376, 49_232, 11), written, ENDLESS);
        assert_eq!(written, 89_776);
        let written = buffer.write(at(17_376, 49_232, 11), written, ENDLESS);
        assert_eq!((written, buffer.waits, buffer.pushes_all), (130_320, true, true));
        assert_eq!(buffer.holds(at(17_376, 49_232, 11), written), 123_760);
    }

    #[test]
    fn a_window_that_the_buffer_does_not_hold_is_not_filled() {
        // Of 960 bytes: 34, half of the first window, are written and two leave, then two are written and 34 leave. In 18 packets they
        // take 49536 bytes, more than there is.
        let sent = |buffer| {
            let mut pair = ten(&[("profile", "linux"), ("initial_window", "100"), ("send_buffer", buffer)], "2000");
            pair.start();
            pair.run_until(50);
            pair.data.len()
        };
        assert_eq!((sent("46080B"), sent("auto")), (36, 100));
    }

    #[test]
    fn it_grows_to_so_many_windows_and_no_larger_than_it_may() {
        let mut buffer = of(1_000_000, 3);
        assert_eq!(buffer.size, 3 * 10 * SEGMENT);
        buffer.make_room(at(0, 0, 0), 0, 100, 99, 3);
        assert_eq!(buffer.size, 300 * SEGMENT);
        buffer.make_room(at(0, 0, 0), 0, 50, 0, 3);
        assert_eq!(buffer.size, 300 * SEGMENT, "it does not shrink");
        buffer.make_room(at(0, 0, 0), 0, 1000, 0, 3);
        assert_eq!(buffer.size, 1_000_000);
    }

    #[test]
    fn a_larger_segment_counts_as_the_next_power_of_two() {
        // Payload, 12 bytes of timestamps and 512 of headers, up to a power of two, and 256: 1048, 1972 and 9472 bytes.
        let sizes = [524, 1448, 8948].map(|mss| SendBuffer::new(4_194_304, 2, mss, 65_160).size);
        assert_eq!(sizes, [2304, 2304, 16_640].map(|segment| 2 * 10 * segment));
    }

    #[test]
    fn a_packet_is_at_most_what_a_device_gets() {
        for (mss, segments) in [(524, 124), (1448, 45), (8948, 7)] {
            let mut buffer = SendBuffer::new(4_194_304, 2, mss, 1_000_000);
            assert!(buffer.begins_to_write(0));
            assert_eq!(buffer.write(at(0, 0, 0), 0, ENDLESS), segments * mss);
        }
    }

    #[test]
    fn it_holds_the_segments_by_which_one_is_late() {
        let mut buffer = of(1_000_000, 2);
        buffer.make_room(at(0, 0, 0), 0, 12, 11, 40);
        assert_eq!(buffer.size, 2 * 41 * SEGMENT);
    }

    #[test]
    fn who_waits_is_woken_when_a_third_is_free() {
        let mut buffer = of(46_080, 2);
        buffer.waits = true;
        buffer.make_room(at(0, 30_721, 0), 30_721, 10, 10, 3);
        assert!(buffer.waits, "15359 of 46080 are free, half of 30721");
        buffer.make_room(at(1, 30_721, 0), 30_721, 10, 10, 3);
        assert!(!buffer.waits);
    }

    #[test]
    fn what_does_not_wait_for_more_room_is_the_rest_of_a_packet() {
        let mut buffer = of(4_194_304, 2);
        let end = |segments: u64| End { at: segments * MSS, push: false };
        buffer.ends = VecDeque::from([end(45), end(90), end(92)]);
        let within = |nxt: u64, room| buffer.ends_within(nxt * MSS, room * MSS, room * MSS);
        assert_eq!([1, 2, 3, 4].map(|room| within(42, room)), [false, false, true, true]);
        assert_eq!([within(44, 1), within(45, 44), within(45, 45)], [true, false, true]);
        // The last packet has two segments, and then one.
        assert_eq!([within(90, 2), within(91, 1)], [false, true]);
    }

    #[test]
    fn a_packet_takes_from_the_next_one_what_it_lacks() {
        let mut buffer = of(4_194_304, 2);
        let end = |at, push| End { at, push };
        buffer.ends = VecDeque::from([end(10, false), end(100, true), end(200, false), end(300, true)]);
        buffer.grow(50, 40);
        assert_eq!(buffer.ends, [end(100, true), end(200, false), end(300, true)], "it is long enough");
        buffer.grow(50, 80);
        assert_eq!(buffer.ends[0], end(130, true));
        buffer.grow(50, 500);
        assert_eq!(buffer.ends, [end(200, true), end(300, true)], "it takes all of the next one, and no more");
        buffer.grow(200, 500);
        assert_eq!(buffer.ends, [end(300, true)]);
    }

    #[test]
    fn a_write_ends_after_128_kib_or_where_the_data_end() {
        let mut buffer = of(4_194_304, 2);
        buffer.expand(1000);
        buffer.allow(1_000_000);
        assert!(buffer.begins_to_write(0));
        let mut written = 0;
        while written < WRITE {
            written = buffer.write(at(0, 0, 0), written, ENDLESS);
        }
        assert_eq!(written, WRITE);
        let ends = |of: &SendBuffer| of.ends.iter().map(|end| (end.at, end.push)).collect::<Vec<_>>();
        assert_eq!(ends(&buffer), [(65_160, false), (130_320, false), (WRITE, true)]);
        assert!(buffer.begins_to_write(WRITE));
        let written = buffer.write(at(0, 0, 0), written, WRITE + 100);
        assert_eq!(written, WRITE + 100);
        assert_eq!(ends(&buffer).last(), Some(&(WRITE + 100, true)), "the last packet grows");
        assert!(buffer.begins_to_write(written), "what the application has next is another write");
    }
}
