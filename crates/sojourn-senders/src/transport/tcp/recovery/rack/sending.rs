//! Sending at a sender that detects losses by time: the window, the device and the pacer bound the data. Compared with: Linux's
//! `tcp_write_xmit` and `tcp_update_skb_after_send` (behaviour).

use super::delivery::{Delivery, Sending};
use super::state::Rack;
use super::usage::After;
use crate::transport::FlowContext;
use crate::transport::congestion::{Milestone, Phase};
use crate::transport::tcp::Reduction;
use crate::transport::tcp::offload::{Extent, Moment};
use crate::transport::tcp::send_buffer::Progress;
use crate::transport::tcp::settings::Arrivals;
use crate::transport::tcp::stream::Stream;
use crate::units::{Bytes, Duration, Instant};

/// The number of segments of a connection that are sent before the pacer begins.
const UNPACED: u64 = 10;

/// The number of lost segments at once that no device has enough of.
const FEW: u64 = 4;

/// The device during one call.
#[derive(Clone, Copy, Debug, Default)]
struct Device {
    /// The bytes in the sender's memory that it has not sent.
    queued: u64,
    /// True if new data is next, although segments are lost.
    news: bool,
}

impl Device {
    /// Whether it has more than `most` bytes. Linux counts one for the connection itself (`sk_wmem_alloc`).
    fn has_more_than(self, most: u64) -> bool {
        self.queued + 1 > most
    }
}

impl Rack {
    /// Sends the segments that the window and the pacer allow. In recovery the lost segments are first, before new ones.
    pub(super) fn send_allowed(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        self.send_written(stream, now, cx);
        if stream.buffer.is_some() {
            self.let_write(stream, now, cx);
        }
    }

    /// The application writes on, unless it waits for room in the send buffer, and the sender sends the new data.
    #[inline(never)]
    fn let_write(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        if stream.known.as_ref().is_some_and(|known| known.is_followed()) {
            return;
        }
        if let (Some(window), Some(buffer)) = (self.offered(stream), stream.buffer.as_deref_mut()) {
            buffer.allow(window);
        }
        while stream.written < stream.end && stream.buffer.as_ref().is_some_and(|buffer| !buffer.waits) {
            let Some(buffer) = stream.buffer.as_deref_mut() else { return };
            if buffer.begins_to_write(stream.written)
                && stream.written - stream.nxt < u64::from(stream.config.mss)
                && self.flight.next_repair().is_none()
                && let Some(delivery) = &mut self.delivery
                && self.flight.in_network() < stream.control.window() as u64
            {
                delivery.on_lack_of_data(self.flight.in_network());
            }
            let at = Progress { una: stream.una, nxt: stream.nxt, packets: self.flight.packets() };
            stream.written = buffer.write(at, stream.written, stream.end);
            let is_full = buffer.waits;
            let at_once = stream.known.as_ref().map_or(now, |known| known.written_at(stream.nxt, now));
            self.send_written(stream, at_once, cx);
            let sent = Progress { una: stream.una, nxt: stream.nxt, packets: self.flight.packets() };
            if let Some(after) = stream.buffer.as_deref_mut() {
                (after.pushes_one, after.pushes_all) = (false, false);
                if is_full {
                    // Who has not gone to sleep yet needs no third of the buffer.
                    after.waits = !after.has_room(sent, stream.written);
                }
            }
        }
    }

    /// The receiver's window in bytes. It is absent before the first acknowledgement.
    fn offered(&self, stream: &Stream) -> Option<u64> {
        let known = || stream.known.as_ref().map(|known| known.edge()).filter(|&edge| edge < u64::MAX);
        let unlimited = || (stream.una > stream.start).then_some(u64::MAX);
        self.edge.or_else(known).or_else(unlimited).map(|edge| edge.saturating_sub(stream.una))
    }

    /// A packet has been sent, or an acknowledgement has arrived: there may be room in the send buffer.
    fn make_room(&self, stream: &mut Stream, window: u64) {
        if let Some(buffer) = stream.buffer.as_deref_mut().filter(|buffer| buffer.waits) {
            let at = Progress { una: stream.una, nxt: stream.nxt, packets: self.flight.packets() };
            buffer.make_room(at, stream.written, window, self.flight.in_network(), self.detector.distance());
        }
    }

