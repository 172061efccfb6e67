"""Sweeps: a scenario over ranges of its keys, with intervals at every point.

A run is reduced to the metrics that are wanted when it ends, so that a hundred thousand runs fit into memory. Finished
runs are kept in one small file, so that a sweep that is stopped goes on, and points and seeds that are added repeat
nothing.

    >>> import sojourn
    >>> done = sojourn.sweep(
    ...     sojourn.Scenario.load("scenarios/red_classic.toml"),
    ...     over={"max_p": sojourn.Axis("dumbbell.queue.max_p", [0.02, 0.05, 0.1])},
    ...     seeds=range(1, 6),
    ... )  # doctest: +SKIP
    >>> done.best("sojourn_mean_ms")  # doctest: +SKIP
"""
