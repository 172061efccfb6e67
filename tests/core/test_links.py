"""Links on which something varies, against independent counts."""

import random

import polars as pl
import pytest

from sojourn import (
    Access,
    Change,
    Dumbbell,
    Flow,
    Jitter,
    Link,
    Medium,
    Node,
    RateTrace,
    Record,
    Scenario,
    ScenarioError,
    apps,
    losses,
    run,
)

VARIES = {"loss": losses.Uniform(probability="3%"), "jitter": Jitter(mean="2ms", law="exponential")}


def lossy_dumbbell(flow, **keys):
    access = Access(rate="20Mbit", delay="3ms", **VARIES)
    return Scenario(duration="20s", dumbbell=Dumbbell(rate="5Mbit", delay="10ms", access=access), flows=[flow], **keys)


def test_the_access_links_of_a_dumbbell_are_those_of_the_graph_that_it_stands_for():
    short = run(lossy_dumbbell(Flow(name="f")), seed=5)
    # Streams of random numbers have the names of links.
    ways = [
        ("forward", "left", "right"),
        ("reverse", "right", "left"),
        ("access/f/0/in", "source", "left"),
        ("access/f/0/out", "right", "sink"),
        ("access/f/0/ack-in", "sink", "right"),
        ("access/f/0/ack-out", "left", "source"),
    ]
    links = [
        Link(name=name, from_=start, to=end, rate="5Mbit", delay="10ms", duplex=False, observed=True)
        if name in ("forward", "reverse")
        else Link(name=name, from_=start, to=end, rate="20Mbit", delay="3ms", duplex=False, observed=False, **VARIES)
        for name, start, end in ways
    ]
    nodes = [Node(name=name) for name in ("left", "right", "source", "sink")]
    flows = [Flow(name="f", from_="source", to="sink")]
    graph = run(Scenario(duration="20s", nodes=nodes, links=links, flows=flows), seed=5)

    assert short.flow["corrupted_packets"].item() > 20
    assert short.flow.equals(graph.flow)
    assert short.queue.equals(graph.queue)


def test_data_cross_two_access_links_and_each_corrupts_for_itself():
    flow = Flow(transport="udp", app=apps.Cbr(rate="4Mbit"))
    result = run(lossy_dumbbell(flow, warmup="1s"), seed=2).flow

    sent, corrupted = result["packets_sent"].item(), result["corrupted_packets"].item()
    # 1 - 0.97^2; four standard deviations of a binomial.
    ratio = 1 - 0.97**2
    assert corrupted == pytest.approx(sent * ratio, abs=4 * (sent * ratio * (1 - ratio)) ** 0.5)


def test_an_access_link_of_a_flow_replaces_the_loss_of_all():
    flow = Flow(transport="udp", app=apps.Cbr(rate="1Mbit"), access=Access())
    assert run(lossy_dumbbell(flow)).flow["corrupted_packets"].item() == 0
    with pytest.raises(ScenarioError, match=r"flow\[0\]\.access\.loss\.probability"):
        lossy_dumbbell(Flow(access=Access(loss={"kind": "uniform", "probability": 2})))


def mahimahi(trace_ms, arrivals, *, limit, opportunity=1500):
    """The emulated link of Mahimahi, millisecond by millisecond: of each departure the arrival number, and two times.

    These are when the first part of the packet was sent, and the last.

    Before a packet joins, all opportunities up to its time have been used. An opportunity is used up by whole packets
    and by the rest of one that it is too small for; the rest is lost when the queue is empty.
    """
    queue, transit, left, began, departed = [], None, 0, 0, []

    def serve(time):
        nonlocal transit, left, began
        rest = opportunity
        while rest > 0:
            if transit is None:
                if not queue:
                    return
                transit, began = queue.pop(0), time
                left = arrivals[transit][1]
            used = min(rest, left)
            rest, left = rest - used, left - used
            if left == 0:
                departed.append((transit, began, time))
                transit = None

    rounds, place, pending = 0, 0, list(enumerate(arrivals))
    while pending or queue or transit is not None:
        time = rounds * trace_ms[-1] + trace_ms[place]
        while pending and pending[0][1][0] * 1e3 < time - 1e-9:
            number, _ = pending.pop(0)
            if len(queue) < limit:
                queue.append(number)
        serve(time)
        place += 1
        if place == len(trace_ms):
            rounds, place = rounds + 1, 0
    return departed


@pytest.mark.parametrize("seed", range(12))
def test_a_trace_driven_link_is_that_of_a_second_implementation(seed):
    draw = random.Random(seed)
    trace = sorted(draw.randrange(seed % 2, 60) for _ in range(draw.randrange(1, 40)))
    trace[-1] = max(trace[-1], 1)
    # On whole milliseconds often, so that packets come at the very moment of an opportunity.
    times = sorted(round(draw.uniform(0, 2), draw.choice((3, 6))) for _ in range(300))
    arrivals = [(time, draw.randrange(29, 3000)) for time in times]
    app = apps.Trace(times_s=[time for time, _ in arrivals], sizes_bytes=[size for _, size in arrivals])
    link = Link(
        name="cell",
        from_="a",
        to="b",
        rate=RateTrace(mahimahi=trace),
        delay="5ms",
        queue={"kind": "fifo", "limit": "15p"},
    )
    result = run(
        Scenario(
            duration="300s",
            nodes=[Node(name="a"), Node(name="b")],
            links=[link],
            flows=[Flow(from_="a", to="b", transport={"kind": "udp", "packet": "3000B"}, app=app)],
            record=Record(packets=True),
        )
    )
    sent = result.packets.filter(pl.col("link") == "cell")

    expected = mahimahi(trace, arrivals, limit=15)

    assert len(expected) > 0
    assert sent["size_bytes"].to_list() == [arrivals[number][1] for number, *_ in expected]
    assert sent["time_s"].to_list() == pytest.approx([time / 1e3 for *_, time in expected], abs=1e-12)
    # As on a link with a rate, the time of the sending is no wait.
    waited = [began - 1e3 * arrivals[number][0] for number, began, _ in expected]
    assert sent["sojourn_ms"].to_list() == pytest.approx(waited, abs=1e-6)


