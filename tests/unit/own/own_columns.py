"""Columns that users add to tables of results."""

import math
from pathlib import Path

import polars as pl
import pytest

import sojourn
from sojourn import answer
from sojourn._rooms._base.registry import read_registry
from sojourn._rooms.catalogue.added import values_of
from sojourn._rooms.catalogue.columns import lower_is_better, measure
from sojourn._rooms.runs.answer import Yardstick
from sojourn._rooms.scenario import shipped
from sojourn.claims import bounds_of_column
from sojourn.own import add_column

NAME = "sojourn_cv"


@add_column("queue", label="Variation of the sojourn time", better="less", bounds=(0.0, math.inf))
def sojourn_cv(row):
    """Standard deviation of the waiting times
    by their mean."""
    return row["sojourn_sd_ms"] / row["sojourn_mean_ms"]


def compared(out):
    scenario = sojourn.Scenario.load(shipped.find(Path("red_classic")), overrides=["duration=4s", "warmup=1s"])
    return sojourn.compare(scenario, queues=["fifo", "codel"], seeds=[1, 2], out=out)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    out = tmp_path_factory.mktemp("study")
    return compared(out), out


def test_it_is_described_like_any_other():
    tables = {one["name"]: {column["name"]: column for column in one["metrics"]} for one in read_registry()["tables"]}
    entry = tables["queue"]["sojourn_cv"]
    assert entry.keys() == tables["queue"]["sojourn_sd_ms"].keys()
    assert entry["doc"] == "Standard deviation of the waiting times by their mean."
    assert (lower_is_better("sojourn_cv"), measure("sojourn_cv").title) == (True, "Variation of the sojourn time")
    assert bounds_of_column("sojourn_cv") == (0.0, math.inf)


def test_tables_metrics_and_differences_have_its_values(study):
    of_all = {name: study[0].values(name)["codel"]["forward"] for name in (NAME, "sojourn_sd_ms", "sojourn_mean_ms")}
    ratios = [one / other for one, other in zip(*list(of_all.values())[1:], strict=True)]
    assert list(of_all[NAME]) == ratios
    assert study[0].queue.filter(queue="codel", link="forward")[NAME].to_list() == ratios
    assert study[0].differences().filter(metric=NAME, row="forward").height > 0


def test_the_answer_has_its_direction_and_words(study):
    said = answer(study[0], about=Yardstick(NAME, "queue", "forward")).text
    assert "variation of the sojourn time at forward is lowest with" in said.lower() or "do not decide" in said


def test_a_folder_keeps_the_columns_of_the_core_alone(study):
    files = list(study[1].rglob("queue.parquet"))
    assert len(files) == 4
    assert [NAME in pl.read_parquet_schema(file) for file in files] == [False] * 4
    assert compared(study[1]).queue[NAME].to_list() == study[0].queue[NAME].to_list()


def test_a_sweep_does_not_keep_it(tmp_path):
    with pytest.raises(ValueError, match="keeps no numbers of it"):
        sojourn.sweep("red_classic", over={"seed": [1]}, metrics=[NAME], out=tmp_path)


def test_mistakes_have_messages():
    def without_meaning(row):
        return row["drops_packets"]

    def loss_ratio(row):
        """Another."""
        return row["drops_packets"]

    for arguments, function, said in (
        ({"table": "probe"}, without_meaning, "allowed: 'queue'"),
        ({"unit": "hours"}, without_meaning, "allowed: '', '%'"),
        ({"better": "higher"}, without_meaning, "allowed: 'less'"),
        ({}, without_meaning, "write a docstring"),
        ({}, loss_ratio, "the table queue has one of this name"),
    ):
        with pytest.raises(ValueError, match=said):
            add_column(**{"label": "Mine", **arguments})(function)


def test_a_value_out_of_bounds_is_no_number():
    with pytest.raises(ValueError, match=r"sojourn_cv: -1 is outside of its bounds"):
        values_of(NAME, lambda row: -row["one"], [{"one": 1.0}])
    assert math.isnan(values_of(NAME, lambda row: 1.0 / row["one"], [{"one": 0}])[0])
