"""A row of a forest plot: the claimed range, our number with its interval, and the number of the work."""

from __future__ import annotations

import math

from markupsafe import Markup

from .claims import Claim

__all__ = ["forest"]

_WIDE, _HIGH = 160.0, 16.0
_MARGIN = 0.06
"""Part of the width, on either side of the outermost number."""


def forest(claim: Claim) -> Markup:
    """The row as SVG: the claimed range is filled, ours is a point on its interval, the work's number a cross.

    Rows have units and sizes of their own, so each has its own scale; which side is claimed is the filled one.
    """
    low, high = claim.claimed
    ours = claim.ours
    if ours is None or not math.isfinite(ours.mean) or not (math.isfinite(low) or math.isfinite(high)):
        return Markup("")
    ends = [end if math.isfinite(end) else ours.mean for end in (ours.low, ours.high)]
    marks = [
        *ends,
        ours.mean,
        *(one for one in (low, high, claim.in_the_work) if one is not None and math.isfinite(one)),
    ]
    least, most = min(marks), max(marks)
    span = (most - least) or abs(most) or 1.0

    def at(value: float) -> float:
        inner = _WIDE * (1.0 - 2.0 * _MARGIN)
        return min(max(_WIDE * _MARGIN + inner * (value - least) / span, 0.0), _WIDE)

    left, right = (at(low) if math.isfinite(low) else 0.0), (at(high) if math.isfinite(high) else _WIDE)
    middle = _HIGH / 2.0
    parts = [f'<rect class="claimed" x="{left:.1f}" y="1" width="{right - left:.1f}" height="{_HIGH - 2.0:.0f}"/>']
    parts += [
        f'<path class="bound" d="M{at(bound):.1f} 1V{_HIGH - 1.0:.0f}"/>'
        for bound in (low, high)
        if math.isfinite(bound)
    ]
    parts.append(f'<path class="ours" d="M{at(ends[0]):.1f} {middle:.0f}H{at(ends[1]):.1f}"/>')
    parts.append(f'<circle class="ours" cx="{at(ours.mean):.1f}" cy="{middle:.0f}" r="3"/>')
    if (work := claim.in_the_work) is not None and math.isfinite(work):
        x, y = at(work), middle
        parts.append(f'<path class="work" d="M{x - 3.5:.1f} {y - 3.5}l7 7m0 -7l-7 7"/>')
    label = "claimed range, ours with its interval" + (", the work's number" if work is not None else "")
    return Markup(  # noqa: S704 - made here
        f'<svg class="forest" viewBox="0 0 {_WIDE:.0f} {_HIGH:.0f}" width="{_WIDE:.0f}" height="{_HIGH:.0f}" '
        f'role="img" aria-label="{label}">{"".join(parts)}</svg>'
    )
