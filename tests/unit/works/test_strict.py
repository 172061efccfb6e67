"""Study files, works, metrics and claims are read as strictly as scenarios: one message with the place, no run."""

import math
import re

import pytest

import sojourn
from sojourn import papers
from sojourn._rooms.works.kinds import Bound, Order
from sojourn.papers import from_file

SCENARIO = """
duration = "4s"
warmup = "1s"
[dumbbell]
rate = "10Mbit"
delay = "20ms"
queue = { kind = "fifo", limit = "20p" }
[[flow]]
start = { spread = "1s" }
"""

STUDY = """
name = "E1"
doc = "a"
scenario = "s.toml"
seeds = { quick = 3, full = 3, most = 6 }
axes.buffer = { key = "dumbbell.queue.limit", values = ["8p", "32p"] }
axes.flows = { key = "flow[0].count", values = [1, 2] }
metrics.use = { column = "utilisation", row = "forward", unit = "%" }

[[claim]]
kind = "monotone"
text = "a larger buffer uses more of the link"
metric = "use"
along = "buffer"
rises = true
"""


@pytest.fixture
def work(tmp_path, monkeypatch):
    folder = tmp_path / "papers/mine"
    for name in ("scenarios", "experiments", "code"):
        (folder / name).mkdir(parents=True)
    (folder / "work.toml").write_text('title = "T"\ncitation = "C"\n')
    (folder / "scenarios/s.toml").write_text(SCENARIO)
    (folder / "experiments/E1.toml").write_text(STUDY)
    monkeypatch.setenv("SOJOURN_PAPERS", str(folder.parent))
    return folder


def refused(work, changed):
    """The message of a changed study file; nothing of it is run."""
    (work / "experiments/E1.toml").write_text(changed)
    with pytest.raises(ValueError, match=r"E1\.toml") as caught:
        papers.reproduce("mine", quick=False, started=lambda _: pytest.fail("an experiment was begun"))
    assert not isinstance(caught.value, KeyError)
    return str(caught.value)


