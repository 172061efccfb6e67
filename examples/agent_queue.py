"""An agent learns how a queue should drop: `python examples/agent_queue.py` (about a minute; --quick is shorter).

The agent is a line: the probability of a drop is a straight function of the mean wait and of the load of the last step.
The cross-entropy method looks for its three numbers: it draws some, keeps the best, and draws again around those. Any
library of agents takes the environment in the same way: `gymnasium.make("Sojourn/Queue-v0")`.
"""

import sys

import numpy as np

from sojourn.env import QueueEnv


def episode(env, line, seed):
    """The mean reward of one run."""
    observation, _ = env.reset(seed=seed)
    rewards, over = [], False
    while not over:
        wait, load = observation[1], observation[2]
        probability = line[0] + line[1] * wait + line[2] * (load - 1.0)
        observation, reward, _, over, _ = env.step(np.array([np.clip(probability, 0.0, 1.0)]))
        rewards.append(reward)
    return float(np.mean(rewards))


def learn(env, *, rounds, candidates):
    """The best line that was found, and how the mean reward of the best went up."""
    random = np.random.default_rng(1)
    mean, spread = np.zeros(3), np.full(3, 0.05)
    history = []
    for turn in range(rounds):
        lines = mean + spread * random.standard_normal((candidates, 3))
        rewards = np.array([episode(env, line, seed=turn + 1) for line in lines])
        best = lines[np.argsort(rewards)[-candidates // 4 :]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.002
        history.append(float(np.sort(rewards)[-candidates // 4 :].mean()))
    return mean, history


def main():
    quick = "--quick" in sys.argv
    env = QueueEnv(step="50ms")
    line, history = learn(env, rounds=3 if quick else 8, candidates=8 if quick else 16)
    seeds = range(101, 103 if quick else 106)
    never = np.mean([episode(env, np.zeros(3), seed) for seed in seeds])
    learned = np.mean([episode(env, line, seed) for seed in seeds])
    print("mean reward of the best quarter, round by round:", " ".join(f"{value:.3f}" for value in history))
    print(f"on seeds that it has not seen: {learned:.3f}; without dropping early: {never:.3f}")
    print(f"probability = {line[0]:.4f} + {line[1]:.4f} wait/20ms + {line[2]:.4f} (load - 1)")
    return float(learned), float(never)


if __name__ == "__main__":
    main()
