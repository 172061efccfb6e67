"""Parameters of queues from flows, round-trip time and rate: the results of their authors' rules, with each step."""

from .automatic import (
    automatic_weight,
    floyd_thresholds,
    greatest_rtt,
    of_ared,
    of_psand,
    psand_rest,
    symmetric_thresholds,
)
from .avq import avq_alpha, least_flows, of_avq
from .basics import Design, Load, NoRoot, Step
from .delay import of_codel, of_fq_codel, of_pie
from .hollot import of_p, of_pi, of_red, p_slope, pi_gains, plant, red_line
from .lred import lred_beta, lred_cap, of_lred

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
