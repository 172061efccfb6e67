"""How often the decisions about the claims of an experiment are wrong, by simulation."""

import numpy as np
import pytest
from scipy.stats import norm

from sojourn.claims import Claim, corrected

EXPERIMENTS = 2000


def opposed(random, claims):
    """Half of the claims say the opposite of the others."""
    half = random.standard_normal(claims // 2)
    return np.concatenate([half, -half])


def alike(random, claims):
    """All claims rest on the same runs."""
    return 0.8 * random.standard_normal() + 0.6 * random.standard_normal(claims)


@pytest.mark.parametrize("law", [opposed, alike, lambda random, claims: random.standard_normal(claims)])
@pytest.mark.parametrize("true", [0, 4])
def test_at_most_five_of_100_decisions_of_an_experiment_are_wrong(law, true):
    random = np.random.default_rng(1)
    wrong = []
    for _ in range(EXPERIMENTS):
        noise = law(random, 12)
        noise[:true] += 4.0
        p = 2.0 * norm.sf(np.abs(noise))
        found = corrected(
            [
                Claim(text=str(place), verdict="holds" if one < 0.05 else "undecided", p=one)
                for place, one in enumerate(p)
            ]
        )
        decided = [place for place, one in enumerate(found) if one.verdict == "holds"]
        wrong.append(sum(place >= true for place in decided) / max(1, len(decided)))

    assert np.mean(wrong) <= 0.05 + 2.0 * 0.05**0.5 / EXPERIMENTS**0.5
