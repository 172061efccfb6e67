"""The parameter by which the source of a queue says that it is tuned, and the values that a frontier tries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["FACTORS", "TUNABLE", "Tunable"]

FACTORS = (0.2, 0.4, 1.0, 2.0, 4.0, 10.0)
"""Values around the queue's own one: 1, 2, 5, 10, 20 and 50 ms around 5 ms."""


@dataclass(frozen=True, slots=True)
class Tunable:
    """A parameter that sets where on its curve a queue works.

    Attributes
    ----------
    parameter
        Its name.
    source
        Where it is called so.
    values
        The values that are tried; without any, the queue's own one times :data:`FACTORS`.
    """

    parameter: str
    source: str
    values: Sequence[str] = ()


_BUFFER = Tunable(
    "limit",
    "Appenzeller, Keslassy and McKeown 2004: the size of a buffer, in parts of rate times delay",
    ("0.1BDP", "0.25BDP", "0.5BDP", "1BDP", "2BDP", "4BDP"),
)
_RED = (
    Tunable("target_delay", "Floyd, Gummadi and Shenker 2001, section 4: the average delay that an operator chooses"),
    Tunable("max_p", "Floyd and Jacobson 1993, section 6"),
)
_CODEL = (Tunable("target", "RFC 8289 section 4.3"),)
_PIE = (Tunable("target", "RFC 8033 section 4.2: QDELAY_REF"),)

TUNABLE: dict[str, Sequence[Tunable]] = {
    "fifo": (_BUFFER,),
    "codel": _CODEL,
    "cobalt": _CODEL,
    "fq_codel": (Tunable("target", "RFC 8290 section 5.2.2"),),
    "pie": _PIE,
    "sch_pie": _PIE,
    "fq_pie": _PIE,
    "pi2": (Tunable("target", "De Schepper et al. 2016, table 1"),),
    "dualpi2": (Tunable("target", "RFC 9332 appendix A"),),
    "sch_dualpi2": (Tunable("target", "RFC 9332 appendix A"),),
    "cake": (Tunable("rtt", "tc-cake: round-trip times of its words", ("10ms", "30ms", "100ms", "300ms", "1s")),),
    "pi": (Tunable("q_ref", "Hollot, Misra, Towsley and Gong 2001"),),
    "rem": (Tunable("q_ref", "Athuraliya, Li, Low and Yin 2001: b*"),),
    "avq": (Tunable("gamma", "Kunniyur and Srikant 2001", ("0.9", "0.94", "0.96", "0.98", "0.99", "1")),),
    "blue": (Tunable("freeze_time", "Feng, Kandlur, Saha and Shin 1999"),),
    "sch_red": (Tunable("probability", "tc-red(8)"),),
}
"""By name of a queue, the first one that has an effect there."""

TRIED = (*_RED[:1], _CODEL[0], Tunable("q_ref", "the target of the queue"), *_RED[1:], _BUFFER)
"""For queues that are not in the table: those of the family that has the parameter, and at last the buffer."""
