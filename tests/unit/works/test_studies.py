"""Study files: their runs, seeds, readings and charts, and their mistakes."""

import gc
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.study_file import STUDY, findings
from sojourn import Result, papers
from sojourn._rooms.runs import runner
from sojourn._rooms.works import growth, studies
from sojourn._rooms.works.design import keys_of
from sojourn._rooms.works.exhibits import Later
from sojourn._rooms.works.kinds import Extreme, Near, Order, Table
from sojourn._rooms.works.reader import from_files, from_folder, names_of_files
from sojourn._rooms.works.sentences import ClaimRecord, judge, read
from sojourn._rooms.works.studies import experiment
from sojourn.claims import Claim
from sojourn.papers import Reading, from_file


def test_a_study_file_is_an_experiment(study):
    context = papers.Context(study.parent, quick=True, experiment="losses")

    found = findings(study, context)

    claims = [one for one in found if isinstance(one, Claim)]
    assert [(claim.text, claim.reading, claim.verdict) for claim in claims] == [
        ("RED waits less than DT", "", "holds"),
        ("DT waits as long", "", "holds"),
        ("RED waits less than DT", "steep", "holds"),
    ], "a reading of RED does not touch drop tail"
    (remark,) = (one for one in found if isinstance(one, papers.Remark))
    assert "never seen" in remark.text
    table, rest, fit = (one for one in found if isinstance(one, papers.Numbers))
    assert {number.column for number in table.numbers} == {"wait, DT"}
    assert {number.column for number in rest.numbers} == {"wait, RED"}
    assert list(dict.fromkeys(one.row for one in fit.numbers)) == ["steep", "never seen", "as run"]
    assert {(n.row, n.column): n.published for n in table.numbers}["4", "wait, DT"] == 25.0
    assert len(context._done) == 3 * (4 + 2), "three seeds of four variants, and of RED's two under the reading"


def test_the_example_of_the_guide_runs(tmp_path, scenario_file):
    guide = (Path(__file__).parents[3] / "docs/works.md").read_text(encoding="utf-8")
    study, _printed, sentences, _figures = re.findall(r"^```toml\n(.*?)^```$", guide, re.M | re.S)
    (tmp_path / "E9.toml").write_text(study)
    (tmp_path / "sentences.toml").write_text(sentences)
    # A key of a reading has to be there in the scenario, as the guide says.
    scenario = scenario_file.read_text()
    assert "transport" not in scenario
    (tmp_path / "dumbbell.toml").write_text(f'{scenario}transport = {{ kind = "tcp", profile = "ns2" }}\n')
    expected = "[E9]\nqueue.PI = [20.0, 40.0, 45.0]\nqueue_errors.PI = [5.0, 5.0, 5.0]\n"
    (tmp_path / "expected.toml").write_text(expected)

    found = findings(tmp_path / "E9.toml", papers.Context(tmp_path, quick=True, experiment="E9"))

    claims = [(one.id, one.reading) for one in found if isinstance(one, Claim)]
    assert claims[:2] == [("E9-pi-shorter", ""), ("E9-pi-table-2", "")]
    assert {reading for _, reading in claims} == {"", "delayed acknowledgements"}
    recorded = [
        ClaimRecord(experiment="E9", text="", id=key, verdict="holds") for key, reading in claims if not reading
    ]
    assert [(one.words, one.of) for one in judge(read(tmp_path), recorded)] == [("holds", 2)]


