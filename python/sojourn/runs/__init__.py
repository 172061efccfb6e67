"""One run, many runs, and what is kept of them."""
