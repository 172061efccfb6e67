"""``python -m sojourn`` is the command ``sojourn``."""

from .cli import main

main()
