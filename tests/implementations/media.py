"""Senders of media from their drafts: GCC (ietf-rmcat-gcc-02) and SCReAM (ietf-ccwg-rfc8298bis-screamv2-01).

The deviations that ours states in its headers are made here as well; names are those of the drafts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from .senders import NANO, PACKET, Receiver, Sender

HEADER = 40
GAP_MAX = 64.0
VIRTUAL_RTT = 0.025


def nanos(seconds: float) -> int:
    return round(seconds / NANO)


@dataclass
class Gcc(Sender):
    """The loss-based part, section 6. Rates in bits per second."""

    A_hat: float = 3e5
    As_hat: float = 3e5

    def gap(self) -> float:
        return min(8 * PACKET / min(max(min(self.As_hat, self.A_hat), 3e4), 2.5e6), GAP_MAX)

    def told(self, now: float, rtt: float, report: object) -> None:
        self.rtt = rtt if self.rtt is None else 0.875 * self.rtt + 0.125 * rtt
        self.A_hat, p = report  # type: ignore[misc]
        if p is None:
            return
        if p > 0.1:
            self.As_hat *= 1 - 0.5 * p
        elif p < 0.02:
            self.As_hat *= 1.05
        self.As_hat = min(max(self.As_hat, 3e4), 2.5e6)


@dataclass
class GccReceiver(Receiver):
    """The delay-based part, section 5, at the receiver. Times of the filter in milliseconds."""

    A_hat: float = 3e5
    m_hat: float = 0.0
    e: float = 0.1
    var_v_hat: float = 50.0
    del_var_th: float = 12.5
    state: str = "increase"
    # T(i) and t(i) of the last group; the group that is being received: its first T, its T, its t.
    before: tuple[float, float] | None = None
    group: tuple[float, float, float] | None = None
    inter_departures: list[float] = field(default_factory=list)
    groups: int = 0
    # When the estimate passed the threshold, how often in a row it was above, and what it and its time were last.
    over_since: float | None = None
    overs: int = 0
    last: tuple[float, float | None] = (0.0, None)
    packets: list[tuple[float, float]] = field(default_factory=list)
    average: float | None = None
    variance: float = 0.0
    rtt_s: float = 0.1
    updated: float | None = None
    reported: float = 3e5
    highest: int = -1
    counted: int = -1
    arrived: int = 0
    due: float | None = None

    def come(self, now: float, seq: int, sent_at: float, rtt: float | None) -> object | None:
        self.highest = max(self.highest, seq)
        self.arrived += 1
        self.rtt_s = rtt or self.rtt_s
        self.packets.append((now, 8.0 * self.size))
        self.receive(now, sent_at)
        if self.due is None:
            self.due = now + 1.0
        if self.A_hat < 0.97 * self.reported:
            self.reported = self.A_hat
            return self.A_hat, None
        return None

    def receive(self, now: float, sent_at: float) -> None:
        """Section 5.2: which group the packet belongs to."""
        if self.group:
            first, left, came = self.group
            in_burst = nanos(sent_at - first) <= 5_000_000
            arrives_in_burst = nanos(now - came) <= 5_000_000 and nanos(now - came) < nanos(sent_at - left)
            if in_burst or arrives_in_burst:
                self.group = (first, max(sent_at, left), now)
                return
        whole, self.group = self.group, (sent_at, sent_at, now)
        if whole is None:
            return
        _, left, came = whole
        before, self.before = self.before, (left, came)
        if before is None:
            return
        inter_departure = 1e3 * (left - before[0])
        self.filter(1e3 * (came - before[1]) - inter_departure, inter_departure)
        self.control(now, self.detect(now))

    def filter(self, d: float, inter_departure: float) -> None:
        """Section 5.3."""
        self.inter_departures = [*self.inter_departures, max(inter_departure, 1e-3)][-60:]
        f_max = max(1 / between for between in self.inter_departures)
        z = d - self.m_hat
        alpha = (1 - 0.01) ** (30 / (1000 * f_max))
        bounded = min(z, 3 * math.sqrt(self.var_v_hat))
        self.var_v_hat = max(alpha * self.var_v_hat + (1 - alpha) * bounded**2, 1.0)
        k = (self.e + 1e-3) / (self.var_v_hat + self.e + 1e-3)
        self.m_hat += z * k
        self.e = (1 - k) * (self.e + 1e-3)
        self.groups = min(self.groups + 1, 60)

    def detect(self, now: float) -> str:
        """Section 5.4, of the growth times the number of groups."""
        m = self.m_hat * self.groups
        m_before, then = self.last
        signal = "normal"
        if m > self.del_var_th:
            if self.over_since is None:
                self.over_since = now if then is None else then
            self.overs += 1
            if self.overs > 1 and nanos(now - self.over_since) >= 10_000_000 and m >= m_before:
                signal = "over"
        else:
            self.over_since, self.overs = None, 0
            if m < -self.del_var_th:
                signal = "under"
        if abs(m) - self.del_var_th <= 15:
            k_i = 0.00018 if abs(m) < self.del_var_th else 0.01
            passed = 0.0 if then is None else min(1e3 * (now - then), 100.0)
            self.del_var_th = min(max(self.del_var_th + passed * k_i * (abs(m) - self.del_var_th), 6.0), 600.0)
        self.last = (m, now)
        return signal

    def control(self, now: float, signal: str) -> None:
        """Section 5.5."""
        table = {
            ("over", "hold"): "decrease",
            ("over", "increase"): "decrease",
            ("normal", "hold"): "increase",
            ("normal", "decrease"): "hold",
            ("under", "increase"): "hold",
            ("under", "decrease"): "hold",
        }
        self.state = table.get((signal, self.state), self.state)
        self.packets = [(came, bits) for came, bits in self.packets if nanos(now - came) <= 500_000_000]
        r_hat = sum(bits for _, bits in self.packets) / 0.5
        since = 0.0 if self.updated is None else now - self.updated
        self.updated = now
        if self.state == "decrease":
            self.A_hat = min(self.A_hat, 0.85 * r_hat)
            if self.average is None:
                self.average, self.variance = r_hat, 0.0
            else:
                off = r_hat - self.average
                self.average += 0.05 * off
                self.variance = 0.95 * (self.variance + 0.05 * off**2)
        elif self.state == "increase":
            self.A_hat = min(self.increased(since, r_hat), max(self.A_hat, 1.5 * r_hat))
        self.A_hat = min(max(self.A_hat, 3e4), 2.5e6)

    def increased(self, since: float, r_hat: float) -> float:
        if self.average is not None:
            deviation = max(math.sqrt(self.variance), 0.05 * self.average)
            if abs(r_hat - self.average) <= 3 * deviation:
                bits_per_frame = self.A_hat / 30
                packets_per_frame = max(math.ceil(bits_per_frame / (PACKET * 8)), 1)
                alpha = 0.5 * min(since / (0.1 + self.rtt_s), 1.0)
                return self.A_hat + max(1000 * since, alpha * bits_per_frame / packets_per_frame)
            if r_hat > self.average:
                self.average = None
        return self.A_hat * 1.08 ** min(since, 1.0)

    def timer(self) -> float | None:
        return self.due

    def expire(self, now: float) -> object | None:
        if self.highest == self.counted:
            self.due = None
            return None
        expected = self.highest - self.counted
        p = max(expected - self.arrived, 0) / expected
        self.counted, self.arrived, self.due, self.reported = self.highest, 0, now + 1.0, self.A_hat
        return self.A_hat, p


@dataclass
class Scream(Sender):
    """Sections 4.1 to 4.4. Times in seconds, sizes in bytes."""

    ecn: str = "off"
    reduce_jitter: bool = False
    highest_rate: float = 2.5e6
    ref_wnd: float = 3000.0
    ref_wnd_i: float = 1.0
    ref_wnd_i_update_allowed: bool = True
    ref_wnd_delay_scale: float = 1.0
    s_rtt: float | None = None
    l4s_alpha: float = 0.0
    last_update_l4s_alpha_time: float = 0.0
    data_units_delivered: int = 0
    data_units_marked: int = 0
    qdelay_avg: float = 0.0
    qdelay_max_avg: float = 0.06
    qdelay_min_avg: float = 0.0
    qdelay_dev_avg: float = 0.0
    last_update_qdelay_avg_time: float = 0.0
    loss_detected: bool = False
    marked_since: bool = False
    last_congestion_detected_time: float = -math.inf
    last_reaction_to_congestion_time: float = -math.inf
    max_bytes_in_flight: float = 0.0
    max_bytes_in_flight_prev: float = 0.0
    round_began: float = 0.0
    rate_adjust_factor: float = 0.0
    target_bitrate: float = 3e4
    frame_at: float | None = None
    # Frames that wait: when they were made, and the rest of each. Packets without an acknowledgement: size, when
    # missed.
    frames: list[list[float]] = field(default_factory=list)
    units: dict[int, tuple[int, float | None]] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)
    highest: int = -1
    marks: int = 0
    reordering: int = 30_000_000
    least: float = math.inf
    data_unit_size: int = PACKET
    last_sent: float = 0.0

    def bytes_in_flight(self) -> int:
        return sum(size for seq, size in self.sizes.items() if seq > self.highest)

    def overhead(self) -> float:
        return 1.5 + (3.0 - 1.5) * self.ref_wnd_delay_scale

    def next_payload(self) -> int:
        return int(min(self.frames[0][1], PACKET - HEADER))

    def has_room(self) -> bool:
        if not self.units:
            return True
        size = self.next_payload() + HEADER if self.frames else HEADER
        return self.bytes_in_flight() + size <= self.ref_wnd * self.overhead()

    def gap(self) -> float:
        if self.frame_at is not None and not (self.frames and self.has_room()):
            return GAP_MAX
        pace_bitrate = max(50_000, self.target_bitrate) * 1.5
        scale = min(1.0, (self.target_bitrate / self.highest_rate - 0.8) / (1.0 - 0.8))
        pace_bitrate /= min(1.0, max(1 / 4, 1.0 - scale))
        return min(self.data_unit_size * 8 / pace_bitrate, GAP_MAX)

    def turn(self, now: float) -> bool:
        if self.frame_at is None:
            self.encode(now)
        return bool(self.frames) and self.has_room()

    def size(self) -> int:
        return self.next_payload() + HEADER

    def note_flight(self, now: float) -> None:
        if now - self.round_began >= (self.s_rtt or 0.0):
            self.max_bytes_in_flight_prev, self.max_bytes_in_flight = self.max_bytes_in_flight, 0.0
            self.round_began = now
        self.max_bytes_in_flight = max(self.max_bytes_in_flight, self.bytes_in_flight())

    def sent(self, now: float, seq: int) -> None:
        size = self.size()
        self.frames[0][1] -= size - HEADER
        if self.frames[0][1] <= 0:
            self.frames.pop(0)
        self.units[seq] = (size, None)
        self.sizes[seq] = size
        self.data_unit_size, self.last_sent = size, now
        self.note_flight(now)

    def encode(self, now: float) -> None:
        waits = now - self.frames[0][0] if self.frames else 0.0
        error = (waits - 0.02 / 4) / 0.02
        self.rate_adjust_factor = min(0.5, max(0.0, self.rate_adjust_factor + error / 16))
        self.frames.append([now, max(int(self.target_bitrate * 0.02 / 8), 1)])
        self.frame_at = now + 0.02

    def timer(self) -> float | None:
        return self.frame_at

    def expire(self, now: float) -> None:
        self.encode(now)
        if nanos(now - self.last_sent) > 500_000_000 and not self.has_room():
            self.units, self.sizes = {}, {}

    def told(self, now: float, rtt: float, report: object) -> None:
        highest, came, marks, delay = report  # type: ignore[misc]
        self.note_flight(now)
        bytes_newly_acked = sum(self.sizes[seq] for seq in self.sizes if self.highest < seq <= highest)
        acked = 0
        for seq in [seq for seq in self.units if seq <= highest]:
            size, missed = self.units[seq]
            if seq in came and highest - seq < 64:
                acked += 1
                if missed is not None:
                    self.reordering = max(self.reordering, nanos(now - missed))
                del self.units[seq]
            elif missed is None:
                self.units[seq] = (size, now)
            elif nanos(now - missed) > self.reordering:
                self.loss_detected = True
                del self.units[seq]
        self.highest = max(self.highest, highest)
        self.sizes = {seq: size for seq, size in self.sizes.items() if seq > self.highest}
        marked, self.marks = marks - self.marks, max(self.marks, marks)
        self.least = min(self.least, delay)
        self.s_rtt = rtt if self.s_rtt is None else self.s_rtt + (rtt - self.s_rtt) / 8
        self.rtt = round(self.s_rtt / NANO) * NANO
        self.update(now, delay - self.least, acked, marked, bytes_newly_acked)

    def update(self, now: float, qdelay: float, acked: int, marked: int, bytes_newly_acked: int) -> None:
        s_rtt, target = self.s_rtt or 0.0, 0.06
        # Section 4.2.1.3.
        self.data_units_delivered += acked
        self.data_units_marked += marked
        if self.data_units_delivered and now - self.last_update_l4s_alpha_time >= min(0.01, s_rtt):
            fraction = self.data_units_marked / self.data_units_delivered
            if fraction >= self.l4s_alpha:
                self.l4s_alpha = fraction / 8 + (1 - 1 / 8) * self.l4s_alpha
            else:
                self.l4s_alpha *= 1 - 1 / 128
            self.last_update_l4s_alpha_time, self.data_units_delivered, self.data_units_marked = now, 0, 0
        # Section 4.2.1.4.
        if self.reduce_jitter:
            self.qdelay_max_avg = min(target, max(qdelay, self.qdelay_max_avg))
            self.qdelay_min_avg = min(qdelay, self.qdelay_min_avg)
        if now - self.last_update_qdelay_avg_time >= min(VIRTUAL_RTT, s_rtt):
            self.qdelay_avg = qdelay if qdelay < self.qdelay_avg else qdelay / 4 + (1 - 1 / 4) * self.qdelay_avg
            if self.reduce_jitter:
                self.qdelay_max_avg *= 1 - 1 / 16
                self.qdelay_min_avg = self.qdelay_min_avg * (1 - 1 / 16) + self.qdelay_max_avg / 16
                between = self.qdelay_max_avg - self.qdelay_min_avg
                self.qdelay_dev_avg = (1 - 1 / 32) * self.qdelay_dev_avg + between / 32
                self.ref_wnd_delay_scale = max(0.0, min(1.0, 1.0 - self.qdelay_dev_avg / 0.01))
            self.last_update_qdelay_avg_time = now
        # Section 4.2.2.1.
        self.marked_since |= marked > 0
        scl_t = max(0.1, min(1.0, ((self.ref_wnd - self.ref_wnd_i) / self.ref_wnd_i * 8) ** 2))
        if self.loss_detected or self.marked_since:
            self.last_congestion_detected_time = now
        since = now - self.last_reaction_to_congestion_time
        loss = ce = virtual_ce = False
        if since >= min(VIRTUAL_RTT, s_rtt):
            loss = self.loss_detected
            ce = not loss and self.marked_since
            virtual_ce = not (loss or ce) and self.qdelay_avg > target / 2
        if (loss or ce or virtual_ce) and self.ref_wnd_i_update_allowed:
            self.ref_wnd_i, self.ref_wnd_i_update_allowed = self.ref_wnd, False
        if loss:
            self.ref_wnd *= 0.7
        if ce and self.ecn == "classic":
            self.ref_wnd *= 0.8
        elif ce:
            backoff_t = self.l4s_alpha / 2 / max(1.0, s_rtt / VIRTUAL_RTT)
            if qdelay < target * 0.25:
                backoff_t *= max(0.25, scl_t) * max(0.25, self.ref_wnd_delay_scale)
            if since > 100 * max(VIRTUAL_RTT, s_rtt):
                self.ref_wnd = min(self.ref_wnd, self.max_bytes_in_flight_prev)
            self.ref_wnd *= 1 - backoff_t
        if virtual_ce:
            l4s_alpha_v_t = min(1.0, max(0.0, (self.qdelay_avg - target / 2) / (target / 2)))
            self.ref_wnd *= 1 - l4s_alpha_v_t / 2 / max(1.0, s_rtt / VIRTUAL_RTT)
        self.ref_wnd = max(3000.0, self.ref_wnd)
        if loss or ce or virtual_ce:
            self.last_reaction_to_congestion_time = now
            self.loss_detected = self.marked_since = False
        # Section 4.2.2.2.
        calm = max(0.0, min(1.0, (now - self.last_congestion_detected_time) / (100 * max(VIRTUAL_RTT, s_rtt))))
        bytes_newly_acked_ce = bytes_newly_acked * min(marked / acked, 1.0) if acked else 0.0
        increment_t = (bytes_newly_acked - bytes_newly_acked_ce) * min(1.0, PACKET / self.ref_wnd)
        increment_t *= min(1.0, s_rtt / VIRTUAL_RTT) * max(0.25, scl_t) * max(0.1, self.ref_wnd_delay_scale)
        increment_t *= 1.0 + 0.02 * self.ref_wnd / PACKET * calm * scl_t
        max_allowed_t = PACKET + max(self.max_bytes_in_flight, self.max_bytes_in_flight_prev) * 1.5
        if self.ref_wnd + increment_t <= max_allowed_t and self.target_bitrate < self.highest_rate and increment_t > 0:
            self.ref_wnd += increment_t
            self.ref_wnd_i_update_allowed = True
        # Section 4.4.
        tmp_t = 1.0 - min(0.2, max(0.0, min(1.0, PACKET / self.ref_wnd) - 0.1))
        tmp_t *= (PACKET - HEADER) / PACKET
        tmp_t /= 1.2 + self.rate_adjust_factor
        self.target_bitrate = min(self.highest_rate, max(3e4, tmp_t * 8 * self.ref_wnd / s_rtt))


@dataclass
class ScreamReceiver(Receiver):
    """Section 5: after more than 16 data units, after a frame, and 40 ms after the first."""

    seen: set[int] = field(default_factory=set)
    marks: int = 0
    highest: int = -1
    delay: float = 0.0
    count: int = 0
    due: float | None = None

    def come(self, now: float, seq: int, sent_at: float, rtt: float | None) -> object | None:
        self.seen.add(seq)
        self.marks += self.marked
        if seq > self.highest:
            self.highest, self.delay = seq, int(nanos(now - sent_at) / 1000) * 1e-6
        self.count += 1
        if self.due is None:
            self.due = now + 0.04
        return self.tell() if self.count > 16 or self.size < PACKET else None

    def tell(self) -> object:
        self.count, self.due = 0, None
        self.seen = {seq for seq in self.seen if seq > self.highest - 64}
        return self.highest, frozenset(self.seen), self.marks, self.delay

    def timer(self) -> float | None:
        return self.due

    def expire(self, now: float) -> object:
        return self.tell()
