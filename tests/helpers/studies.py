"""Simulates studies of two queues whose difference is known, judged at every look, and counts wrong decisions.

    python tests/helpers/studies.py [--studies 10000]

prints a table of all shapes. The first rows have queues with values of one shape, the last ones a steady queue beside a
varying one, where no method holds at few runs.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from sojourn._rooms.statistics.looks import LEVEL, _times, look_p, looks, repeated_interval
from sojourn._rooms.statistics.questions import Question, standing

SHAPES = ("normal", "skewed", "two modes", "mostly zero")


@dataclass(frozen=True)
class Counted:
    """Shares of the studies.

    Attributes
    ----------
    false, decided
        Those with a false decision at any look, and those that were decided rightly.
    runs
        Mean number of runs.
    covered
        By look: those in which the interval held the truth at this look and at all before.
    fixed, plain
        Those that Student's test at 5 % finds different: once, after 20 runs; and at any of the looks.
    """

    false: float
    decided: float
    runs: float
    covered: dict[int, float]
    fixed: float
    plain: float


def values(random: np.random.Generator, shape: str, size: tuple[int, ...]) -> np.ndarray:
    """Values with mean 0 and standard deviation 1."""
    if shape == "normal":
        return random.standard_normal(size)
    if shape == "skewed":
        sigma = 0.5
        raw = random.lognormal(0.0, sigma, size)
        square = np.exp(sigma**2)
        return (raw - np.sqrt(square)) / np.sqrt(square * (square - 1.0))
    if shape == "very skewed":
        raw = random.lognormal(0.0, 1.0, size)
        return (raw - np.exp(0.5)) / np.sqrt(np.e * (np.e - 1.0))
    if shape == "two modes":
        raw = (random.random(size) < 0.3) + 0.1 * random.standard_normal(size)
        return (raw - 0.3) / np.sqrt(0.21 + 0.01)
    raw = (random.random(size) < 0.3) * random.exponential(1.0, size)
    return (raw - 0.3) / np.sqrt(2 * 0.3 - 0.09)


def counted(
    shape: str, *, studies: int, apart: float, most: int, steady: float | None = None, seed: int = 1
) -> Counted:
    """Studies in which the second queue is `apart` standard deviations of a difference above the first one.

    With `steady`, the first queue is normal with this standard deviation.
    """
    random = np.random.default_rng([seed, studies, most])
    at = looks(most)
    false = right = runs = fixed = plain = 0
    covered = dict.fromkeys(at, 0)
    for _ in range(studies):
        if steady is None:
            first, second = values(random, shape, (2, most)) / np.sqrt(2.0)
        else:
            first, second = steady * random.standard_normal(most), values(random, shape, (most,))
        second = second + apart
        holds, stopped, decision = True, most, 0
        different = {look: student(second[:look] - first[:look]) <= LEVEL for look in at}
        fixed += different[20]
        plain += any(different.values())
        for look in at:
            own, base = second[:look].tolist(), first[:look].tolist()
            interval = repeated_interval(own, base)
            holds = holds and interval.low <= apart <= interval.high
            covered[look] += holds
            if not decision and _times(look) * look_p(own, base) <= LEVEL:
                decision, stopped = (1 if interval.mean > 0.0 else -1), look
        false += decision != 0 and not (decision > 0 and apart > 0.0)
        right += decision > 0 and apart > 0.0
        runs += stopped
    shares = {look: count / studies for look, count in covered.items()}
    return Counted(false / studies, right / studies, runs / studies, shares, fixed / studies, plain / studies)


def student(differences: np.ndarray) -> float:
    """The plain p-value."""
    n, spread = len(differences), float(differences.std(ddof=1))
    return 2.0 * float(stdtr(n - 1, -abs(differences.mean()) * np.sqrt(n) / spread)) if spread else 1.0


def precise(shape: str, *, studies: int, variation: float, share: float = 0.02, most: int = 160) -> tuple[float, float]:
    """Studies of a mean until its interval is within a share of it: those in which it holds, and the mean of runs."""
    random = np.random.default_rng([studies, most])
    question = Question(verdict=False, share=share)
    held = runs = 0
    for _ in range(studies):
        sample = (1.0 + variation * values(random, shape, (most,))).tolist()
        for look in question.looks(most):
            found = standing(question, {"one": sample[:look]}, [look], less=True)
            if found.is_answered or look == most:
                held += found.means["one"].low <= 1.0 <= found.means["one"].high
                runs += look
                break
    return held / studies, runs / studies


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=10_000)
    studies = parser.parse_args().studies
    print(f"{studies} studies a row, at most 80 runs; shares in %\n")
    print(
        "| values | apart, s.d. | false at any look | decided | runs | holds at all looks | t, 20 runs | t, any look |"
    )
    print("|---|---|---|---|---|---|---|---|")
    every = (*SHAPES, "very skewed")
    rows = [(shape, apart, None) for shape in every for apart in (0.0, 0.5, 1.0, 2.0)]
    for shape, apart, steady in [*rows, *((shape, 0.0, 0.1) for shape in every)]:
        found = counted(shape, studies=studies, apart=apart, most=80, steady=steady)
        name = shape if steady is None else f"{shape}, beside a steady queue"
        holds = 100 * min(found.covered.values())
        print(
            f"| {name} | {apart:g} | {100 * found.false:.1f} | {100 * found.decided:.1f} | {found.runs:.1f} "
            f"| {holds:.1f} | {100 * found.fixed:.1f} | {100 * found.plain:.1f} |",
            flush=True,
        )
    print("\nUntil the mean is known within 2 %, at most 160 runs\n")
    print("| values | deviation / mean | interval holds | runs |")
    print("|---|---|---|---|")
    for shape in every:
        for variation in (0.03, 0.05):
            held, runs = precise(shape, studies=studies, variation=variation)
            print(f"| {shape} | {variation:g} | {100 * held:.1f} | {runs:.1f} |", flush=True)


if __name__ == "__main__":
    main()
