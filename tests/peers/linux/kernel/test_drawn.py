"""Settings drawn at random: some of their recordings are replayed, and the score is that of drawn.json."""

import json

import fates
import pytest
from drawn_fates import SCORE
from drawn_settings import KEPT, setting
from same_fates import FOLDER, compare

DRAWN = FOLDER.parent / "drawn"
MOST = 1_500_000
# Known differences: packets or calls at most, and why.
DIFFER: dict[str, tuple[int, str]] = {}


@pytest.mark.parametrize(("seed", "number"), KEPT)
def test_a_drawn_setting_decides_as_the_kernel(seed, number):
    queue, job = setting(seed, number)
    recorded = fates.read(DRAWN / f"{job.name}.xz")
    most, why = DIFFER.get(job.name, (0, "nothing is known to differ"))

    found = compare(job.name, recorded, queue)

    assert recorded.about["tc"] == queue.tc
    assert max(found.differ, found.moments) <= most, f"{found}\n{why}"
    # What does not differ any more is not named any more.
    assert found.differ > 0 or job.name not in DIFFER


def test_the_score_names_all_settings_of_a_seed_and_those_that_differ():
    scores = json.loads(SCORE.read_text())

    for seed, settings in scores.items():
        assert list(settings) == [f"drawn-{seed}-{number}" for number in range(len(settings))]
        differ = {name for name, row in settings.items() if row["differ"] or row["moments"]}
        assert differ == {name for name in DIFFER if name.startswith(f"drawn-{seed}-")}


def test_the_recordings_that_are_kept_are_small():
    files = sorted(DRAWN.glob("*.xz"))

    assert {path.stem for path in files} == {f"drawn-{seed}-{number}" for seed, number in KEPT}
    assert sum(path.stat().st_size for path in files) < MOST
