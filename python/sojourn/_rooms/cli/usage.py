"""Wrong words of a command get one message like any other: the found and the allowed values, and an example."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from .._base.checks import printable
from .._base.nearest import nearest_question
from ..showing.text import prose

__all__ = ["EXAMPLES", "Commands", "message"]

# An example of each command, which its help ends with, too.
EXAMPLES = {
    "run": "sojourn run red_classic --seed 3",
    "compare": "sojourn compare home_uplink --queue fifo,codel,fq_codel --seeds 5",
    "evaluate": "sojourn evaluate codel --quick --report codel.html",
    "sweep": "sojourn sweep red_classic --over dumbbell.queue.max_p=0.02,0.1 --seeds 5",
    "tune": "sojourn tune red_classic --over dumbbell.queue.max_p=0.01..0.5:log --objective sojourn_mean_ms",
    "reproduce": "sojourn reproduce haider2005 --quick",
    "init": "sojourn init mine.toml",
    "report": "sojourn report DIR, where DIR is the folder of --out",
    "check": "sojourn check mine.py",
    "replay": "sojourn replay arrivals.csv --rate 10Mbit --queue fifo,codel",
    "export": "sojourn export home_uplink --as csv --out out",
    "design": "sojourn design pi --flows 100 --rtt 200ms --rate 10Mbit",
    "fluid": "sojourn fluid red_classic",
    "line": "sojourn line 20/100 --rtt 30ms --link docsis",
    "gateway": 'sojourn gateway eth0 eth1 --rate 20/100 --queue "fq_codel target 5ms" --delay 10ms',
    "lab": "sojourn lab",
    "list": "sojourn list queues",
    "explain": "sojourn explain RED",
    "schema": "sojourn schema",
}

# Words that are not options of these commands but keys of their scenario.
_WITH_SET = ("run", "compare", "sweep", "tune", "export", "fluid")
_AS_KEYS = {
    "duration": "duration=10s",
    "time": "duration=10s",
    "warmup": "warmup=5s",
    "rate": "dumbbell.rate=10Mbit",
    "bandwidth": "dumbbell.rate=10Mbit",
    "delay": "dumbbell.delay=20ms",
    "rtt": "dumbbell.delay=20ms",
    "limit": "dumbbell.queue.limit=100p",
    "buffer": "dumbbell.queue.limit=100p",
    "queue": "dumbbell.queue=codel",
    "flows": "flow[0].count=10",
    "pcap": "record.pcap=true",
}

# Typer has a copy of Click or takes the one that is installed: this is the right class of either.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]
_TYPES = {"int": "a whole number", "float": "a number", "bool": "yes or no"}


class Commands(TyperGroup):
    """The commands, whose wrong use is reported by :func:`message`."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command with its example below its help."""
        command = super().get_command(ctx, cmd_name)
        if command is not None and not command.epilog and command.name in EXAMPLES:
            command.epilog = f"Example: {EXAMPLES[command.name]}"
        return command

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command on the line, and leave."""
        words = list(sys.argv[1:] if args is None else args)
        try:
            code = super().main(words, prog_name, complete_var, False, windows_expand_args, **extra)
        except typer.Abort:
            if not standalone_mode:
                raise
            sys.exit(130)
        except _UsageError as error:
            if not standalone_mode:
                raise
            if type(error).__name__ == "NoArgsIsHelpError":
                error.show()  # type: ignore[attr-defined]
            else:
                named = next((word for word in words if word in self.commands), "")
                prose.tell(f"error: {printable(message(error, self.commands.get(named)))}")
            sys.exit(2)
        if not standalone_mode:
            return code
        sys.exit(code if isinstance(code, int) else 0)


def message(error: Any, command: Any = None) -> str:
    """The found and the allowed values, and an example; `command` is the command, if the error does not name it."""
    context = error.ctx
    command = context.command if context is not None else command
    if command is None:
        return str(error.format_message())
    if hasattr(command, "list_commands"):
        return _of_root(error, context)
    parameter = getattr(error, "param", None) or _option(error, command)
    lines = [f"sojourn {command.name}: {_fault(error, parameter)}"]
    if allowed := _allowed(error, command, context, parameter):
        lines.append(f"  allowed: {allowed}")
    as_key = _AS_KEYS.get(str(getattr(error, "option_name", "")).lstrip("-"))
    if as_key and command.name in _WITH_SET:
        lines.append(f"  hint:    it is a key of the scenario: --set {as_key}")
    elif near := getattr(error, "possibilities", None):
        lines.append(f"  hint:    did you mean {' or '.join(sorted(near))}?")
    elif example := EXAMPLES.get(command.name):
        lines.append(f"  hint:    such as {example}")
    return "\n".join(lines)


def _of_root(error: Any, context: Any) -> str:
    """The word in the place of a command."""
    if type(error).__name__ == "NoSuchOption":
        hint = "write options after the command: sojourn run red_classic --seed 3"
        return f"there is no option {error.option_name} before a command\n  hint:    {hint}"
    names = list(context.command.list_commands(context))
    typed = next((part for part in str(error.message).split("'")[1:2]), "")
    if not typed:
        return str(error.format_message())
    hint = nearest_question(typed, names, shown="sojourn {}".format) or "sojourn --help explains each"
    return f"there is no command {typed}\n  allowed: {', '.join(names)}\n  hint:    {hint}"


def _option(error: Any, command: Any) -> Any:
    """The option that an error names."""
    named = getattr(error, "option_name", None)
    return next((one for one in command.params if named in getattr(one, "opts", ())), None)


def _name(parameter: Any) -> str:
    """A parameter as one writes it."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    return str(max(parameter.opts, key=len))


