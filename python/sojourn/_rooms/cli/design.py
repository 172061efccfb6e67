"""``sojourn design``: the command and its output; :mod:`cli.design_rules` has the rules."""

from __future__ import annotations

import math
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .._base.checks import shortened
from .._base.nearest import nearest_question
from ..showing.text.prose import width
from . import complete, options
from .design_rules import FULL_BUFFER, IN_ANOTHER, OF_DELAY, RULES, Given, bytes_of_packet, load_of, options_of
from .guard import guarded, print_json

if TYPE_CHECKING:
    from ..models.design.basics import Design, Step

__all__ = ["design"]


@guarded
def design(
    rule: Annotated[
        str,
        typer.Argument(
            metavar="RULE",
            help="codel, fq_codel, pie, p, pi, red, avq, lred, ared or psand.",
            show_default=False,
            autocompletion=complete.rules,
        ),
    ],
    flows: Annotated[str | None, typer.Option(metavar="N", help="Least number of flows.", show_default=False)] = None,
    rtt: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Greatest round-trip time; with the queue's delay, except for codel, fq_codel and pie.",
            show_default=False,
        ),
    ] = None,
    propagation: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Instead of --rtt: without the queue's delay; --limit adds it.", show_default=False
        ),
    ] = None,
    rate: Annotated[
        str | None, typer.Option(metavar="RATE", help="Rate of the link: 10Mbit.", show_default=False)
    ] = None,
    packet: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Mean packet; 1000B. The largest one for codel, fq_codel and pie; 1514B.",
            show_default=False,
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="PACKETS", help="Target of the queue: 25p.", show_default=False),
    ] = None,
    limit: Annotated[str | None, typer.Option(metavar="PACKETS", help="The buffer: 100p.", show_default=False)] = None,
    max_p: Annotated[
        str | None, typer.Option("--max-p", metavar="P", help="p, red: greatest probability.", show_default=False)
    ] = None,
    frequency: Annotated[
        str | None, typer.Option(metavar="HZ", help="pi: updates per second; 170.", show_default=False)
    ] = None,
    utilisation: Annotated[
        str | None, typer.Option(metavar="PART", help="avq: desired part of the link; 1.", show_default=False)
    ] = None,
    reading: Annotated[
        str | None, typer.Option(metavar="NAME", help="avq: printed or lead; printed.", show_default=False)
    ] = None,
    delay: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Target delay: ared, codel, fq_codel; 5ms. pie; 15ms.", show_default=False),
    ] = None,
    coef: Annotated[str | None, typer.Option(metavar="X", help="psand: 1.75.", show_default=False)] = None,
    gamma: Annotated[str | None, typer.Option(metavar="X", help="psand: 1.5.", show_default=False)] = None,
    json: Annotated[bool, options.json_instead_of("TOML with comments")] = False,
) -> None:
    """Design a queue for flows, round-trip time and rate.

    Prints its parameters to seven digits (PI's to more), ready for a scenario, with the source of each. --json has
    all digits.
    """
    texts = {
        "flows": flows,
        "rtt": rtt,
        "propagation": propagation,
        "rate": rate,
        "target": target,
        "limit": limit,
        "max-p": max_p,
        "frequency": frequency,
        "utilisation": utilisation,
        "reading": reading,
        "delay": delay,
        "coef": coef,
        "gamma": gamma,
    }
    rule = _rule(rule)
    given = Given(rule, texts, set())
    found = _computed(given, bytes_of_packet(packet or ("1514B" if rule in OF_DELAY else "1000B")))
    idle = [name for name, text in texts.items() if text is not None and name not in given.used]
    if idle:
        raise ValueError(f"{rule}: --{idle[0]} has no meaning for it\n  allowed: {options_of(given)}")
    if json:
        print_json(_as_json(rule, found))
    else:
        print(_as_toml(found))


def _rule(written: str) -> str:
    """The rule of this name, however its words are joined; if there is none, a message with the nearest one."""
    from ..catalogue.names import plain_name
    from ..scenario.scenario import queue_parameters

    plain = plain_name(written)
    by_plain = {plain_name(name): name for name in RULES}
    if plain in by_plain:
        return by_plain[plain]
    near = nearest_question(plain, by_plain, shown=by_plain.__getitem__, cutoff=0.7)
    if written.lower() in IN_ANOTHER:
        hint = IN_ANOTHER[written.lower()]
    elif plain in (queues := {plain_name(name): name for name in queue_parameters()}):
        name = queues[plain]
        hint = f"{name} is a queue without a rule: `sojourn explain {name}` has its defaults and their sources"
    elif near:
        hint = near
    else:
        hint = "`sojourn explain NAME` has the defaults of each queue and their sources"
    raise ValueError(f"there is no rule {shortened(repr(written))}\n  allowed: {', '.join(RULES)}\n  hint:    {hint}")


