"""``sojourn init``: a first scenario to change, with the schema that editors need to help."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from .._base.files import together, write_whole
from ..works.folders import folder_of, own_folders, search_folders
from . import complete
from .guard import check_output, guarded

__all__ = ["init"]

_SCHEMA = "sojourn.schema.json"
_SCENARIO = Path("scenario.toml")
_WORK = Path(__file__).resolve().parents[2] / "_work"
"""The files of a work to begin with."""
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

_TEMPLATE = """title = "Four downloads and a call on 10 Mbit/s"
duration = "60s"
# Metrics leave out this time at the beginning.
warmup = "10s"

# One bottleneck that all flows share. Its round-trip time is 2 (delay + 2 access.delay) = 44 ms.
[dumbbell]
rate = "10Mbit"
# reverse_rate = "50Mbit"  # for a line with another rate in the other direction
delay = "20ms"
access = { rate = "1Gbit", delay = "1ms" }
# The queue in question. `sojourn list queues` shows the names, `sojourn explain codel` the parameters.
queue = { kind = "codel", limit = "100p" }
mean_packet = "1500B"

# A group of flows that are alike. `sojourn list transports` and `sojourn list traffic` show what there is.
[[flow]]
name = "downloads"
count = 4
transport = { kind = "tcp", profile = "linux", packet = "1500B" }
app = "bulk"
start = { spread = "2s" }

[[flow]]
name = "call"
transport = { kind = "udp", packet = "200B" }
app = { kind = "cbr", rate = "80kbit" }

# Series for plots. Without them a report shows numbers only.
[record]
queue = "10ms"
cwnd = "50ms"
"""


@guarded
def init(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="The scenario file to write.")] = _SCENARIO,
    work: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="Write the folder of a published work instead: papers/KEY, or the folder KEY if it names a place.",
            show_default=False,
        ),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Begin with a copy of this scenario; see: sojourn list scenarios.",
            show_default=False,
            autocompletion=complete.packaged,
        ),
    ] = None,
) -> None:
    """Write a first scenario file, or a first work.

    Both have comments and can be run unchanged. The schema with which editors check a scenario is written beside it.
    """
    from ... import _core
    from ..scenario import shipped

    if work is not None:
        if like is not None or file != _SCENARIO:
            raise ValueError("--work writes a folder of its own files; leave out FILE.toml and --like")
        _init_work(work)
        return
    if file.suffix != ".toml":
        raise ValueError(f"{file}: a scenario is a TOML file; give a name that ends in .toml")
    if file.exists():
        raise ValueError(f"{file} is there already; nothing was written\n  hint:    give another name")
    if not file.parent.is_dir():
        raise ValueError(f"{file}: there is no directory {file.parent}")
    text = _TEMPLATE if like is None else shipped.path(like).read_text(encoding="utf-8")
    schema = file.parent / _SCHEMA
    check_output(file, "FILE")
    with together(file.parent) as place:
        write_whole(place / _SCHEMA, _core.schema())
        write_whole(place / file.name, f"#:schema ./{_SCHEMA}\n{text}")
    print(f"wrote {file} and {schema}, by which editors check it", file=sys.stderr)
    print(
        f"next: sojourn run {file}\n      sojourn compare {file} --queue fifo,codel,fq_codel --report report.html",
        file=sys.stderr,
    )


def _init_work(key: str) -> None:
    """The folder of a work: `key` is a path if it has a separator, else a name among the user's works."""
    folder = Path(key) if "/" in key or os.sep in key else search_folders()[0] / key
    if not _KEY.fullmatch(folder.name):
        raise ValueError(f"--work {key}: a key has letters, digits, '.', '-' and '_', such as floyd1993")
    if folder.exists():
        raise ValueError(f"{folder} is there already; nothing was written\n  hint:    give another key")
    if folder.parent == search_folders()[0] and folder_of(key) and key not in own_folders():
        raise ValueError(f"--work {key}: a work with this key comes with Sojourn\n  hint:    give another key")
    named = key if folder.parent == search_folders()[0] else f"./{folder}" if not folder.is_absolute() else str(folder)
    files = sorted(file.relative_to(_WORK) for file in _WORK.rglob("*") if file.is_file())
    with together(folder) as place:
        for file in files:
            text = (_WORK / file).read_text(encoding="utf-8")
            (place / file).parent.mkdir(exist_ok=True)
            write_whole(place / file, text.replace("KEY", named) if file.suffix == ".md" else text)
    print(f"wrote {folder}: {', '.join(file.as_posix() for file in files)}", file=sys.stderr)
    print(
        f"next: sojourn reproduce {named}\n      sojourn reproduce {named} --full --record",
        file=sys.stderr,
    )