def _fault(error: Any, parameter: Any) -> str:
    kind, text = type(error).__name__, str(error.message or "").rstrip(".")
    if kind == "MissingParameter" and parameter is not None:
        return f"{_name(parameter)} is missing"
    if kind == "NoSuchOption":
        return f"there is no option {error.option_name}"
    if kind == "BadOptionUsage":
        return f"{error.option_name}: {'it takes no value' if 'not take' in text else 'its value is missing'}"
    if parameter is not None:
        text = re.sub(
            r"not a valid (\w+)( range)?",
            lambda match: f"not {_TYPES.get(match[1].removesuffix('eger'), match[0])}",
            text,
        )
        text = re.sub(r"\w+ '(.*)' is not readable", r"\1: permission denied", text)
        text = re.sub(r"not in the range (\S+)<=x<=(\S+)", r"not from \1 to \2", text)
        return f"{_name(parameter)}: {text}"
    if "unexpected extra argument" in text:
        return f"there is a word too many: {text[text.rfind('(') + 1 :].rstrip(')')}"
    return text


def _allowed(error: Any, command: Any, context: Any, parameter: Any) -> str:
    if parameter is None and hasattr(error, "option_name"):
        options = [one for one in command.params if one.param_type_name == "option" and not one.hidden]
        return ", ".join(map(_name, options))
    if parameter is None:
        return "" if context is None else re.sub(r"[{}]|\s+(?=\s)|^Usage: ", "", command.get_usage(context))
    if getattr(parameter, "is_flag", False):
        return f"{_name(parameter)} alone"
    kind = _TYPES.get(str(getattr(parameter.type, "name", "")).split()[0].removesuffix("eger"), "")
    about = str(getattr(parameter, "help", "") or "").rstrip(".")
    written = _name(parameter)
    if parameter.param_type_name == "option" and parameter.metavar:
        written += f" {parameter.metavar}"
    # "CSV" keeps its letters.
    about = about if about[1:2].isupper() else about[:1].lower() + about[1:]
    return f"{written}: {', '.join(text for text in (kind, about) if text)}"
