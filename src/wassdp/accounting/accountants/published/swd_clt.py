"""DP-SWD's Proposition 2 with the central limit bound, as printed."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import ndtri

from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import Guarantee
from wassdp.accounting.statements import sliced


@dataclass(frozen=True)
class Accountant:
    """w = k/d + (z/d) √(2k(d-1)/(d+2)), z the 1 - δ/2 quantile of N(0, 1); ε = min_α [T D_α + log(2/δ)/(α-1)]."""

    source: str = "SWD Section 3.1 (CLT bound), Proposition 2; subsampling: Wang et al. (2019), Theorem 9"

    def supports(self, event: Event) -> str | None:
        return sliced.unsupported(event)

    def epsilon(self, event: Event, delta: float) -> Guarantee:
        notes = (sliced.ONE_TAIL, sliced.NOT_RIGOROUS)
        return sliced.guarantee("swd_clt", event, delta, squared_sensitivity, 0.5, notes, self.source)


def squared_sensitivity(projections: int, dimension: int, tail: float) -> float:
    """w(k, δ): the squared sensitivity that is said to be exceeded with probability at most ``tail``.

    Args:
        projections: k.
        dimension: d.
        tail: δ in (0, 1).
    """
    root = 2 * projections * (dimension - 1) / (dimension + 2)
    return projections / dimension - float(ndtri(tail)) / dimension * math.sqrt(root)
