"""Asks tc and the oracle's kernel for their reading of each word that Sojourn's lines of tc have.

    python evidence/linux/programs/words.py [QUEUE ...]        writes words.json; two minutes for all queues

Each word gets values at the ends of its range, just beyond them, and in all units of tc. Further lines have several
words, drawn with a seed. `words.json` keeps for each queue what `tc qdisc show` prints of a line without words, and for
each line either the message with which it was refused or all that is shown otherwise than there (null where something
is not shown any more). `test_words.py` compares Sojourn's reading with it.
"""

from __future__ import annotations

import json
import random
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import kernel_build
import kernel_machine
import places

from sojourn._rooms.scenario.tc import LINES

FILE = places.WORDS / "words.json"
SEED = 1
DRAWN = 30
# A line has at most so many lines in one machine: each takes some memory of it.
AT_ONCE = 700

# Values of each kind of word.
VALUES = {
    "count": "0 1 2 3 5 16 127 128 129 255 256 257 1000 1024 2048 2049 16255 16256 65535 65536 65537 1000000 "
    "2147483647 2147483648 4294967295 4294967296 -1 1.5 0x10 010 1e3 +5 5p x",
    "size": "0 1 8 255 256 1499 1500 1514 1b 1kb 1k 1K 1KB 1.5kb 64kb 2mb 1m 1gb 1g 100kbit 8mbit 1kib 1048576 "
    "1048577 4294967295 4294967296 4gb -1 0x100 1.7 x 10p",
    "time": "0 1 2 999 1000 1023 1024 1025 1us 1usec 1usecs 5ms 5msec 5msecs 1s 1sec 1secs 1.5ms .5ms 0.1ms 100ns "
    "999ns 1000ns 1500ns 2500nsecs 15ms 16ms 62ms 63ms 64ms 100ms 1000s 4294967295 4294967296 4295s 5000s 5m 1min 1h "
    "5MS 5Ms -1 -5ms 0x10 x 3ms3",
    "rate": "0 1 7 8 64 8000 1bit 8bit 64kbit 64Kbit 1kbps 1Kbps 1Mibit 1mibit 1kibit 1Kibps 10mbit 10Mbit 2.5mbit "
    "10mbps 1gbit 5gbit 40gbit 100gbit 1tbit 1gibit 34359738360 34359738368 10% 100000000bps -1 1e6 0x10 x 10mb",
    "share": "0 0.5 1 1.0 0.02 0.001 1e-5 1e-10 0.99999 1.1 2 -0.1 50% x .3",
    "sixteenth": "0 1 2 16 31 32 33 100 -1 1.5 0x10 010 x",
    "seconds": "0 1 10 3600 2147483 2147484 4294967 4294968 -1 1s 1.5 x",
    "milliseconds": "0 1 10 60000 600000 4294967295 4294967296 1s -1 1.5 x",
    "selector": "0x1/0x3 1/3 0xb9/0xff 0/0 0/3 255/3 1/0 1/256 256/1 1 /3 1/ x/3",
    # Commas stand for blanks here.
    "bands": "0 1,2,2 2,1,0,0 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 3 15 16 -1 1.5 0x1,1 x",
    "sizes": "0 1 1500 3kb,1500 3000,1500,1000 1kib 1514b,1.5kb -1 x",
    "layer": "ethernet atm adsl ATM x",
    "bytes": "-65 -64 -1 0 1 40 64 84 255 256 257 4.5 0x10 x",
}
_RED = {"avpkt": "size", "burst": "count", "bandwidth": "rate", "probability": "share"}
_CODEL = {"limit": "count", "target": "time", "interval": "time", "ce_threshold": "time"}
_PIE = {"limit": "count", "target": "time", "tupdate": "time", "alpha": "sixteenth", "beta": "sixteenth"}
# Two values of one word, where 20 and 30 are none.
TWICE = {"selector": "1/3 2/3", "bands": "0,1 1,0", "sizes": "1500 3000"}
# The kind of each word, as tc's manual pages have it.
WORDS = {
    "pfifo": {"limit": "count"},
    "bfifo": {"limit": "size"},
    "codel": _CODEL,
    "fq_codel": {
        **_CODEL, "flows": "count", "quantum": "size", "memory_limit": "size", "drop_batch": "count",
        "ce_threshold_selector": "selector",
    },
    "pie": _PIE,
    "fq_pie": {**_PIE, "flows": "count", "quantum": "size"},
    "red": {"limit": "size", "min": "size", "max": "size", **_RED},
    "choke": {"limit": "count", "min": "count", "max": "count", **_RED},
    "sfb": {
        **dict.fromkeys(("limit", "target", "max", "penalty_rate", "penalty_burst"), "count"),
        "rehash": "milliseconds", "db": "milliseconds", "increment": "share", "decrement": "share",
    },
    "sfq": {
        "limit": "count", "perturb": "seconds", "quantum": "size", "divisor": "count", "depth": "count",
        "flows": "count", "redflowlimit": "size", "min": "size", "max": "size",
        "avpkt": "size", "burst": "count", "probability": "share",
    },
    "prio": {"bands": "count", "priomap": "bands"},
    "ets": {"bands": "count", "strict": "count", "quanta": "sizes", "priomap": "bands"},
    "fq": {
        **dict.fromkeys(("limit", "flow_limit", "quantum", "initial_quantum", "orphan_mask"), "count"),
        "maxrate": "rate", "low_rate_threshold": "rate", "refill_delay": "time", "ce_threshold": "time",
    },
    "hhf": {
        **dict.fromkeys(("limit", "quantum", "hh_limit", "admit_bytes", "non_hh_weight"), "count"),
        "reset_timeout": "time", "evict_timeout": "time",
    },
    "skbprio": {"limit": "count"},
    "cake": {"bandwidth": "rate", "rtt": "time", "overhead": "bytes", "mpu": "bytes", "memlimit": "size"},
    "tbf": {
        "rate": "rate", "burst": "size", "buffer": "size", "maxburst": "size", "limit": "size", "latency": "time",
        "mtu": "size", "minburst": "size", "peakrate": "rate", "overhead": "bytes", "mpu": "bytes",
        "linklayer": "layer",
    },
    "pfifo_head_drop": {"limit": "count"},
}  # fmt: skip
# Words without which tc takes no line, or not this word.
_SFQ_RED = "redflowlimit 100000 min 8000 max 60000 avpkt 1000 burst 20 probability 0.1"
NEEDED = {
    "red": "limit 400000 min 30000 max 90000 avpkt 1000 burst 55 probability 0.1 bandwidth 10mbit",
    "choke": "limit 1000 min 83 max 250 avpkt 1000 burst 120 probability 0.1 bandwidth 10mbit",
    "tbf": "rate 10mbit burst 10kb latency 50ms",
    "ets": "bands 4",
    **{f"sfq {word}": _SFQ_RED for word in _SFQ_RED.split()[::2]},
    **{f"sfq {word}": _SFQ_RED for word in ("ecn", "harddrop")},
    **{f"tbf {word}": "rate 10mbit latency 50ms" for word in ("buffer", "maxburst")},
    "tbf limit": "rate 10mbit burst 10kb",
    **{f"tbf {word}": "rate 10mbit burst 10kb latency 50ms mtu 1600" for word in ("peakrate", "mtu")},
}
# Lines besides: words whose order counts, and numbers in all forms.
MORE = {
    "cake": (
        "raw overhead 10", "overhead 10 raw mpu 64", "raw docsis", "raw conservative", "conservative raw", "fwmark 0",
        "overhead +7", "rtt 1e-3s",
    ),
    "codel": ("target +5ms", "target 1E-2s limit -0", "target 5.ms"),
    "red": ("limit 400000 avpkt 1000 probability 2%",),
    "sfb": ("increment 0.5%", "decrement .01x"),
}  # fmt: skip
# DualPI2 is not in Linux 6.12; pfifo_fast has no words; drr has its words in classes, and police is no queue.
ABSENT = {"dualpi2", "pfifo_fast", "drr", "police"}


