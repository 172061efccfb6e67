"""The forest plot of claims: the claimed range, ours and the number of the work in each row."""

import math
import re

import pytest

from sojourn._rooms.works.claim_tables import claims_html
from sojourn._rooms.works.forest import forest
from sojourn.claims import Claim
from sojourn.stats import Interval


def claim(mean, half, claimed, **more):
    return Claim(text="t", verdict="holds", ours=Interval(mean, half, 10), claimed=claimed, **more)


def numbers(row, pattern):
    found = re.search(pattern, row)
    return [float(one) for one in found.groups()]


def test_ours_is_inside_the_filled_range_if_the_claim_has_it():
    row = forest(claim(2.0, 0.5, (0.0, math.inf), published=4.0))
    left, width = numbers(row, r'class="claimed" x="([\d.]+)" y="1" width="([\d.]+)"')
    low, high = numbers(row, r'class="ours" d="M([\d.]+) 8H([\d.]+)"')
    (at,) = numbers(row, r'cx="([\d.]+)"')
    (work,) = numbers(row, r'class="work" d="M([\d.]+) ')
    assert left < low < at < high < work + 3.5 < left + width
    # On a line from the bound 0 to the work's 4, ours of 2 lies in the middle.
    assert at == pytest.approx((left + work + 3.5) / 2.0, abs=0.2)


def test_ours_is_outside_if_it_is_not_claimed():
    row = forest(claim(-1.0, 0.1, (0.0, math.inf)))
    (left,) = numbers(row, r'class="claimed" x="([\d.]+)"')
    (at,) = numbers(row, r'cx="([\d.]+)"')
    assert at < left
    assert "work" not in row.replace("the work", "")


def test_a_range_has_two_bounds():
    row = forest(claim(1.0, 0.1, (0.5, 1.5)))
    assert row.count('class="bound"') == 2


@pytest.mark.parametrize("one", [claim(1.0, 0.1, (-math.inf, math.inf)), claim(math.nan, 0.1, (0.0, 1.0))])
def test_a_claim_without_bounds_or_numbers_has_no_row(one):
    assert forest(one) == ""


def test_the_table_of_claims_has_the_picture_the_difference_and_the_number_of_the_work():
    page = claims_html([claim(0.02, 0.01, (0.0, math.inf), unit="points", number="A − B", derived=0.035)], lambda _: 0)
    assert page.count("<svg") == 1
    assert "A − B" in page
    assert ">3.5 " in page
    assert "by its numbers" in page
