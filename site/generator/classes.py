"""The pages of Python's classes for queues, senders, sources and losses: one part for each class, folded up."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

TEXT = """{about} A class has the parameters of its entry as arguments; one that is left out has its default.
A scenario file takes the same under the same names. Open a class to read what each parameter does."""

PAGES = {
    "queues": ("Queues", "These classes of `sojourn.queues` make queues."),
    "transports": ("Senders", "These classes of `sojourn.transports` make senders and window laws."),
    "apps": ("Sources", "These classes of `sojourn.apps` make sources of traffic."),
    "losses": ("Losses", "These classes of `sojourn.losses` say which packets a link corrupts."),
}


def write(folder: Path) -> None:
    """A page for each module."""
    for name, (title, about) in PAGES.items():
        module = importlib.import_module(f"sojourn.{name}")
        # A class is made when it is asked for; those that several share come first.
        named = {key: getattr(module, key) for key in dir(module) if not key.startswith("_")}
        own = [key for key, value in named.items() if inspect.isclass(value) and value.__module__ == module.__name__]
        parts = [_part(module.__name__, getattr(module, key)) for key in own]
        text = TEXT.format(about=about)
        (folder / f"{name}.md").write_text("\n\n".join([f"# {title}", text, *parts]) + "\n", encoding="utf-8")


def _part(module: str, made: type) -> str:
    about = (inspect.getdoc(made) or "").partition("\n")[0].rstrip(".")
    directive = f"```{{eval-rst}}\n.. autoclass:: {module}.{made.__name__}\n```"
    return f"::::{{folded}} {made.__name__}: {about}\n{directive}\n::::"
