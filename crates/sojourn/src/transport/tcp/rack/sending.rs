//! What a sender that finds losses by time sends, and when: as much as the window, the device and the pacer allow. Compared with:
//! Linux's `tcp_write_xmit` and `tcp_update_skb_after_send` (behaviour).

use super::super::Reduction;
use super::super::offload::Moment;
use super::super::sender::Sender;
use super::delivery::Delivery;
use super::state::Rack;
use crate::transport::FlowContext;
use crate::transport::congestion::Phase;
use crate::units::{Duration, Instant};

/// Segments of a connection before the pacer begins.
const UNPACED: u64 = 10;

impl Sender {
    pub(in super::super) fn pump_rack(&mut self, now: Instant, cx: &mut FlowContext) {
        let mut rack = self.take_rack();
        self.send_rack(&mut rack, now, cx);
        self.put_rack(rack);
    }

    /// Sends what the window and the pacer allow: lost segments first, in recovery, then new ones.
    pub(super) fn send_rack(&mut self, rack: &mut Rack, now: Instant, cx: &mut FlowContext) {
        let window = match rack.phase {
            _ if self.config.samples && rack.phase != Phase::Loss => self.law_window(),
            Phase::Reducing | Phase::Recovery if self.config.rate_reduction == Reduction::Proportional => rack.window,
            Phase::Loss => self.law_window() + rack.kept,
            _ => self.law_window(),
        };
        if self.ask_by_new_data(rack, window, now, cx) {
            return;
        }
        self.fill(rack, window, true, now, cx);
    }

    /// Sends until so many are in the network, and says whether there was new data; without `repairs` nothing else.
    pub(super) fn fill(
        &mut self,
        rack: &mut Rack,
        window: u64,
        repairs: bool,
        now: Instant,
        cx: &mut FlowContext,
    ) -> bool {
        let (mut new, mut left, mut several, mut first) = (false, 0, false, true);
        loop {
            if rack.flight.in_network() >= window {
                rack.full = true;
                break;
            }
            let repair = if repairs && rack.is_recovering() { rack.flight.next_repair() } else { None };
            let len = self.new_segment();
            if repair.is_none() && len == 0 {
                rack.full = false;
                if let Some(delivery) = &mut rack.delivery {
                    delivery.on_lack_of_data(rack.flight.in_network());
                }
                break;
            }
            if repair.is_none() && self.known.as_ref().is_some_and(|known| self.nxt + len > known.edge()) {
                rack.full = false;
                break;
            }
            if left == 0 {
                rack.waits = now < rack.release && self.paces();
                if rack.waits {
                    break;
                }
                left = match repair {
                    Some(number) => self.begin_repair(rack, number, window),
                    None => self.begin_packet(rack, now, window),
                };
                first = true;
                if left == 0 {
                    rack.full = true;
                    break;
                }
                several = left > 1;
                self.pace(rack, now, left);
            }
            left -= 1;
            if let Some(number) = repair {
                self.send_again(rack, number, now, cx);
            } else {
                self.push = self.config.offload && left == 0 && (several || self.nxt + len == self.end);
                self.send_new(rack, len, !first, now, cx);
                new = true;
            }
            first = false;
        }
        if new {
            self.set_timer_after_new_data(rack, now);
        }
        new
    }

    pub(super) fn send_new(&mut self, rack: &mut Rack, len: u64, joined: bool, now: Instant, cx: &mut FlowContext) {
        let start = self.nxt;
        if rack.flight.out() == 0 {
            rack.timer = None;
            let starved = !self.config.samples || rack.delivery.as_ref().is_none_or(|delivery| delivery.lacks_data());
            if self.max > self.start && starved {
                self.control.on_restart(now, now.since(rack.sent_at));
            }
        }
        rack.sent_at = now;
        self.output(now, start, len as u32, cx);
        self.nxt += len;
        if self.config.samples || self.config.attends {
            let delivery = rack.delivery.get_or_insert_with(|| self.new_delivery());
            let before = if self.config.last_sent { rack.flight.out() } else { rack.flight.in_network() };
            delivery.on_sent(now, before);
        }
        rack.flight.on_sent(now, start, start + len, joined);
        rack.prr.on_sent(1);
    }

    fn new_delivery(&self) -> Box<Delivery> {
        let delivery =
            if self.config.last_sent { Delivery::of_linux(self.config.handshake) } else { Delivery::default() };
        Box::new(delivery)
    }

    pub(super) fn send_again(&mut self, rack: &mut Rack, number: u64, now: Instant, cx: &mut FlowContext) {
        let segment = rack.flight.get(number);
        rack.sent_at = now;
        self.output(now, segment.start, (segment.end - segment.start) as u32, cx);
        if let Some(delivery) = &mut rack.delivery {
            let before = if self.config.last_sent { rack.flight.out() } else { rack.flight.in_network() };
            delivery.on_resent(now, number, before);
        }
        rack.flight.on_resent(now, number);
        rack.undo.on_resent(now);
        rack.prr.on_sent(1);
        if segment.start == self.una && !rack.awaits_loss() {
            // Linux: the retransmission of the head restarts the timer.
            self.arm_timeout_anew(rack, now);
        }
    }

    /// How many new segments the device gets now; 0 if they wait.
    fn begin_packet(&self, rack: &Rack, now: Instant, window: u64) -> u64 {
        self.hand_over(&Moment {
            now,
            last: rack.release,
            head: rack.flight.head().map(|head| head.sent_at),
            window,
            room: window - rack.flight.in_network(),
            out: rack.flight.out(),
            recovering: rack.is_recovering(),
        })
    }

    /// How many lost segments the device gets again: those of a packet that it had got, as many as there is room for.
    fn begin_repair(&self, rack: &Rack, number: u64, window: u64) -> u64 {
        if !self.config.last_sent || !self.config.offload {
            return 1;
        }
        let room = window - rack.flight.in_network();
        rack.flight.lost_together(number, room.min(self.most_at_once(rack.flight.out())))
    }

    /// Whether segments leave at a rate: the sender's own, or the law's.
    fn paces(&self) -> bool {
        self.config.pacing || self.is_paced_by_law()
    }

    /// Only laws that hear of rates have one of their own: others are not asked for each packet.
    fn is_paced_by_law(&self) -> bool {
        (self.config.samples || self.explicit) && self.control.pacing_rate().is_some()
    }

    /// So many segments leave now: when the next may. Who had to wait for an acknowledgement, and not for the pacer, makes up
    /// for it by half of the time at most; the first ten of a connection are not paced (Linux `tcp_update_skb_after_send`).
    fn pace(&self, rack: &mut Rack, now: Instant, segments: u64) {
        let before = rack.release;
        rack.release = before.max(now);
        let early = rack.flight.transmissions();
        let exempt = if self.is_paced_by_law() {
            self.config.last_sent && early + segments < UNPACED
        } else {
            !self.config.pacing || early < UNPACED
        };
        if exempt {
            return;
        }
        let gap = if self.config.last_sent {
            self.control.gap_of(segments, self.config.packet)
        } else {
            self.gap_of_segment(rack.flight.out()).map(|gap| gap * segments)
        };
        let gap = gap.unwrap_or(Duration::ZERO);
        let late = rack.release.since(before);
        rack.release += Duration::from_nanos(gap.as_nanos() - late.as_nanos().min(gap.as_nanos() / 2));
    }
}
