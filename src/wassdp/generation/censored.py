r"""Doubly censored Gaussians: pixels that are often exactly 0 or 1, with given means, variances and correlations.

.. math:: x = \min(1, \max(0, a + s \, ℓ z)), \qquad z ~ N(0, 1), \quad \log s ~ N(-h^2, h^2)

Symbols: a and ℓ location and scale before censoring, s one number for a whole picture, E s² = 1, h its spread.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from wassdp import checks

NODES = 9
"""Of the Gauss-Hermite rule over log s; one where there is no spread."""
STEPS = 60
"""Of Newton's method; an ordinary pixel needs ten."""
LEAST = 1e-6
"""Least mean, distance of a mean from 1, and variance."""
SHARE = 0.95
"""Largest variance over that of a pixel that is 0 or 1 and nothing else."""
STRIDE = 0.5
"""Longest step, in scales and in logarithms of them."""


@dataclass(frozen=True)
class Censored:
    """Pixels before censoring.

    Args:
        location: a.
        scale: ℓ > 0.
        spread: h >= 0.
    """

    location: Float[Tensor, " n"]
    scale: Float[Tensor, " n"]
    spread: float

    def moments(self) -> tuple[Float[Tensor, " n"], Float[Tensor, " n"]]:
        """Means and variances after censoring."""
        found = _moments(self.location, self.scale, _rule(self.spread))
        return found.mean, found.square - found.mean.square()

    def roots(self, covariance: Float[Tensor, "n n"]) -> Float[Tensor, "n n"]:
        r"""Rows of norm 1 whose products are correlations before censoring: those of which such covariances are left.

        .. math:: \operatorname{Cov}(x_i, x_j) \approx ρ_{ij} c_i c_j, \qquad c^2 = \mathbb{E}_s c(s)^2, \quad
            c(s) = \operatorname{Cov}(x, z \mid s) = s ℓ \, \mathbb{P}(0 < a + s ℓ z < 1 \mid s)

        to first order in ρ (Price's theorem). What is not positive semidefinite of the result is left out. Solving the
        whole series for ρ did worse on MNIST: its correlations of pixels that are hardly ever white together are -1.
        """
        slopes = _moments(self.location, self.scale, _rule(self.spread)).slope.clamp(min=1e-9)
        found = (covariance / (slopes[:, None] * slopes)).clamp(-1, 1)
        found = (found + found.T) / 2
        found.fill_diagonal_(1)
        values, vectors = torch.linalg.eigh(found)
        roots: Tensor = vectors * values.clamp(min=0).sqrt()
        roots /= torch.linalg.vector_norm(roots, dim=1, keepdim=True).clamp(min=1e-12)
        return roots


@dataclass(frozen=True)
class _Moments:
    """Of a censored pixel, with derivatives in a and log ℓ, and its root mean square covariance with z given s."""

    mean: Tensor
    square: Tensor
    slope: Tensor
    mean_by: tuple[Tensor, Tensor]
    square_by: tuple[Tensor, Tensor]


def before_censoring(mean: Float[Tensor, " n"], variance: Float[Tensor, " n"], *, spread: float) -> Censored:
    """What gives pixels of these means and variances; those that no pixel in [0, 1] has are moved to the nearest.

    Args:
        mean: any.
        variance: any.
        spread: h >= 0.
    """
    rule = _rule(spread)
    mean = mean.double().clamp(LEAST, 1 - LEAST)
    most = mean * (1 - mean)
    variance = torch.minimum(variance.double().clamp(min=LEAST), SHARE * most)
    square = variance + mean.square()
    location, log_scale = mean.clone(), 0.5 * variance.log()
    for _ in range(STEPS):
        found = _moments(location, log_scale.exp(), rule)
        off = found.mean - mean, found.square - square
        (b, c), (d, e) = found.mean_by, found.square_by
        determinant = (b * e - c * d).clamp(min=1e-300)
        step = (e * off[0] - c * off[1]) / determinant, (b * off[1] - d * off[0]) / determinant
        scale = log_scale.exp()
        location = location - (step[0] / scale).clamp(-STRIDE, STRIDE) * scale
        log_scale = (log_scale - step[1].clamp(-STRIDE, STRIDE)).clamp(-12, 6)
    return Censored(location, log_scale.exp(), spread)


def _rule(spread: float) -> tuple[Tensor, Tensor]:
    """Values of s and their weights."""
    if checks.non_negative("spread", spread) == 0:
        return torch.ones(1, dtype=torch.float64), torch.ones(1, dtype=torch.float64)
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    scales = np.exp(spread * nodes - spread**2)
    return torch.from_numpy(scales), torch.from_numpy(weights / weights.sum())


def _moments(location: Tensor, scale: Tensor, rule: tuple[Tensor, Tensor]) -> _Moments:
    scales, weights = (values.to(location.device) for values in rule)
    a, tau = location[..., None], scale[..., None] * scales
    low, high = -a / tau, (1 - a) / tau
    inside = torch.special.ndtr(high) - torch.special.ndtr(low)
    above = torch.special.ndtr(-high)
    densities = _density(low), _density(high)
    bend = densities[0] - densities[1]
    tails = low * densities[0] - high * densities[1]

    def over(values: Tensor) -> Tensor:
        return values @ weights

    first = a * inside + tau * bend  # E of x where it is neither 0 nor 1
    return _Moments(
        mean=over(first + above),
        square=over((a.square() + tau.square()) * inside + 2 * a * tau * bend + tau.square() * tails + above),
        slope=over((tau * inside).square()).sqrt(),
        mean_by=(over(inside), over(tau * bend)),
        square_by=(2 * over(first), 2 * over(tau * (a * bend + tau * (inside + tails)))),
    )


def _density(values: Tensor) -> Tensor:
    return (-0.5 * values.square()).exp() / math.sqrt(2 * math.pi)
