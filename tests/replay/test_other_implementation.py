"""Arrivals with the decisions of another implementation, and Sojourn's, one by one."""

import collections
import json
import random

import polars as pl
import pytest

import sojourn
from helpers.shell import refused
from helpers.shell import sojourn as command

N = 4000


def arrivals(seed=3):
    """Poisson arrivals of 1000 bytes, at 1.2 times 8 Mbit/s, in whole nanoseconds, no two at one moment."""
    draw = random.Random(seed)
    now, times = 0, []
    for _ in range(N):
        now += 1 + int(draw.expovariate(1.2) * 1_000_000)
        times.append(now)
    return times


def own_fifo(times, limit, service=lambda _: 1_000_000):
    """A queue with room for `limit` packets in front of a link: when each packet left (None: dropped), by hand."""
    leaves, waiting, free = [], collections.deque(), 0
    for number, time in enumerate(times):
        while waiting and waiting[0] <= time:
            waiting.popleft()
        if len(waiting) >= limit:
            leaves.append(None)
            continue
        leaves.append(max(time, free))
        waiting.append(leaves[-1])
        free = leaves[-1] + service(number)
    return leaves


def table(times, leaves):
    return pl.DataFrame(
        {
            "time_s": [f"{time / 1e9:.9f}" for time in times],
            "bytes": [1000] * len(times),
            "flow": ["a"] * len(times),
            "decision": ["dropped" if at is None else "enqueued" for at in leaves],
            "departure_s": [None if at is None else f"{at / 1e9:.9f}" for at in leaves],
        }
    )


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A file of arrivals with the fates that the implementation above gave them."""
    path = tmp_path_factory.mktemp("own") / "own.csv"
    times = arrivals()
    table(times, own_fifo(times, 30)).write_csv(path)
    return path


def test_an_implementation_that_does_the_same_is_told_so(own):
    done = command("replay", own, "--queue", "fifo:limit=30p", "--rate", "8Mbit", "--against", own)

    assert done.returncode == 0, done.stderr
    assert f"fifo:limit=30p: all {N} decisions are the same\n" in done.stdout
    lines = {" ".join(line.split()[:-1]): line.split()[-1] for line in done.stdout.splitlines() if line.strip()}
    dropped = pl.read_csv(own).filter(decision="dropped").height
    assert dropped > 300
    assert lines["same decision (packets)"] == str(N)
    assert lines["dropped in both (packets)"] == str(dropped)
    assert lines["dropped only there (packets)"] == lines["dropped only here (packets)"] == "0"


def test_the_first_packet_at_which_they_part_is_named(own, tmp_path):
    out = tmp_path / "decisions.csv"
    done = command(
        "replay", own, "--queue", "fifo:limit=29p,fifo:limit=30p", "--rate", "8Mbit", "--against", own, "--out", out
    )

    theirs = pl.read_csv(own)["decision"]
    # With a place less, the first drop comes while the other still had one place: at the arrival that found 29.
    times = arrivals()
    ours = ["dropped" if at is None else "enqueued" for at in own_fifo(times, 29)]
    first = next(place for place in range(N) if theirs[place] != ours[place])
    assert (
        f"fifo:limit=29p: first difference at packet {first} (record {first + 2}), {times[first] / 1e9:.9f} s, flow a, "
        "1000 B: enqueued there, dropped (overflow) here\n"
    ) in done.stdout
    written = pl.read_csv(out)
    assert written.filter(queue="fifo:limit=29p")["theirs"].to_list() == theirs.to_list()
    assert written.filter(queue="fifo:limit=29p")["decision"].to_list() == ours


def test_agreement_is_data_too(own):
    done = command("replay", own, "--queue", "fifo:limit=29p", "--rate", "8Mbit", "--against", own, "--json")

    found = json.loads(done.stdout)["against"]
    theirs, ours = pl.read_csv(own)["decision"], own_fifo(arrivals(), 29)
    both = sum(said == "dropped" and at is None for said, at in zip(theirs, ours, strict=True))
    assert found["dropped"] == {
        "both": both,
        "only_theirs": theirs.to_list().count("dropped") - both,
        "only_here": ours.count(None) - both,
    }
    assert found["equal_packets"] == N - found["dropped"]["only_theirs"] - found["dropped"]["only_here"]
    assert found["first_difference"]["theirs"] == "enqueued"


def test_a_list_of_drops_is_enough(own):
    frame = pl.read_csv(own, infer_schema=False)
    result = sojourn.replay(own, queue="fifo:limit=30p", rate="8Mbit")
    drops = frame.with_row_index("packet").filter(decision="dropped")

    assert result.against(drops.select("packet", "decision")).equal == N
    # A line of the file: the header is line 1.
    by_record = drops.select((pl.col("packet") + 2).alias("record"), "decision")
    assert result.against(by_record).equal == N
    assert result.against(frame).first is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("decision\ndropped\n", f"it has 1 decisions, and there are {N} arrivals"),
        ("decison\ndropped\n", "the column 'decision' is missing\n  hint:    rename 'decison'"),
        ("packet,decision\n1,drop\n", "line 2: the decision is 'drop'\n  allowed: enqueued, marked, dropped"),
        ("packet,decision\n1,dropped\n1,dropped\n", "line 3: packet 1 is there twice"),
        (
            f"packet,decision\n{N},dropped\n",
            f"line 2: there is no packet '{N}' among the arrivals\n  allowed: 0 to 3999",
        ),
    ],
)
def test_wrong_decisions_are_one_message(own, tmp_path, content, message):
    path = tmp_path / "theirs.csv"
    path.write_text(content)

    assert message in refused("replay", own, "--rate", "8Mbit", "--against", path)


def test_departures_take_the_place_of_a_rate_so_that_nothing_falls_out_of_step(tmp_path):
    # Every packet takes 1 ms, but each hundredth 40 us more.
    leaves = own_fifo(arrivals(), 30, service=lambda number: 1_000_000 + (40_000 if number % 100 == 0 else 0))
    path = tmp_path / "jittery.csv"
    table(arrivals(), leaves).write_csv(path)

    with_rate = sojourn.replay(path, queue="fifo:limit=30p", rate="8Mbit")
    in_step = sojourn.replay(path, queue="fifo:limit=30p", departures=path)

    assert with_rate.against(path).first is not None
    assert in_step.against(path).first is None
    left = [round(at * 1e9) for at in in_step.decisions["departure_s"].drop_nulls()]
    assert left == [at for at in leaves if at is not None]
    assert in_step.decisions["sent_s"].null_count() == N
    assert in_step.unused_departures == 0


def test_moments_may_be_lines_and_what_they_leave_is_said(tmp_path):
    moments = tmp_path / "moments.txt"
    moments.write_text("0.001\n0.0015\n0.004\n")
    frame = tmp_path / "a.csv"
    frame.write_text("time_s,bytes,flow\n0.001,1000,a\n0.002,1000,a\n0.003,1000,a\n")

    done = command("replay", frame, "--queue", "fifo", "--departures", moments, "--json")

    assert json.loads(done.stdout)["summary"]["departures_packets"] == 2
    # Three moments of 1000 bytes in 3 ms: two spans of 1.5 ms, 5.333 Mbit/s.
    assert done.stderr == (
        "laws are told the rate of the departures, 5.333 Mbit/s\n"
        "1 departures found no packet in the queue\n"
        "1 packets wait when the recording ends\n"
    )
    told = command("replay", frame, "--queue", "fifo", "--departures", moments, "--rate", "8Mbit")
    assert "laws are told" not in told.stderr
    moments.write_text("0.001\n")
    assert "the departures do not tell a rate" in refused("replay", frame, "--departures", moments)
    moments.write_text("0.2\n0.1\n")
    assert f"{moments}: line 2: the departure at 0.1 s goes back" in refused("replay", frame, "--departures", moments)


def test_our_own_decisions_drive_another_run(own, tmp_path):
    out = tmp_path / "decisions.csv"
    assert command("replay", own, "--queue", "codel", "--rate", "8Mbit", "--out", out).returncode == 0

    again = command("replay", own, "--queue", "codel", "--departures", out, "--against", out)

    assert f"codel: all {N} decisions are the same" in again.stdout
    assert pl.read_csv(out).filter(decision="dropped").height > 100


def test_a_packet_with_ce_that_is_to_be_marked_counts_as_a_mark_and_is_told_apart():
    # RED with a step: every packet that finds more than 5 is to be marked.
    frame = pl.DataFrame({"time_s": [0.0] * 20, "bytes": [1000] * 20, "flow": ["a"] * 20, "ecn": (["ce", "ect0"] * 10)})
    red = "red:min_th=5p,max_th=6p,max_p=1,w_q=1,ecn=true,mark_max_p=2,limit=100p"
    result = sojourn.replay(frame, queue=red, rate="8Mbit")

    marked = result.decisions.filter(decision="marked")
    assert result.summary["marks_packets"].item() == marked.height > 4
    assert result.summary["marks_on_ce_packets"].item() == marked.filter(ecn="ce").height > 1
