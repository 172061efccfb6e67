"""A data file that Flent's own code writes, and one that Sojourn exports."""

from __future__ import annotations

import subprocess
import sys

import pytest

import sojourn
from sojourn.measured import estimated, read

# Flent 2.3: a result set of its class, saved by it. Pings of 20 a second; four uploads from 5 s to 25 s at 8 Mbit/s of
# payload together; 30 ms without load, and 130 ms or a little less with it.
WRITER = """
import sys
from datetime import datetime, timezone
from flent.resultset import ResultSet
start = datetime(2026, 11, 1, 10, 0, 0, tzinfo=timezone.utc)
result = ResultSet(NAME="tcp_nup", TITLE="", TIME=start, T0=start, LENGTH=20, TOTAL_LENGTH=30, STEP_SIZE=0.2,
                   HOSTS=["PLANTED-HOST"], HOST="PLANTED-HOST", DATA_FILENAME="own")
times = [0.2 * at for at in range(150)]
loaded = [5.0 <= time <= 25.0 for time in times]
names = [f"TCP upload::{number}" for number in range(1, 5)]
result.set_x_values(times)
result.create_series(["Ping (ms) ICMP", *names])
pings = [130.0 - at % 4 if load else 30.0 + 0.05 * (at % 3) for at, load in enumerate(loaded)]
result.add_result("Ping (ms) ICMP", pings)
for name in names:
    result.add_result(name, [2.0 if load else None for load in loaded])
unix = start.timestamp()
samples = [{"t": unix + time, "val": value, "seq": at} for at, (time, value) in enumerate(zip(times, pings))]
result.set_raw_values({"Ping (ms) ICMP": samples})
result.dump_dir(sys.argv[1])
"""


def test_a_file_that_flent_wrote_is_read(tmp_path):
    done = subprocess.run([sys.executable, "-c", WRITER, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (path,) = tmp_path.iterdir()

    found = estimated([read(path)], link="docsis", rates=(8.4e6, 50e6)).numbers
    (load,) = read(path).loads
    assert (load.flows, sorted(load.rates)) == (4, ["up"])
    assert sum(load.rates["up"].bps) / len(load.rates["up"].bps) == pytest.approx(8e6)
    # A ping of 102 bytes takes 0.1 ms to be sent.
    assert found["rtt_s"].value == pytest.approx(0.0299, abs=1e-4)
    assert found["buffer_up_s"].value == pytest.approx(0.1 / 0.96, rel=0.01)
    assert found["buffer_up_s"].bound == ""


@pytest.mark.slow
def test_an_export_of_sojourn_counts_headers(tmp_path):
    content = """
duration = "26s"
[dumbbell]
rate = "8Mbit"
delay = "15ms"
queue = { kind = "fifo", limit = "200000B" }
[[flow]]
name = "upload"
count = 4
transport = { kind = "tcp", profile = "linux", packet = "1500B", control = "cubic" }
start = { at = "6s", spread = "100ms" }
[[flow]]
name = "ping"
transport = "udp"
app = { kind = "cbr", rate = "10240bit", packet = "64B" }
[record]
throughput = "200ms"
"""
    path = sojourn.exports.write_flent(
        sojourn.run(sojourn.Scenario.from_toml(content), seed=1), tmp_path / "a.flent.gz"
    )
    measured = read(path)
    (load,) = measured.loads

    assert load.rates["up"].layer == "ip"
    # Of bytes of IP the link carries 8 Mbit/s; 200,000 bytes are 200 ms of that.
    assert sorted(load.rates["up"].bps)[len(load.rates["up"].bps) // 2] == pytest.approx(8e6, rel=0.02)
    found = estimated([measured], rates=(8e6, 100e6)).numbers
    assert found["rtt_s"].value == pytest.approx(0.030, abs=0.0011)
    assert found["buffer_up_s"].low <= 0.2 <= found["buffer_up_s"].high