def test_names_of_a_claim_may_go_together(study):
    beside = study.parent / "pairs.toml"
    claim = """
[[claim]]
kind = "bound"
for = { q = ["RED", "DT"], "n, most" = [["2", "short"], ["4", "long"]] }
text = "{q} with {n} is {most}"
metric = "wait"
at = { queue = "{q}", flows = "{n}" }
below = 1.0
"""
    head = f'name = "pairs"\ndoc = "pairs"\ncontinues = "{study.name}"\n'
    beside.write_text(head + claim)

    texts = [made.text for made in from_file(beside).claims]
    assert texts == ["RED with 2 is short", "RED with 4 is long", "DT with 2 is short", "DT with 4 is long"]

    some = claim.replace('["4", "long"]', '["all", ["2", "4"]]').replace(
        ', flows = "{n}" }', ' }\nonly = { flows = "{most}" }'
    )
    beside.write_text(head + some.replace('["2", "short"], ', ""))
    assert from_file(beside).claims[0].only == {"flows": ["2", "4"]}, "a list takes the place of its name"

    beside.write_text(head + claim.replace('["4", "long"]', '"4"'))
    with pytest.raises(
        ValueError,
        match=r'toml:7:57: claim\[0\]\.for\."n, most"\[1\]: this is not a list of 2 texts\n  found:   "4"',
    ):
        from_file(beside)


def test_undecided_claims_get_more_seeds_up_to_the_limit(study):
    made = from_file(study)
    context = papers.Context(study.parent, quick=False, experiment="losses")
    # Nothing is less than itself; one standard error of luck and four times the seeds would decide: (0 + 1) * 2 > 1.96.
    never = Order(text="never", metric="wait", less={"queue": "DT", "flows": "2"}, than={"queue": "DT", "flows": "2"})

    def judged(most):
        seeds = replace(made.design.seeds, most=most)
        one = experiment(replace(made, claims=[never], design=replace(made.design, readings=(), seeds=seeds)))
        return next(found for found in one.check(context) if isinstance(found, Claim))

    claim = judged(6)
    assert (claim.verdict, claim.ours.n) == ("undecided", 3), "with twice the seeds it would not: 1.41 < 1.96"
    claim = judged(12)
    # With six it may only be doubled once more, which would not decide.
    assert (claim.verdict, claim.ours.n) == ("undecided", 6)
    seeds = {
        label: sorted(seed for one, seed in context._done if one == scenario)
        for label, scenario in made.design.variants(context).items()
    }
    assert len(seeds["2, DT"]) == 6
    assert {len(found) for label, found in seeds.items() if label != "2, DT"} == {3}, "its own variants only"


def test_an_open_claim_gets_the_seeds_that_would_settle_it_up_to_480():
    claim = Claim(text="x", verdict="undecided", p=0.2)
    # z = 1.28 with 12 seeds; 1.96 takes 28.1 of them, among 20 claims 3.02 takes 66.7.
    assert growth._would_settle(claim, 1, 12) == 29
    assert growth._would_settle(claim, 20, 12) == 67
    assert growth._would_settle(replace(claim, p=0.9), 20, 48) > growth.MOST_SEEDS
    assert growth._would_settle(replace(claim, p=1.0), 20, 48) > growth.MOST_SEEDS


def test_a_printed_mean_of_many_runs_gets_as_many_as_confirm_it(study):
    """Twice 12 seeds are not allowed, and 12 do not confirm a mean of 20 runs: 21 do."""
    made = from_file(study)
    context = papers.Context(study.parent, quick=False, experiment="losses")
    at = {"flows": "2", "queue": "DT"}
    waits = made.base(context).sample("wait", at)
    near = Near(text="as printed", metric="wait", at=at, published=sum(waits) / len(waits), printed_runs=20, within=9.0)
    one = experiment(replace(made, claims=[near], design=replace(made.design, readings=())))

    claim = next(found for found in one.check(context) if isinstance(found, Claim))

    assert claim.ours is not None
    assert (claim.verdict, claim.ours.n) == ("holds", 21)


def test_a_claim_alone_runs_its_own_variants_only_and_is_settled_as_among_all(study):
    study.write_text(study.read_text().replace('text = "DT waits', 'id = "losses-dt"\ntext = "DT waits'))
    whole = experiment(from_file(study))
    own = studies.of_claims(whole, ["losses-dt"])
    context = papers.Context(study.parent, quick=False, runs=2, readings=False, experiment="losses")

    found = list(own.check(context))

    assert [one.id for one in found] == ["losses-dt"], "no table, no chart"
    assert own.claims == whole.claims
    assert {scenario for scenario, _ in context._done} < set(whole.study.design.variants(context).values())