# The old effect of `rises = "no"`: it was taken as true, and a claim held although runs show the opposite.
@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("rises = true", 'rises = "no"', 15, ["rises: this is a text, not a truth value", '"no"', "true, false"]),
        ("rises = true", "rises = 1", 15, ["rises: this is a number, not a truth value"]),
        ("rises = true", "", 10, ["the key 'rises' is missing"]),
        ("rises = true", "rises = true\nby = '2'", 16, ["by: this is a text, not a number"]),
        ("rises = true", "rises = true\nby = nan", 16, ["by: this is not a finite number"]),
        ("rises = true", "rises = true\nbye = 2", 16, ["no key 'bye'", "did you mean by?"]),
        ('along = "buffer"', 'along = "bufer"', 14, ["no axis 'bufer'", "buffer, flows", "did you mean buffer?"]),
        ('metric = "use"', 'metric = "usee"', 13, ["no metric 'usee'", "allowed: use", "did you mean use?"]),
        ("rises = true", 'rises = true\nmean_over = ["flow"]', 16, ["no axis 'flow'", "did you mean flows?"]),
        ("rises = true", 'rises = true\nmean_over = "flows"', 16, ["mean_over: this is a text, not a list of texts"]),
        ("rises = true", 'rises = true\nonly = { flows = ["3"] }', 16, ["no point of flows '3'", "allowed: 1, 2"]),
        ("rises = true", "rises = true\nonly = { flows = [] }", 16, ["name a point at least"]),
        ("rises = true", 'rises = true\nonly.buffer = ["8p"]', 10, ["nothing is left to be judged"]),
        ("rises = true", 'rises = true\nat = { flow = "1" }', 16, ["no axis 'flow'"]),
        ("rises = true", 'rises = true\nrelative_to = { flows = "9" }', 16, ["no point of flows '9'"]),
        ('kind = "monotone"', 'kind = "monoton"', 11, ["no kind 'monoton'", "did you mean monotone?"]),
        ('text = "a larger buffer uses more of the link"', "", 10, ["the key 'text' is missing"]),
        ('text = "a larger', 'text = "{q}: a larger', 10, ["nothing says {q}"]),
        ("rises = true", 'rises = true\nfor = "q"', 16, ["for: write a table"]),
        ("rises = true", "rises = true\nfor = { q = 3 }", 16, ["write a list of the values that replace it"]),
        ("rises = true", "rises = true\nfor = { q = [1, 2] }", 12, ["another claim of this file has the same text"]),
        ("quick = 3", "quick = 0", 5, ["seeds.quick: this is out of range", "from 1 to 100000"]),
        ("quick = 3", "quick = true", 5, ["this is a truth value, not a whole number"]),
        ("quick = 3", "quick = 2.5", 5, ["this is not a whole number"]),
        ("most = 6", "most = 2", 5, ["at most 2 seeds are fewer than the 3"]),
        ("most = 6", "mots = 6", 5, ["no key 'mots'", "did you mean most?"]),
        ("seeds = { quick = 3, full = 3, most = 6 }", "seeds = 3", 5, ["seeds: write a table"]),
        ('doc = "a"', "doc = 3", 3, ["doc: this is a number, not a text"]),
        (
            'scenario = "s.toml"',
            'scenario = "home_uplnk"',
            4,
            ["mean 'home_uplink', which comes with Sojourn?"],
        ),
        ('doc = "a"', 'doc = "a"\nrows = "buffers"', 4, ["no axis 'buffers'"]),
        ('doc = "a"', 'doc = "a"\nquick_only = { flow = ["1"] }', 4, ["no axis 'flow'", "did you mean flows?"]),
        ('doc = "a"', 'doc = "a"\nquick_only = { flows = ["7"] }', 4, ["no point of flows '7'"]),
        ('doc = "a"', 'doc = "a"\nmetric.x = 1', 4, ["no key 'metric'", "did you mean metrics?"]),
        ('unit = "%"', "unit = 3", 8, ["metrics.use.unit: this is a number, not a text"]),
        ('unit = "%"', 'odds = "no"', 8, ["metrics.use.odds: this is a text, not a truth value"]),
        ('unit = "%"', 'within = { key = "x" }', 8, ["this is a table, not a list of numbers"]),
        ('unit = "%"', 'over = "most"', 8, ["several rows together 'most'"]),
        ('unit = "%"', "among = ['a']", 8, ["`among` is for `fair`"]),
        ('unit = "%"', "together = 2", 8, ["`together` is for a share"]),
        ('unit = "%"', "against = { rwo = 'x' }", 8, ["metrics.use.against", "no key 'rwo'"]),
        ('unit = "%"', "where = { link = 3 }", 8, ["where.link: this is a number, not a text"]),
        ('values = ["8p", "32p"]', "values = nan", 6, ["axes.buffer.values: values is a list"]),
        ('values = ["8p", "32p"]', 'values = ["8p", "8p"]', 6, ["8p is there twice"]),
        ('values = ["8p", "32p"]', "values = [inf]", 6, ["not a value of a scenario"]),
        ('key = "flow[0].count"', "key = 3", 7, ["key is a key of the scenario"]),
        (
            "axes.flows",
            'reading = [{ name = "r", axes.buffer."9p" = {} }]\naxes.flows',
            7,
            ["reading \"r\": axes.buffer.9p: there is no point of buffer '9p'", "allowed: 8p, 32p"],
        ),
        ("axes.flows", "reading = [{ settings = {} }]\naxes.flows", 7, ["the key 'name' is missing"]),
        ("axes.flows", "reading = [{ name = 'r' }, { name = 'r' }]\naxes.flows", 7, ["a name of its own"]),
        ("axes.flows", "reading = 3\naxes.flows", 7, ["reading: write tables"]),
    ],
)
def test_what_does_not_fit_is_refused_at_its_line(work, old, new, line, words):
    assert STUDY.count(old) == 1
    message = refused(work, STUDY.replace(old, new))
    assert re.match(rf"{re.escape(str(work / 'experiments/E1.toml'))}:{line}:\d+: ", message), message
    assert all(one in message for one in words), message


MORE = """
[[claim]]
kind = "{kind}"
text = "another"
metric = "use"
{rest}
"""


