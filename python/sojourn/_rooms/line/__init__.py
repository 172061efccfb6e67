"""The question of a home or an operator: which queue for this line, and how to set it with ``tc``."""
