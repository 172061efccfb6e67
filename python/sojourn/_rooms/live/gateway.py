"""A gateway from Python: texts become links, and a thread of the core moves the packets."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import _core
from .._base.checks import checked_seed
from .._base.files import is_there
from .._base.toml import Value, inline
from ..runs.bottleneck import Bottleneck
from ..scenario.scenario import parse_queue, queue_label
from ..scenario.tc_line import refuse_link

if TYPE_CHECKING:
    from _typeshed import StrPath

__all__ = ["FILES", "Gateway"]

FILES = ("up.in.pcapng", "up.out.pcapng", "down.in.pcapng", "down.out.pcapng")
"""The files of a recording."""
_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*([kMG]?)(?:bit)?(?:/s)?")
_UNITS = {"k": 1e3, "": 1e6, "M": 1e6, "G": 1e9}
_LEAST, _MOST = 1e4, 1e11
_OPTIONS = {"rate": "--rate", "delay": "--delay", "loss": "--loss", "overhead": "--overhead"}
"""For keys of a link."""
_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*(%?)")


class Gateway:
    """A bridge between two interfaces, with a queue, a rate, a delay and losses in each direction.

    It begins at once, and ends with :meth:`stop`, at the end of a ``with`` block, or with the process. Nothing is left
    behind then. It needs Linux and the rights of root.

    Parameters
    ----------
    lan, wan
        Names of the interfaces: towards the hosts, and towards the network. Both are up and have no address.
    rate
        Of the link, in Mbit/s or with a unit: ``"20/100"`` is up and down, ``"1Gbit"`` is both.
    queue, reverse_queue
        In front of the link up and of the link down, which has the same queue by default: a name, a text such as
        ``"red:min_th=5p"``, or a line of tc such as ``"fq_codel target 5ms"``.
    delay
        Of propagation, added to each direction: ``"10ms"``, or up and down: ``"5ms/15ms"``.
    loss
        Share of packets that the link loses at random: ``"1%"``, ``"0.01"``, or up and down: ``"0/1%"``.
    overhead
        Bytes that the link adds to each IP packet.
    base_rtt
        The round trip without queues, for laws and for limits in ``BDP``.
    seed
        Decides all that is random.
    record
        A folder for recordings, which are named in :data:`FILES`.
    cpu
        The processor on which it is to run.
    spare
        Whether it sleeps between packets without polling first. It then takes less of the processor, and packets leave
        later.

    Raises
    ------
    ValueError
        With the found and the allowed values: a wrong rate, an unknown queue or interface, no Linux, no rights.
    """

    def __init__(
        self,
        lan: str,
        wan: str,
        *,
        rate: str,
        queue: str = "fq_codel",
        reverse_queue: str | None = None,
        delay: str = "0ms",
        loss: str = "0",
        overhead: str = "0B",
        base_rtt: str = "100ms",
        seed: int = 1,
        record: StrPath | None = None,
        cpu: int | None = None,
        spare: bool = False,
    ) -> None:
        rates = [_rate(text, rate) for text in _both(rate, "--rate")]
        delays = _both(delay, "--delay")
        losses = [_share(text, loss) for text in _both(loss, "--loss")]
        for text in (queue, reverse_queue):
            if text is not None:
                refuse_link(text, _OPTIONS)
        texts = [queue, queue if reverse_queue is None else reverse_queue]
        queues = [parse_queue(text) for text in texts]
        links: list[Mapping[str, Any]] = [
            {
                "rate": f"{rates[way]}bit",
                "delay": delays[way],
                "queue": queues[way],
                "overhead": overhead,
                "base_rtt": base_rtt,
                **({"loss": {"kind": "uniform", "probability": losses[way]}} if losses[way] else {}),
            }
            for way in (0, 1)
        ]
        checked_seed(seed)
        for way, link in enumerate(links):
            # This finds an error in a link before a gateway is made.
            try:
                Bottleneck(links=[link], seed=seed)
            except _core.ScenarioError as error:
                raise _of_option(error, reverse=way == 1 and reverse_queue is not None) from None
        if not sys.platform.startswith("linux"):
            raise ValueError(
                f"the gateway needs Linux, and this is {sys.platform}\n"
                "  hint:    sojourn run simulates a link on every system"
            )
        self.interfaces: tuple[str, str] = (lan, wan)
        """Their names."""
        self.links: Sequence[Mapping[str, Value]] = [
            {**link, "rate_bps": rates[way], "queue": queue_label(texts[way])} for way, link in enumerate(links)
        ]
        """For each direction the rate, the delay, the queue in the user's words and more."""
        folder = None if record is None else Path(record)
        made = folder is not None and _made(folder)
        try:
            self._core = _core.Gateway(
                [lan, wan],
                [f"link = [{inline({'name': 'forward', **link})}]\n" for link in links],
                rates,
                seed=seed,
                record=folder,
                cpu=cpu,
                spare=spare,
            )
        except BaseException:
            if made and folder is not None:
                with suppress(OSError):
                    folder.rmdir()
            raise
        self._report: dict[str, Any] | None = None

    @property
    def warnings(self) -> list[str]:
        """Findings about the interfaces that may surprise."""
        return self._core.warnings

    @property
    def has_ended(self) -> bool:
        """Whether it has ended, because it was stopped or because an interface went away."""
        return self._core.has_ended()

    def report(self) -> dict[str, Any]:
        """Give the counts so far.

        ``seconds``, ``unrecorded`` (packets that recordings lack), and for ``up`` and ``down``: packets and bytes that
        ``came`` and were ``sent``, ``drops`` and ``marks`` by reason, ``passed`` (not IP) and ``missed`` frames,
        ``waited_ms`` in the queue and ``late_ms`` against the schedule (median, 99th percentile, longest), and their
        means.
        """
        return self._core.report() if self._report is None else self._report

    def parts_since(self, number: int) -> list[dict[str, Any]]:
        """Give the tenths of seconds from this number on, as far as they are kept (ten minutes), each as a report."""
        return self._core.parts_since(number)

    def stop(self) -> dict[str, Any]:
        """End it, write the recordings to their end, and give the last :meth:`report`.

        Raises
        ------
        RuntimeError
            If it had ended because an interface went away.
        """
        if self._report is None:
            self._report = self._core.stop()
        return self._report

    def __enter__(self) -> Gateway:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _both(text: str, option: str) -> tuple[str, str]:
    """Up and down."""
    up, slash, down = (part.strip() for part in text.partition("/"))
    if not slash:
        return up, up
    if not up or not down or "/" in down:
        raise ValueError(f"{option} {text}: this is not one value, and not UP/DOWN\n  allowed: such as 20/100, or 100")
    return up, down


