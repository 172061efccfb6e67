"""XCP, TFRC and RAP against ns-2 on one dumbbell each: settings, both sides, and the results.

    python tests/peers/explicit.py [--seeds 10] [--only NAME ...] [--write]

prints the table of means, ns-2's first; `--write` keeps the rows in evidence/ns2/explicit.toml,
with `--only` these rows of it. Topology and metrics are those of ns2_explicit.tcl. Known differences are beside each
setting.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[2] / "evidence"))

import tables
from ns2 import Metrics, Ns2Error, Setting, available

import sojourn

SCRIPT = Path(__file__).resolve().parent / "ns2_explicit.tcl"
KEPT = tables.EVIDENCE / "ns2" / "explicit.toml"
ABOUT = [
    "XCP, TFRC and RAP beside ns-2: its mean, and ours.",
    "Written by",
    "    python tests/peers/explicit.py --seeds 20 --write",
]
METRICS = ("utilisation", "mean_queue", "loss", "jain", "share", "nearest")

COMMON: Setting = {
    "law": "xcp",
    "queue": "xcp",
    "flows": 10,
    "sacks": 0,
    "rate_mbit": 20,
    "access_mbit": 1000,
    "rtt_ms": 80,
    "rtt_spread": 0.0,
    "limit": 200,
    "min": 10,
    "max": 60,
    "max_p": 0.1,
    "w_q": 0.002,
    "fine": 0,
    "start_spread": 1,
    "duration": 60,
    "warmup": 20,
}

RAP_TIMES: Setting = {"start_spread": 5, "duration": 140, "warmup": 60}

SETTINGS: dict[str, Setting] = {
    # The preset `ns2` does as ns-2; without `whole_window`, `rtt_tick` or `sees_idle` the queue of `xcp` is 1.4, 2.4
    # or 2.3 packets instead of 2.1 (20 seeds). With equal round-trip times it depends on how whole windows fit into
    # the path, and so on the size of packets: XCP's time stamps take 10 bytes in ns-2. Its sender hears only new
    # acknowledgements.
    "xcp": {},
    "xcp-spread": {"rtt_spread": 0.5, "flows": 20, "duration": 100, "warmup": 40},
    "xcp-few": {"flows": 2, "rate_mbit": 10, "limit": 100},
    # ns-2's TFRC raises its rate by at most a packet per round trip in each, takes t_RTO from a timer with ticks of
    # 100 ms instead of 4 R, and sends feedback when a packet comes a round trip after the last. The profile does so
    # too, but for the first loss interval: ns-2's follows from its t_RTO, which no packet tells our receiver.
    "tfrc-red": {"law": "tfrc", "queue": "red", "flows": 8, "sacks": 8, "limit": 150, "rtt_spread": 0.2},
    "tfrc-droptail": {"law": "tfrc", "queue": "droptail", "flows": 8, "sacks": 8, "limit": 200, "rtt_spread": 0.2},
    # The ticks favour long round trips: 0.3 s are more than 4 R below 75 ms.
    "tfrc-rtts": {
        "law": "tfrc",
        "queue": "red",
        "flows": 6,
        "sacks": 6,
        "rate_mbit": 8,
        "access_mbit": 60,
        "rtt_ms": 95,
        "rtt_spread": 0.45,
        "limit": 150,
        "min": 12,
        "max": 40,
        "start_spread": 5,
        "duration": 150,
        "warmup": 30,
    },
    # In ns-2 only the first sender's first round trip counts in full, so that the others start more slowly; both sides
    # are measured when all have long been at their rates.
    "rap-red": {"law": "rap", "queue": "red", "flows": 8, "sacks": 8, "limit": 150, "rtt_spread": 0.2} | RAP_TIMES,
    "rap-fine": {"law": "rap", "queue": "red", "flows": 8, "sacks": 8, "limit": 150, "rtt_spread": 0.2, "fine": 1}
    | RAP_TIMES,
    "rap-alone": {"law": "rap", "queue": "red", "flows": 10, "rate_mbit": 10, "limit": 150, "rtt_spread": 0.2}
    | RAP_TIMES,
    "tfrc-alone": {"law": "tfrc", "queue": "red", "flows": 10, "rate_mbit": 10, "limit": 150, "rtt_spread": 0.2},
}


TITLES = {
    "xcp": "10 flows",
    "xcp-spread": "20 flows, 40 to 120 ms",
    "xcp-few": "2 flows, 10 Mbit/s",
    "tfrc-red": "8 and 8 SACK, RED",
    "tfrc-droptail": "8 and 8 SACK",
    "tfrc-rtts": "6 and 6 SACK, RED, 8 Mbit/s, 52 to 138 ms",
    "tfrc-alone": "10, RED, 10 Mbit/s",
    "rap-red": "8 and 8 SACK, RED",
    "rap-fine": "the same with fine grain",
    "rap-alone": "10, RED, 10 Mbit/s",
}
"""Names of the settings in the page's table, in its order."""

