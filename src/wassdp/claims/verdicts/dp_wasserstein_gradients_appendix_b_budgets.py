"""WG Section 7 and Appendix B: the budgets of the penalised runs, α = 0.75.

Their noise comes from the central limit, which can lie below the truth, and from Theorem 6.1, whose constant is twice
the smallest one. The second outweighs the first: what is proven for the same runs with the smaller constant, of which
this project has a proof, is about half of what is stated. With the published constant as the true sensitivity it is
up to 11.23 where 10 is stated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wassdp.claims import gaussian_limits
from wassdp.claims.gaussian_limits import Run, calibrated, plain_attained, poisson_limit, proven
from wassdp.claims.inequality import Inequality
from wassdp.mechanisms.wasserstein_objective import BOUNDS, Bound, statistical_parity

ALPHA = 0.75
GROUPS = (15_000, 15_000)


@dataclass(frozen=True)
class Penalised:
    """A run and its clipping constants C, M and L."""

    run: Run
    loss_norm: float
    output_norm: float
    jacobian_norm: float

    def __str__(self) -> str:
        return f"{self.run}, C = {self.loss_norm:g}, M = {self.output_norm:.4g}, L = {self.jacobian_norm:.4g}"


# Classification, regression, representation: T, C, M, L.
SETTINGS = ((500, 5.0, 1.0, 1.0), (1000, 10.0, 0.5**0.5, 2**0.5), (500, 10.0, 2.0, 2**0.5))


def _draw(generator: np.random.Generator) -> Penalised:
    steps, *norms = SETTINGS[generator.integers(len(SETTINGS))]
    runs = [run for run in gaussian_limits.RUNS if run.steps == steps]
    return Penalised(runs[generator.integers(len(runs))], *norms)


def _sensitivity(case: Penalised, bound: Bound) -> float:
    return statistical_parity(
        alpha=ALPHA,
        records=GROUPS,
        batches=(case.run.batch // 2, case.run.batch // 2),
        output_norm=case.output_norm,
        jacobian_norm=case.jacobian_norm,
        loss_norm=case.loss_norm,
        bound=bound,
    ).sensitivity


def _ratio(case: Penalised) -> float:
    tight, published = (_sensitivity(case, bound) for bound in BOUNDS)
    return proven(case.run, calibrated(case.run, poisson_limit) * published / tight) / case.run.epsilon


def _plain(case: Penalised) -> float:
    """Of the neighbours that move a gradient by the whole smaller sensitivity, at the limit's noise, solved here."""
    low, high = 0.5, 500.0
    for _ in range(100):
        noise = (low + high) / 2
        mean = case.run.rate * float(np.sqrt(case.run.steps * np.expm1(noise**-2)))
        excess = mean > 20 or gaussian_limits.plain_delta(mean, case.run.epsilon) > gaussian_limits.DELTA
        low, high = (noise, high) if excess else (low, noise)
    loss, penalty = (1 - ALPHA) * 2 * case.loss_norm / case.run.batch, ALPHA * case.output_norm * case.jacobian_norm
    published, tight = (loss + constant * penalty / (case.run.batch / 2) for constant in (16, 8))
    return plain_attained(case.run, high * published / tight) / case.run.epsilon


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Figures 1 to 12, budgets at α = 0.75",
    place="Section 7 and Appendix B; Theorem 6.1 with Section 5.3",
    statement="penalised runs with noise from Theorem 6.1 and the GDP limit's Poisson form are (ε, δ)-DP, δ = 0.1/n",
    formula="ε(δ) of T steps at sensitivity (1-α) 2C/n + α 8ML/min n_j and that noise ≤ ε",
    compared="ε proven / stated",
    draw=_draw,
    ratio=_ratio,
    verified=_plain,
    corrupted=lambda case: proven(case.run, calibrated(case.run, poisson_limit)) / case.run.epsilon,
    usual=64,
    few=24,
)
