"""Parameters of queues from flows, round-trip time and rate: the results of their authors' rules, with each step."""