def test_tables_have_the_runs_that_claims_of_any_experiment_wanted_besides(study):
    never = 'metric = "wait"\nless = { queue = "DT", flows = "2" }\nthan = { queue = "DT", flows = "2" }\n'
    more = study.parent / "more.toml"
    head = 'name = "more"\ndoc = "the same runs"\ncontinues = "losses.toml"\n'
    more.write_text(f'{head}[[claim]]\nkind = "order"\ntext = "never"\n{never}')
    study.write_text(STUDY[: STUDY.index("[[claim]]")])
    context = papers.Context(study.parent, quick=False, readings=False, experiment="losses")
    made = [found for file in (study, more) for found in experiment(from_file(file)).check(context)]

    shown = [one for found in made if isinstance(found, Later) for one in found.make()]
    table = next(one for one in shown if isinstance(one, papers.Numbers))

    runs = {(number.row, number.column): number.interval.n for number in table.numbers}
    assert runs["2", "wait, DT"] == 6, "those of the claim of the other file"
    assert {count for cell, count in runs.items() if cell != ("2", "wait, DT")} == {3}
    assert table.text.startswith("Means of 3 to 6 runs")
    assert len({run for one in context.studies.values() for run in one.runs}) == 3 * 4 + 3, "all of them are counted"


def test_claims_that_are_decided_alone_get_more_seeds_until_they_are_among_all(study):
    made = from_file(study)
    sooner = Order(
        text="sooner", metric="wait", less={"queue": "RED", "flows": "2"}, than={"queue": "DT", "flows": "2"}
    )
    one = experiment(replace(made, claims=[sooner], design=replace(made.design, readings=())))

    def judged(among):
        context = papers.Context(study.parent, quick=False, experiment="losses", among=among)
        return next(found for found in one.check(context) if isinstance(found, Claim))

    alone = judged(1)
    assert (alone.verdict, alone.ours.n, one.claims) == ("holds", 3, 1)
    # So many claims that three runs are just too few: 0.05 / among < p.
    among = judged(math.ceil(0.05 / alone.p) + 1)
    assert (among.verdict, among.ours.n) == ("holds", 6)
    assert among.settled(math.floor(0.05 / among.p))
    assert not among.settled(math.ceil(0.05 / among.p) + 1)
    assert replace(among, p=None).settled(10**9), "without chance in it"


@pytest.mark.parametrize(
    "sooner",
    [
        Order(text="sooner", metric="wait", less={"queue": "RED"}, than={"queue": "DT"}),
        Extreme(text="least", metric="wait", along="queue", point="RED", least=True, only={"flows": ["2", "4"]}),
    ],
)
def test_cases_that_hold_by_themselves_get_no_more_seeds(study, sooner):
    made = from_file(study)
    one = experiment(replace(made, claims=[sooner], design=replace(made.design, readings=())))
    context = papers.Context(study.parent, quick=False, experiment="losses")
    base = made.base(context, made.design.seeds.looks + 1)
    clear, other = sorted(sooner.cases(base).items(), key=lambda pair: pair[1].hold)
    assert clear[1].hold < other[1].hold, "one of them is clearer"
    # So many claims that three runs are enough for the clearer one only.
    context.among = math.floor(0.05 / (base.looks * clear[1].hold)) - 1

    claim = next(found for found in one.check(context) if isinstance(found, Claim))

    variants = made.design.variants(context)
    seeds = {label: sum(scenario == one for scenario, _ in context._done) for label, one in variants.items()}
    few, more = (name.partition(":")[0] for name, _ in (clear, other))
    assert {seeds[f"{few}, {queue}"] for queue in ("RED", "DT")} == {3}
    assert min(seeds[f"{more}, {queue}"] for queue in ("RED", "DT")) >= 6
    assert (claim.of, claim.points) == (2, 4), "all cases are judged"