    /// The pacer lets a packet go in the nanosecond in which an acknowledgement arrives. In Linux the packet is first: the acknowledgement
    /// of an earlier packet has spent some time in machines.
    pub(super) fn let_go_first(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        if self.waits && self.release <= now && stream.config.params.arrivals == Arrivals::Linux {
            self.waits = false;
            self.send_allowed(stream, now, cx);
        }
    }

    /// Sends the written data that the window and the pacer allow.
    fn send_written(&mut self, stream: &mut Stream, now: Instant, cx: &mut FlowContext) {
        let window = match self.phase {
            _ if stream.config.samples && self.phase != Phase::Loss => stream.law_window(),
            Phase::Reducing | Phase::Recovery if stream.config.params.rate_reduction == Reduction::Proportional => {
                self.window
            }
            Phase::Loss => stream.law_window() + self.kept,
            _ => stream.law_window(),
        };
        if self.ask_by_new_data(stream, window, now, cx) {
            return;
        }
        self.fill(stream, window, !self.holds, now, cx);
    }

    /// Sends until `window` segments are in the network. Returns whether new data was sent. Without `repairs` it sends new data only, until
    /// the device has enough of it.
    pub(super) fn fill(
        &mut self,
        stream: &mut Stream,
        window: u64,
        repairs: bool,
        now: Instant,
        cx: &mut FlowContext,
    ) -> bool {
        let (mut new, mut left, mut packet, mut several, mut first) = (false, 0, 0, false, true);
        // The byte behind the present packet of new data.
        let mut behind = u64::MAX;
        let mut device = Device::default();
        // What the device has is gone only when the machine has handled all acknowledgements of this instant.
        let keeps = stream.known.as_ref().is_some_and(|known| known.is_followed());
        let full = loop {
            // The timer sends the head whatever the window is.
            if self.flight.in_network() >= window && !(repairs && self.flight.head_is_due()) {
                break Some(true);
            }
            if left == 0 && device.queued > 0 && !keeps {
                self.serve(stream, now, window, &mut device);
            }
            let repair = if repairs && !device.news && self.is_recovering() { self.flight.next_repair() } else { None };
            let len = stream.new_segment().min(behind - stream.nxt);
            if repair.is_none() && len == 0 {
                if let Some(delivery) = self.delivery.as_mut().filter(|_| stream.buffer.is_none()) {
                    delivery.on_lack_of_data(self.flight.in_network());
                }
                break Some(false);
            }
            if left == 0 && repair.is_none() && len < u64::from(stream.config.mss) && self.grows_later(stream) {
                break Some(false);
            }
            let end = stream.nxt + len;
            if repair.is_none() && (self.forbids(end) || stream.known.as_ref().is_some_and(|known| end > known.edge()))
            {
                break Some(false);
            }
            if left == 0 {
                // Neither does the pacer make the timer wait. The head counts as sent when the pacer would have let it go.
                let due = repair.is_some() && self.is_due(stream);
                self.waits = now < self.release && stream.paces() && !due;
                stream.stamp = (due && now < self.release).then_some(self.release);
                if self.waits {
                    break None;
                }
                left = match repair {
                    Some(number) => self.begin_repair(stream, number, window),
                    None => self.begin_packet(stream, now, window),
                };
                first = true;
                if left == 0 {
                    break Some(self.is_window_less(stream, window));
                }
                if repair.is_none() && !device.news && self.is_enough(stream, left, device, keeps) {
                    if !repairs || keeps {
                        break None;
                    }
                    // It gets new data when it has sent the repairs. Linux looks for room before (`tcp_data_snd_check`).
                    self.make_room(stream, window);
                    device = Device::default();
                }
                (packet, several) = (left, left > 1);
                let payload = if let Some(number) = repair {
                    self.flight.payload(number, left)
                } else {
                    behind = self.end_of_packet(stream, left);
                    behind - stream.nxt
                };
                self.announce(stream, now);
                self.pace(stream, now, left, payload);
            }
            left -= 1;
            if let Some(number) = repair {
                device.queued += stream.buffered(1);
                self.send_again(stream, number, now, cx);
            } else {
                stream.push = stream.config.params.offload && left == 0 && (several || stream.pushes(stream.nxt + len));
                self.send_new(stream, len, !first, now, cx);
                new = true;
                if len < u64::from(stream.config.mss) {
                    self.small = stream.nxt;
                }
                if left == 0 {
                    behind = u64::MAX;
                    device.queued += if repairs && !keeps { 0 } else { stream.buffered(packet) };
                    self.make_room(stream, window);
                    if stream.pushes_one() {
                        break None;
                    }
                }
            }
            first = false;
        };
        self.note_use(stream, full, new, window);
        self.make_room(stream, window);
        if new {
            self.set_timer_after_new_data(stream, now);
        }
        if !repairs && !keeps && device.queued > 0 && left > 0 {
            self.fill(stream, window, true, now, cx);
        }
        new
    }

