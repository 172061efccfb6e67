"""The machinery of reproduced works: readings, printed tables, and claims judged under each reading."""

from .readings import Judge, under_readings
from .tables import in_the_table

__all__ = ["Judge", "in_the_table", "under_readings"]
