"""Queues and senders of your own, written in Python; ``sojourn.own`` has the words for users."""
