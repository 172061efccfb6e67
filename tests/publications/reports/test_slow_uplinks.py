"""CoDel and FQ-CoDel before uplinks of less than a megabit in a second.

Sources: tohojo/sqm-scripts#84, #39 and #82 (targets at 808 kbit/s), dtaht/sch_cake#142 (uploads beside downloads).
"""

from __future__ import annotations

import pytest

import sojourn

UPLINK = """
duration = "60s"
warmup = "10s"
[dumbbell]
rate = "808kbit"
reverse_rate = "9.8Mbit"
delay = "15ms"
mean_packet = "1500B"
queue = {queue}
[[flow]]
name = "up"
count = 2
transport = {{ kind = "tcp", profile = "linux", packet = "1500B", control = "cubic" }}
start = {{ spread = "1s" }}
[[flow]]
name = "ping"
transport = {{ kind = "udp", packet = "64B" }}
app = {{ kind = "cbr", rate = "5.12kbit", packet = "64B", jitter = 0.5 }}
"""

BOTH_WAYS = """
duration = "60s"
warmup = "15s"
[dumbbell]
rate = "831kbit"
reverse_rate = "10.833Mbit"
delay = "10ms"
mean_packet = "1500B"
queue = {queue}
reverse_queue = {reverse}
[[flow]]
name = "up"
count = 6
transport = {{ kind = "tcp", profile = "linux", packet = "1500B", control = "cubic" }}
start = {{ spread = "1s" }}
[[flow]]
name = "down"
count = 6
direction = "backward"
transport = {{ kind = "tcp", profile = "linux", packet = "1500B", control = "cubic" }}
start = {{ spread = "1s" }}
"""


def uplink(queue: str) -> tuple[float, float]:
    """How far the uplink is used, and the mean one-way delay of the ping's packets in milliseconds."""
    result = sojourn.run(sojourn.Scenario.from_toml(UPLINK.format(queue=queue)))
    delay = result.group.filter(group="ping")["delay_mean_ms"][0]
    return result.queue["utilisation"][0], delay


@pytest.mark.parametrize("target", ["1ms", "5ms", "17.3ms"])
def test_no_target_starves_a_slow_uplink(target):
    """A packet of 1500 bytes takes 14.9 ms: targets of 1 and 5 ms are below it.

    RFC 8289, section 4.4: nothing is dropped while no more than the largest packet waits, so the link has work
    whenever two senders have; the bound of 3 % is for the round trips after drops.
    """
    packet = 1500 * 8 / 808
    alone = 15 + 64 * 8 / 808
    used, ping = uplink(f'{{ kind = "fq_codel", target = "{target}", quantum = "300B", ecn = false }}')
    assert used > 0.97
    # A sparse flow goes first (RFC 8290, section 4.2), after the packet that is being sent.
    assert alone < ping < alone + packet

    used, behind = uplink(f'{{ kind = "codel", target = "{target}", ecn = false }}')
    assert used > 0.97
    # One queue: behind the backlog, but far from the half second that a router's 50 packets would be.
    assert ping < behind < 15 + 10 * packet


def test_downloads_live_beside_full_uplinks_where_acknowledgements_have_queues():
    """831 kbit/s up and 10.8 Mbit/s down, six long flows each way.

    A download needs 24 kbit/s of acknowledgements (one of 40 bytes for two packets of a sixth of the link), less than
    its twelfth of the uplink, 69 kbit/s: with queues of their own they are not in the way. In one queue of 1000 packets
    they wait 14.4 s behind the uploads, four round trips in a minute. The report: a third of the link is left, with
    more than acknowledgements' bytes in the way (ATM cells).
    """

    def left(queue: str, reverse: str) -> float:
        text = BOTH_WAYS.format(queue=queue, reverse=reverse)
        return sojourn.run(sojourn.Scenario.from_toml(text)).queue.filter(link="reverse")["utilisation"][0]

    fair = '{ kind = "fq_codel", quantum = "300B" }'
    # A buffer of 100 packets, more than the 18 of rate and delay, is never empty. CoDel may empty the queue at a cut: a
    # window that is cut by half there, and grows again, uses 75 % of the link.
    assert left(fair, '"fifo"') > 0.98
    assert left(fair, '"fq_codel"') > 0.75
    # The report's third.
    assert left('{ kind = "fifo", limit = "1000p" }', '"fq_codel"') < 1 / 3
