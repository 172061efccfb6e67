"""What there is, and by which names: queues, columns, sources, warnings."""
