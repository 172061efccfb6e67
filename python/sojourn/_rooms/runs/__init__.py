"""One run, many runs, and their results."""
