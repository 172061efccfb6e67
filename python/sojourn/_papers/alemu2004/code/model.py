"""Section 5.5 is `sojourn.models.fec`; the parts that the claims use."""

from sojourn.models.fec import BETA_DROP_TAIL, BETA_RED, advantage, at_most, sign_changes

__all__ = ["BETA_DROP_TAIL", "BETA_RED", "advantage", "at_most", "sign_changes"]
