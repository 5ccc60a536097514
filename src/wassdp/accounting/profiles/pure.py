"""Any mechanism of which only pure epsilon-DP is known, e.g. sampling from a Gibbs distribution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wassdp.accounting.profiles.base import Loss, Symmetric, Vector


@dataclass(frozen=True)
class Pure(Symmetric):
    """Randomised response, which dominates every epsilon-DP mechanism: ℓ = ±e, P(ℓ = e) = 1/(1 + e^{-e}).

    Args:
        bound: e > 0, the pure epsilon.
    Source: Kairouz, Oh, Viswanath (2015), Theorem 3.4 (every ε-DP mechanism is a post-processing of it).
    """

    bound: float

    def delta(self, epsilon: Vector) -> Vector:
        above = self._up() * -np.expm1(np.minimum(epsilon - self.bound, 0.0))
        below = -np.expm1(np.minimum(epsilon, 0.0))
        return np.where(epsilon >= -self.bound, above, below)

    def atoms(self) -> Loss:
        return Loss(np.array([self.bound, -self.bound]), np.array([self._up(), np.exp(-self.bound) * self._up()]))

    def ends(self, tail: float) -> tuple[float, float]:
        return -self.bound, self.bound

    def breaks(self, tail: float) -> Vector:
        return np.empty(0)

    def scale(self) -> float:
        return 0.0

    def log_density(self, loss: Vector) -> Vector:
        return np.full(loss.shape, -np.inf)

    def _up(self) -> float:
        return float(1 / (1 + np.exp(-self.bound)))
