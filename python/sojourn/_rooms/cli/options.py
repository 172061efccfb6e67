"""Options and arguments that several commands have: each is declared once, here.

An option whose words depend on the command is a function of them. It makes the annotation of a parameter::

    seeds: Annotated[str | None, options.seeds("Default: 20.")] = None
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from . import complete

__all__ = [
    "BaseRtt",
    "Json",
    "Metrics",
    "On",
    "Out",
    "Plugins",
    "Report",
    "Scenario",
    "Seeds",
    "Set",
    "Tcp",
    "Until",
    "Workers",
    "check_until",
    "json_instead_of",
    "queue",
    "queues",
    "scenario",
    "seeds",
    "seeds_of",
]


def scenario(words: str) -> Any:
    """A scenario, by its file or by its name; the words are added to the help."""
    return typer.Argument(
        metavar="SCENARIO",
        help=f"Scenario file (TOML), or the name of one that comes with Sojourn: {words}",
        show_default=False,
        autocompletion=complete.scenarios,
    )


def seeds(words: str = "", *, show_default: bool = False) -> Any:
    """Seeds of runs; the words give the default."""
    return typer.Option(
        metavar="N|A-B|A,B",
        help=f"Number of seeds, a range or a list: 20 is 1-20. {words}".rstrip(),
        show_default=show_default,
    )


def seeds_of(words: str, *, show_default: bool = True) -> Any:
    """Seeds of one of several parts of a command; the words name the part."""
    return typer.Option(metavar="N|A-B|A,B", help=f"Seeds of {words}", show_default=show_default)


def queues(words: str, *, show_default: bool | str = False) -> Any:
    """Queues with their parameters; the words give their use."""
    return typer.Option(metavar="A,B:key=value", help=words, show_default=show_default, autocompletion=complete.queues)


def queue(words: str, *, show_default: bool = False) -> Any:
    """One queue with its parameters; the words give its use."""
    return typer.Option(metavar="NAME:key=value", help=words, show_default=show_default, autocompletion=complete.queues)


def json_instead_of(words: str) -> Any:
    """Results as JSON; the words name the output without it."""
    return typer.Option("--json", help=f"Print JSON instead of {words}.")


Scenario = Annotated[Path, scenario("sojourn list scenarios.")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a value of the scenario, such as dumbbell.rate=10Mbit. May be repeated.",
        autocompletion=complete.keys,
    ),
]
Tcp = Annotated[
    str | None,
    typer.Option(
        "--tcp",
        metavar="NAME=VALUE ...",
        help='Settings of all TCP senders in Linux\'s names: "tcp_congestion_control=bbr tcp_ecn=1 initcwnd 20".',
        show_default=False,
    ),
]
Plugins = Annotated[
    list[Path] | None,
    typer.Option(
        "--plugin",
        metavar="FILE.py",
        help="Python file with queues or window laws of your own; Sojourn executes it. May be repeated.",
        show_default=False,
    ),
]
Seeds = Annotated[str | None, seeds()]
Until = Annotated[
    str | None,
    typer.Option(
        metavar="decided|2%|decided:2%",
        help="Stop when the best queue is decided, each mean is known within 2 %, or no difference above 2 % is left.",
        show_default=False,
    ),
]
Workers = Annotated[
    int | None, typer.Option(metavar="N", help="Runs at a time; by default one for each core.", show_default=False)
]
On = Annotated[
    str, typer.Option(metavar="PLACE", help="Where it runs: local, dask://HOST:PORT or dask+tls://HOST:PORT.")
]
BaseRtt = Annotated[str, typer.Option(metavar="TIME", help="Round-trip time for laws.")]
Metrics = Annotated[
    str | None,
    typer.Option(
        metavar="A,B",
        help="[TABLE.]COLUMN[@ROW], such as utilisation,group.goodput_mean_bps@call; see: sojourn list metrics.",
        show_default=False,
        autocompletion=complete.measures,
    ),
]
Json = Annotated[bool, json_instead_of("tables")]
Out = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Study directory: keeps every finished run and never repeats one."),
]
Report = Annotated[Path | None, typer.Option(metavar="FILE.html", help="Write a self-contained report.")]


def check_until(until: str | None) -> None:
    """Refuse what is no end of a study, before anything is read."""
    if until is not None:
        from ..statistics.questions import Question

        Question.parse(until, "--until")