@pytest.mark.parametrize(
    ("kind", "rest", "words"),
    [
        ("order", 'less = { buffer = "8p" }\nthan = { buffer = "8" }', "no point of buffer '8'"),
        ("order", 'less = { buffer = "8p" }\nthan = { flows = "1" }', "the cases differ"),
        ("order", 'less = "8p"\nthan = { buffer = "8p" }', "less: this is a text, not a table of texts"),
        ("order", 'less = { flows = 1 }\nthan = { flows = "2" }', "less.flows: this is a number, not a text"),
        ("linear", 'along = "buffer"', "a line goes along numbers"),
        ("linear", 'along = "flows"', "nothing is left to be judged"),
        ("knee", 'along = "flows"\nknee = "2"', "a knee lies between the first point and the last"),
        ("knee", 'along = "flows"\nknee = "3"', "no point of flows '3'"),
        ("knee", 'along = "flows"\nknee = "1"\nflat = 1.5', "numbers above 0 and below 1"),
        ("extreme", 'along = "flows"\npoint = "3"\nleast = true', "no point of flows '3'"),
        ("extreme", 'along = "flows"\npoint = "1"\nleast = "yes"', "a text, not a truth value"),
        ("near", 'at = { flows = "1" }\nwithin = 0.1', "needs a published number"),
        ("near", 'at = { flows = "1" }\nwithin = 0\npublished = 1.0', "numbers above 0"),
        ("near", 'at = { flows = "1" }\nwithin = 0.1\npublished = "1"', "published: this is a text, not a number"),
        ("equivalent", 'this = { flows = "1" }\nthat = { flows = "2" }\nwithin = 2', "above 0 and below 1"),
        ("within_factor", 'this = { flows = "1" }\nthat = { flows = "2" }\nup_to = 0.5', "numbers above 1"),
        ("gain", 'this = { flows = "1" }\nthat = { flows = "2" }', "say `above`, `below` or both"),
        ("bound", "above = 2\nbelow = 1", "above the one and below the other"),
        ("bound", "above = inf", "not a finite number"),
        ("table", 'at = { flows = "1" }\nprinted = [1.0]\nshare = 0.1', "1 printed numbers for 2 cases"),
        ("table", 'at = { flows = "1" }\nprinted = [1.0, 2.0]\nshare = "a"', "share: this is a text"),
        ("table", 'at = { flows = "1" }\nprinted = [1.0, "2"]\nshare = 0.1', "printed[1]: this is a text"),
        ("table", 'at = { flows = "1" }\nprinted = "use.x"\nshare = 0.1', "no row in expected.toml 'use.x'"),
        ("table", 'at = { flows = "1" }\nprinted = [1.0, 2.0]', "how far ours may be"),
        ("even", "within = -1", "numbers above 0"),
        ("even", 'mean_over = ["flows"]\nat = { flows = "1" }', "has no point of it"),
    ],
)
def test_a_claim_of_any_kind_is_checked_before_anything_runs(work, kind, rest, words):
    message = refused(work, STUDY + MORE.format(kind=kind, rest=rest))
    assert words in message, message
    assert 'claim "another"' in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[trace]\n"x" = 1', "trace.x: write a table"),
        ("[claims]", "no key 'claims'"),
        ("metrics = 3", "metrics: write a table"),
        ("words = [1]", "words: write a table"),
    ],
)
def test_parts_are_checked(work, text, words):
    (work / "shared.toml").write_text(text)
    with pytest.raises(ValueError, match=r"shared\.toml") as caught:
        from_file(work / "experiments/E1.toml")
    assert words in str(caught.value)


def test_what_is_wrong_in_a_part_is_named_with_the_file_that_takes_it(work):
    (work / "shared.toml").write_text('[metrics]\nuse = { column = "utilisation", rwo = "forward" }\n')
    own = STUDY[STUDY.index("metrics.use") : STUDY.index("[[claim")]
    (work / "experiments/E1.toml").write_text(STUDY.replace(own, 'metrics.shared = ["use"]\n'))
    with pytest.raises(ValueError, match="no key 'rwo'") as caught:
        from_file(work / "experiments/E1.toml")
    assert f"{work / 'experiments/E1.toml'}, with {work / 'shared.toml'}:2:33: metrics.use: " in str(caught.value)


