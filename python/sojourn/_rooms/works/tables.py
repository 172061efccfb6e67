"""Printed tables as claims."""

from __future__ import annotations

from collections.abc import Mapping

from .claims import Claim, Inside, Sample, combine, factor, scaled

__all__ = ["in_the_table"]


def in_the_table(
    text: str,
    ours: Mapping[str, Sample],
    printed: Mapping[str, tuple[float, float]],
    *,
    source: str,
    unit: str = "",
    error_is: str = "its half width",
    contradiction: str = "",
) -> Claim:
    """Whether our numbers are those of a table, whose own errors are the tolerance.

    It holds if our whole interval lies within the printed one in every cell, and fails if both lie apart in one
    (Bonferroni). The cell nearest to failing is shown, in units of the printed errors.

    Parameters
    ----------
    ours, printed
        By cell: a sample, and a number with its half width, both in the units of the tables.
    error_is
        The source's name for the error, for the words of the rule.
    """
    cells = {
        name: scaled(Inside(value - error, value + error).of(ours[name]), error)
        for name, (value, error) in printed.items()
    }
    judgement = combine(cells)
    value, error = printed[judgement.case]
    shown = f"{value * factor(unit):.4g} ± {error * factor(unit):.2g} {unit}".rstrip()
    return Claim.judged(
        text,
        judgement,
        rule=f"in each of {len(cells)} cells our interval lies within the printed value ± {error_is}",
        source=source,
        unit=unit,
        published=value,
        note=f"printed {shown}",
        contradiction=contradiction,
    )