def test_until_decided_begins_with_few_seeds(study):
    study.write_text(study.read_text().replace("full = 3, most = 12", "full = 10"))
    made = from_file(study)
    seeds = made.design.seeds.from_few
    assert (seeds.full, seeds.most, seeds.open) == (6, 10, made.design.seeds.open)
    context = papers.Context(study.parent, quick=False, readings=False, experiment="losses", from_few=True)
    found = [one for one in experiment(made).check(context) if isinstance(one, Claim)]
    assert {one.ours.n for one in found if one.settled(context.among)} == {6}


@pytest.mark.parametrize(("verdict", "runs"), [("undecided", 6), ("fails", 6), ("holds", 3)])
def test_a_claim_under_a_reading_gets_the_seeds_of_the_first_one_where_that_does_not_hold(
    study, monkeypatch, verdict, runs
):
    made = from_file(study)
    sooner = Order(
        text="sooner", metric="wait", less={"queue": "RED", "flows": "2"}, than={"queue": "DT", "flows": "2"}
    )
    one = experiment(replace(made, claims=[sooner], design=replace(made.design, readings=made.design.readings[:1])))
    context = papers.Context(study.parent, quick=False, experiment="losses", among=10**9)

    def grown(*given):
        found = growth._again(*given[1:4], growth.Grown(given[-1], given[-2], 3), 6)
        return replace(found, claim=replace(found.claim, verdict=verdict))

    monkeypatch.setattr(studies, "with_more_seeds", grown)

    base, under = [found for found in one.check(context) if isinstance(found, Claim)]

    assert (base.reading, under.verdict, under.beside.verdict) == ("", "holds", "holds")
    assert (under.ours.n, under.beside.ours.n, under.points) == (runs, runs, 2)
    assert under.enough == (runs > 3)


def test_a_claim_under_a_reading_that_its_own_seeds_decide_needs_no_more(study, monkeypatch):
    made = from_file(study)
    sooner = Order(
        text="sooner", metric="wait", less={"queue": "RED", "flows": "2"}, than={"queue": "DT", "flows": "2"}
    )
    one = experiment(replace(made, claims=[sooner], design=replace(made.design, readings=made.design.readings[:1])))

    def grown(*given):
        found = growth._again(*given[1:4], growth.Grown(given[-1], given[-2], 3), 6)
        return replace(found, claim=replace(found.claim, verdict="fails"))

    monkeypatch.setattr(studies, "with_more_seeds", grown)
    # The base is not settled by a p-value of nearly 0; the reading is asked for what three runs show.
    monkeypatch.setattr(Claim, "settled", lambda claim, _: bool(claim.reading))
    context = papers.Context(study.parent, quick=False, experiment="losses")

    _, under = [found for found in one.check(context) if isinstance(found, Claim)]

    assert (under.verdict, under.ours.n, under.beside.ours.n, under.enough) == ("holds", 3, 6, True)


def test_a_reading_may_be_run_at_some_points_and_its_claims_are_about_these(study):
    text = STUDY.replace('name = "steep", ', 'name = "steep", only = { flows = ["4"] }, ')
    study.write_text(text.replace("axes.flows", 'quick_only = { queue = ["RED", "DT"] }\naxes.flows'))
    context = papers.Context(study.parent, quick=True, experiment="losses")

    found = findings(study, context)

    assert len(context._done) == 3 * (4 + 1), "the reading costs one variant"
    steep = [one for one in found if isinstance(one, Claim) and one.reading == "steep"]
    assert [(claim.text, claim.note) for claim in steep] == [("RED waits less than DT", "decided by flows 4")]


def test_a_quick_run_may_have_fewer_points_and_skips_claims_about_the_others(study):
    text = STUDY.replace("axes.flows", 'quick_only = { flows = ["2"] }\naxes.flows', 1)
    text += '[[claim]]\nkind = "bound"\ntext = "at 4"\nmetric = "wait"\nonly = { flows = ["4"] }\nabove = 0.0\n'
    study.write_text(text)

    def claims(quick):
        context = papers.Context(study.parent, quick=quick, experiment="losses")
        found = findings(study, context)
        table = next(one for one in found if isinstance(one, papers.Numbers))
        texts = [one.text for one in found if isinstance(one, Claim) and not one.reading]
        return texts, {number.row for number in table.numbers}

    assert claims(quick=True) == (["RED waits less than DT", "DT waits as long"], {"2"})
    assert claims(quick=False) == (["RED waits less than DT", "DT waits as long", "at 4"], {"2", "4"})


