"""A scenario to sweep over, and study files of it."""

import pytest

import sojourn
from helpers.sweeps import READINGS, SCENARIO, SUSPECT


@pytest.fixture(scope="module")
def scenario():
    return sojourn.Scenario.from_toml(SCENARIO)


@pytest.fixture
def readings(tmp_path):
    (tmp_path / "small.toml").write_text(SCENARIO)
    file = tmp_path / "study.toml"
    file.write_text(READINGS)
    return file


@pytest.fixture
def suspect(tmp_path):
    """Its window holds few round trips, and nothing in it is random."""
    file = tmp_path / "suspect.toml"
    file.write_text(SUSPECT)
    return file