def _computed(given: Given, packet_bytes: float) -> Design:
    """The result of the rule; a message if its numbers exceed those of a computer."""
    import numpy as np

    try:
        with np.errstate(all="ignore"):
            found = RULES[given.rule](given, packet_bytes)
        finite = all(math.isfinite(step.value) for step in found.steps)
    except (OverflowError, ZeroDivisionError):
        finite = False
    except ValueError as error:
        # This is scipy's message when it looks for a root and meets NaN.
        if "NaN" not in str(error):
            raise
        finite = False
    if not finite:
        raise ValueError(
            f"{given.rule}: with these numbers a value on the way is too large or too small to be computed\n"
            "  hint:    check the units of flows, round-trip time, rate and packet"
        )
    _check_taken(given.rule, found.queue)
    greatest = _greatest_rtt(given, packet_bytes)
    return found if greatest is None else replace(found, steps=(greatest, *found.steps))


def _check_taken(rule: str, queue: Mapping[str, Any]) -> None:
    """Refuse values that a scenario would refuse, such as a weight of 1e-19; its own reader decides."""
    from .._base.toml import inline
    from ..scenario.scenario import Scenario, ScenarioError

    try:
        Scenario.load("red_classic", overrides=[f"dumbbell.queue={inline(_digits(queue))}"])
    except ScenarioError as error:
        name = error.key.rpartition(".")[2]
        raise ValueError(
            f"{rule}: the queue refuses the parameters from these numbers: {name}: {error.what}\n"
            + (f"  found:   {error.found}\n" if error.found else "")
            + (f"  allowed: {error.allowed}\n" if error.allowed else "")
            + "  hint:    check the units of flows, round-trip time, rate and packet"
        ) from None


def _digits(queue: Mapping[str, Any]) -> dict[str, Any]:
    """The queue with the digits that it is printed with.

    They are seven, and more for PI's `a` and `b`: their difference is the gain of its integrator.
    """
    digits = 7
    if queue["kind"] == "pi" and queue["a"] > queue["b"]:
        digits = min(17, 7 + math.ceil(math.log10(queue["a"] / (queue["a"] - queue["b"]))))
    return {name: float(f"{value:.{digits}g}") if isinstance(value, float) else value for name, value in queue.items()}


def _greatest_rtt(given: Given, packet_bytes: float) -> Step | None:
    """How R+ came about, where it is not given."""
    from ..models.design.basics import Step

    if given.texts["propagation"] is None or "propagation" not in given.used:
        return None
    return Step("R+", load_of(given, packet_bytes).rtt_s, "s", "propagation + limit / C", FULL_BUFFER)


def _as_toml(found: Design) -> str:
    """The queue as a line of TOML, between comments: the whole is TOML, too."""
    from .._base.toml import inline

    lines = [f"# {found.title}", f"queue = {inline(_digits(found.queue))}", "#"]
    cells = [(step.name, f"{step.value:.6g} {step.unit}".rstrip(), step.formula, step.source) for step in found.steps]
    every = [one for *_, source in cells for one in source.split("; ")]
    numbers = {one: number for number, one in enumerate(dict.fromkeys(every), start=1)}
    widths = [max(len(row[i]) for row in cells) for i in range(3)]
    for name, value, formula, source in cells:
        sources = "".join(f"[{numbers[one]}]" for one in source.split("; "))
        lines.append(f"# {name:<{widths[0]}} = {value:<{widths[1]}}  {formula:<{widths[2]}}  {sources}")
    lines += ["#", *(f"# [{number}] {one}" for one, number in numbers.items())]
    if found.margins is not None:
        lines += ["#", _comment(_margins(found))]
    lines += [_comment(note) for note in found.notes]
    return "\n".join(lines)


def _comment(text: str) -> str:
    """A comment; on a terminal wrapped to its width."""
    if not sys.stdout.isatty():
        return f"# {text}"
    return textwrap.fill(text, width(), initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)


def _margins(found: Design) -> str:
    if found.margins is None:
        return ""
    one = found.margins
    if math.isnan(one.crossover):
        return f"margins: gain {one.gain:.4g}; the loop's gain is below 1 at all frequencies"
    # A margin that is used up is 0, without a rest from rounding.
    decibels, phase, delay = (
        round(x, 6) + 0.0 for x in (20.0 * math.log10(one.gain), one.phase_deg, one.delay_s * 1e3)
    )
    return (
        f"margins: gain {one.gain:.4g} ({decibels:.1f} dB), phase {phase:.3g}°, delay {delay:.4g} ms; "
        f"the gain is 1 at {one.crossover:.4g} rad/s"
    )


def _as_json(rule: str, found: Design) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "rule": rule,
        "title": found.title,
        "queue": dict(found.queue),
        "steps": [asdict(step) for step in found.steps],
        "margins": None if found.margins is None else asdict(found.margins),
        "notes": list(found.notes),
    }
