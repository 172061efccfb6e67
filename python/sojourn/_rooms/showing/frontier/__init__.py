"""Charts and the report of a frontier."""