COLUMNS = {
    "mean_queue": ("mean queue (packets)", 1.0, 2),
    "loss": ("loss (%)", 100.0, 3),
    "utilisation": ("utilisation (%)", 100.0, 2),
    "jain": ("Jain's index", 1.0, 3),
    "share": ("share of a SACK flow's rate", 1.0, 2),
}
"""Title, factor and digits of each column."""


def setting(name: str) -> Setting:
    """A setting with the common values filled in."""
    return COMMON | SETTINGS[name]


def run_ns2(values: Setting, seed: int, trace: Path | None = None) -> Metrics:
    """One run of ns-2, which may write its trace."""
    if not available():
        raise Ns2Error("ns-2 is not installed: no program `ns` found (Debian and Ubuntu: apt install ns2)")
    arguments = [f"{key}={value}" for key, value in values.items()]
    if trace is not None:
        arguments.append(f"trace={trace}")
    with tempfile.TemporaryDirectory(prefix="ns2-") as directory:
        command = ["ns", str(SCRIPT), *arguments, f"seed={seed}"]
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        raise Ns2Error(f"ns exit {done.returncode}: {(done.stderr or done.stdout).strip()}") from None


def scenario_text(values: Setting, *, queue: str = "", record: str = "", law: str = "") -> str:
    """Our side of a setting; `queue`, `record` and `law` are further keys of the queue, the record and XCP's law."""
    rtt, spread = float(values["rtt_ms"]), float(values["rtt_spread"])
    text = f"""
duration = "{values["duration"]}s"
warmup = "{values["warmup"]}s"

[dumbbell]
rate = "{values["rate_mbit"]}Mbit"
delay = "{rtt / 4:.9g}ms"
queue = {_queue(values, queue)}
reverse_queue = {{ kind = "fifo", preset = "ns2", limit = "100000p" }}

[record]
{record}

[dumbbell.access]
rate = "{values["access_mbit"]}Mbit"
delay = ["{rtt * (0.5 - spread) / 4:.9g}ms", "{rtt * (0.5 + spread) / 4:.9g}ms"]
"""
    tcp = 'kind = "tcp", profile = "ns2", window = "10000p", packet = "1000B"'
    transports = {
        "xcp": f'{tcp}, header = "50B", timestamps = true, recovery = "reno", '
        f'control = {{ kind = "xcp", preset = "ns2"{law and f", {law}"} }}',
        "tfrc": 'kind = "tfrc", profile = "ns2", packet = "1000B"',
        "rap": f'kind = "rap", packet = "1000B", fine_grain = {str(bool(values["fine"])).lower()}',
        "sack": f'{tcp}, recovery = "sack"',
    }
    for law, count in ((str(values["law"]), values["flows"]), ("sack", values["sacks"])):
        if count:
            text += f"""
[[flow]]
name = "{law}"
count = {count}
app = "bulk"
start = {{ at = "0s", spread = "{values["start_spread"]}s" }}
transport = {{ {transports[law]} }}
"""
    return text


