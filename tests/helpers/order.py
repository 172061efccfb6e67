"""Which files of tests are run first.

They take from a quarter of a minute to a minute and a half. One that came last would leave all processes but one
without work. ``pytest --durations=100`` says how long tests take.
"""

LONGEST = (
    "site/test_site.py",
    "gateway/test_against_simulation.py",
    "peers/test_peers.py",
    "peers/test_explicit.py",
    "peers/linux/test_linux.py",
    "unit/runs/test_interrupt.py",
    "unit/own/test_own.py",
    "gateway/test_live.py",
    "unit/showing/test_browser.py",
    "unit/showing/test_plots.py",
    "peers/test_classes.py",
    "unit/runs/test_ends_of_runs.py",
    "unit/sweeps/test_cluster.py",
    "unit/cli/test_cli.py",
)
