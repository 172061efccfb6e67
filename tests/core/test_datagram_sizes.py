"""A source sends the sizes that it is given: one packet is one datagram, over each transport without connections."""

from __future__ import annotations

import pytest

from helpers.shell import refused
from sojourn import Scenario, run

NETWORK = """
duration = "4s"
[dumbbell]
rate = "100Mbit"
delay = "1ms"
queue = { kind = "fifo", limit = "100000p" }
[record]
packets = true
"""

SOURCES = {
    "cbr": '{ kind = "cbr", rate = "1Mbit", packet = "1500B" }',
    "on_off": '{ kind = "on_off", rate = "1Mbit", packet = "1500B" }',
    "poisson": '{ kind = "poisson", rate = "1Mbit", packet = "1500B" }',
    "trace": '{ kind = "trace", times_s = [0, 0.1, 0.2], sizes_bytes = [1500] }',
    # 1460 bytes of speech, RTP 12, UDP and IP 28.
    "voice": '{ kind = "voice", rate = "584kbit", frame = "20ms", silence = false }',
    "telnet": '{ kind = "telnet", interval = "100ms", bytes = "1472B" }',
}


def sizes(transport, app):
    scenario = Scenario.from_toml(f"{NETWORK}[[flow]]\ntransport = {transport}\napp = {app}\n")
    return run(scenario).packets["size_bytes"].to_list()


@pytest.mark.parametrize("app", SOURCES)
@pytest.mark.parametrize("transport", ['"udp"', '{ kind = "fec", parity = 0 }'])
def test_a_packet_of_1500_bytes_is_a_datagram_of_1500_bytes(transport, app):
    sent = sizes(transport, SOURCES[app])
    assert len(sent) >= 3
    assert set(sent) == {1500}


@pytest.mark.parametrize("app", SOURCES)
@pytest.mark.parametrize("kind", ["udp", "fec", "tfrc", "rap", "tear", "lda", "gcc", "scream"])
def test_a_source_whose_packets_do_not_fit_is_refused(kind, app, tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(f'{NETWORK}[[flow]]\ntransport = {{ kind = "{kind}", packet = "1000B" }}\napp = {SOURCES[app]}\n')
    said = refused("run", path)
    assert "transport.packet is 1000B: each would be sent as several" in said
    assert "up to 1000B, or a larger transport.packet" in said


def test_what_fits_is_sent_as_it_is():
    assert set(sizes('{ kind = "udp", packet = "1500B" }', '{ kind = "cbr", packet = "200B" }')) == {200}
    assert set(sizes('{ kind = "udp", packet = "1500B" }', '"cbr"')) == {1500}
    assert set(sizes('"udp"', '"cbr"')) == {1000}