def test_what_is_no_toml_is_named(work):
    assert "E1.toml: this is not TOML" in refused(work, "name = ")


NEVER = """
from sojourn.papers import Paper
from sojourn._rooms.works.design import NotRunError

def never(results):
    raise NotRunError

PAPER = Paper()
PAPER.add_claims("E1", [never])
"""


def test_a_claim_without_a_verdict_is_an_error_in_a_full_run(work):
    (work / "code/experiments.py").write_text(NEVER)
    with pytest.raises(ValueError, match="has no verdict: nothing of it was run"):
        papers.reproduce("mine", quick=False)


def test_a_claim_at_points_that_a_quick_run_leaves_out_by_name_is_judged_in_full(work):
    text = STUDY.replace("axes.flows", 'quick_only = { flows = ["1"] }\naxes.flows')
    late = MORE.format(kind="bound", rest='at = { flows = "2" }\nabove = 0.1')
    (work / "experiments/E1.toml").write_text(text + late)
    quick, full = (papers.reproduce("mine", quick=one) for one in (True, False))
    assert [claim.text for claim in quick.claims] == ["a larger buffer uses more of the link"]
    assert [claim.text for claim in full.claims] == ["a larger buffer uses more of the link", "another"]


# ---- Metrics, from files of sweeps and from Python.


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ('{ column = "queueing_p99_ms", table = "group", row = "call", odds = "no" }', "odds: this is a text"),
        ('{ column = "queueing_p99_ms", table = "group", row = "call", odds = true }', "has odds; this is not a share"),
        ('{ within = { key = "x" } }', "this is a table, not a list of numbers"),
        ('{ within = ["a", "b"] }', "within[0]: this is a text, not a number"),
        ("{ within = [5, 15], from_s = -1 }", "from_s: this is out of range"),
        ('{ column = "throughput_bps", table = "over_time", statistic = "mean", from_s = 5, to_s = 2 }', "ends after"),
        ("3", "metrics.wait: write a table"),
    ],
)
def test_metrics_of_a_sweep_are_checked(tmp_path, metric, words):
    file = tmp_path / "study.toml"
    file.write_text(f'scenario = "home_uplink"\nmetrics.wait = {metric}\n[axes.queue]\nA = {{}}\n')
    with pytest.raises(ValueError, match=r"study\.toml:2:\d+: metrics\.wait") as caught:
        sojourn.StudyFile.load(file)
    assert words in str(caught.value)


def test_objects_of_python_are_checked_too():
    with pytest.raises(ValueError, match="metric loss_ratio: odds: this is a text, not a truth value"):
        sojourn.Metric(column="loss_ratio", odds="no")
    with pytest.raises(ValueError, match="by: this is a text"):
        Order(text="a", metric="m", less={}, than={}, by="2")
    with pytest.raises(ValueError, match="above: this is a truth value"):
        Bound(text="a", metric="m", above=True)


def test_a_power_of_what_has_none_is_no_number():
    metric = sojourn.Metric(column="loss_ratio", less=1.0, power=0.5)
    run = sojourn.run(sojourn.Scenario.from_toml(SCENARIO), seed=1)
    assert math.isnan(metric.of(run))


def test_ids_are_short_names_and_no_two_claims_have_the_same(work):
    assert "an id has letters, digits, dots and hyphens" in refused(work, f'{STUDY}id = "E1 use"\n')
    again = STUDY[STUDY.index("[[claim]]") :].replace("a larger", "the larger") + 'id = "E1-use"\n'
    assert "another claim of this file has the same id" in refused(work, f'{STUDY}id = "E1-use"\n{again}')


def test_the_names_of_several_claims_stand_in_their_ids_in_small_letters(work):
    claim = 'id = "E1-use-{q}"\nfor = { q = ["AVQ*", "UDP\'s rate"] }\n'
    written = STUDY.replace("a larger buffer uses", "{q}: a larger buffer uses")
    (work / "experiments/E1.toml").write_text(f"{written}{claim}")
    made = from_file(work / "experiments/E1.toml")
    assert [one.key for one in made.claims] == ["E1-use-avq-star", "E1-use-udp-rate"]
