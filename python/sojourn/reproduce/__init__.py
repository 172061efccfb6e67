"""The machinery of reproduced works: experiments as data, claims of every kind, and readings of a source."""

from .design import Design, Metric, Product, Reading, Results, Seeds
from .kinds import (
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
    WithinFactor,
)
from .readings import Judge, same, under_readings
from .study import StudyExperiment, experiment, from_file, from_files
from .tables import in_the_table

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
    "WithinFactor",
    "experiment",
    "from_file",
    "from_files",
    "in_the_table",
    "same",
    "under_readings",
]
