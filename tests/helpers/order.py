"""Which files of tests are run first.

They take from ten seconds to a minute and a half of a processor. One that came last would leave all processes but one
without work. The first one computes all the time; those after it mostly wait for real seconds, and leave it a
processor. ``pytest --durations=100`` says how long tests take.
"""

LONGEST = (
    "site/test_site.py",
    "unit/runs/test_interrupt.py",
    "gateway/test_against_simulation.py",
    "gateway/test_live.py",
    "peers/linux/test_linux.py",
    "unit/showing/test_plots.py",
    "peers/test_peers.py",
    "unit/own/test_own.py",
    "unit/sweeps/test_cluster.py",
    "unit/showing/test_browser.py",
    "unit/cli/test_cli.py",
    "core/test_defaults.py",
    "peers/test_traces.py",
    "unit/runs/test_ends_of_runs.py",
    "peers/test_witness.py",
    "lab/test_experiment.py",
    "lab/test_page.py",
)