def line(kind: str, word: str, value: str) -> str:
    """A line in which a word has this value."""
    needed = NEEDED.get(f"{kind} {word}", NEEDED.get(kind, "")).split()
    said = dict(zip(needed[::2], needed[1::2], strict=True)) | {word: value}
    return " ".join([kind, *(part for pair in said.items() for part in pair)])


def drawn_value(kind: str, rng: random.Random) -> str:
    """A value that tc probably takes: a size or time over some powers of ten, in any unit."""
    if kind in {"size", "time", "rate"}:
        pattern = {"size": r"\d+(k|kb|b)?", "time": r"[\d.]+(ms|us|msec)", "rate": r"[\d.]+[kKmM]i?(bit|bps)"}[kind]
        unit = rng.choice([value for value in VALUES[kind].split() if re.fullmatch(pattern, value)])
        number = f"{10 ** rng.uniform(0, 3):.3g}" if kind != "size" else str(rng.randrange(1, 5000))
        return number + unit.lstrip("0123456789.")
    if kind == "bands":
        return ",".join(str(rng.randrange(2)) for _ in range(rng.randrange(1, 17)))
    if kind == "sizes":
        return ",".join(str(rng.randrange(1, 5000)) for _ in range(rng.randrange(1, 4)))
    if kind == "selector":
        return f"{rng.randrange(255)}/{rng.randrange(256)}"
    if kind == "share":
        return f"{10 ** rng.uniform(-4, 0):.3g}"
    most = {"sixteenth": 32, "seconds": 60, "milliseconds": 600_000, "bytes": 128}.get(kind, 4000)
    return str(rng.randrange(1, most + 1))


