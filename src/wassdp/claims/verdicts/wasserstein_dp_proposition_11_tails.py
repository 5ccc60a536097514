"""WDP Proposition 11 apart from units: Lipschitz constant 1, Wasserstein distance below 1, and tails that differ.

P has density e^{-|x|}/2. Q has the same shape but from a on it stays level for a stretch h before it falls again, so
its log density is 1-Lipschitz too. Hardly any mass lies there, so W_1 is small; the ratio of densities is near e^h.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import mpmath
import numpy as np

from wassdp.accounting.formulas.wasserstein_conversions import to_pure
from wassdp.claims.inequality import Inequality
from wassdp.claims.translates import rounder


@dataclass(frozen=True)
class Level:
    """A tail that is level for a while."""

    start: float
    length: float

    def __str__(self) -> str:
        return f"P = Laplace(1), Q likewise but level from {self.start:.12g} on for {self.length:.12g}, μ = 1, L = 1"


def _drawn(generator: np.random.Generator) -> Level:
    return Level(*(float(10**exponent) for exponent in generator.uniform(-0.3, 1.2, size=2)))


def _simpler(found: Level) -> Iterator[Level]:
    for name in ("start", "length"):
        for value in rounder(getattr(found, name)):
            yield replace(found, **{name: value})


def _mass(found: Level) -> float:
    """By what Q's density is divided: 1 and the stretch."""
    return 1 + found.length * math.exp(-found.start) / 2


def _distance(found: Level) -> float:
    """W_1, as the area between the distribution functions' complements, summed on a grid."""
    x, step = np.linspace(-40.0, found.start + found.length + 40.0, 40001, retstep=True)
    shape = np.where(x < found.start, np.abs(x), found.start + np.maximum(x - found.start - found.length, 0.0))
    gaps = np.cumsum(np.exp(-np.abs(x)) / 2 - np.exp(-shape) / (2 * _mass(found))) * step
    return float(np.abs(gaps).sum() * step)


def _divergence(found: Level) -> float:
    """Largest log-ratio: where the level ends, and everywhere before it begins."""
    return max(found.length - math.log(_mass(found)), math.log(_mass(found)))


def _ratio(found: Level) -> float:
    distance = _distance(found)
    return _divergence(found) / to_pure(distance, 1.0, lipschitz=1.0) if distance < 1 else 0.0


def _verified(found: Level) -> float:
    """By closed forms of both distribution functions, and quadrature."""
    a, h = mpmath.mpf(found.start), mpmath.mpf(found.length)
    whole = 1 + h * mpmath.exp(-a) / 2

    def above(x: mpmath.mpf) -> mpmath.mpf:
        """Q's probability above x, for x > 0."""
        if x >= a + h:
            return mpmath.exp(h - x) / 2 / whole
        if x >= a:
            return mpmath.exp(-a) * (1 + a + h - x) / 2 / whole
        return (mpmath.exp(-x) + h * mpmath.exp(-a)) / 2 / whole

    right = mpmath.quad(lambda x: abs(above(x) - mpmath.exp(-x) / 2), [0, a, a + h, a + h + 5, a + h + 60])
    left = (1 - 1 / whole) / 2  # the integral of e^x/2 (1 − 1/whole) below 0
    distance = right + left
    log_ratio = max(h - mpmath.log(whole), mpmath.log(whole))
    return float(log_ratio / mpmath.sqrt(distance)) if distance < 1 else 0.0


def _by_length(found: Level) -> float:
    return _divergence(found) / max(found.length, math.log(_mass(found)))


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 11",
    place="Properties of WDP, for W_μ < 1 and L = 1",
    statement="a small WDP budget of a mechanism whose log density is 1-Lipschitz gives a small pure budget",
    formula="W_1 < 1, |log p(x) − log p(y)| ≤ |x − y| ⇒ D_∞ ≤ W_1^(1/2)",
    draw=_drawn,
    ratio=_ratio,
    verified=_verified,
    corrupted=_by_length,
    simpler=_simpler,
)
