"""What knows nothing of queues: files, TOML, locks, checks."""
