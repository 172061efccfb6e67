"""A message about a missing library names the package to install, wherever Sojourn came from."""

import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from sojourn._rooms._base import extras

PYPROJECT = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PYPROJECT["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_hint_names_the_libraries_of_the_extra_with_their_ranges(extra, monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda _module: None)

    with pytest.raises(ModuleNotFoundError) as refused:
        extras.need(extra)

    libraries = " ".join(f'"{library.lower()}"' for library in EXTRAS[extra])
    assert str(refused.value).endswith(f"hint:    pip install {libraries}")


def test_without_an_installed_package_the_hint_names_the_libraries_alone(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.requires", missing)

    assert extras.advice(ModuleNotFoundError(name="vl_convert")).endswith(
        'pip install "altair" "vl-convert-python" "jinja2"'
    )


def test_a_module_of_no_extra_gets_no_advice():
    assert extras.advice(ModuleNotFoundError(name="pandas.core")) is None
