"""A queue in front of a link, as the core takes it: every value as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .component import plain
from .queue_text import parse_queue, with_lines_read

if TYPE_CHECKING:
    from .scenario import QueueLike

__all__ = ["site_of"]


def site_of(
    queue: QueueLike,
    *,
    rate: str | None,
    preset: str | None,
    settings: Mapping[str, Any] | None,
    base_rtt: str,
    mean_packet: str,
) -> dict[str, Any]:
    """The queue with a preset and settings laid over it, and its link."""
    table = {**_table(queue), **(settings or {})}
    if preset is not None:
        table["preset"] = preset
    return {
        "queue": str(table.pop("kind", "")),
        "preset": table.pop("preset", None),
        "settings": [(key, _text(value)) for key, value in table.items()],
        "rate": rate,
        "base_rtt": base_rtt,
        "mean_packet": mean_packet,
    }


def _table(queue: QueueLike) -> dict[str, Any]:
    """Read a queue as a table with ``kind``."""
    if isinstance(queue, str):
        return parse_queue(queue)
    table = plain(queue)
    if not isinstance(table, dict):
        raise TypeError(f"a {type(queue).__name__} is not a queue: {queue!r}")
    return with_lines_read(table)


def _text(value: object) -> str:
    """Write a value as a text: the policy of a queue as ``red:min_th=5p``, classes as ``dscp=EF; weight=2``."""
    value = plain(value)
    if isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        return "; ".join(_table_text(item) for item in value)
    if isinstance(value, Mapping):
        settings = ",".join(f"{key}={_text(item)}" for key, item in value.items() if key != "kind")
        return f"{value.get('kind', '')}:{settings}"
    if isinstance(value, list):
        return ",".join(_text(item) for item in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _table_text(table: object) -> str:
    """Write a table of a list: ``dscp=EF weight=2``, or ``*`` if it sets nothing."""
    settings = table.items() if isinstance(table, Mapping) else []
    return " ".join(f"{key}={_text(item)}" for key, item in settings) or "*"
