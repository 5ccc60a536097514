"""Bayesian accountant of Triastcyn and Faltings (2020), as their published code computes it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.special import stdtrit

from wassdp import checks
from wassdp.accounting import limits
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.formulas.sampled_gaussian import log_moment
from wassdp.accounting.statements.measured import MeasuredAccountant, running_totals


@dataclass(frozen=True, kw_only=True)
class BayesianAccountant(MeasuredAccountant):
    r"""Estimated budget for data drawn from the distribution that the measured pairs were drawn from.

    With c_ti(λ) the log moment of pair i in step t and L_ti = T c_ti(λ),

    .. math:: \hat c_t = \tfrac1T \log\Big[M_t + t_{1-\gamma, m-1} \frac{S_t}{\sqrt{m-1}}\Big],
              \quad \varepsilon = \min_\lambda \frac{\sum_t \hat c_t(\lambda) - \log(\delta - \Gamma)}{\lambda}

    where M_t and S_t are the mean and the standard deviation of e^{L_ti} over the m pairs, T is the
    number of steps of the whole run, t_{1−γ,m−1} is Student's quantile and Γ = 1 − (1−γ)^{steps}
    is the chance that one of the confidence bounds fails.

    Args:
        orders: λ, whole numbers; the authors' code uses 2, 4, 8, 16, 32, the figures of Yang, Qi and
            Zhou (2024) only 16.
        failure: γ in (0, 1/2], chance that one step's estimate is too low.
    """

    orders: tuple[int, ...] = (2, 4, 8, 16, 32)
    failure: float = 1e-16
    source = "Triastcyn and Faltings (2020), ICML, Theorems 2 and 3, as coded"

    def __post_init__(self) -> None:
        object.__setattr__(self, "orders", limits.orders("orders", self.orders, least=1))
        if checks.open_unit("failure", self.failure) > 0.5:
            raise ValueError(
                f"failure = {self.failure!r}: must be at most 0.5, beyond which the bound is below the mean"
            )

    def lacking(self, event: MeasuredGradients) -> str | None:
        if event.distances.shape[1] < 3:
            return f"{event.distances.shape[1]} measured pairs in a step: the estimator needs at least 3"
        return None

    def along(self, event: MeasuredGradients, delta: float, steps: Sequence[int]) -> Float[np.ndarray, " steps"]:
        """The budget of the first ``n`` steps, as estimated within the whole run (T counts all of its steps)."""
        best = np.full(len(steps), math.inf)
        # Less the chance that one of the steps' confidence bounds fails.
        remaining = np.array([delta + math.expm1(count * math.log1p(-self.failure)) for count in steps])
        with np.errstate(divide="ignore", invalid="ignore"):
            tails = np.where(remaining > 0, -np.log(np.maximum(remaining, 0.0)), math.inf)
        for order in self.orders:
            totals = running_totals(self._cost(event, order), steps)
            best = np.minimum(best, (np.array(totals) + tails) / order)
        return best

    def remarks(self, event: MeasuredGradients) -> tuple[str, ...]:
        return (
            "holds for records drawn from the distribution of the measured gradients, not in the worst case",
            "pairs of a batch are treated as independent draws, and exp(T c) as normal enough for Student's interval",
            f"{event.distances.shape[1]} pairs a step, failure {self.failure:g} a step",
            f"orders {', '.join(map(str, self.orders))}",
        )

    def _cost(self, event: MeasuredGradients, order: int) -> Float[np.ndarray, " steps"]:
        """ĉ_t(λ) of each step. The exponentials reach e^(1e7): everything is relative to the largest."""
        total, pairs = event.distances.shape
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = event.distances / event.noise_std[:, None]
        # Without noise a budget is unbounded even where a measured distance is 0.
        precision = np.where(event.noise_std[:, None] > 0, ratio**2, math.inf)
        powers = total * log_moment(order, event.rate, precision)
        largest = powers.max(axis=1, initial=0.0)
        bounded = np.isfinite(largest)
        weights = np.exp(powers[bounded] - largest[bounded, None])
        # By symmetry, not at 1 - γ: 1 - 1e-16 is the number 1.
        quantile = -float(stdtrit(pairs - 1, self.failure))
        upper = weights.mean(axis=1) + quantile * weights.std(axis=1) / math.sqrt(pairs - 1)
        cost = np.full(total, math.inf)
        cost[bounded] = (largest[bounded] + np.log(upper)) / total
        return cost