def _queue(values: Setting, more: str) -> str:
    limit = f'limit = "{values["limit"]}p"' + (more and f", {more}")
    match values["queue"]:
        case "xcp":
            return f'{{ kind = "xcp", preset = "ns2", {limit} }}'
        case "droptail":
            return f'{{ kind = "fifo", preset = "ns2", {limit} }}'
        case _:
            return (
                f'{{ kind = "red", preset = "ns2", mode = "packets", mean_packet = "auto", {limit}, '
                f'min_th = "{values["min"]}p", max_th = "{values["max"]}p", '
                f'max_p = {values["max_p"]}, w_q = {values["w_q"]}, above = "gentle" }}'
            )


def metrics(result: sojourn.Result, values: Setting) -> Metrics:
    """The compared metrics of one of our runs."""
    queue = result.queue.row(0, named=True)
    groups = result.group.to_dicts()
    share = groups[0]["throughput_mean_bps"] / groups[1]["throughput_mean_bps"] if values["sacks"] else -1.0
    nearest = result.flow["throughput_bps"][0] / groups[0]["throughput_mean_bps"]
    return {
        "mean_queue": queue["backlog_mean_packets"],
        "loss": queue["loss_ratio"],
        "utilisation": queue["utilisation"],
        "jain": groups[0]["jain_index"],
        "share": share,
        "nearest": nearest,
    }


def compare(name: str, seeds: Sequence[int]) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Each metric of all seeds: ns-2's, ours."""
    theirs, mine = [run_ns2(setting(name), seed) for seed in seeds], run_ours(name, seeds)
    return (
        {key: [one[key] for one in theirs] for key in METRICS},
        {key: [one[key] for one in mine] for key in METRICS},
    )


def run_ours(name: str, seeds: Sequence[int]) -> list[Metrics]:
    """Our runs of these seeds."""
    values = setting(name)
    scenario = sojourn.Scenario.from_toml(scenario_text(values))
    return [metrics(sojourn.run(scenario, seed=seed), values) for seed in seeds]


def row(name: str, seeds: Sequence[int]) -> str:
    """A line of the table: in each cell ns-2's mean and ours."""
    theirs, mine = compare(name, seeds)
    cells = []
    for metric, (_, factor, digits) in COLUMNS.items():
        a, b = (factor * statistics.fmean(side[metric]) for side in (theirs, mine))
        empty = "none" if a == b == 0.0 else ""
        cells.append(empty if a < 0.0 or empty else f"{a:.{digits}f}, {b:.{digits}f}")
    return f"| `{name}`: {TITLES[name]} | {' | '.join(cells)} |"


HEAD = [
    f"| setting | {' | '.join(title for title, _, _ in COLUMNS.values())} |",
    "|---" * (1 + len(COLUMNS)) + "|",
]


def keep(rows: dict[str, str], file: Path = KEPT) -> None:
    """Keeps these rows; others stay as they are."""
    _, old = tables.read(file)
    known = {row[0].split("`")[1]: row for row in (*old, *tables.cells(rows.values()))}
    (columns,) = tables.cells(HEAD)
    tables.write(file, ABOUT, columns, [known[name] for name in TITLES if name in known])


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare XCP, TFRC and RAP with ns-2.")
    parser.add_argument("--seeds", type=int, default=10, help="seeds 1 to this number (default 10)")
    parser.add_argument(
        "--only", nargs="+", choices=TITLES, default=list(TITLES), metavar="NAME", help="these settings"
    )
    parser.add_argument("--write", action="store_true", help=f"keep these rows in {KEPT.name}")
    arguments = parser.parse_args()

    rows = {}
    print("\n".join(HEAD))
    for name in arguments.only:
        rows[name] = row(name, range(1, arguments.seeds + 1))
        print(rows[name], flush=True)
    if arguments.write:
        keep(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
