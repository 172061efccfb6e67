"""Equal-cost multipath in a fat tree: the links that each hash uses, and how evenly."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import sojourn

PAGE = (Path(__file__).parents[2] / "docs" / "data-centre.md").read_text()


def fat_tree(k):
    """The network of the page."""
    code = re.search(r"```python\n(.*?)\n\n\nnodes, links", PAGE, re.DOTALL)
    names = {}
    exec(code.group(1), names)
    return names["fat_tree"](k)


def core_links(ecmp, seeds, k=4):
    """Packets on each link to and from the core, for each seed: each host sends a datagram to a host in another pod."""
    nodes, links, hosts = fat_tree(k)
    other = hosts[len(hosts) // 2 :] + hosts[: len(hosts) // 2]
    one = sojourn.apps.Cbr(rate="1Mbit")
    flows = [
        sojourn.Flow(name=a, from_=a, to=b, transport="udp", app=one, stop="1ms")
        for a, b in zip(hosts, other, strict=True)
    ]
    scenario = sojourn.Scenario(duration="2ms", nodes=nodes, links=links, ecmp=ecmp, flows=flows)
    study = [sojourn.run(scenario, seed=seed) for seed in seeds]
    frames = [run.queue.filter(run.queue["link"].str.contains("core")).sort("link") for run in study]
    names = frames[0]["link"].to_list()
    return names, np.array([frame["departures_packets"].to_list() for frame in frames]), study


def test_without_a_hash_all_flows_share_one_core_switch_and_the_run_says_so():
    names, counts, runs = core_links("off", [1])
    used = {name for name, count in zip(names, counts[0], strict=True) if count}
    assert {re.search(r"core\d\.\d", name).group() for name in used} == {"core0.0"}
    (code,) = runs[0].warnings.filter(runs[0].warnings["code"] == "equal_ways_unused").rows()
    assert code[1:] == (
        "all",
        "16 flows have several equal ways, and each takes the one whose links come first in the file",
    )


def test_the_hash_of_switches_is_polarised():
    # A switch of the middle hears only flows whose hash is even, or only those whose hash is odd.
    names, counts, _ = core_links("switch", range(1, 21))
    up = [name for name in names if name.startswith("aggr")]
    used = {name for name, count in zip(names, counts.sum(axis=0), strict=True) if count and name in up}
    assert used == {f"aggr{pod}.{n}-core{n}.{n}" for pod in range(4) for n in range(2)}


@pytest.mark.parametrize("ecmp", ["linux_l3", "linux_l4"])
def test_hashes_with_keys_of_nodes_load_all_core_links_alike(ecmp):
    names, counts, runs = core_links(ecmp, range(1, 101))
    for way in ("aggr", "core"):
        columns = [place for place, name in enumerate(names) if name.startswith(way)]
        total = counts[:, columns].sum(axis=0)
        # 16 hosts, 100 runs: 1600 datagrams over 16 links. Flows that share keys are not independent: 0.0001.
        assert total.sum() == 1600
        assert stats.chisquare(total).pvalue > 1e-4, dict(zip(names, total, strict=False))
    assert all(run.warnings.filter(run.warnings["code"] == "equal_ways_unused").is_empty() for run in runs)


def test_a_dumbbell_has_one_way():
    with pytest.raises(sojourn.ScenarioError, match="there is one way only in a dumbbell"):
        sojourn.Scenario(
            duration="1s", ecmp="linux_l4", dumbbell=sojourn.Dumbbell(rate="1Mbit", delay="1ms"), flows=[sojourn.Flow()]
        )


def test_an_unknown_hash_is_refused_with_the_names():
    nodes, links, hosts = fat_tree(2)
    with pytest.raises(sojourn.ScenarioError, match="linux_l4"):
        sojourn.Scenario(
            duration="1s", ecmp="linux", nodes=nodes, links=links, flows=[sojourn.Flow(from_=hosts[0], to=hosts[1])]
        )
