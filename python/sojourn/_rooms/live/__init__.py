"""Queues on real packets: a bridge between two network interfaces of Linux.

>>> from sojourn._rooms.live import Gateway
>>> with Gateway("lan0", "wan0", rate="20/100", queue="fq_codel") as gateway:  # doctest: +SKIP
...     time.sleep(60)
>>> gateway.stop()["up"]["drops"]  # doctest: +SKIP
{'sojourn': 12}
"""

from .gateway import Gateway
from .page import Page

__all__ = ["Gateway", "Page"]