def test_littles_law_holds_where_a_packet_takes_many_opportunities():
    # Two opportunities of 40 bytes each millisecond; a packet of 1000 bytes each second has 25 of them to itself. Its
    # wait ends with the first, at the next whole millisecond.
    rate = RateTrace(mahimahi=[1, 1], opportunity="40B")
    dumbbell = Dumbbell(rate=rate, delay="10ms", queue="fifo")
    flow = Flow(transport={"kind": "udp", "packet": "1000B"}, app=apps.Cbr(rate="8kbit", packet="1000B"))
    queue = run(Scenario(duration="10s", warmup="0s", dumbbell=dumbbell, flows=[flow])).queue

    assert queue["departures_packets"][0] == queue["arrivals_packets"][0] >= 9
    per_second = queue["arrivals_packets"][0] / 10
    assert queue["sojourn_mean_ms"][0] < 1.0
    assert queue["backlog_mean_packets"][0] == pytest.approx(per_second * queue["sojourn_mean_ms"][0] / 1e3, rel=1e-3)


def test_a_saturated_trace_gives_its_mean_rate():
    # 3 opportunities of 1500 bytes in 10 ms: 3.6 Mbit/s. The window of 10 s begins and ends with one.
    dumbbell = Dumbbell(rate=RateTrace(mahimahi=[1, 2, 10]), delay="10ms", queue={"kind": "fifo", "limit": "50p"})
    flow = Flow(transport={"kind": "udp", "packet": "1500B"}, app=apps.Cbr(rate="5Mbit", packet="1500B"))
    queue = run(Scenario(duration="11s", warmup="1s", dumbbell=dumbbell, flows=[flow])).queue

    assert queue["throughput_bps"][0] == pytest.approx(3001 * 12_000 / 10)
    assert queue["utilisation"][0] == pytest.approx(1.0)


def test_tcp_fills_a_link_that_comes_and_goes():
    # 1 s with an opportunity each millisecond, then 1 s with nothing.
    dumbbell = Dumbbell(rate=RateTrace(mahimahi=[*range(1, 1001), 2000]), delay="10ms", queue="codel")
    queue = run(Scenario(duration="21s", warmup="1s", dumbbell=dumbbell, flows=[Flow(count=4)])).queue

    assert queue["utilisation"][0] > 0.5
    assert queue["sojourn_max_ms"][0] > 900


def test_two_links_share_a_wireless_medium():
    hop = [
        Link(
            name=name,
            from_="base",
            to=name,
            rate="11Mbit",
            delay="0s",
            medium="air",
            loss=losses.Uniform(probability=0.1),
        )
        for name in ("a", "b")
    ]
    result = run(
        Scenario(
            duration="20s",
            nodes=[Node(name=name) for name in ("base", "a", "b")],
            links=hop,
            media=[Medium(name="air", retries=0)],
            flows=[
                Flow(from_="base", to=name, transport={"kind": "udp"}, app=apps.Cbr(rate="8Mbit"))
                for name in ("a", "b")
            ],
        )
    )
    down = result.medium.filter(pl.col("attempts") > 0)

    assert down["link"].to_list() == ["a", "b"]
    # Without retries an attempt is a packet: a tenth of the packets without a collision is corrupted, within 4 standard
    # errors.
    alone = down["attempts"] - down["collisions"]
    assert (down["corruptions"] / alone).to_list() == pytest.approx([0.1, 0.1], abs=0.02)
    assert down["given_up_packets"].to_list() == result.flow["corrupted_packets"].to_list()
    assert (
        result.queue.filter(pl.col("link").is_in(["a", "b"]))["corrupted_packets"].to_list()
        == down["given_up_packets"].to_list()
    )


def test_losses_of_a_handover_begin_and_end_at_their_times():
    handover = [
        Change(at="2s", loss=losses.Uniform(probability=1)),
        Change(at="3s", delay="35ms", loss=losses.Uniform(probability=0)),
    ]
    # 100 packets of 100 bytes come each second.
    flow = Flow(transport="udp", app=apps.Cbr(rate="80kbit", packet="100B"))
    dumbbell = Dumbbell(rate="1Mbit", delay="10ms", changes=handover, reverse_changes=[])
    scenario = Scenario(duration="5s", dumbbell=dumbbell, flows=[flow])
    queue = run(scenario, seed=1).tables["queue"].filter(pl.col("link") == "forward")
    assert queue["corrupted_packets"].item() == 100
    assert Scenario.from_toml(scenario.to_toml()).resolved() == scenario.resolved()


def test_settings_of_a_queue_do_not_change_and_the_message_says_what_does():
    link = 'rate = "1Mbit"\ndelay = "1ms"\nchanges = [{ at = "1s", queue = "red" }]'
    text = f'duration = "1s"\n[dumbbell]\n{link}\n[[flow]]\n'
    with pytest.raises(ScenarioError, match=r"allowed: at, rate, delay, loss\n.*a link of its own in front of it"):
        Scenario.from_toml(text)
