"""Queues of users that are wrong on purpose: the conformance suite names the fault."""

import pytest

import sojourn
from sojourn.own import MARK, Policy, Size


class Stale(Policy):
    """Keeps a list of the backlog, forgets departures, and drops what it believes to be the tail."""

    def __init__(self):
        self.waiting = []

    def on_enqueued(self, now_ns, packet, queue):
        self.waiting.append(packet.seq)

    def on_arrival(self, now_ns, packet, queue, rng):
        if len(self.waiting) > 20:
            queue.drop_at(len(self.waiting) - 1, "unfair")


class Leaking(Policy):
    """Gives each flow a share, and still counts packets that it has pushed out."""

    counts = ("waiting",)
    share = Size("4p", "What a flow may have waiting.", least=0)

    def __init__(self):
        self.waiting = {}

    def on_arrival(self, now_ns, packet, queue, rng):
        if self.waiting.get(packet.flow, 0) >= self.share and queue.packets > 3:
            queue.drop_at(0, "unfair")

    def on_enqueued(self, now_ns, packet, queue):
        self.waiting[packet.flow] = self.waiting.get(packet.flow, 0) + 1

    def on_departure(self, now_ns, packet, queue, rng):
        self.waiting[packet.flow] -= 1


class Tight(Leaking):
    """The same without the fault."""

    counts = ("waiting", "all")

    def __init__(self):
        super().__init__()
        self.all = 0

    def on_enqueued(self, now_ns, packet, queue):
        super().on_enqueued(now_ns, packet, queue)
        self.all += 1

    def on_departure(self, now_ns, packet, queue, rng):
        super().on_departure(now_ns, packet, queue, rng)
        self.all -= 1

    def on_drop(self, now_ns, packet, dropped, queue):
        if dropped.stage == "queue":
            self.waiting[packet.flow] -= 1
            self.all -= 1


class Writing(Policy):
    """Writes marks into packets itself, whether their senders understand them or not."""

    def on_arrival(self, now_ns, packet, queue, rng):
        packet.ecn = "ce"
        return MARK


def broken(policy):
    found = sojourn.check(policy)
    assert not found
    return {finding.promise: finding.broken for finding in found.broken}


def test_a_drop_of_a_packet_that_is_gone_is_named_with_its_line():
    said = broken(Stale)["packets"]

    assert "on_arrival failed" in said
    assert "IndexError: drop_at(" in said
    assert "no packet is there" in said
    assert 'queue.drop_at(len(self.waiting) - 1, "unfair")' in said


def test_a_count_that_keeps_what_was_pushed_out_is_named_with_the_hooks_before():
    said = broken(Leaking)

    assert list(said) == ["counts"]
    assert "waiting is {0: 4, 1: 5, 2: 4}, and the backlog is {0: 4, 1: 4, 2: 4}" in said["counts"]
    assert "after on_arrival, on_drop (queue), on_enqueued" in said["counts"]
    # Without a declaration the suite cannot know what an attribute means, and the class is as it was.
    assert sojourn.own.registered()["leaking"] is Leaking


def test_counts_that_are_right_are_kept_wherever_the_queue_stands():
    found = sojourn.check(Tight)

    assert found, str(found)
    assert [finding.promise for finding in found.findings][-1] == "counts"


def test_a_mark_cannot_be_written_into_a_packet():
    said = broken(Writing)["packets"]

    assert "attribute 'ecn'" in said
    assert "not writable" in said
    assert 'packet.ecn = "ce"' in said


def test_a_mark_of_a_packet_whose_sender_understands_none_is_a_drop():
    class Marking(Policy):
        """Marks everything."""

        def on_arrival(self, now_ns, packet, queue, rng):
            return MARK

    assert sojourn.check(Marking)
    link = sojourn.Dumbbell(rate="1Mbit", delay="10ms", queue="marking")
    result = sojourn.run(sojourn.Scenario(duration="1s", dumbbell=link, flows=[sojourn.Flow()]))
    forward = result.queue.filter(result.queue["link"] == "forward")
    assert forward["marks_packets"][0] == 0
    assert forward["drops_packets"][0] == forward["arrivals_packets"][0]


@pytest.mark.filterwarnings("ignore::sojourn._rooms.catalogue.warnings.NoHookWarning")
@pytest.mark.parametrize("count", ["waits", "nothing"])
def test_a_count_that_is_not_there_is_named(count):
    class Without(Policy):
        """Declares a count that it does not have."""

        counts = (count,)

    assert f"no attribute '{count}'" in broken(Without)["counts"]
