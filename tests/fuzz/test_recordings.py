"""Captures and traces that are damaged: one message that names the place, or arrivals, in little time and memory.

Here some hundred files, the same ones each time. ``python tests/fuzz/test_recordings.py --seconds 3600`` goes on with
others.
"""

from __future__ import annotations

import random
import time
import warnings
from functools import cache
from pathlib import Path

import pytest
from tries import fault, go_on

import sojourn

SCENARIO = """
duration = "1s"
[dumbbell]
rate = "2Mbit"
delay = "5ms"
queue = { kind = "red", limit = "20p" }
[[flow]]
count = 2
[record]
pcap = true
"""
TABLE = """time_s,bytes,flow,ecn,dscp
0,1000,a,not-ect,0
0.001,1500,b,ect0,46
0.0015,40,a,ce,10
0.5,1500,"b, too",ect1,0
"""
NS2 = """+ 0.001 0 2 tcp 1000 ------- 0 0.0 3.0 0 0
- 0.001 0 2 tcp 1000 ------- 0 0.0 3.0 0 0
+ 0.0015 0 2 cbr 500 ------- 1 1.0 3.1 1 1
d 0.0016 0 2 tcp 1000 ------- 0 0.0 3.0 2 2
r 0.01 0 2 tcp 1000 ------- 0 0.0 3.0 0 0
"""
MAHIMAHI = "0\n3\n3\n10\n25\n"


@cache
def capture() -> bytes:
    """What a run records of its bottleneck."""
    captures = sojourn.run(sojourn.Scenario.from_toml(SCENARIO), seed=1).captures
    content = captures[min(captures)]
    return content if isinstance(content, bytes) else content.read_bytes()


def as_pcap(pcapng: bytes) -> bytes:
    """The same packets in the older format, with microseconds."""
    rows, at, number, link = [], 0, 0, 0
    while at + 12 <= len(pcapng):
        kind, length = (int.from_bytes(pcapng[at + one : at + one + 4], "little") for one in (0, 4))
        if kind == 1:
            link = int.from_bytes(pcapng[at + 8 : at + 10], "little")
        if kind == 6:
            kept, whole = (int.from_bytes(pcapng[at + one : at + one + 4], "little") for one in (20, 24))
            head = (number // 1000, number % 1000 * 1000, kept, whole)
            rows.append(b"".join(value.to_bytes(4, "little") for value in head) + pcapng[at + 28 : at + 28 + kept])
            number += 1
        at += max(length, 12)
    head = (0xA1B2C3D4, 2 + (4 << 16), 0, 0, 65536, link)
    return b"".join([*(value.to_bytes(4, "little") for value in head), *rows])


def spoilt(dice: random.Random, data: bytes) -> bytes:
    """With one to five mistakes: bits, bytes, numbers at the ends of their ranges, parts that are lost or doubled."""
    made = bytearray(data)
    for _ in range(dice.randint(1, 5)):
        at = dice.randrange(len(made) or 1)
        # Most of a capture's headers are at the beginning of its file or of a block.
        at = at % 200 if dice.random() < 0.3 else at
        what = dice.random()
        if what < 0.25:
            made[at : at + 1] = bytes([dice.randrange(256)])
        elif what < 0.5:
            end = dice.choice([bytes(4), b"\xff" * 4, b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\x0c\0\0\0", b"\0\0\0\x0c"])
            made[at : at + 4] = end
        elif what < 0.6:
            del made[at:]
        elif what < 0.7:
            del made[at : at + dice.randint(1, 64)]
        elif what < 0.8:
            made[at:at] = made[at : at + dice.randint(1, 64)]
        elif what < 0.9:
            made[at:at] = dice.choice(
                [b"9" * 400, b",", b"\n", b"-", b"e999", b"nan", b"\0", "\u00e9".encode(), b'"', b"1e-400"]
            )
        else:
            made[at : at + 8] = dice.randbytes(8)
    return bytes(made)


def read(number: int, folder: Path, name: str, data: bytes) -> None:
    """Replay it; a message is about the file, and comes soon."""
    dice = random.Random(f"{name} {number}")
    file = folder / name
    file.write_bytes(spoilt(dice, data))
    began = time.process_time()
    with warnings.catch_warnings():
        # About records that are left out.
        warnings.simplefilter("ignore")
        mtu = dice.choice([None, None, "1500B", "1B"])
        result = sojourn.replay(file, rate="10Mbit", queue=dice.choice(["fifo", "red", "fq_codel"]), mtu=mtu)
    assert result.decisions.height > 0
    took = time.process_time() - began
    assert took < 20.0, f"it took {took:.1f} s"


def try_trace(number: int, folder: Path) -> None:
    """A trace of Mahimahi as a link's rate."""
    dice = random.Random(f"trace {number}")
    (folder / "trace").write_bytes(spoilt(dice, MAHIMAHI.encode()))
    text = SCENARIO.replace('"2Mbit"', '{ mahimahi = "trace" }').replace("pcap = true", "")
    sojourn.Scenario.from_toml(text, file=str(folder / "s.toml"))


TRIES = {
    "pcapng": lambda number, folder: read(number, folder, "a.pcapng", capture()),
    "pcap": lambda number, folder: read(number, folder, "a.pcap", as_pcap(capture())),
    "csv": lambda number, folder: read(number, folder, "a.csv", TABLE.encode()),
    "ns-2": lambda number, folder: read(number, folder, "a.tr", NS2.encode()),
    "mahimahi": try_trace,
}


@pytest.mark.parametrize("kind", list(TRIES))
def test_a_damaged_file_gets_a_message(kind, tmp_path):
    found = [fault(TRIES, kind, number, tmp_path) for number in range(60)]
    assert [one for one in found if one] == []


def test_what_is_not_spoilt_is_read(tmp_path):
    """The files are accepted as they are, so that only the mistakes are refused."""
    for name, data in (("a.pcapng", capture()), ("a.pcap", as_pcap(capture())), ("a.csv", TABLE), ("a.tr", NS2)):
        (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
        assert sojourn.replay(tmp_path / name, rate="10Mbit").decisions.height > 1, name


if __name__ == "__main__":
    go_on(TRIES, "Damaged captures and traces.")
