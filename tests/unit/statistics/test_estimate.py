"""Estimators of active flows, against a second writing of each in plain Python that draws the same numbers."""

import math
from collections import Counter, deque
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from sojourn.models.estimate import active_flows

M64 = (1 << 64) - 1


class Stream:
    """The core's random numbers: xoshiro256++ from SplitMix64, seeded by name (Blackman and Vigna 2019)."""

    def __init__(self, seed, name="estimate"):
        state = 0xCBF29CE484222325
        for byte in name.encode():
            state = ((state ^ byte) * 0x100000001B3) & M64
        turned = (seed * 0x9E3779B97F4A7C15) & M64
        state ^= ((turned << 31) | (turned >> 33)) & M64
        self.s = []
        for _ in range(4):
            state = (state + 0x9E3779B97F4A7C15) & M64
            self.s.append(mixed(state))

    def uniform(self):
        s = self.s
        total = (s[0] + s[3]) & M64
        drawn = (((total << 23) | (total >> 41)) + s[0]) & M64
        t = (s[1] << 17) & M64
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = ((s[3] << 45) | (s[3] >> 19)) & M64
        return (drawn >> 11) / (1 << 53)

    def below(self, n):
        return min(int(self.uniform() * n), n - 1)


def mixed(x):
    """SplitMix64's finaliser."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & M64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & M64
    return x ^ (x >> 31)


def ended(packets, every):
    return range(every, packets + 1, every)


# ---- Second writings. Each gives the estimates at the ends of periods; None before the first.


def plain_match(flows, every, seed, depth=None, keep=None):
    """`depth` packets wait, and the compared one is drawn from them; or from the last `keep`."""
    rng, found, last, compared, hits = Stream(seed), [], None, 0, 0
    for i, flow in enumerate(flows):
        others = flows[max(0, i - (depth or keep)) : i]
        if others:
            compared += 1
            hits += others[rng.below(len(others))] == flow
        if (i + 1) % every == 0:
            if hits and compared / hits >= 1:
                last = compared / hits
            found.append(last)
            compared = hits = 0
    return found


def plain_bitmap(flows, every, seed, bits, least=1, depth=None):
    """Counters: of a period, or (with `depth`) of packets that wait."""
    key, found, last, seen, gone = None, [], None, Counter(), 0
    rng = Stream(seed)
    for i, flow in enumerate(flows):
        while depth and gone < i - depth:
            seen[mixed((flows[gone] + key + 0x9E3779B97F4A7C15) & M64) % bits] -= 1
            gone += 1
        if key is None:
            key = rng.below(1 << 53)
        seen[mixed((flow + key + 0x9E3779B97F4A7C15) & M64) % bits] += 1
        if (i + 1) % every == 0:
            zeros = bits - sum(count >= least for count in seen.values())
            new = bits * math.log(bits / max(zeros, 1))
            last = new if new >= 1 else last
            found.append(last)
            if not depth:
                seen.clear()
    return found


def plain_captures(flows, every, seed, captures, probability, weight, estimator):
    rng, found, last, caught = Stream(seed), [], None, []
    for i, flow in enumerate(flows):
        if rng.uniform() < probability:
            caught.append(flow)
        if len(caught) >= captures:
            f = Counter(Counter(caught).values())
            new = estimator(len(caught), f)
            if new is not None and new >= 1:
                last = new if last is None else (1 - weight) * last + weight * new
            caught = []
        if (i + 1) % every == 0:
            found.append(last)
    return found


def plain_coverage(order):
    def at(t, f):
        once, pairs = f[1], sum(j * (j - 1) * n for j, n in f.items())
        covered = 1 - (once if order == 1 else once - 2 * f[2] / (t - 1)) / t
        if covered <= 0:
            return None
        distinct = sum(f.values())
        varied = max(distinct / covered * pairs / (t * (t - 1)) - 1, 0)
        return (distinct + once * varied) / covered

    return at


def plain_jackknife(t, f):
    """Burnham and Overton by their definition, in fractions: order k from leaving out up to k captures.

    ``N_k = 1/k! sum_r (-1)^r C(k, r) (t - r)^k S_r``, and S_r, the mean number of flows that are left, is linear in f.
    """

    def weights(k):
        def one(i):
            total = Fraction(0)
            for r in range(k + 1):
                lost = Fraction(math.comb(t - i, r - i), math.comb(t, r)) if i <= r else Fraction(0)
                total += (-1) ** r * math.comb(k, r) * (t - r) ** k * (1 - lost)
            return total / math.factorial(k) - 1

        return [one(i) for i in range(1, 6)]

    distinct = sum(f.values())
    rows = [weights(k) for k in range(1, 6)]
    orders = [distinct + sum(w * f[i + 1] for i, w in enumerate(row)) for row in rows]
    before = 1.0
    for m in range(4):
        step = [b - a for a, b in zip(rows[m], rows[m + 1], strict=True)]
        gap = orders[m + 1] - orders[m]
        squares = sum(w * w * f[i + 1] for i, w in enumerate(step))
        variance = Fraction(distinct, distinct - 1) * (squares - gap * gap / distinct) if distinct > 1 else 0
        chance = math.erfc(abs(gap) / math.sqrt(2 * variance)) if variance > 0 else 1.0
        if chance > 0.05:
            if m == 0:
                return max(float(orders[0]), distinct)
            c = (0.05 - before) / (chance - before)
            return max(c * float(orders[m]) + (1 - c) * float(orders[m - 1]), distinct)
        before = chance
    return max(float(orders[4]), distinct)


def plain_sred(flows, every, seed, zombies, replace):
    rng, found, listed, hits = Stream(seed), [], [], 0.0
    weight = replace / zombies
    for i, flow in enumerate(flows):
        choice, luck = rng.uniform(), rng.uniform()
        if len(listed) < zombies:
            listed.append(flow)
        else:
            at = min(int(choice * zombies), zombies - 1)
            hit = listed[at] == flow
            hits = (1 - weight) * hits + (weight if hit else 0.0)
            if not hit and luck < replace:
                listed[at] = flow
        if (i + 1) % every == 0:
            found.append(1 / hits if hits > 0 else None)
    return found


# ---- The same sequences to both.


def sequences():
    rng = np.random.default_rng(7)
    yield "equal", rng.integers(0, 40, 6000)
    yield "one large", np.where(rng.random(6000) < 0.4, 0, rng.integers(1, 80, 6000))
    yield "zipf", rng.zipf(1.3, 6000) % 500
    yield "one", np.zeros(1200, dtype=int)
    yield "all different", np.arange(2500)


@pytest.mark.parametrize("flows", [pytest.param(flows, id=name) for name, flows in sequences()])
@pytest.mark.parametrize("seed", [1, 2**63 + 5])
def test_every_estimator_is_what_its_second_writing_says(flows, seed):
    same = [int(flow) for flow in flows]
    common = {"every": 500, "seed": seed}
    cover = {"captures": 50, "capture_probability": 0.3, "capture_weight": 0.3}
    pairs = [
        (active_flows(flows, "match", waiting=30, **common), plain_match(same, 500, seed, depth=30)),
        (
            active_flows(flows, "virtual_match", virtual_buffer=200, match_over="compared", **common),
            plain_match(same, 500, seed, keep=200),
        ),
        (active_flows(flows, "direct_bitmap", bitmap_bits=64, **common), plain_bitmap(same, 500, seed, 64)),
        (
            active_flows(flows, "low_pass", bitmap_bits=64, bitmap_min_packets=4, **common),
            plain_bitmap(same, 500, seed, 64, least=5),
        ),
        (
            active_flows(flows, "removals", bitmap_bits=64, waiting=30, **common),
            plain_bitmap(same, 500, seed, 64, depth=30),
        ),
        (active_flows(flows, "sred", zombies=100, **common), plain_sred(same, 500, seed, 100, 0.25)),
        *(
            (active_flows(flows, ours, **cover, **common), plain_captures(same, 500, seed, 50, 0.3, 0.3, theirs))
            for ours, theirs in (
                ("jackknife", plain_jackknife),
                ("coverage_1", plain_coverage(1)),
                ("coverage_2", plain_coverage(2)),
            )
        ),
    ]
    for ours, theirs in pairs:
        found = ours["estimate"].to_list()
        assert [one is None for one in found] == [one is None for one in theirs]
        # The jackknife's fractions are exact; in floats its coefficients of t = 50 lose some digits.
        assert found == [None if one is None else pytest.approx(one, rel=1e-9) for one in theirs]
        assert ours["packets"].to_list() == list(ended(len(flows), 500))


# ---- Closed forms.


def test_a_bitmap_inverts_its_own_expectation():
    # N flows in b bits: the estimate's bias is (e^r - r - 1) / 2 and its deviation sqrt(b (e^r - r - 1)), r = N / b.
    bits, flows = 256, 200
    r = flows / bits
    spread = math.exp(r) - r - 1
    estimates = [
        active_flows(np.arange(flows), "direct_bitmap", bitmap_bits=bits, seed=seed)["estimate"][0]
        for seed in range(400)
    ]

    # Four standard errors of 400 estimates, beside the bias.
    assert np.mean(estimates) == pytest.approx(flows + spread / 2, abs=4 * math.sqrt(bits * spread / 400))
    assert np.std(estimates) == pytest.approx(math.sqrt(bits * spread), rel=0.15)


def test_matches_tend_to_one_over_the_sum_of_squares():
    # A flow with 40 % and 60 that share the rest: 1 / (0.16 + 0.36 / 60) = 6.02.
    rng = np.random.default_rng(3)
    flows = np.where(rng.random(200_000) < 0.4, 0, rng.integers(1, 61, 200_000))
    share = 0.16 + 0.36 / 60

    for found in (active_flows(flows, waiting=500), active_flows(flows, "virtual_match", match_over="compared")):
        # Relative deviation sqrt((1 - P) / (n P)), four of them and as much for the share of the large flow in the
        # draw.
        assert found["estimate"][0] == pytest.approx(1 / share, rel=8 * math.sqrt((1 - share) / (share * 200_000)))


def test_sred_tends_to_the_number_of_equal_flows():
    flows = np.random.default_rng(4).integers(0, 20, 400_000)
    found = active_flows(flows, "sred", zombies=1000, every=20_000)["estimate"].to_numpy()[10:]

    # Weight a = 1/4000: P has a relative deviation sqrt(a / 2 (1 - p) / p) = 0.049 with p = 1/20; ten estimates,
    # four times that of one that hardly forgets in between (5 time constants).
    assert np.mean(found) == pytest.approx(20, rel=4 * 0.049 / math.sqrt(10) + 0.01)


def test_the_published_jackknife_is_142():
    # Burnham and Overton 1978, section 5: t = 18, f = 43, 16, 8, 6, 0, 2, 1.
    assert plain_jackknife(18, Counter({1: 43, 2: 16, 3: 8, 4: 6, 6: 2, 7: 1})) == pytest.approx(142.25, abs=0.02)


# ---- Allowed arguments.


def test_flows_may_be_arrays_series_lists_or_names():
    numbers = np.random.default_rng(5).integers(0, 30, 2000)
    names = [f"10.0.0.{n:02}" for n in numbers]
    expected = active_flows(numbers, "direct_bitmap")["estimate"]

    for same in (list(numbers), pl.Series(numbers), numbers.astype(np.uint8), names, pl.Series(names), np.array(names)):
        assert active_flows(same, "direct_bitmap")["estimate"].equals(expected)
    # Numbers that the core cannot have are told from each other all the same.
    assert active_flows(numbers - 2**40, "direct_bitmap")["estimate"].equals(expected)


def test_periods_may_be_seconds():
    times = np.array([0.0, 0.1, 0.2, 1.0, 1.5, 2.2, 2.3, 3.05])
    found = active_flows([1, 2, 3, 1, 1, 1, 2, 3], "direct_bitmap", times=times, every_s=1.0, bitmap_bits=1 << 20)

    # A packet at 1.0 s is in the second period; the last is not over.
    assert found["packets"].to_list() == [3, 5, 7]
    assert found["time_s"].to_list() == [1.0, 2.0, 3.0]
    assert found["estimate"].round(3).to_list() == [3.0, 1.0, 2.0]


def test_departures_say_what_waits():
    times = np.arange(6.0)
    # Each stays 2.5 s: when packet 5 comes, 3 and 4 wait, and it joins them.
    found = active_flows(range(6), "removals", times=times, departures=times + 2.5, every=1, bitmap_bits=1 << 20)

    assert found["estimate"].round(3).to_list() == [1.0, 2.0, 3.0, 3.0, 3.0, 3.0]


def test_no_packets_are_no_periods():
    assert active_flows([], "direct_bitmap").height == 0
    assert active_flows(np.array([], dtype=int), every=10).height == 0


def test_a_virtual_buffer_is_a_deque():
    # The core's own data, once more: the list from which it draws has the last packets only.
    kept = deque(maxlen=3)
    for flow in range(5):
        kept.append(flow)
    assert list(kept) == [2, 3, 4]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: active_flows([1], "direct_bitmap", bitmap_bits=0), "bitmap_bits"),
        (lambda: active_flows([1], "jackknife", captures=5), "captures"),
        (lambda: active_flows([1], "jackknife", capture_probability=0.0), "capture_probability"),
        (lambda: active_flows([1], "sred", replace=2.0), "replace"),
        (lambda: active_flows([1], "direct_bitmap", every=0), "a period has 0 packets"),
        (lambda: active_flows([1], "direct_bitmap", every_s=1.0), "give times"),
        (lambda: active_flows([1], "direct_bitmap", every=1, every_s=1.0), "not both"),
        (lambda: active_flows([[1]], "direct_bitmap"), "2 dimensions"),
        (lambda: active_flows([1.0, math.nan], "direct_bitmap"), "packet 1 is of no flow"),
        (lambda: active_flows([1, "a", None], "direct_bitmap"), "cannot be told|no flow"),
        (lambda: active_flows([1, 2], "direct_bitmap", times=[1.0, 0.0]), "that of packet 1"),
        (lambda: active_flows([1, 2], "direct_bitmap", times=[1.0]), "2 packets and 1 times"),
        (lambda: active_flows([1, 2], departures=[1.0, 2.0]), "need the times"),
        (lambda: active_flows([1, 2], waiting=0), "at least 1"),
        (lambda: active_flows([1], seed=-1), "seed"),
    ],
)
def test_what_means_nothing_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