    /// Whether the device has enough of new data that leaves although segments are lost. These are next then (Linux `tcp_tsq_write`).
    fn is_enough(&self, stream: &Stream, segments: u64, device: Device, keeps: bool) -> bool {
        let linux = stream.config.params.arrivals == Arrivals::Linux && stream.config.params.offload;
        linux
            && (keeps || self.flight.has_losses())
            && device.has_more_than(stream.may_wait(segments, self.extent(stream)))
    }

    /// Whether Linux's timer sends the head now.
    fn is_due(&self, stream: &Stream) -> bool {
        stream.config.params.arrivals == Arrivals::Linux && self.flight.head_is_due()
    }

    /// Notes whether the window ended a transmission. `new` says that new data was sent.
    fn note_use(&mut self, stream: &Stream, full: Option<bool>, new: bool, window: u64) {
        if stream.config.params.arrivals != Arrivals::Linux && !stream.config.samples {
            if let Some(full) = full {
                self.usage.replace(full);
            }
            return;
        }
        let full = full.unwrap_or(false) || self.flight.in_network() >= window;
        if new || full {
            self.usage.remember(After { full, una: stream.una, nxt: stream.nxt, out: self.flight.out() });
        }
    }

    /// Whether the window allows less than the receiver. Linux does not look who makes new data wait otherwise.
    fn is_window_less(&self, stream: &Stream, window: u64) -> bool {
        let room = window.saturating_sub(self.flight.in_network()).saturating_mul(u64::from(stream.config.mss));
        stream.config.params.arrivals != Arrivals::Linux || room < self.edge(stream).saturating_sub(stream.nxt)
    }

    /// Many lost segments at once are too much for the device. When it has enough of them it gets new data, and when it has enough of all
    /// it sends what it has, which takes no time here (Linux `tcp_small_queue_check`).
    fn serve(&self, stream: &mut Stream, now: Instant, window: u64, device: &mut Device) {
        let few = !device.has_more_than(FEW * stream.buffered(1));
        if !device.news && few || !stream.config.params.offload || stream.paces() {
            return;
        }
        let extent = self.extent(stream);
        device.news |= device.has_more_than(2 * stream.may_wait(1, extent));
        if !device.news {
            return;
        }
        let (len, end) = (stream.new_segment(), stream.nxt + stream.new_segment());
        let forbidden = self.forbids(end)
            || len < u64::from(stream.config.mss) && self.grows_later(stream)
            || stream.known.as_ref().is_some_and(|known| end > known.edge());
        let segments = if len == 0 || forbidden { 0 } else { self.begin_packet(stream, now, window) };
        if segments == 0 || device.has_more_than(stream.may_wait(segments, extent)) {
            self.make_room(stream, window);
            *device = Device::default();
        } else {
            device.queued += stream.buffered(segments);
        }
    }

    /// In Linux a law hears of what leaves while nothing is in the network, also of a repair (`tcp_event_data_sent`). A law that uses
    /// samples does so only where the data were short. ProbeRTT of BBR may end so.
    fn announce(&self, stream: &mut Stream, now: Instant) {
        let lacks_data = || self.delivery.as_ref().is_none_or(|delivery| delivery.lacks_data());
        let begun = stream.max > stream.start || stream.config.samples;
        let hears = Self::announces(stream) && begun && self.flight.in_network() == 0;
        if hears && (!stream.config.samples || lacks_data()) {
            stream.control.on_milestone(Milestone::Resumes { now, silent: now.since(self.sent_at) });
        }
    }

    /// Whether the law hears of all that leaves while nothing is in the network, and not of new data alone.
    fn announces(stream: &Stream) -> bool {
        if stream.config.samples {
            stream.config.samples_as_linux
        } else {
            stream.config.params.arrivals == Arrivals::Linux
        }
    }

