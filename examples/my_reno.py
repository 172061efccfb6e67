"""Reno (RFC 5681) in Python: the window law of docs/own-queue.md, which moves as Sojourn's own does."""

from sojourn.own import Fraction, Number, WindowLaw


class MyReno(WindowLaw):
    """One segment more for each acknowledgement up to a threshold, then one for each round trip; half at a loss."""

    increase = Number(1.0, "Segments added per round trip.", least=0, most=1e6)
    decrease = Fraction("50%", "Part of the window that is kept.", least=0.01, most=0.99)

    def on_ack(self, acked):
        if acked.ece:
            return
        counted = min(acked.segments, 1.0)
        self.cwnd += counted if self.cwnd < self.ssthresh else self.increase * counted / self.cwnd

    def on_loss(self, event):
        self.ssthresh = self.cwnd = max(event.used * self.decrease, 2.0)

    def on_timeout(self, event):
        if event is not None:
            self.ssthresh = max(event.used * self.decrease, 2.0)
        self.cwnd = 1.0
