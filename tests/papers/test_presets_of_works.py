"""A user who takes the preset of a work's algorithm has the queue or the sender that its record judges."""

import json
from collections import Counter, defaultdict

import pytest

import sojourn
from sojourn import papers
from sojourn._rooms.works import work

JUDGED = {
    "alemu2004": {"psand": "paper", "lred": "alemu2004", "avq": "alemu2004"},
    "chatranon2004": {"black": "paper", "afc": "paper"},
    "haider2005": {"hybrid_red": "paper"},
    "phirke2002": {"red_worcester": "paper", "red_boston": "paper"},
    "tahiliani2013": {"fared": "ns2", "cared": "ns2", "surathkal": "paper"},
}
"""The preset of each algorithm that its record judges; that of FARED and CARED is over ns-2's RED."""
OF_THE_NETWORK = {"limit", "virtual_limit", "min_th", "max_th", "w_q", "ecn", "mode", "mean_packet"}
"""Parameters that follow from a network or its rates."""
VARIED = {
    "psand": {"coef", "gamma", "thresholds", "threshold_memory"},
    "lred": {"beta"},
    "avq": {"alpha"},
    "black": {"cache", "sample", "active_flows", "bitmap_bits", "captures", "capture_weight", "threshold"},
    "afc": {"cache", "active_flows"},
    "hybrid_red": {"theta", "xi"},
}
"""Parameters along which the experiments of a work go: the preset has one of their values."""


def _settings(tree, kind):
    """All tables of a kind in a scenario."""
    if isinstance(tree, dict):
        if tree.get("kind") == kind:
            yield tree
        for value in tree.values():
            yield from _settings(value, kind)
    elif isinstance(tree, list):
        for value in tree:
            yield from _settings(value, kind)


def _run_by(key, kinds):
    """How often the base runs of a work have each value of the parameters of its algorithms."""
    context = papers.Context(work.find()[key], quick=False)
    found = {kind: defaultdict(Counter) for kind in kinds}
    for one in papers.load(key).experiments:
        if one.study is None or one.study.continues:
            continue
        for scenario in one.study.design.variants(context).values():
            for kind in kinds:
                for table in _settings(scenario.resolved(), kind):
                    for name, value in table.items():
                        found[kind][name][json.dumps(value)] += 1
    return found


def _preset(kind, preset):
    control = f', control = {{ kind = "{kind}", preset = "{preset}" }}' if kind == "surathkal" else ""
    queue = '"fifo"' if control else f'{{ kind = "{kind}", preset = "{preset}" }}'
    text = f'duration = "1s"\n[dumbbell]\nrate = "10Mbit"\ndelay = "10ms"\nqueue = {queue}\n[[flow]]\n'
    scenario = sojourn.Scenario.from_toml(f'{text}transport = {{ kind = "tcp"{control} }}\n')
    return next(_settings(scenario.resolved(), kind))


@pytest.mark.parametrize("key", JUDGED)
def test_the_preset_of_an_algorithm_is_what_the_record_judges(key):
    for kind, values in _run_by(key, JUDGED[key]).items():
        preset = _preset(kind, JUDGED[key][kind])
        assert values, f"{key} runs no {kind}"
        for name, counts in values.items():
            own = json.dumps(preset[name])
            if name in VARIED.get(kind, ()):
                assert own in counts, (kind, name)
            elif name not in OF_THE_NETWORK:
                assert own == counts.most_common(1)[0][0], (kind, name, counts)
