"""WDP Limitations, first half: with very little data WDP may give a much smaller budget than other frameworks.

The mean of N numbers in [0, 1], N up to 5, with Laplace noise: the printed WDP budget of order 1 against a half of the
ε of pure DP, and of the Rényi divergence of order 2. Sensitivity is 1/N, noise has a scale of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wassdp.accounting.formulas import mechanisms
from wassdp.claims.existence import Existence

TIMES = 2.0
"""Much smaller: less than a half."""
MOST = 5


@dataclass(frozen=True)
class Mean:
    """N and the scale of the noise."""

    records: int
    scale: float

    def __str__(self) -> str:
        return f"N = {self.records}, Laplace noise of scale {self.scale:.4g} on the mean"


def _draw(generator: np.random.Generator) -> Mean:
    return Mean(int(generator.integers(1, MOST + 1)), float(10 ** generator.uniform(-2, 1)))


def _printed(case: Mean) -> float:
    return mechanisms.printed_wasserstein("laplace", case.scale, 1.0, sensitivity=1 / case.records)


def _ratio(case: Mean) -> float:
    scale = case.scale * case.records  # in units of the sensitivity
    other = min(mechanisms.printed_pure("laplace", scale), mechanisms.printed_renyi("laplace", scale, 2.0))
    return other / (TIMES * _printed(case))


def _larger(case: Mean) -> float:
    """Whether it may be larger than the budget of pure DP."""
    return _printed(case) / mechanisms.printed_pure("laplace", case.scale * case.records)


CLAIM = Existence(
    paper="wasserstein-dp",
    item="Limitations, little data",
    place="Limitations, second sentence",
    statement="with very little data WDP may give a much smaller privacy budget than other frameworks",
    formula="2 W_1 ≤ min(ε of DP, D_2) for the mean of N ≤ 5 numbers with some Laplace noise, budgets as printed",
    draw=_draw,
    ratio=_ratio,
    corrupted=_larger,
    compared="smaller one of DP's and RDP's budgets / twice WDP's",
)
