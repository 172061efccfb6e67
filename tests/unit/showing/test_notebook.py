"""Output in a notebook, and answers to wrong names."""

import pickle
import sys
from html.parser import HTMLParser
from types import SimpleNamespace

import polars as pl
import pytest

import sojourn
from sojourn import papers, transports
from sojourn._rooms.showing.notebook import notebook_bar


class Words(HTMLParser):
    """The texts of a page; every tag that is opened is closed."""

    def __init__(self):
        super().__init__()
        self.open, self.words = [], []

    def handle_starttag(self, tag, _attrs):
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def words(thing):
    page = Words()
    page.feed(thing._repr_html_())
    assert page.open == []
    return page.words


def test_a_scenario_shows_its_network_and_its_flows(dumbbell, graph):
    shown = words(dumbbell.set("title", "Mice & <men>"))
    assert {"Mice & <men>", "forward", "5Mbit", "fifo", "20p", "bulk", "3", "tcp cubic"} - set(shown) <= {"tcp cubic"}
    assert any("[dumbbell]" in text for text in shown)
    assert {"a-b", "b-c", "17p"} <= set(words(graph))


def test_a_result_a_study_and_a_comparison_show_what_the_command_prints(dumbbell):
    result = sojourn.run(dumbbell)
    assert {"utilisation (%)", "forward", "bulk"} <= set(words(result))

    study = sojourn.replicate(dumbbell, seeds=[1, 2])
    assert "2 s, 2 seeds, mean ± 95 % interval, or [its ends] where it is cut off at 0 or 100 %" in words(study)

    comparison = sojourn.compare(dumbbell, queues=["fifo", "codel"], seeds=[1, 2])
    shown = words(comparison)
    assert {"fifo", "codel"} <= set(shown)
    assert any(text.startswith("Difference from fifo") for text in shown)
    assert words(sojourn.Study({"fifo": dumbbell}, (1,), ())) == ["study", "no run is finished"]


def test_a_paper_shows_its_experiments():
    shown = words(papers.load("haider2005"))
    assert "experiment" in shown
    assert any("Haider" in text for text in shown)


def test_a_notebook_gets_a_bar_and_nothing_else_does(dumbbell, monkeypatch):
    assert notebook_bar() is None

    drawn = []
    handle = SimpleNamespace(update=lambda shown, **_: drawn.append(shown))
    fake = SimpleNamespace(
        get_ipython=lambda: SimpleNamespace(kernel=object()),
        display=SimpleNamespace(display=lambda shown, **_: drawn.append(shown) or handle),
    )
    monkeypatch.setitem(sys.modules, "IPython", fake)
    bar = notebook_bar()
    bar(sojourn.Progress(0, 3, 0.1, 6.0, 0.1, None))
    assert drawn == [], "what takes no time needs no bar"
    bar(sojourn.Progress(1, 3, 3.0, 6.0, 2.0, 2.0))
    bar(sojourn.Progress(3, 3, 6.0, 6.0, 4.0, 0.0))

    assert ['value="0.5000"' in drawn[0]["text/html"], 'value="1.0000"' in drawn[1]["text/html"]] == [True, True]
    assert drawn[0]["text/plain"] == "1/3 runs, 3 s simulated, 2 s left"
    assert sojourn.run(dumbbell).queue.height == 2


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: sojourn.queues.Red(minth="5p"), "Red: there is no 'minth' here"),
        (lambda: sojourn.queues.Red(minth="5p"), "did you mean 'min_th'?"),
        (lambda: sojourn.queues.Fifo(buffer="5p"), "did you mean 'limit'?"),
        (lambda: sojourn.Dumbbell(bandwidth="1Mbit"), "did you mean 'rate'?"),
        (lambda: sojourn.Dumbbell(bandwidth="1Mbit"), "allowed: rate, reverse_rate, delay, queue"),
        (lambda: transports.Tcp(congestion_control="reno"), "did you mean 'control'?"),
        (lambda: sojourn.Scenario(duratoin="1s", flows=[]), "did you mean 'duration'?"),
        (lambda: sojourn.Flow(transprot="tcp"), "did you mean 'transport'?"),
    ],
)
def test_a_wrong_name_is_answered_as_in_a_file(make, said):
    with pytest.raises(sojourn.ScenarioError) as raised:
        make()
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("module", "name", "near"),
    [
        (sojourn.queues, "Coddel", "Codel"),
        (sojourn.queues, "FQCoDel", "FqCodel"),
        # A name of ns-2.
        (sojourn.queues, "DropTail", "Fifo"),
        (transports, "tcp", "Tcp"),
        (sojourn.apps, "Ftp", "Bulk"),
        (sojourn.losses, "Unifrom", "Uniform"),
    ],
)
def test_a_wrong_class_is_answered_with_the_nearest_name_and_all_there_are(module, name, near):
    with pytest.raises(AttributeError, match=f"did you mean {near!r}") as raised:
        getattr(module, name)
    assert f"{module.__name__}: there is no class {name!r} here" in str(raised.value)
    assert all(one in str(raised.value) for one in module.__all__)


