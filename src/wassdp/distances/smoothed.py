r"""Gaussian-smoothed sliced Wasserstein distance: the distance that DP-SWD estimates.

Symbols: :math:`\mathcal N_\sigma`, centred Gaussian of standard deviation σ; * convolution; F distribution function.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp import checks, noise
from wassdp.distances import sliced
from wassdp.distances.one_d import finite_order, wasserstein_power
from wassdp.noise import Bits

# Nodes of the quantile functions in the population form, and bisections that find each.
NODES = 512
BISECTIONS = 60


def empirical(
    x: Float[Tensor, "n d"],
    y: Float[Tensor, "m _"],
    directions: Float[Tensor, "_ k"],
    *,
    sigma: float,
    generator: Bits,
    p: float = 2.0,
) -> Float[Tensor, ""]:
    r"""Sliced distance between the projected samples with fresh noise on every projected value of *both* sides.

    .. math:: \Big( \tfrac1k \sum_l W_p^p(x \vartheta_l + V_l, y \vartheta_l + V'_l) \Big)^{1/p},
              \quad V, V' \sim \mathcal N(0, \sigma^2)

    This is the distance, not a mechanism: nothing here clips a row or keeps an account.

    Args:
        x: first sample, shape (n, d).
        y: second sample, shape (m, d).
        directions: unit columns, shape (d, k).
        sigma: standard deviation of the noise, at least 0, unit of ``x``.
        generator: source of the noise.
        p: order, at least 1 and finite.

    Returns:
        A scalar, differentiable in both samples.

    Raises:
        ValueError: as `wassdp.distances.sliced.sliced_wasserstein`, or ``sigma`` is negative.

    Source: Rakotomamonjy and Ralaivola (2021), Algorithm 1 and Definition 3 (empirical form).
    """
    checks.non_negative("sigma", sigma)
    sliced.check_points(x, y, directions)
    noisy = [
        directions.T @ sample.T
        + sigma
        * noise.normal(directions.shape[1], len(sample), generator=generator, dtype=sample.dtype, device=sample.device)
        for sample in (x, y)
    ]
    return sliced.root(wasserstein_power(*noisy, p=p).mean(), p)


def population(
    x: Float[Tensor, "n d"],
    y: Float[Tensor, "m _"],
    directions: Float[Tensor, "_ k"],
    *,
    sigma: float,
    p: float = 2.0,
    nodes: int = NODES,
) -> Float[Tensor, ""]:
    r"""Sliced distance between the smoothed distributions themselves; no noise is drawn.

    .. math:: \Big( \tfrac1k \sum_l W_p^p(x \vartheta_l * \mathcal N_\sigma, y \vartheta_l * \mathcal N_\sigma)
              \Big)^{1/p}

    Each quantile function of a mixture of n Gaussians is found by bisection at ``nodes`` midpoints of [0, 1]; the
    midpoint rule leaves out part of the tails, an error that falls with the number of nodes.
    Time and memory are nodes × (n + m) for a direction at a time.

    Args:
        x: first sample, shape (n, d); it stands for the distribution that gives each row 1/n.
        y: second sample, shape (m, d).
        directions: unit columns, shape (d, k).
        sigma: standard deviation of the smoothing, above 0, unit of ``x``.
        p: order, at least 1 and finite.
        nodes: points of the quadrature over [0, 1].

    Returns:
        A scalar. Not differentiable.

    Raises:
        ValueError: as `wassdp.distances.sliced.sliced_wasserstein`, ``sigma`` is not above 0, or ``nodes`` below 1.

    Source: Rakotomamonjy and Ralaivola (2021), Definition 3; Goldfeld and Greenewald (2020) for the smoothing.
    """
    checks.positive("sigma", sigma)
    checks.whole("nodes", nodes, least=1)
    order = finite_order(p, "a sliced distance")
    sliced.check_points(x, y, directions)
    total = 0.0
    for direction in directions.detach().T:
        quantiles = [_quantiles((sample.detach() @ direction).double(), sigma, nodes) for sample in (x, y)]
        total += float((quantiles[0] - quantiles[1]).abs().pow(order).mean())
    return sliced.root(torch.tensor(total / directions.shape[1], dtype=x.dtype, device=x.device), p)


def _quantiles(centres: Tensor, sigma: float, nodes: int) -> Tensor:
    """Quantiles at the midpoints of ``nodes`` equal parts of [0, 1] of the mixture of Gaussians at ``centres``."""
    levels = (torch.arange(nodes, dtype=torch.float64, device=centres.device) + 0.5) / nodes
    # A mixture's quantile lies between those of its leftmost and rightmost component.
    standard = sigma * torch.special.ndtri(levels)
    low, high = centres.min() + standard, centres.max() + standard
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        below = torch.special.ndtr((middle[:, None] - centres) / sigma).mean(dim=1) < levels
        low, high = torch.where(below, middle, low), torch.where(below, high, middle)
    quantiles: Tensor = 0.5 * (low + high)
    return quantiles
