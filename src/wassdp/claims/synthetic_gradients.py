r"""Budgets of a hundred steps of synthetic gradients, without an accountant of this package (WDP Figures 2 and 4).

The moments and the Bayesian accountant are drawn at order 16. There sums over the binomial law are their largest
terms, and what a step costs is that of its two rows furthest apart.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy import special

from wassdp.claims.measurement import Row, Rows, mean, number

ACCOUNTANTS = ("moments", "bayesian", "wasserstein")
QUANTILE = "parameters.clip_quantile"
ORDER, DELTA = 16, 1e-5
STEPS, ROWS, COORDINATES = 100, 50, 1000
PAIRS = ROWS * (ROWS - 1) // 2
RATE, NOISE = 1 / 1000, 0.2
STUDENT = -float(special.stdtrit(PAIRS - 1, 1e-16))
"""Quantile of the Bayesian accountant's confidence, 1 - 1e-16."""


def column(accountant: str) -> str:
    """Where a run has the budget by an accountant of this name."""
    return f"epsilon/published/{accountant}"


def drawn(rows: Rows, *, clipped: bool) -> dict[float, list[Row]]:
    """Runs as the figures have them, by the quantile of each step's own norms that is C."""
    found: dict[float, list[Row]] = {}
    begins = f"{'clipped' if clipped else 'not clipped'}, "
    for row in rows["composition"]:
        if row["label"].startswith(begins) and "of the batch's norms" in row["label"]:
            found.setdefault(number(row, QUANTILE), []).append(row)
    return dict(sorted(found.items()))


def budget(rows: Rows, accountant: str, *, clipped: bool) -> dict[float, float]:
    """Mean over seeds of the budget after all steps, by the quantile."""
    return {quantile: mean(own, column(accountant)) for quantile, own in drawn(rows, clipped=clipped).items()}


def floor(row: Row) -> float:
    """What noise alone makes of the Wasserstein accountant's sum: T √2 σ C (15!! pairs)^(1/16)."""
    odd = math.prod(range(1, ORDER, 2))
    scale = number(row, "parameters.noise_multiplier") * number(row, "threshold_mean")
    return float(number(row, "parameters.steps") * math.sqrt(2) * scale * (odd * PAIRS) ** (1 / ORDER))


def moments() -> float:
    """Rényi divergence of a step at distance 2C, its largest term, and the price of δ."""
    count = ORDER + 1
    step = (count * ORDER * 4 / (2 * NOISE**2) + count * math.log(RATE)) / ORDER
    return STEPS * step - math.log(DELTA) / ORDER


@cache
def bayesian(quantile: float, *, clipped: bool) -> float:
    """The Bayesian accountant's budget for gradients drawn here."""
    generator = np.random.default_rng(20240101)
    count, total = ORDER + 1, 0.0
    for _ in range(STEPS):
        rows = generator.weibull(0.5, (ROWS, COORDINATES))
        norms = np.sqrt((rows**2).sum(axis=1))
        threshold = np.quantile(norms, quantile)
        if clipped:
            rows = rows * np.minimum(1, threshold / norms)[:, None]
        squares = (rows**2).sum(axis=1)
        furthest = float((squares[:, None] + squares[None, :] - 2 * rows @ rows.T).max())
        total += count * ORDER * furthest / (2 * (NOISE * threshold) ** 2) + count * math.log(RATE)
    return float(total + math.log((1 + STUDENT) / PAIRS) - math.log(DELTA)) / ORDER