def test_quick_runs_of_a_scenario_may_be_shorter(study):
    (study.parent / "shared.toml").write_text('[quick_settings]\n"small.toml" = { duration = "1s" }\n')
    design = from_file(study).design

    def durations(quick):
        context = papers.Context(study.parent, quick=quick)
        return {scenario.resolved()["duration"] for scenario in design.variants(context, design.readings[0]).values()}

    assert durations(quick=True) == {"1s"}
    assert durations(quick=False) == {"2s"}


def test_numbers_of_an_axis_are_said_as_the_work_has_them(study):
    (study.parent / "work.toml").write_text('points.flows = "{} senders"\n')
    context = papers.Context(study.parent, quick=True, experiment="losses")

    found = findings(study, context)

    claims = [one for one in found if isinstance(one, Claim) and not one.reading]
    assert all(claim.note.startswith(("decided by 2 senders", "decided by 4 senders")) for claim in claims)


def test_a_reading_without_points_in_a_quick_run_is_not_run_and_changes_not_nothing(study):
    text = STUDY.replace('name = "steep", ', 'name = "steep", only = { flows = ["4"] }, ', 1)
    study.write_text(text.replace("axes.flows", 'quick_only = { flows = ["2"] }\naxes.flows', 1))
    context = papers.Context(study.parent, quick=True, experiment="losses")

    found = findings(study, context)

    assert not [name for name, ran in context.studies.items() if not ran.variants]
    (remark,) = (one for one in found if isinstance(one, papers.Remark))
    assert remark.text.endswith(": never seen."), "of a reading that was not run nothing is said"


def test_a_study_file_may_have_more_claims_about_the_runs_of_another(study):
    more = study.parent / "more.toml"
    claim = STUDY[STUDY.index("[[claim]]") :].replace("RED waits less", "RED still waits less").split("[[claim]]")[1]
    more.write_text(f'name = "more"\ndoc = "about the same runs"\ncontinues = "losses.toml"\n[[claim]]{claim}')

    context = papers.Context(study.parent, quick=True, experiment="losses")
    findings(study, context)
    run = len(context._done)
    found = findings(more, context)

    assert {one.text for one in found if isinstance(one, Claim)} == {"RED still waits less than DT"}
    assert len(context._done) == run, "nothing is run again"
    assert not any(isinstance(one, papers.Numbers) for one in found), "its numbers stand there"


def test_a_file_that_continues_another_has_its_printed_tables(study):
    more = study.parent / "more.toml"
    table = STUDY.split("[[claim]]")[2]
    more.write_text(f'name = "more"\ndoc = "about the same runs"\ncontinues = "losses.toml"\n[[claim]]{table}')

    (claim,) = from_file(more).claims

    assert isinstance(claim, Table)
    assert claim.printed == [22.0, 25.0]


def test_a_claim_along_an_axis_is_no_claim_where_a_reading_has_one_point_of_it(study):
    text = STUDY.replace(
        '"dumbbell.queue.limit" = "20p" } }', '"dumbbell.queue.limit" = "9p" }, only = { flows = ["2"] } }'
    )
    text += '[[claim]]\nkind = "monotone"\ntext = "more flows wait longer"\nmetric = "wait"\n'
    text += 'along = "flows"\nrises = true\n'
    study.write_text(text)
    context = papers.Context(study.parent, quick=True, experiment="losses")

    found = [one for one in experiment(from_file(study)).check(context) if isinstance(one, Claim)]

    readings = {one.reading for one in found if one.text == "more flows wait longer"}
    assert "" in readings
    assert "never seen" not in readings


def test_a_key_may_name_some_groups_of_flows():
    assert keys_of("flow[0,2].start", 3) == ["flow[0].start", "flow[2].start"]
    assert keys_of("flow[*].start", 2) == ["flow[0].start", "flow[1].start"]
    assert keys_of("flow[1].start", 2) == ["flow[1].start"]


