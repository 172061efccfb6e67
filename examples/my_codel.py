"""CoDel (RFC 8289) in Python: the queue of docs/own-queue.md, which decides as Sojourn's own does."""

from math import floor, sqrt

from sojourn.own import DROP, Bytes, Policy, Size, Time

SENDING, ENTERED, DROPPING, DROPPED = range(4)


class MyCodel(Policy):
    """Drops at the head when packets have waited longer than a target for a whole interval, ever more often."""

    limit = Size("1000p", "The most that may wait.", least=0)
    target = Time("5ms", "Acceptable standing wait.")
    interval = Time("100ms", "How long the wait has to stay above it.", least="1ns")
    mtu = Bytes("1500B", "Nothing is dropped while at most so many bytes wait behind the packet.")
    probes = ("count",)

    def __init__(self):
        self.first_above = None  # when the wait will have been above the target for an interval
        self.state, self.count, self.last_count = SENDING, 0, 0
        self.drop_next = -(10**18)  # long ago

    def on_departure(self, now_ns, packet, queue, rng):
        ok = self.ok_to_drop(now_ns, now_ns - packet.enqueued_ns, queue.shared_bytes)
        if self.state == SENDING:
            return self.enter(now_ns) if ok else None
        if self.state == ENTERED:
            self.state = DROPPING  # the packet that follows the first drop goes out without a test
            return None
        if not ok:
            self.state = SENDING
            return None
        if self.state == DROPPED:
            self.drop_next = self.control_law(self.drop_next)
        self.state = DROPPING if now_ns < self.drop_next else DROPPED
        self.count += self.state == DROPPED
        return DROP("sojourn") if self.state == DROPPED else None

    def ok_to_drop(self, now_ns, sojourn_ns, bytes_behind):
        if sojourn_ns < self.target or bytes_behind <= self.mtu:
            self.first_above = None
            return False
        if self.first_above is None:
            self.first_above = now_ns + self.interval
        return now_ns >= self.first_above

    def enter(self, now_ns):
        recent = now_ns < self.drop_next + 16 * self.interval
        self.count = max(self.count - self.last_count, 1) if recent else 1
        self.last_count, self.state = self.count, ENTERED
        self.drop_next = self.control_law(now_ns)
        return DROP("sojourn")

    def control_law(self, then_ns):
        return then_ns + floor(self.interval * (1 / sqrt(self.count)) + 0.5)

    def on_idle(self, now_ns):
        self.first_above = None
        self.state = DROPPING if self.state == ENTERED else SENDING
