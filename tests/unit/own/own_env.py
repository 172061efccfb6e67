"""The Gymnasium environments."""

import runpy
from pathlib import Path

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

import sojourn  # noqa: E402
from sojourn.env import QueueEnv, SenderEnv  # noqa: E402

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


@pytest.fixture(params=["Sojourn/Queue-v0", "Sojourn/Sender-v0"])
def env(request):
    return gymnasium.make(request.param)


def test_the_checker_of_gymnasium_finds_nothing(env):
    check_env(env.unwrapped)


def test_the_same_seed_and_the_same_actions_give_the_same_numbers(env):
    def run(seed):
        env.action_space.seed(7)
        found = [env.reset(seed=seed)[0]]
        for _ in range(20):
            observation, reward, *_ = env.step(env.action_space.sample())
            found.append([*observation, reward])
        return [list(map(float, row)) for row in found]

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_an_episode_is_a_run_and_ends_with_it():
    env = QueueEnv(step="100ms")
    env.reset(seed=1)
    over, steps, lost = False, 0, 0
    while not over:
        observation, _, terminated, over, info = env.step(np.array([0.02]))
        assert env.observation_space.contains(observation)
        assert not terminated
        steps, lost = steps + 1, lost + info["lost"]

    assert steps == 300, "30 s in steps of 100 ms"
    assert info["time_s"] == 30.0
    assert lost > 10


def test_an_agent_that_drops_more_has_a_shorter_queue():
    def wait(probability):
        env = QueueEnv()
        env.reset(seed=1)
        return np.mean([env.step(np.array([probability]))[4]["wait_ms"] for _ in range(400)])

    assert wait(0.02) < wait(0.002) / 2


def test_a_window_of_the_path_is_full_use_without_a_queue():
    env = SenderEnv()
    env.reset(seed=1)
    # From 10 segments to 40 and to stay there: 10 Mbit/s and 40 ms are 50 segments of 1000 bytes.
    rewards = [env.step(np.array([1.0 if step < 2 else 0.0]))[1] for step in range(100)]
    assert 0.7 < np.mean(rewards[20:]) < 0.9


def test_what_does_not_fit_is_refused(graph):
    with pytest.raises(ValueError, match="needs a dumbbell"):
        QueueEnv(graph)
    with pytest.raises(ValueError, match="not part of the run"):
        QueueEnv(step="100s")
    with pytest.raises(ValueError, match="not one TCP flow"):
        SenderEnv(sojourn.Scenario.load("two_way_dumbbell"))


def test_the_worked_example_learns(monkeypatch):
    monkeypatch.setattr("sys.argv", ["agent_queue.py", "--quick"])
    learned, never = runpy.run_path(str(EXAMPLES / "agent_queue.py"))["main"]()
    assert learned > never


@pytest.mark.parametrize("queue", ["cake", "htb"])
def test_the_queue_that_was_there_need_not_have_a_limit(queue):
    """Those two have limits of their own kind; the agent's has one of 100 packets, unless it takes over another."""
    text = 'duration = "1s"\n[dumbbell]\nrate = "2Mbit"\ndelay = "10ms"\n[[flow]]\n'
    env = QueueEnv(sojourn.Scenario.from_toml(text, overrides=[f"dumbbell.queue={queue}"]))
    assert env._limit == 100.0


@pytest.mark.parametrize("action", [[float("nan")], None, [float("inf")], "much", [], [0.1, 0.2]])
def test_an_action_that_is_not_one_number_is_refused(env, action):
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"the action is .*\n  allowed: one number from"):
        env.unwrapped.step(action)
