"""Numbers in long form, a row for each value, and the same for pandas and xarray."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._base.extras import theirs
from ..catalogue.columns import described

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import xarray as xr

__all__ = ["Long", "as_pandas", "as_xarray"]

_COLUMN = re.compile(r"(?:\w+\.)?(\w+)(?:@.*)?")
"""The column of ``[TABLE.]COLUMN[@ROW]``."""


class Long(ABC):
    """Something whose numbers are values by labels, one for each run."""

    @abstractmethod
    def to_polars(self) -> pl.DataFrame:
        """A row for each value: its labels, ``seed``, ``metric`` and ``value``."""

    def to_pandas(self) -> pd.DataFrame:
        """The rows of :meth:`to_polars` as a frame of pandas, which has to be installed."""
        return as_pandas(self.to_polars())

    def to_xarray(self) -> xr.Dataset:
        """The values of :meth:`to_polars` as a dataset of xarray, which has to be installed.

        Each metric is a variable with its unit; its dimensions are the labels and ``seed``. Runs that are not there are
        NaN.
        """
        return as_xarray(self.to_polars())


def as_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    """A frame of pandas without a detour over Arrow."""
    pandas = theirs("pandas", "to_pandas()")
    made: pd.DataFrame = pandas.DataFrame(frame.to_dict(as_series=False), columns=frame.columns)
    return made


def as_xarray(frame: pl.DataFrame) -> xr.Dataset:
    """A dataset with a variable for each metric."""
    xarray = theirs("xarray", "to_xarray()")
    labels = [name for name in frame.columns if name not in ("metric", "value")]
    known = {name: frame[name].unique(maintain_order=True).to_list() for name in labels}
    variables = {metric: (labels, _cube(part, labels, known), _about(metric)) for (metric,), part in _by_metric(frame)}
    made: xr.Dataset = xarray.Dataset(variables, coords=known)
    return made


def _by_metric(frame: pl.DataFrame) -> Any:
    return frame.partition_by("metric", as_dict=True, maintain_order=True).items()


def _cube(frame: pl.DataFrame, labels: Sequence[str], known: dict[str, list[Any]]) -> Any:
    import numpy as np

    sizes = [len(known[name]) for name in labels]
    cube = np.full(sizes, np.nan)
    places = [{value: place for place, value in enumerate(known[name])} for name in labels]
    for *keys, value in frame.select(*labels, "value").iter_rows():
        if value is not None:
            cube[tuple(place[key] for place, key in zip(places, keys, strict=True))] = value
    return cube


def _about(metric: str) -> dict[str, str]:
    """Words and unit of a metric, under the names of the CF conventions."""
    found = _COLUMN.fullmatch(metric)
    column = described(found[1] if found else metric)
    return {"long_name": column.label, "units": column.shown if column.shown and column.factor == 1.0 else "1"}