    pub(super) fn send_new(&mut self, stream: &mut Stream, len: u64, joined: bool, now: Instant, cx: &mut FlowContext) {
        let start = stream.nxt;
        if self.flight.out() == 0 {
            self.timer = None;
            let told = Self::announces(stream);
            let lacks_data = || self.delivery.as_ref().is_none_or(|delivery| delivery.lacks_data());
            let starved = !told && (!stream.config.samples || lacks_data());
            if stream.max > stream.start && starved {
                stream.control.on_milestone(Milestone::Resumes { now, silent: now.since(self.sent_at) });
            }
        }
        self.sent_at = now;
        stream.output(now, start, len as u32, cx);
        stream.nxt += len;
        if stream.config.deliveries {
            let sending = self.sending(stream, now, 1);
            self.delivery(stream).on_sent(&sending);
        }
        self.flight.on_sent(now, start, start + len, joined);
        self.prr.on_sent(1);
    }

    pub(super) fn send_again(&mut self, stream: &mut Stream, number: u64, now: Instant, cx: &mut FlowContext) {
        let due = self.is_due(stream);
        let stamp = self.output_again(stream, number, now, cx);
        self.note_resent(stream, number, stamp, u64::from(!self.flight.get(number).repairing));
        self.flight.on_resent(stamp, number);
        self.undo.on_resent(stamp);
        self.prr.on_sent(1);
        if self.flight.get(number).start == stream.una && !self.awaits_loss() && !due {
            // Linux: the retransmission of the head restarts the timer. The timeout has set it itself.
            self.arm_timeout_anew(stream, now);
        }
    }

    /// Sends a segment again to probe the end of the flight. In Linux this is no repair (`__tcp_retransmit_skb`): the segment counts once
    /// in the network, and nothing is taken back if it was not necessary.
    pub(super) fn send_last_again(&mut self, stream: &mut Stream, number: u64, now: Instant, cx: &mut FlowContext) {
        if stream.config.params.arrivals == Arrivals::Rfc {
            return self.send_again(stream, number, now, cx);
        }
        let stamp = self.output_again(stream, number, now, cx);
        self.note_resent(stream, number, stamp, 0);
        self.flight.on_repeated(stamp, number);
    }

    /// Sends a segment again. Returns the time at which it counts as sent.
    fn output_again(&mut self, stream: &mut Stream, number: u64, now: Instant, cx: &mut FlowContext) -> Instant {
        let segment = self.flight.get(number);
        let stamp = stream.stamp.unwrap_or(now);
        self.sent_at = now;
        stream.output(now, segment.start, (segment.end - segment.start) as u32, cx);
        stamp
    }

    /// Notes a transmission that counts as at `now` and puts `more` segments into the network.
    fn sending(&self, stream: &Stream, now: Instant, more: u64) -> Sending {
        let in_network = self.flight.in_network();
        let before = if stream.config.samples_as_linux { self.flight.out() } else { in_network };
        Sending { now, before, after: in_network + more, lost: self.lost }
    }

    fn note_resent(&mut self, stream: &Stream, number: u64, now: Instant, more: u64) {
        if self.delivery.is_some() {
            let sending = self.sending(stream, now, more);
            self.delivery(stream).on_resent(number, &sending);
        }
    }

    /// The state of samples, which begins with the first segment.
    fn delivery(&mut self, stream: &Stream) -> &mut Delivery {
        if self.delivery.is_none() && stream.config.samples {
            self.flight.found = Some(Vec::new());
        }
        self.delivery
            .get_or_insert_with(|| Box::new(Delivery::new(stream.config.sampler, stream.config.params.handshake)))
    }

    /// The number of new segments that the device gets now. It is 0 if they wait.
    fn begin_packet(&self, stream: &mut Stream, now: Instant, window: u64) -> u64 {
        let edge = self.edge(stream);
        stream.hand_over(&Moment {
            now,
            last: self.release,
            head: self.flight.head().map(|head| head.sent_at),
            window,
            room: window.saturating_sub(self.flight.in_network()),
            allowed: edge.saturating_sub(stream.nxt),
            offered: edge.saturating_sub(stream.una),
            cuts: !self.is_small_one_out(stream),
            grows: self.grows_later(stream),
            extent: self.extent(stream),
            recovering: self.is_recovering(),
            least: self.detector.least(),
        })
    }

    /// The window as it is now, also while it falls, and the segments in flight.
    fn extent(&self, stream: &Stream) -> Extent {
        let window = self.falling(stream).unwrap_or_else(|| stream.control.window());
        Extent { window, out: self.flight.out() }
    }

    /// The window while it falls, in Linux. A law that uses samples has only its own.
    pub(super) fn falling(&self, stream: &Stream) -> Option<f64> {
        let config = &stream.config;
        let falls = self.is_reducing() && config.params.rate_reduction == Reduction::Proportional && !config.samples;
        (falls && config.params.arrivals == Arrivals::Linux).then_some(self.window as f64)
    }