@pytest.mark.parametrize(
    ("statement", "near"),
    [
        ("from sojourn.queues import Coddel", "'Codel'"),
        ("from sojourn.transports import CUBIC", "'Cubic'"),
        ("from sojourn import replcate", "sojourn.replicate"),
        ("from sojourn import Red", "sojourn.queues.Red"),
    ],
)
def test_an_import_of_what_is_not_there_says_so_too(statement, near):
    with pytest.raises(ImportError, match=f"did you mean {near}"):
        exec(statement, {})


def test_a_name_that_the_package_does_not_have_is_answered_with_the_nearest():
    with pytest.raises(AttributeError, match=r"did you mean sojourn\.queues\.Codel\?"):
        _ = sojourn.Codel
    assert not hasattr(sojourn, "Xyzzyx")
    assert not hasattr(sojourn, "__wrapped__")


def test_what_is_like_no_class_gets_no_hint():
    with pytest.raises(AttributeError) as raised:
        _ = sojourn.queues.Xyzzyx
    assert "hint" not in str(raised.value)
    # Python's own lookups in modules get a short answer.
    assert not hasattr(sojourn.queues, "__wrapped__")


def test_a_constructed_table_is_still_a_plain_one():
    made = sojourn.queues.Red(min_th="5p")
    assert pickle.loads(pickle.dumps(made)) == made
    with pytest.raises(TypeError, match="rate"):
        sojourn.Dumbbell()


def test_a_scenario_that_is_not_there_is_answered_with_the_nearest():
    with pytest.raises(FileNotFoundError, match="did you mean 'red_classic'"):
        sojourn.run("red_clasic")


def test_a_sweep_a_replay_and_a_paper_show_themselves_and_are_short_in_a_console():
    swept = sojourn.sweep("red_classic", over={"duration": ["3s", "4s"]}, seeds=[1, 2], metrics=["utilisation"])
    shown = swept._repr_html_()
    assert "<td" in shown
    assert "Utilisation" in shown
    assert "2 seeds" in shown

    arrivals = pl.DataFrame({"time_s": [0.0, 0.0, 0.0], "bytes": [1250] * 3, "flow": ["a"] * 3})
    replayed = sojourn.replay(arrivals, queue="fifo:limit=1p", rate="10Mbit")
    assert repr(replayed) == "<ReplayResult: 3 arrivals, 1 drops>"
    assert "drops, overflow (packets)" in replayed._repr_html_()

    paper = papers.load("haider2005")
    assert repr(paper).startswith("<Paper 'Hybrid RED")
    assert len(repr(paper)) < 200


def test_a_comparison_shows_how_long_the_packets_of_each_group_waited():
    compared = sojourn.compare("home_uplink", queues=["fifo", "codel"], seeds=[1, 2])
    assert "Time in queues of the packets of each group" in compared._repr_html_()


def test_a_queue_of_python_shows_what_was_given():
    from sojourn.queues import Codel

    assert repr(Codel(target="10ms", ecn=True)) == "Codel(target='10ms', ecn=True)"
    assert repr(Codel()) == "Codel()"


def test_a_chart_in_a_notebook_has_the_size_and_the_colours_of_a_report():
    from sojourn.plots import config

    short = sojourn.Scenario.load("red_classic", overrides=["duration=3s", "warmup=1s"])
    study = sojourn.compare(short, queues=["red", "codel"], seeds=[1, 2])
    shown = study.plot("group_delays").to_dict()

    assert shown["width"] == 760
    assert shown["config"]["axis"] == config("light")["axis"]
