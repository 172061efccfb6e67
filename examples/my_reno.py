"""Reno (RFC 5681) in Python: the window law of docs/own-queue.md, which moves as Sojourn's own does."""

from sojourn.own import Fraction, Number, WindowLaw


class MyReno(WindowLaw):
    """One segment more for each round trip; half at a loss."""

    increase = Number(1.0, "Segments added per round trip.", least=0.001, most=1e6)
    decrease = Fraction("50%", "Part of the window that is kept.", least=0.01, most=0.99)

    def needed(self, acked):
        return self.cwnd / self.increase

    def kept(self, event):
        return event.used * self.decrease
