"""The settings of settings.toml, which are compared with the kernel."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

PAGE = Path(__file__).with_name("settings.toml")


@dataclass(frozen=True)
class Setting:
    """A dumbbell: bulk flows through one FIFO, with equal round-trip times."""

    name: str
    flows: int
    control: str
    limit: int
    """Packets that may wait, without the one in transmission."""
    marks: tuple[float, float, float] | None = None
    """With ECN: nothing is marked where fewer packets wait than the first number, everything from the second on, and
    between them the probability rises from 0 to the third; absent without ECN."""
    rate_mbit: float = 10.0
    delay_ms: float = 20.0
    """One way."""
    packet: int = 1500
    start_spread: float = 2.0
    """The flows start within this many seconds."""
    duration: float = 60.0
    warmup: float = 10.0
    offload: bool = True
    """Whether the kernel may hand several segments at a time to the device."""
    pacing: bool = False
    """Whether the kernel spaces the packets of a window, as under the queue `fq`; BBR always does."""
    deviation: str = ""
    """Why ours is known to differ."""
    sysctl: dict[str, str] = field(default_factory=dict)
    """The sysctls of the namespaces, beyond the defaults."""

    @property
    def header(self) -> int:
        """IPv4, TCP and its time stamps."""
        return 52


def load_settings() -> dict[str, Setting]:
    """By name."""
    page = tomllib.loads(PAGE.read_text(encoding="utf-8"))
    return {entry["name"]: Setting(**{**page["common"], **entry}) for entry in page["setting"]}