def test_a_star_stands_for_every_group_of_flows(study):
    made = from_file(study)
    context = papers.Context(study.parent, quick=True)
    reading = Reading(name="slow", settings={"flow[*].start.spread": "100ms"})

    flows = made.design.variants(context, reading)["2, DT"].resolved()["flow"]
    assert [flow["start"]["spread"] for flow in flows] == ["100ms"] * len(flows)


def test_what_is_laid_last_wins_whatever_it_names(study):
    """A reading sets every group: an axis's earlier setting of one group is gone, in either order of keys."""
    made = from_file(study)
    context = papers.Context(study.parent, quick=True)

    def spreads(before, after):
        axes = {"flows": {"2": before}, "queue": {"DT": {}}}
        design = replace(made.design, axes=axes, quick_settings={})
        reading = Reading(name="again", settings=after)
        return [flow["start"]["spread"] for flow in design.variants(context, reading)["2, DT"].resolved()["flow"]]

    all_of_them, some = {"flow[*].start.spread": "100ms"}, {"flow[0].start.spread": "300ms"}
    assert set(spreads(some, all_of_them)) == {"100ms"}
    assert spreads(all_of_them, some)[0] == "300ms"
    # The key of every group stands first, and is set again last.
    assert set(spreads({**all_of_them, **some}, all_of_them)) == {"100ms"}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('kind = "order"', 'kind = "ordre"', "there is no kind 'ordre'"),
        ("less =", "lesser =", "there is no key 'lesser'"),
        ('"wait.DT"', '"wait.RED"', "allowed: wait.DT"),
        ('unit = "ms"', 'over = "most"', "several rows together 'most'"),
        ("doc =", "docs =", "there is no key 'docs'"),
        ("share = 0.5", "printed_runs = 1000", "runs of ours confirm the mean of 1000 printed ones, and the seeds of"),
    ],
)
def test_a_mistake_in_a_study_file_is_one_message(study, old, new, words):
    study.write_text(STUDY.replace(old, new))

    with pytest.raises(ValueError, match=words) as caught:
        from_file(study)
    assert str(caught.value).startswith(str(study))


@pytest.mark.slow
def test_the_study_files_of_the_works_read():
    for root in papers.find().values():
        studies = from_folder(root, names_of_files(root))
        assert studies
        for made in studies:
            assert made.design.variants(papers.Context(root, quick=True), None)
            # A quick run may leave out the points that a reading changes.
            for reading in made.design.readings:
                assert made.design.variants(papers.Context(root, quick=False), reading)


def test_of_a_run_only_its_metrics_are_kept(study):
    # Runs that other tests of this process keep are not among these.
    others = {id(one) for one in gc.get_objects() if isinstance(one, Result)}
    context = papers.Context(study.parent, quick=True, experiment="losses")
    findings(study, context)

    gc.collect()
    assert not [one for one in gc.get_objects() if isinstance(one, Result) and id(one) not in others]
    assert {len(parts) for of_run in context._done.values() for parts in of_run.values()} == {1}


def test_what_was_measured_is_read_and_not_run_again(study, tmp_path, monkeypatch):
    def claims():
        context = papers.Context(study.parent, quick=True, experiment="losses", out=tmp_path / "out")
        return [one for one in experiment(from_file(study)).check(context) if isinstance(one, Claim)]

    first = claims()
    monkeypatch.setattr(runner, "reduce_runs", lambda *_, **__: pytest.fail("everything is there"))

    assert claims() == first


def test_what_continues_other_runs_has_its_metrics_measured_along(study):
    more = study.parent / "more.toml"
    more.write_text('name = "more"\ndoc = "x"\ncontinues = "losses.toml"\nmetrics.use = { column = "utilisation" }\n')
    context = papers.Context(study.parent, quick=True)
    for one in from_files(str(study), "losses.toml", "more.toml"):
        list(one.check(context))
        sizes = {len(parts) for (_, _), parts in context._done.items()}

    assert sizes == {2}, "one run has both"
    assert len(context._done) == 3 * (4 + 2)