def _of_option(error: _core.ScenarioError, *, reverse: bool) -> _core.ScenarioError:
    """The same error, with the option in place of the key."""
    queue = "reverse-queue" if reverse else "queue"
    text = re.sub(r"^\S+: link\[0\]\.(queue(\.kind)?)?", lambda key: f"--{queue if key[1] else ''}", str(error))
    told = _core.ScenarioError(re.sub(r"^--base_rtt", "--base-rtt", text))
    for part in ("key", "what", "found", "allowed", "hint"):
        setattr(told, part, getattr(error, part))
    return told


def _rate(text: str, whole: str) -> int:
    found = _RATE.fullmatch(text)
    rate = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if not _LEAST <= rate <= _MOST:
        raise ValueError(
            f"--rate {whole}: {text!r} is not a rate of a link\n"
            "  allowed: 0.01 to 100000, in Mbit/s, or with a unit: 500kbit, 20Mbit, 1Gbit; UP/DOWN for two"
        )
    return int(rate)


def _share(text: str, whole: str) -> float:
    found = _SHARE.fullmatch(text)
    share = float(found[1]) / (100.0 if found[2] else 1.0) if found else 2.0
    if share > 1.0:
        raise ValueError(f"--loss {whole}: {text!r} is not a share\n  allowed: 0 to 1, or 0% to 100%; UP/DOWN for two")
    return share


def _made(folder: Path) -> bool:
    """Make the folder, unless it is there; refuse one with a recording."""
    # A link to nothing is there, too. The core, which makes the files, opens none that somebody puts there meanwhile.
    there = [name for name in FILES if is_there(folder / name)]
    if there:
        raise ValueError(f"--record {folder}: it has a recording already: {there[0]}\n  hint:    name another folder")
    if folder.is_dir():
        return False
    folder.mkdir()
    return True
