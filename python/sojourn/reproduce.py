"""The machinery of reproduced works: experiments as data, claims of every kind, and readings of a source."""

from .works.design import Design, Metric, Product, Reading, Results, Seeds
from .works.kinds import (
    KINDS,
    Bound,
    Count,
    Equivalent,
    Even,
    Extreme,
    Gain,
    Kind,
    Knee,
    Largest,
    Linear,
    Monotone,
    Near,
    Order,
    Table,
    Trend,
    WithinFactor,
)
from .works.reader import from_file, from_files
from .works.readings import Judge, same, under_readings
from .works.studies import StudyExperiment, experiment
from .works.tables import in_the_table

__all__ = [
    "KINDS",
    "Bound",
    "Count",
    "Design",
    "Equivalent",
    "Even",
    "Extreme",
    "Gain",
    "Judge",
    "Kind",
    "Knee",
    "Largest",
    "Linear",
    "Metric",
    "Monotone",
    "Near",
    "Order",
    "Product",
    "Reading",
    "Results",
    "Seeds",
    "StudyExperiment",
    "Table",
    "Trend",
    "WithinFactor",
    "experiment",
    "from_file",
    "from_files",
    "in_the_table",
    "same",
    "under_readings",
]
