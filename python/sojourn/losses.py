"""Loss models of links: one class for each kind, with its parameters."""

# Made from the registry by `make generate`; do not edit.

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from .scenario.component import Loss, no_class

__all__ = ["Bit", "GilbertElliott", "Uniform"]


@dataclass(frozen=True, kw_only=True, repr=False)
class Uniform(Loss):
    r"""Uniform loss.

    Losses without memory. Each packet is corrupted with the same probability, independently of the others.

    Reference: ns-2's ErrorModel with unit pkt.

    Attributes
    ----------
    probability
        Probability that a packet is corrupted. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``"1%"``: a
        common choice.
    """

    kind: ClassVar[str] = "uniform"

    probability: float | str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Bit(Loss):
    r"""Bit errors.

    Errors of single bits. Each bit is wrong with the same probability, independently of the others, and one wrong bit
    corrupts a packet: long packets suffer more.

    Reference: ns-2's ErrorModel with unit bit.

    Attributes
    ----------
    error_rate
        Probability that a bit is wrong. Allowed: a fraction such as 0.05 or "5%", 0 to 1. Default ``1e-6``: a common
        choice.
    """

    kind: ClassVar[str] = "bit"

    error_rate: float | str | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class GilbertElliott(Loss):
    r"""Gilbert-Elliott.

    A channel of two states that may change with each packet; losses come in bursts. With `loss_bad` = 1 the mean
    burst is 1 / `bad_to_good` packets, and the loss ratio is `good_to_bad` / (`good_to_bad` + `bad_to_good`).

    Reference: Gilbert 1960, Elliott 1963.

    Attributes
    ----------
    good_to_bad
        Probability that the good state becomes the bad one, for each packet. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``"0.5%"``: 2.4 % of loss with the other defaults.
    bad_to_good
        Probability that the bad state becomes the good one, for each packet. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``"20%"``: bursts of five packets.
    loss_good
        Probability that a packet is corrupted in the good state. Allowed: a fraction such as 0.05 or "5%", 0 to 1.
        Default ``0``: Gilbert 1960.
    loss_bad
        Probability that a packet is corrupted in the bad state. Allowed: a fraction such as 0.05 or "5%", 0 to 1.
        Default ``1``: losses then come in whole bursts.
    """

    kind: ClassVar[str] = "gilbert_elliott"

    good_to_bad: float | str | None = None
    bad_to_good: float | str | None = None
    loss_good: float | str | None = None
    loss_bad: float | str | None = None


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        raise no_class(__name__, name, __all__)
