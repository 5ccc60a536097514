r"""T releases with the calibration of SWD's Table 4, and the tail event of the sensitivity in each of them.

Proposition 2 sets δ/2 aside for the event H > w(k, δ/2) in one release. In T releases, each with fresh directions, the
event has T chances. By a union bound each may take δ/(2T).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from wassdp.accounting.formulas import renyi
from wassdp.claims.printed.dp_sliced_wasserstein_table_4 import SETTINGS, Setting

ORDERS = 64

Bound = Callable[[int, int, float], float]
"""w(k, d, δ)."""


@dataclass(frozen=True)
class Run:
    """A row of Table 4."""

    setting: Setting

    def __str__(self) -> str:
        row = self.setting
        return (
            f"{row.problem}: k = {row.projections}, d = {row.dimension}, δ = {row.delta:g}, T = {row.steps}, "
            f"batches of {row.batch} of {row.records}, σ = {row.sigma:g}"
        )


def draw(generator: np.random.Generator, *, central: bool) -> Run:
    """A row whose noise follows from the CLT bound, or one whose noise follows from the Bernstein bound."""
    rows = [row for row in SETTINGS if row.problem.endswith("(c)") == central]
    return Run(rows[generator.integers(len(rows))])


def ever(once: float, times: int) -> float:
    """Probability that an event of probability ``once`` happens in any of so many independent trials."""
    return -math.expm1(times * math.log1p(-once))


@lru_cache(maxsize=64)
def budget(row: Setting, bound: Bound, releases: int) -> float:
    """ε of all T steps by Proposition 2 with the RDP account it cites, at w(k, δ/2/releases)."""
    orders = np.arange(2.0, ORDERS + 1)
    w = bound(row.projections, row.dimension, row.delta / 2 / releases)
    step = renyi.gaussian_divergence(orders, row.sigma / math.sqrt(w))
    step = renyi.without_replacement_divergence(orders, row.batch / row.records, step)
    return float((row.steps * step + math.log(2 / row.delta) / (orders - 1)).min())


def plain_budget(row: Setting, log_chances: float) -> float:
    """The same at w(k, δ/2 e^{-log_chances}), the Bernstein bound and Wang et al.'s Theorem 9 written out."""
    log_term = math.log(2 / row.delta) + log_chances
    k, d, rate, best = row.projections, row.dimension, row.batch / row.records, math.inf
    w = k / d + 2 / 3 * log_term + 2 / d * math.sqrt(k * (d - 1) / (d + 2) * log_term)
    for order in range(2, ORDERS + 1):
        logs = [0.0]
        for j in range(2, order + 1):
            divergence = j * w / (2 * row.sigma**2)
            most = math.log(2) + (j - 1) * divergence
            if j == 2:
                most = min(most, math.log(4) + math.log(math.expm1(divergence)))
            logs.append(j * math.log(rate) + math.log(math.comb(order, j)) + most)
        top = max(logs)
        sampled = (top + math.log(sum(math.exp(value - top) for value in logs))) / (order - 1)
        itself = order * w / (2 * row.sigma**2)
        best = min(best, row.steps * min(sampled, itself) + math.log(2 / row.delta) / (order - 1))
    return best
