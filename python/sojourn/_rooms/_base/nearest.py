"""The nearest name to one that is not known, and the question whether it was meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable

__all__ = ["few_names", "near_names", "nearest", "nearest_hint", "nearest_question"]

_LONG, _SHOWN = 400, 12


def near_names(name: object, names: Iterable[object], *, most: int, cutoff: float = 0.6) -> list[str]:
    """At most `most` names whose likeness to `name` is at least `cutoff`, from 0 to 1; the nearest is the first."""
    import difflib

    return difflib.get_close_matches(str(name), [str(one) for one in names], n=most, cutoff=cutoff)


def nearest(name: object, names: Iterable[object], *, cutoff: float = 0.6) -> str | None:
    """The name that is most like `name`; none if none is at least `cutoff` like it."""
    return next(iter(near_names(name, names, most=1, cutoff=cutoff)), None)


def nearest_question(
    name: object, names: Iterable[object], *, shown: Callable[[str], str] = str, cutoff: float = 0.6
) -> str:
    """The question ``did you mean NAME?``; empty where none is near. `shown` writes the name."""
    found = nearest(name, names, cutoff=cutoff)
    return "" if found is None else f"did you mean {shown(found)}?"


def nearest_hint(
    name: object, names: Iterable[object], *, shown: Callable[[str], str] = str, cutoff: float = 0.6
) -> str:
    """The same question as the last line of a message; empty where none is near."""
    question = nearest_question(name, names, shown=shown, cutoff=cutoff)
    return question and f"\n  hint:    {question}"


def few_names(allowed: str, *, alone: bool) -> str:
    """A list of allowed names for a message.

    Of a long list it has the beginning, or nothing where a hint says the name that is meant (`alone` is false).
    """
    names = allowed.split(", ")
    if len(allowed) <= _LONG or len(names) <= _SHOWN:
        return allowed
    return f"{', '.join(names[:_SHOWN])} and {len(names) - _SHOWN} more" if alone else ""
