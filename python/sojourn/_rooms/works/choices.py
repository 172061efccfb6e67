"""The choices in ``work.toml`` that a program can try; :mod:`works.forensics` tries them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

__all__ = ["ORIGINS", "Choice", "Search"]

Origin = Literal["source", "simulator", "script", "ours"]

ORIGINS: Mapping[Origin, str] = {
    "source": "the work prints it",
    "simulator": "its simulator had it in that year",
    "script": "the program from which the author started has it",
    "ours": "it is our guess",
}
"""Origins of a choice, and their meanings."""
assert tuple(ORIGINS) == get_args(Origin)  # noqa: S101 - the names are written twice


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One way to settle an open point of a work.

    Attributes
    ----------
    name
        In a few words.
    origin
        A name of :data:`ORIGINS`.
    why
        The place in the source, the default with its version, or the reason.
    taken
        Whether the experiments are run with it. It then changes nothing.
    settings
        Keys and values that are laid over every scenario that the choice touches.
    queues
        By kinds of queues, separated by commas: parameters of all queues of these kinds.
    senders
        By kinds of control: parameters of all transports with this control.
    files
        The scenario files that it touches; all of the work if none is named.
    """

    name: str
    origin: Origin
    why: str
    taken: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    queues: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    senders: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    files: Sequence[str] = ()

    def touches(self, file: str) -> bool:
        """Whether it may change a scenario of this file."""
        return not self.files or file in self.files


@dataclass(frozen=True, kw_only=True)
class Search:
    """How a work is searched: ``[forensics]`` in ``work.toml``.

    Attributes
    ----------
    parts
        Experiments that are searched together, by the name of the part.
    """

    parts: Mapping[str, Sequence[str]] = field(default_factory=dict)
