"""Numbers, whatever they are of: intervals, samples, rules and series."""
