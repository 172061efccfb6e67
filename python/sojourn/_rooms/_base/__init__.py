"""Files that know nothing of queues: files, TOML, locks, checks."""
