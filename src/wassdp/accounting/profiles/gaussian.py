"""The Gaussian mechanism, and Gaussian mechanisms whose sensitivity is drawn at random and published."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from scipy import special

from wassdp import checks
from wassdp.accounting.profiles.base import NOTHING, Loss, Symmetric, Vector

_CHUNK = 2048
_BLOCK = 1 << 18
_DEGREE = 10
_NARROW = 0.01
"""Below this μ, one formula for δ loses its digits and another one does not."""
_BEYOND = 39.0
"""Deviations beyond which no normal density is left."""


def gaussian_delta(epsilon: NDArray[Any], variance: NDArray[Any] | float) -> NDArray[Any]:
    r"""Privacy profile of the Gaussian mechanism, to full relative precision far into the tail.

    .. math:: δ(ε) = Φ(-ε/μ + μ/2) - e^ε Φ(-ε/μ - μ/2), \qquad μ² = \mathrm{variance}

    Args:
        epsilon: ε, any real numbers.
        variance: μ² = (sensitivity / noise standard deviation)², the variance of the privacy loss; an array must
            broadcast against ``epsilon``.

    Returns:
        δ for each ε and variance.
    Source: Balle and Wang (2018), Theorem 8; WG Lemma 2.3.

    >>> gaussian_delta(np.array([0.0, 1.0]), 1.0).round(6)
    array([0.382925, 0.126937])
    """
    still = np.asarray(np.maximum(0.0, -np.expm1(np.minimum(epsilon, 0.0))))
    moving = ~(np.asarray(variance) <= 0)  # what is not a number moves, and δ is not one either
    if not moving.any():
        return np.broadcast_to(still, np.broadcast_shapes(still.shape, moving.shape)).copy()
    mu = np.sqrt(np.where(moving, variance, 1.0))
    # At negative ε the reflection δ(ε) = 1 - e^ε + e^ε δ(-ε) has positive terms only.
    positive = np.minimum(np.abs(epsilon), 1e300)
    narrow = mu < _NARROW
    if narrow.all():
        delta = _narrow_delta(positive, mu)
    elif not narrow.any():
        delta = _wide_delta(positive, mu)
    else:
        delta = np.where(narrow, _narrow_delta(positive, np.minimum(mu, _NARROW)), _wide_delta(positive, mu))
    with np.errstate(under="ignore"):
        delta = np.where(np.asarray(epsilon) < 0, still + np.exp(np.minimum(epsilon, 0.0)) * delta, delta)
    return np.where(moving, np.clip(delta, 0.0, 1.0), still)


def _wide_delta(epsilon: NDArray[Any], mu: NDArray[Any]) -> NDArray[Any]:
    """δ at ε ≥ 0 as a difference of two terms, which loses about 1/μ of the digits.

    As e^ε φ(lower) = φ(upper), the second one is φ(upper) times a Mills ratio: ε itself, added to a logarithm of its
    own size, would cost all digits from 1e16 on.
    """
    upper, lower = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    # The difference of Mills ratios keeps the digits in the tail.
    tail, below = np.clip(upper, 0.0, 1e150), np.clip(upper, -1e150, 0.0)
    with np.errstate(under="ignore"):
        ratios = special.erfcx(tail / math.sqrt(2)) - special.erfcx((tail + mu) / math.sqrt(2))
        far = np.exp(-tail * tail / 2) / 2 * ratios
        near = special.ndtr(-upper) - np.exp(-below * below / 2) / 2 * special.erfcx(lower / math.sqrt(2))
    return np.asarray(np.where(upper > 0, far, near))


def _narrow_delta(epsilon: NDArray[Any], mu: NDArray[Any]) -> NDArray[Any]:
    r"""δ at ε ≥ 0 and μ of at most 0.01 without a difference that cancels, relative error below 1e-11.

    .. math:: δ(ε) = φ(u) \int_u^{u+μ} (1 - x R(x)) \, dx, \qquad u = ε/μ - μ/2

    R the Mills ratio, whose derivative is x R(x) - 1; by Gauss-Legendre with two nodes.
    """
    upper = np.minimum(epsilon / mu - mu / 2, _BEYOND)
    slope = np.zeros(np.broadcast_shapes(upper.shape, mu.shape))
    for node in (0.5 - math.sqrt(1 / 12), 0.5 + math.sqrt(1 / 12)):
        x = upper + node * mu
        slope += 1 - x * math.sqrt(math.pi / 2) * special.erfcx(x / math.sqrt(2))
    with np.errstate(under="ignore"):
        return np.asarray(mu * slope / 2 * np.exp(-upper * upper / 2) / math.sqrt(2 * math.pi))


@dataclass(frozen=True, eq=False)
class GaussianMixture(Symmetric):
    """A Gaussian mechanism whose squared sensitivity is drawn at random, independently of the data, and published.

    Given the draw, ℓ ~ N(v/2, v) under P. One component is the plain Gaussian mechanism.

    Args:
        variances: v = (sensitivity / noise standard deviation)² of each component, at least 0.
        weights: probability of each component; with ``infinite`` they sum to 1.
        infinite: probability that the sensitivity has no bound.
    """

    variances: Float[np.ndarray, " components"]
    weights: Float[np.ndarray, " components"]
    infinite: float = 0.0

    @staticmethod
    def single(variance: float) -> GaussianMixture:
        """The Gaussian mechanism with one squared sensitivity ``variance``, in units of the noise variance."""
        checks.non_negative("variance", variance)
        return GaussianMixture(np.array([float(variance)]), np.ones(1))

    def delta(self, epsilon: Vector) -> Vector:
        points = epsilon.ravel()
        deltas = np.full(points.shape, self.infinite)
        # Whole blocks: a few ε against thousands of components, or the reverse, must not be a loop over either.
        at_once = max(1, _BLOCK // max(1, self.variances.size))
        for first in range(0, points.size, at_once):
            part = slice(first, first + at_once)
            for begin in range(0, self.variances.size, _BLOCK):
                components = slice(begin, begin + _BLOCK)
                single = gaussian_delta(points[part, None], self.variances[components])
                deltas[part] += (single * self.weights[components]).sum(axis=1)
        return deltas.reshape(epsilon.shape)

    def atoms(self) -> Loss:
        still = float(self.weights[self.variances == 0].sum())
        return Loss(np.zeros(1), np.array([still])) if still else NOTHING

    def ends(self, tail: float) -> tuple[float, float]:
        variances, weights = self._moving
        if not variances.size:
            return 0.0, 0.0
        share = np.minimum(tail / (weights * weights.size), 0.5)
        reach = -special.ndtri(share) * np.sqrt(variances)
        return float((variances / 2 - reach).min()), float((variances / 2 + reach).max())

    def unbounded(self) -> float:
        return self.infinite

    def breaks(self, tail: float) -> Vector:
        variances, _ = self._moving
        if not variances.size:
            return np.empty(0)
        # Both P and Q are to be covered: their losses mirror each other.
        high = self.ends(tail)[1]
        low = -high
        # A narrow component needs narrow intervals, but only where it lives.
        deviation = np.sqrt(variances)
        scale, pieces = float(deviation.min()), [np.array([low, high])]
        while scale * 2 <= deviation.max():
            inside = variances[deviation <= 2 * scale]
            reach = 14 * scale * 2
            start, stop = max(low, inside.min() / 2 - reach), min(high, inside.max() / 2 + reach)
            pieces.append(np.arange(start, stop, 0.25 * scale))
            scale *= 2
        return np.unique(np.concatenate([*pieces, np.arange(low, high, 0.25 * scale)]))

    def scale(self) -> float:
        return math.sqrt(float(self._moving[0].min())) if self._moving[0].size else 0.0

    def log_density(self, loss: Vector) -> Vector:
        if self._moving[0].size * loss.size < 1_000_000:
            return self._log_density(loss)
        # Many nodes: one Chebyshev polynomial on each smooth interval, exact to rounding.
        breaks = self.breaks(1e-60)
        inside = (loss >= breaks[0]) & (loss <= breaks[-1])
        values = np.empty(loss.shape)
        values[~inside] = self._log_density(loss[~inside])
        middle, half = (breaks[1:] + breaks[:-1]) / 2, np.diff(breaks) / 2
        points = np.cos(np.pi * (np.arange(_DEGREE) + 0.5) / _DEGREE)
        nodes = self._log_density((middle[:, None] + half[:, None] * points).ravel()).reshape(middle.size, _DEGREE)
        transform = 2 / _DEGREE * np.polynomial.chebyshev.chebvander(points, _DEGREE - 1).T
        transform[0] /= 2
        coefficients = (nodes @ transform.T).T
        index = np.clip(np.searchsorted(breaks, loss[inside], side="right") - 1, 0, middle.size - 1)
        x = (loss[inside] - middle[index]) / half[index]
        last, before = np.zeros(x.size), np.zeros(x.size)
        for row in coefficients[:0:-1]:
            last, before = row[index] + 2 * x * last - before, last
        values[inside] = coefficients[0][index] + x * last - before
        return values

    def _log_density(self, loss: Vector) -> Vector:
        variances, weights = self._moving
        # -(ℓ - v/2)²/2v = ℓ/2 - ℓ²/2v - v/8, so a component costs one product and one exponential.
        slope = -1 / (2 * variances)
        level = np.log(weights) - np.log(2 * math.pi * variances) / 2 - variances / 8
        if variances.size == 1:
            return np.asarray(loss / 2 + slope[0] * loss**2 + level[0])
        logarithms = np.empty(loss.shape)
        for start in range(0, loss.size, _CHUNK):
            part = slice(start, start + _CHUNK)
            exponent = np.multiply.outer(slope, loss[part] ** 2) + level[:, None]
            top = exponent.max(axis=0)
            with np.errstate(under="ignore"):
                logarithms[part] = loss[part] / 2 + top + np.log(np.exp(exponent - top).sum(axis=0))
        return logarithms

    @cached_property
    def _moving(self) -> tuple[Vector, Vector]:
        moving = (self.variances > 0) & (self.weights > 0)
        return self.variances[moving], self.weights[moving]
