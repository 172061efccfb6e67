"""``sojourn.check``: whether a queue that is written in Python keeps the rules of every queue, and its cost."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ... import _core
from .._base import door
from ._classes import register, registered
from ._counts import with_checks

if TYPE_CHECKING:
    from ._policy import Policy

__all__ = ["Conformance", "Promise", "check"]

_PACKETS = 20_000


@dataclass(frozen=True)
class Promise:
    """One promise of the conformance suite.

    Attributes
    ----------
    promise, doc
        Its short name, and its words.
    broken
        The fault, with its parameters and its place; None if there is none.
    """

    promise: str
    doc: str
    broken: str | None


@dataclass(frozen=True)
class Conformance:
    """The findings of the conformance suite; it is true if no rule was broken.

    Attributes
    ----------
    name
        Of the queue.
    findings
        One for each promise.
    call_us
        Mean processor time of one call of a hook, in microseconds; None if it was not measured.
    """

    name: str
    findings: tuple[Promise, ...]
    call_us: float | None

    @property
    def broken(self) -> tuple[Promise, ...]:
        """The promises that were broken."""
        return tuple(finding for finding in self.findings if finding.broken is not None)

    def __bool__(self) -> bool:
        return not self.broken

    def __str__(self) -> str:
        kept = len(self.findings) - len(self.broken)
        lines = [f"the queue {self.name!r} keeps {kept} of {len(self.findings)} promises"]
        width = max(len(finding.promise) for finding in self.findings)
        for finding in self.findings:
            word = "kept  " if finding.broken is None else "BROKEN"
            lines.append(f"  {word}  {finding.promise:<{width}}  {finding.doc}")
            if finding.broken is not None:
                lines += [f"          {' ' * width}  {line}" for line in finding.broken.splitlines()]
        if self.call_us is not None:
            lines.append(f"a call of a hook takes {self.call_us:.2f} us")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return door.html(self)


def check(policy: type[Policy] | str) -> Conformance:
    """Test a queue with the suite that every registered queue passes, and list the rules that it breaks.

    Parameters
    ----------
    policy
        A class, or the name of any queue.

    Examples
    --------
    >>> assert sojourn.check(Mine)  # doctest: +SKIP
    """
    name = policy if isinstance(policy, str) else policy.name
    findings = tuple(Promise(*found) for found in _core.promises(name))
    written: Any = registered().get(name) if isinstance(policy, str) else policy
    if getattr(written, "counts", ()):
        findings += (_counts(written),)
    conformance = Conformance(name, findings, None)
    return Conformance(name, findings, call_us(name)) if conformance else conformance


def _counts(policy: type[Policy]) -> Promise:
    """Whether the counts of a class equal the backlog, wherever the suite puts it."""
    register(with_checks(policy))
    try:
        broken = next((broken for _, _, broken in _core.promises(policy.name) if broken is not None), None)
    finally:
        register(policy)
    return Promise("counts", f"{', '.join(policy.counts)}: the count equals the packets that wait", broken)


def call_us(name: str, packets: int = _PACKETS) -> float | None:
    """Mean time of one call of a hook in microseconds, beyond that of a FIFO; None if it has no hooks in Python.

    The least of three measurements of the processor's time.
    """
    calls = _core.exercise(name, packets)
    if calls == 0:
        return None
    own, fifo = (min(_timed(kind, packets) for _ in range(3)) for kind in (name, "fifo"))
    return (own - fifo) / calls * 1e6


def _timed(name: str, packets: int) -> float:
    started = time.process_time()
    _core.exercise(name, packets)
    return time.process_time() - started
