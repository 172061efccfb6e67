"""Linux's cube root, asked for its results: the first guesses of CUBIC follow from them.

    python evidence/linux/programs/cube_root.py           prints the guesses
    python evidence/linux/programs/cube_root.py --write   writes results, which a test in Rust compares

The function is compiled from the machine's own copy of Linux's sources, in a folder that is removed afterwards. It
makes a guess from the upper bits of a number, and improves it by one step of Newton's method. Numbers of 37 to 42 bits
have results in which each guess shows.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

import kernel_build
import numpy as np
import places

HERE = Path(__file__).resolve().parent
RESULTS = places.ROOT / "crates/sojourn-senders/src/transport/congestion/cubic_roots.txt"
FILE = "net/ipv4/tcp_cubic.c"
AROUND = """
#include <stdint.h>
#include <stdio.h>
typedef uint8_t u8; typedef uint32_t u32; typedef uint64_t u64;
static u32 fls64(u64 a) {{ return a ? 64 - __builtin_clzll(a) : 0; }}
static u64 div64_u64(u64 a, u64 b) {{ return a / b; }}
{function}
int main(void) {{
  unsigned long long of;
  while (scanf("%llu", &of) == 1) printf("%u\\n", cubic_root(of));
}}
"""
# A guess comes from the upper bits, which are between these, and from whole triples of bits below.
LEAST, MOST = 8, 63
TRIPLES = 12


def source() -> str:
    """The file of Linux with the function."""
    unpacked = kernel_build.place().parent / "sources" / kernel_build.PACKAGE / FILE
    if unpacked.exists():
        return unpacked.read_text()
    kernel_build.step(f"looking for {FILE} in {kernel_build.SOURCES} (a minute) ...")
    with tarfile.open(kernel_build.SOURCES) as archive:
        for member in archive:
            if member.name.endswith(f"/{FILE}") and (file := archive.extractfile(member)):
                return file.read().decode()
    raise kernel_build.MissingError(f"{kernel_build.SOURCES} has no {FILE}")


def roots(numbers: Sequence[int]) -> list[int]:
    """Linux's cube roots of these numbers."""
    function = re.search(r"^static u32 cubic_root\(.*?^}", source(), re.M | re.S)
    if not function:
        raise kernel_build.MissingError(f"{FILE} has no cubic_root")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "roots"
        text = AROUND.format(function=function[0])
        subprocess.run(["gcc", "-w", "-O2", "-xc", "-", "-o", program], input=text, text=True, check=True)
        asked = "\n".join(map(str, numbers))
        said = subprocess.run([program], input=asked, capture_output=True, text=True, check=True).stdout
    return [int(line) for line in said.split()]


def newton(of: int, guess: int) -> int:
    """The result with this first guess, which is 64 times the root of the upper bits."""
    x = (guess << TRIPLES) >> 6
    return ((2 * x + of // (x * (x - 1))) * 341) >> 10


def guesses() -> list[int]:
    """The first guess for each value of the upper bits: the one with which all results are Linux's."""
    found = []
    for upper in range(LEAST, MOST + 1):
        numbers = [(upper << 3 * TRIPLES) + (part << 3 * TRIPLES) // 8 for part in range(8)]
        said = roots(numbers)
        fitting = [guess for guess in range(100, 300) if [newton(of, guess) for of in numbers] == said]
        if len(fitting) != 1:
            raise ValueError(f"the results of the upper bits {upper} have the guesses {fitting}")
        found += fitting
    return found


def examples() -> list[int]:
    """Numbers with each value of the upper bits at several sizes, and all of fewer than seven bits."""
    random = np.random.default_rng(1)
    numbers = set(range(64))
    for triples in (1, 2, 4, 8, TRIPLES, 15):
        numbers |= {int(random.integers(upper << 3 * triples, (upper + 1) << 3 * triples)) for upper in range(8, 64)}
    return sorted(numbers)


def main() -> None:
    """The command."""
    try:
        if "--write" in sys.argv:
            numbers = examples()
            lines = (f"{of} {root}\n" for of, root in zip(numbers, roots(numbers), strict=True))
            RESULTS.write_text("".join(lines))
        else:
            print(guesses())
            print("below seven bits:", roots(range(64)))
    except kernel_build.MissingError as missing:
        sys.exit(str(missing))


if __name__ == "__main__":
    main()
