"""Tuning: a search for parameters of a scenario, with a final comparison on seeds that the search has not seen.

>>> import sojourn
>>> tuned = sojourn.tune(
...     "red_classic",
...     over={"dumbbell.queue.max_p": sojourn.Range(0.01, 0.5, log=True)},
...     objectives=["sojourn_mean_ms"],
... )  # doctest: +SKIP
>>> tuned.words()  # doctest: +SKIP
"""
