"""The kernel's constants on the page are those of the presets `linux`."""

import tomllib

import linux_constants
import linux_exact
import pytest
from linux_constants import WITHOUT, groups, number_of, set_by_preset, value_of

# The kernel rounds to its integers: 38 of 128 are 30 %.
WITHIN = 0.015
GROUPS = [(what, group) for what in ("queues", "senders") for group in groups(what)]
IDS = [group.name for _, group in GROUPS]


@pytest.mark.parametrize(("what", "group"), GROUPS, ids=IDS)
def test_the_preset_has_the_kernels_values(what, group):
    for constant in group.constants:
        if constant.parameter not in WITHOUT:
            ours = value_of(what, group.name, constant.parameter)
        if constant.number:
            assert number_of(ours) == pytest.approx(number_of(constant.number), rel=WITHIN), constant.name


@pytest.mark.parametrize(("what", "group"), GROUPS, ids=IDS)
def test_each_number_of_the_preset_is_there(what, group):
    named = {constant.parameter for constant in group.constants} | set(group.without)
    numbers = {name for name, written in set_by_preset(what, group.name).items() if number_of(written) is not None}

    assert numbers - named == set()


def test_every_queue_and_sender_of_the_page_is_there():
    said = tomllib.loads(linux_exact.WORDS.read_text())
    for what in ("queues", "senders"):
        assert {group.name for group in groups(what)} >= set(said[what]) - {"fifo"}
        assert linux_constants.table(what).count("\n") > len(said[what])
