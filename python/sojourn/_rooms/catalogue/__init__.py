"""Names of all there is: queues, columns, sources, warnings."""
