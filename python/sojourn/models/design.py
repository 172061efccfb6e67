"""Parameters of queues from flows, round-trip time and rate: the results of their authors' rules, with each step.

>>> from sojourn.models import design
>>> load = design.Load(flows=3, rtt_s=0.252, capacity=187.5)
>>> found = design.of_pi(load)
>>> f"{found.queue['a']:.7e}"
'3.4451950e-04'
"""

from __future__ import annotations

from .._rooms.models.design.automatic import (
    automatic_weight,
    floyd_thresholds,
    greatest_rtt,
    of_ared,
    of_psand,
    psand_rest,
    symmetric_thresholds,
)
from .._rooms.models.design.avq import avq_alpha, least_flows, of_avq
from .._rooms.models.design.basics import Design, Load, NoRoot, Step
from .._rooms.models.design.delay import of_codel, of_fq_codel, of_pie
from .._rooms.models.design.hollot import of_p, of_pi, of_red, p_slope, pi_gains, plant, red_line
from .._rooms.models.design.lred import lred_beta, lred_cap, of_lred

__all__ = [
    "Design",
    "Load",
    "NoRoot",
    "Step",
    "automatic_weight",
    "avq_alpha",
    "floyd_thresholds",
    "greatest_rtt",
    "least_flows",
    "lred_beta",
    "lred_cap",
    "of_ared",
    "of_avq",
    "of_codel",
    "of_fq_codel",
    "of_lred",
    "of_p",
    "of_pi",
    "of_pie",
    "of_psand",
    "of_red",
    "p_slope",
    "pi_gains",
    "plant",
    "psand_rest",
    "red_line",
    "symmetric_thresholds",
]
