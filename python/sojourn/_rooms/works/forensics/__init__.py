"""A search for the settings to which the printed numbers of a work point.

A work states much and leaves the rest open. ``work.toml`` lists the open points (``[[unstated]]``) and, for each item,
the choices that a careful reader might make. This package runs the printed tables of the work under combinations of
these choices, scores each combination by how likely the printed numbers are under it, and reports the result.

It explores; it judges nothing. A setting may be adopted only for a reason in the source, or in its simulator of that
year, and only if a table that took no part in the choice supports it.
"""
