"""The curves of WDP Figure 1, printed budgets over their order: what is drawn, and how one grows by another formula."""

from __future__ import annotations

import math

from wassdp.accounting.formulas.mechanisms import Mechanism

SCALES = (1.0, 2.0, 3.0, 5.0)
FIRST, LAST = 1.0, 10.0
"""Orders at both ends."""


def plain_growth(mechanism: Mechanism, scale: float) -> float:
    """WDP's budget at the last order over that at the first: of what stands under the power 1/μ the power 1/10 - 1."""
    root = 1 / scale if mechanism == "gaussian" else math.sqrt(2 * (1 / scale + math.exp(-1 / scale) - 1))
    return float(root ** (1 / LAST - 1))
