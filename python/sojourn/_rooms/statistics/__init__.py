"""Statistics of any numbers: intervals, samples, rules and series."""
