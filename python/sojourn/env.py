"""Gymnasium environments of a queue or a sender."""

from __future__ import annotations

from ._rooms.own.environments import AgentQueue, AgentWindow, QueueEnv, SenderEnv

__all__ = ["AgentQueue", "AgentWindow", "QueueEnv", "SenderEnv"]
