"""Queues on real packets: a bridge between two network interfaces of Linux.

>>> from sojourn._rooms.live.gateway import Gateway
>>> with Gateway("lan0", "wan0", rate="20/100", queue="fq_codel") as gateway:  # doctest: +SKIP
...     time.sleep(60)
>>> gateway.stop()["up"]["drops"]  # doctest: +SKIP
{'sojourn': 12}
"""
