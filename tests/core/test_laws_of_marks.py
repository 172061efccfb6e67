"""Laws that need marks: reports of their receivers, and contradictory settings."""

from __future__ import annotations

import pytest

import sojourn

LINK = """
duration = "1s"
[dumbbell]
rate = "1Gbit"
delay = "5ms"
mean_packet = "1500B"
queue = "fifo"
reverse_queue = "fifo"
[[flow]]
name = "d"
transport = {{ kind = "tcp", profile = "rfc", packet = "1500B", {transport} }}
"""


def transport(settings):
    return LINK.format(transport=settings)


@pytest.mark.parametrize("law", ["dctcp", "decbit", "surathkal"])
def test_a_law_of_marks_has_ecn_and_a_receiver_that_tells_each(law):
    feedback = "xecn" if law == "surathkal" else "dctcp"
    marks = 'queue = { kind = "red", min_th = "5p", max_th = "6p", max_p = 1, w_q = 1, ecn = true, mark_max_p = 2 }'

    def run(settings):
        text = transport(f'control = "{law}"{settings}').replace('queue = "fifo"', marks, 1).replace("1Gbit", "20Mbit")
        return sojourn.run(sojourn.Scenario.from_toml(text))

    alone, written = run(""), run(f', ecn = true, ecn_feedback = "{feedback}"')
    assert alone.queue["mark_ratio"][0] > 0
    assert alone.flow.equals(written.flow)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('control = "dctcp", ecn = false', r"flow\[0\]\.transport\.ecn: it is false, and DCTCP lives on marks"),
        (
            'control = "dctcp", ecn_feedback = "rfc3168"',
            r'ecn_feedback: it is "rfc3168", which tells once of any number of marks, and DCTCP weighs each',
        ),
        ('control = "surathkal", ecn = false', r"TCP Surathkal lives on marks"),
    ],
)
def test_what_contradicts_a_law_of_marks_is_refused_in_one_message(settings, said):
    with pytest.raises(sojourn.ScenarioError, match=said):
        sojourn.run(sojourn.Scenario.from_toml(transport(settings)))


def test_other_laws_have_no_ecn_unless_it_is_written():
    resolved = sojourn.Scenario.from_toml(transport('control = "reno"')).resolved()
    assert resolved["flow"][0]["transport"]["ecn"] == "auto"
    assert sojourn.run(sojourn.Scenario.from_toml(transport('control = "reno"'))).queue["mark_ratio"][0] == 0
