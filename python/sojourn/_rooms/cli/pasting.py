"""The lines to paste, on the screen and as data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..showing.text.prose import print_wrapped

if TYPE_CHECKING:
    from ..line.answer import Answered

__all__ = ["as_data", "print_pasted"]


def as_data(found: Answered, users: int, router: str | None, device: str) -> dict[str, Any]:
    """The answer for JSON, with the lines for a router in place of those of ``tc``."""
    from ..line.paste import system
    from ..line.shared import at_once

    data = found.to_dict()
    data["line"]["users"] = users
    if users > 1:
        data["line"]["window_s"] = at_once(found.line, users).line.window_s
    if router is None:
        return data
    for one in data["ranking"]:
        del one["tc"]
        pasted = system(router).text(found.line, one["name"], device)
        one |= {"for": router, "paste": list(pasted.lines), "undo": list(pasted.undo)}
    return data


def print_pasted(found: Answered, router: str | None, device: str) -> None:
    """Print the lines that set the best queue; nothing if that is the modem's own."""
    from ..line.paste import SYSTEMS, system
    from ..line.sentences import no_lines

    line, best = found.line, found.best.name
    lines = line.lines(best, device)
    if not lines:
        return
    print()
    if line.unsure:
        print_wrapped(no_lines(line.unsure), 0)
        return
    if router is None:
        rates = line.shaper.words(line.up_bps, line.down_bps, line.kind)
        text = (
            f"For a router with Linux, {device} towards the modem, until it restarts. {rates} The first line alone "
            f"undoes the others. For lines that last, or another router: --for {_either(SYSTEMS)}."
        )
        print_wrapped(text, 0)
        print("\n".join(lines))
        return
    one = system(router)
    pasted = one.text(line, best, device)
    for sentence in one.sentences(line, pasted):
        print_wrapped(sentence, 0)
    print("\n".join(["", *pasted.lines, "", "To undo:", *pasted.undo]))


def _either(names: Iterable[str]) -> str:
    """The names with commas, and *or* before the last.

    >>> _either(["linux", "openwrt", "vyos"]), _either(["linux"])
    ('linux, openwrt or vyos', 'linux')
    """
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last
