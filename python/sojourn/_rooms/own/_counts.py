"""Compares the counts of a queue in Python with its backlog: ``counts`` names the attributes that count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..._core import Dropped, Packet, Queue, Random, Verdict
    from ._policy import Policy

__all__ = ["with_checks"]


def with_checks(policy: type[Policy]) -> type[Policy]:
    """A class that does the same as `policy`, and fails if a count differs from the backlog. It is not registered.

    The class may count a packet in the hook that decides about it, or in ``on_drop`` after that hook. Counts are
    therefore checked when the next hook begins.
    """
    base: Any = policy

    class Counted(base, abstract=True):  # type: ignore[misc, call-arg]
        name = policy.name
        title = policy.title
        __doc__ = policy.__doc__

        def __init__(self) -> None:
            self._waits: Counter[int] = Counter()
            self._since: list[str] = []
            super().__init__()

        def _look(self) -> None:
            waits = {flow: packets for flow, packets in self._waits.items() if packets}
            for name in policy.counts:
                count = getattr(self, name)
                if isinstance(count, Mapping):
                    is_right = {flow: packets for flow, packets in count.items() if packets} == waits
                else:
                    is_right = count == sum(waits.values())
                if not is_right:
                    there = waits if isinstance(count, Mapping) else sum(waits.values())
                    raise ValueError(f"{name} is {count}, and the backlog is {there}, after {', '.join(self._since)}")
            self._since.clear()

        def on_arrival(self, now_ns: int, packet: Packet, queue: Queue, rng: Random) -> Verdict | None:
            self._look()
            self._since.append("on_arrival")
            verdict: Verdict | None = super().on_arrival(now_ns, packet, queue, rng)
            return verdict

        def on_enqueued(self, now_ns: int, packet: Packet, queue: Queue) -> None:
            self._waits[packet.flow] += 1
            self._since.append("on_enqueued")
            super().on_enqueued(now_ns, packet, queue)

        def on_departure(self, now_ns: int, packet: Packet, queue: Queue, rng: Random) -> Verdict | None:
            self._look()
            self._waits[packet.flow] -= 1
            self._since.append("on_departure")
            verdict: Verdict | None = super().on_departure(now_ns, packet, queue, rng)
            return verdict

        def on_drop(self, now_ns: int, packet: Packet, dropped: Dropped, queue: Queue) -> None:
            self._waits[packet.flow] -= dropped.stage == "queue"
            self._since.append(f"on_drop ({dropped.stage})")
            super().on_drop(now_ns, packet, dropped, queue)

        def on_idle(self, now_ns: int) -> None:
            self._look()
            super().on_idle(now_ns)

        def on_deadline(self, now_ns: int, queue: Queue) -> None:
            self._look()
            self._since.append("on_deadline")
            super().on_deadline(now_ns, queue)

    return Counted