def drawn(kind: str, rng: random.Random) -> str:
    """A line with two to five words."""
    words = [*WORDS[kind], *LINES[kind].flags]
    chosen = rng.sample(words, min(rng.randrange(2, 6), len(words)))
    text = NEEDED.get(kind, "") if set(chosen) & set(NEEDED.get(kind, "").split()) or kind == "tbf" else ""
    said = dict(zip(text.split()[::2], text.split()[1::2], strict=True))
    flags = [word for word in chosen if word not in WORDS[kind]]
    said |= {word: drawn_value(WORDS[kind][word], rng) for word in chosen if word in WORDS[kind]}
    return " ".join([kind, *(part for pair in said.items() for part in pair), *flags])


def lines() -> list[str]:
    """All lines, in order."""
    found = []
    rng = random.Random(SEED)
    for kind, words in WORDS.items():
        found.append(f"{kind} {NEEDED.get(kind, '')}".strip())
        found += [line(kind, word, value) for word, of in words.items() for value in VALUES[of].split()]
        flags = [*LINES[kind].flags, *LINES[kind].not_here]
        needed = {flag: NEEDED.get(f"{kind} {flag}", NEEDED.get(kind, "")) for flag in flags}
        found += [" ".join(f"{kind} {needed[flag]} {flag}".split()) for flag in flags]
        found += [
            f"{line(kind, word, TWICE.get(of, '20 30').split()[0])} {word} {TWICE.get(of, '20 30').split()[1]}"
            for word, of in words.items()
        ]
        found += [f"{found[-1].rsplit(maxsplit=1)[0]}", f"{kind} {NEEDED.get(kind, '')} nonsense"]
        found += [f"{kind} {words}" for words in MORE.get(kind, ())]
        found += [drawn(kind, rng) for _ in range(DRAWN)]
    return list(dict.fromkeys(" ".join(one.replace(",", " ").split()) for one in found))


def answers(asked: list[str]) -> dict[str, Any]:
    """For each line what tc shows, or the message with which it was refused."""
    found: dict[str, Any] = {}
    kernel = kernel_build.build()
    for at in range(0, len(asked), AT_ONCE):
        job = kernel_machine.Job("words", "", lines=tuple(asked[at : at + AT_ONCE]))
        with tempfile.TemporaryDirectory() as folder:
            text = (kernel_machine.run(kernel, job, Path(folder) / "run") / "answers").read_text()
        for part in re.split(r"^> ", text, flags=re.MULTILINE)[1:]:
            words, *said = part.strip().splitlines()
            shown = [row for row in said if row.startswith("[{")]
            found[words] = json.loads(shown[0])[0]["options"] if shown else said[0] if said else "nothing is said"
    return found


def main(*kinds: str) -> None:
    """The command."""
    found = answers([one for one in lines() if not kinds or one.split()[0] in kinds])
    kept: dict[str, Any] = json.loads(FILE.read_text()) if kinds else {}
    for kind in kinds or WORDS:
        plain = found[f"{kind} {NEEDED.get(kind, '')}".strip()]
        of: dict[str, Any] = {}
        for words, shown in found.items():
            if words.split()[0] != kind:
                continue
            if isinstance(shown, dict):
                keys = dict.fromkeys([*plain, *shown])
                shown = {key: shown.get(key) for key in keys if shown.get(key) != plain.get(key)}
            of[words] = shown
        kept[kind] = {"shown": plain, "lines": of}
    rows = [
        f' {json.dumps(kind)}: {{\n  "shown": {json.dumps(of["shown"])},\n  "lines": {{\n'
        + ",\n".join(f"   {json.dumps(words)}: {json.dumps(shown)}" for words, shown in of["lines"].items())
        + "\n  }\n }"
        for kind, of in kept.items()
    ]
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n")
    print(f"{FILE}: {len(found)} lines, of which {sum(isinstance(one, str) for one in found.values())} are refused")


if __name__ == "__main__":
    main(*sys.argv[1:])
