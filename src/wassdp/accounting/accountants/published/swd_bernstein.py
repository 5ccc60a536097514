"""DP-SWD's Proposition 2 with the Bernstein bound, as printed."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import Guarantee
from wassdp.accounting.statements import sliced


@dataclass(frozen=True)
class Accountant:
    """w = k/d + (2/3) L + (2/d) √(k (d-1)/(d+2) L), L = log(2/δ); ε = min_α [T D_α + log(2/δ)/(α-1)]."""

    source: str = "SWD Lemma 2, Proposition 2; subsampling: Wang et al. (2019), Theorem 9"

    def supports(self, event: Event) -> str | None:
        return sliced.unsupported(event)

    def epsilon(self, event: Event, delta: float) -> Guarantee:
        notes = (sliced.ONE_TAIL,)
        return sliced.guarantee("swd_bernstein", event, delta, squared_sensitivity, 0.5, notes, self.source)


def squared_sensitivity(projections: int, dimension: int, tail: float) -> float:
    """w(k, δ): the squared sensitivity that is said to be exceeded with probability at most ``tail``.

    Args:
        projections: k.
        dimension: d.
        tail: δ in (0, 1).
    """
    log_term = -math.log(tail)
    root = projections * (dimension - 1) / (dimension + 2) * log_term
    return projections / dimension + 2 / 3 * log_term + 2 / dimension * math.sqrt(root)
