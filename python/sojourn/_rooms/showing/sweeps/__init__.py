"""Charts, words and the report of a sweep."""
