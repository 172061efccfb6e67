"""Files that are named with ``--plugin``, and ``sojourn check``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ..scenario import shipped
from .guard import check_file, guarded

__all__ = ["check", "load_plugins"]


def load_plugins(files: Sequence[Path] | None) -> list[str]:
    """Load the files that are named with ``--plugin``; gives the names that they define."""
    names = []
    for file in files or ():
        check_file(file, "Python")
        from ..own._files import load

        names += load(file)
    return names


@guarded
def check(
    what: Annotated[
        str,
        typer.Argument(
            metavar="FILE.py|QUEUE", help="Python file with queues of your own, or a queue's name.", show_default=False
        ),
    ],
) -> None:
    """Run the conformance suite on your own queues.

    Names broken rules, and the time of a call of a hook. The exit code is 1 if a rule is broken.
    """
    from ..own._check import check as checked
    from ..scenario.queue_text import is_queue, parse_queue

    kind = is_queue(what)
    if kind and (name := parse_queue(what)["kind"]) != what:
        run = f"sojourn compare home_uplink --queue {shlex.quote(what)}"
        raise ValueError(
            f"sojourn check {what}: this is {kind}, and a check takes a name: it tries all values\n"
            f"  hint:    sojourn check {name}; with these values: {run}"
        )
    if not kind and shipped.find(Path(what)).exists() and not what.endswith(".py"):
        raise ValueError(
            f"sojourn check {what}: a check is for queues\n"
            f"  hint:    a scenario is checked when it is read: sojourn run {what}"
        )
    names = load_plugins([Path(what)]) if what.endswith(".py") else [what]
    found = [checked(name) for name in names]
    print("\n\n".join(map(str, found)))
    if not all(found):
        raise typer.Exit(1)
