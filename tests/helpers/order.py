"""Which files of tests are run first, and which of them one process runs.

Some tests wait for real seconds: for programs that measure time, or that are stopped after some. Meanwhile, others
compute. All of them are one piece of work, which comes first, so that one process runs them one after the other: they
do not disturb each other, and the other processes compute meanwhile.

Then come the files that take long, from ten seconds to a minute and a half of a processor. One that came last would
leave all processes but one without work. ``pytest --durations=100`` says how long tests take.
"""

from xdist.scheduler import LoadFileScheduling

WAITING = (
    "gateway/test_live.py",
    "gateway/test_against_simulation.py",
    "peers/linux/test_linux.py",
    "unit/runs/test_interrupt.py",
    "unit/runs/test_ends_of_runs.py",
    "unit/sweeps/test_cluster.py",
)

LONGEST = (
    "site/test_site.py",
    "unit/showing/test_browser.py",
    "lab/test_page.py",
    "lab/test_experiment.py",
    "lab/test_core.py",
    "install/test_wheel.py",
    "lab/test_lessons.py",
    "lab/test_links.py",
    "peers/test_peers.py",
    "unit/showing/test_plots.py",
    "unit/own/test_own.py",
    "publications/test_publications.py",
    "unit/tuning/test_from_a_bad_start.py",
    "unit/cli/test_streams.py",
    "peers/test_traces.py",
    "core/test_defaults.py",
    "unit/showing/test_paper.py",
    "unit/runs/test_slices.py",
    "peers/test_witness.py",
    "unit/cli/test_permissions.py",
)


class OneWaits(LoadFileScheduling):
    """A file is a piece of work, but for the files that wait, which are one piece together."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return "waiting" if file.removeprefix("tests/") in WAITING else file
