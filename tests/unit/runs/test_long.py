"""Studies as data: long frames of polars and pandas, datasets of xarray, one Parquet."""

import math
import sys
from types import SimpleNamespace

import polars as pl
import pytest

import sojourn
from helpers.sweeps import SCENARIO, invoke


@pytest.fixture(scope="module")
def study():
    return sojourn.compare(sojourn.Scenario.from_toml(SCENARIO), queues=["red", "codel"], seeds=2)


def test_a_study_is_a_row_for_each_value(study):
    long = study.to_polars(link="forward")
    assert long.columns == ["queue", "seed", "row", "metric", "value"]
    mean = long.filter(metric="utilisation", queue="codel")["value"].mean()
    assert mean == pytest.approx(study.interval("utilisation", variant="codel", row="forward").mean)
    assert set(study.to_polars("group")["row"]) == {"bulk"}
    with pytest.raises(KeyError, match="there is no row 'foward'; there are forward"):
        study.to_polars(link="foward")


def test_a_summary_of_one_link_has_no_other(study):
    assert set(study.summary(link="forward")["row"]) == {"forward"}
    assert set(study.differences(link="forward")["row"]) == {"forward"}
    assert study.summary("group", link="bulk").height > 0


def test_pandas_gets_the_same_rows(study, monkeypatch):
    made = {}
    frame = SimpleNamespace(DataFrame=lambda data, columns: made.update(data=data, columns=columns) or "a frame")
    monkeypatch.setitem(sys.modules, "pandas", frame)
    assert study.to_pandas(link="forward") == "a frame"
    assert made["columns"] == ["queue", "seed", "row", "metric", "value"]
    assert made["data"]["value"] == study.to_polars(link="forward")["value"].to_list()


def test_xarray_gets_a_variable_for_each_metric_over_labels(study, monkeypatch):
    made = {}
    dataset = SimpleNamespace(Dataset=lambda variables, coords: made.update(variables=variables, coords=coords))
    monkeypatch.setitem(sys.modules, "xarray", dataset)
    study.to_xarray()
    labels, cube, about = made["variables"]["sojourn_p99_ms"]
    assert labels == ["queue", "seed", "row"]
    assert cube.shape == (2, 2, 2)
    assert about == {"long_name": "Sojourn time, p99", "units": "ms"}
    one = (
        made["coords"]["queue"].index("codel"),
        made["coords"]["seed"].index(2),
        made["coords"]["row"].index("forward"),
    )
    assert cube[one] == study.values("sojourn_p99_ms")["codel"]["forward"][1]


def test_a_library_that_is_missing_is_named(study, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match=r"to_pandas\(\) needs pandas\n  hint:    pip install pandas"):
        study.to_pandas()


def test_a_sweep_has_its_axes_as_labels(monkeypatch):
    scenario = sojourn.Scenario.from_toml(SCENARIO)
    swept = sojourn.sweep(scenario, over={"flow.bulk.count": [1, 2]}, metrics=["utilisation"], seeds=2)
    assert swept.to_polars().columns == ["flow.bulk.count", "seed", "metric", "value"]
    made = {}
    dataset = SimpleNamespace(Dataset=lambda variables, coords: made.update(coords) or variables)
    monkeypatch.setitem(sys.modules, "xarray", dataset)
    assert list(swept.to_xarray()) == ["utilisation"]
    assert made == {"flow.bulk.count": [1.0, 2.0], "seed": [1, 2]}


def test_one_parquet_has_all_queues_and_seeds(tmp_path, study):
    scenario = tmp_path / "small.toml"
    scenario.write_text(SCENARIO)
    runs, files = tmp_path / "runs", tmp_path / "files"
    assert invoke("compare", scenario, "--queue", "red,codel", "--seeds", "2", "--out", runs).exit_code == 0
    result = invoke("export", runs, "--as", "long", "--out", files)
    assert result.exit_code == 0, result.stderr
    long = pl.read_parquet(files / "long.parquet")
    assert long.columns == ["table", "queue", "seed", "row", "metric", "value"]
    assert {"queue", "group", "flow"} <= set(long["table"])
    at = {"table": "queue", "queue": "codel", "seed": 2, "row": "forward", "metric": "utilisation"}
    assert long.filter(**at)["value"].item() == study.values("utilisation")["codel"]["forward"][1]
    assert not any(map(math.isnan, long["value"]))
