"""Words for how responsive a network is under load: a grade, and the draft's four classes.

The numbers are in the table ``responsiveness`` of a run with probes: see ``docs/quality.md``.
"""

from __future__ import annotations

import math

__all__ = ["CLASSES", "GRADES", "classed", "grade"]

GRADES = ((5.0, "A+"), (30.0, "A"), (60.0, "B"), (200.0, "C"), (400.0, "D"))
"""Grades of DSLReports (https://www.dslreports.com/faq/17930): by milliseconds of added latency, below."""
CLASSES = ((300.0, "poor"), (1000.0, "fair"), (6000.0, "good"))
"""Classes of draft-ietf-ippm-responsiveness-09 section 1.2: by round trips per minute, below; above: excellent."""


def grade(added_ms: float) -> str:
    """The letter for the latency that load adds, in milliseconds; empty where it is not known.

    >>> [grade(added) for added in (4.9, 5.0, 59.0, 199.0, 399.0, 400.0)]
    ['A+', 'A', 'B', 'C', 'D', 'F']
    """
    if math.isnan(added_ms):
        return ""
    return next((letter for bound, letter in GRADES if added_ms < bound), "F")


def classed(rpm: float) -> str:
    """The draft's word for a number of round trips per minute; empty where it is not known.

    >>> [classed(rpm) for rpm in (299.0, 300.0, 5999.0, 6000.0)]
    ['poor', 'fair', 'good', 'excellent']
    """
    if math.isnan(rpm):
        return ""
    return next((word for bound, word in CLASSES if rpm < bound), "excellent")