    /// The byte up to which the receiver's window allows to send, if it has told one.
    fn edge(&self, stream: &Stream) -> u64 {
        let of_replay = || stream.known.as_ref().filter(|_| stream.buffer.is_some()).map(|known| known.edge());
        self.edge.or_else(of_replay).unwrap_or(u64::MAX)
    }

    /// Whether a short segment at the end of the written data waits for more of them, because another short one is out.
    fn grows_later(&self, stream: &Stream) -> bool {
        stream.buffer.is_some() && stream.written < stream.end && self.is_small_one_out(stream)
    }

    /// Whether a short segment is out, and no other may follow it (Linux `tcp_nagle_check`).
    fn is_small_one_out(&self, stream: &Stream) -> bool {
        self.small > stream.una && !stream.buffer.as_ref().is_some_and(|buffer| buffer.pushes_all)
    }

    /// The byte behind a packet of new data that has this number of segments.
    fn end_of_packet(&self, stream: &Stream, segments: u64) -> u64 {
        let mss = u64::from(stream.config.mss);
        let last = stream.nxt + (segments - 1) * mss;
        let end = stream.known.as_ref().map_or(last + mss, |known| known.written(last, mss));
        end.min(stream.written).min(self.edge(stream))
    }

    /// The number of lost segments that the device gets again. They were in one packet before, and there is room for them. The rest of that
    /// packet is another one from now on. Laws that are not paced as in Linux send them one by one.
    fn begin_repair(&mut self, stream: &Stream, number: u64, window: u64) -> u64 {
        if !stream.config.params.offload {
            return 1;
        }
        let room = window.saturating_sub(self.flight.in_network());
        let most = stream.most_at_once(self.extent(stream), self.detector.least());
        let together = self.flight.lost_together(number, room.min(most));
        self.flight.cut_before(number + together);
        if stream.config.samples_as_linux { together } else { 1 }
    }

    /// `segments` segments with `payload` bytes are sent now. This sets the time at which the next may be sent. If they waited for an
    /// acknowledgement and not for the pacer, that wait shortens the time, by half at most. The first ten segments of a connection are not
    /// paced (Linux `tcp_update_skb_after_send`).
    pub(super) fn pace(&mut self, stream: &Stream, now: Instant, segments: u64, payload: u64) {
        let before = self.release;
        self.release = before.max(now);
        let early = self.flight.transmissions();
        let exempt = if stream.is_paced_by_law() {
            stream.config.samples_as_linux && early + segments < UNPACED
        } else {
            !stream.config.params.pacing || early < UNPACED
        };
        if exempt {
            return;
        }
        let gap = stream.gap_of_packet(self.extent(stream), segments, payload).unwrap_or(Duration::ZERO);
        let late = self.release.since(before);
        self.release += Duration::from_nanos(gap.as_nanos() - late.as_nanos().min(gap.as_nanos() / 2));
    }
}

impl Stream {
    /// Whether a segment that is sent alone and ends at byte `end` carries PSH.
    fn pushes(&self, end: u64) -> bool {
        self.buffer.as_ref().map_or(end == self.end, |buffer| buffer.pushes_at(self.nxt, end))
    }

    /// The time by which a packet delays the next one at the pacing rate. Linux counts its real bytes, other senders full segments.
    fn gap_of_packet(&self, extent: Extent, segments: u64, payload: u64) -> Option<Duration> {
        let law = self.control.paced().filter(|_| self.config.samples_as_linux);
        if let Some(gap) = law.and_then(|law| law.gap_of(Bytes(payload))) {
            return Some(gap);
        }
        let gap = self.gap_of_segment(extent)?;
        let part = payload as f64 / f64::from(self.config.mss);
        Some(if self.config.params.offload { gap.mul_f64(part) } else { gap * segments })
    }

    /// True if segments are sent at a rate, that of the sender or that of the law.
    pub(super) fn paces(&self) -> bool {
        self.config.params.pacing || self.is_paced_by_law()
    }

    /// True if the law has a rate. Laws that cannot have one are not asked for each packet.
    fn is_paced_by_law(&self) -> bool {
        (self.config.samples || self.explicit) && self.control.paced().is_some_and(|law| law.pacing_rate().is_some())
    }
}

#[cfg(test)]
mod tests;
