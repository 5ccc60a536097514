r"""A lower bound on ε where a record enters a release with a known probability, and noise is Gaussian.

Absent scores are N(c, σ²), present ones are (1 - q) N(c, σ²) + q N(c + μσ, σ²). The profile likelihood L(μ), the
largest over σ (and c, where it is not known), gives the signed root

.. math:: r(μ) = \mathrm{sign}(\hat μ - μ) \sqrt{2 (\log L(\hat μ) - \log L(μ))},

which is standard normal for large numbers of trials; the μ at which it reaches the quantile of the confidence bounds μ
from below.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from jaxtyping import Float
from scipy import optimize, special

from wassdp import checks
from wassdp.accounting import limits
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.numerics import exact
from wassdp.audit.bound import Estimate
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import gaussian
from wassdp.audit.statistics.normality import anderson_darling

SOURCE = (
    "signed root of the likelihood ratio: Wilks (1938), Barndorff-Nielsen (1986); the pair: Zhu, Dong and Wang (2022), "
    "arXiv:2106.08567, Theorem 11"
)
_CELLS, _FEWEST = 20, 100
"""Cells of equal probability that the fit counts present scores in, and the least number of scores for it."""
_LARGEST = 1e3


def bound(
    scores: Scores, *, rate: float, delta: float, confidence: float = 0.95, centre: float | None = None
) -> Estimate:
    """The bound on the ε of one release on a Poisson sample; 0 where the scores tell nothing, or not all are finite.

    Args:
        scores: of both worlds, for instance the projection of a release on the record's own part.
        rate: q in (0, 1].
        delta: in (0, 1).
        confidence: one-sided, in (0, 1), for large numbers of trials.
        centre: c, where the code tells it.

    Raises:
        ValueError: an argument is outside its range, or there are fewer than three scores.
    """
    if checks.probability("rate", rate) == 0:
        raise ValueError("rate = 0: must be above 0")
    if rate == 1:
        return gaussian.bound(scores, delta=delta, confidence=confidence, centre=centre)
    checks.open_unit("confidence", confidence)
    limits.computable_delta(delta)
    if scores.trials < 3:
        raise ValueError(f"scores: must be at least 3, not {scores.trials}")
    mean, fit = 0.0, 0.0
    worlds = (scores.present, scores.absent)
    if all(np.isfinite(world).all() for world in worlds) and scores.absent.std() > 0:
        model = _Model(scores, rate, centre)
        mean, fit = model.least(float(special.ndtri(confidence))), model.fit()
    noise = Gaussian(noise_multiplier=1 / max(mean, 1e-9), adjacency="add-remove")
    event = repeated(PoissonSampled(event=noise, rate=rate), 1)
    return Estimate(
        epsilon=0.0 if mean < 1e-9 else exact.epsilon(event, delta).lower,
        delta=delta,
        confidence=confidence,
        basis="family-based",
        statistic=f"signed root of the likelihood ratio{'' if centre is None else ', about a known centre'}",
        trials=scores.trials,
        source=SOURCE,
        fit=fit,
    )


class _Model:
    """The likelihood in units of the absent scores' deviation."""

    def __init__(self, scores: Scores, rate: float, centre: float | None) -> None:
        self.rate, self.free = rate, centre is None
        start = float(scores.absent.mean()) if centre is None else centre
        unit = float(np.sqrt(np.mean(np.square(scores.absent - start))))
        self.present, self.absent = (scores.present - start) / unit, (scores.absent - start) / unit
        self.first, self.second = float(self.absent.mean()), float(np.mean(np.square(self.absent)))

        def loss(point: Float[np.ndarray, " parameters"]) -> float:
            return -self._likelihood(math.exp(point[0]), math.exp(point[1]), float(point[2]) if self.free else 0.0)

        best = _lowest(loss, [self._guess(), 0.0, *([0.0] if self.free else [])])
        self.best, self.log_best = math.exp(best[0]), -loss(best)
        self.scale, self.shift = math.exp(best[1]), float(best[2]) if self.free else 0.0

    def least(self, z: float) -> float:
        """Where the signed root is z; 0 where it is smaller even at 0."""

        def short(mean: float) -> float:
            return self.log_best - self._profile(mean) - z * z / 2

        if short(0.0) <= 0:
            return 0.0
        return float(optimize.brentq(short, 0.0, self.best, xtol=1e-7))

    def fit(self) -> float:
        """The lesser p-value of the absent scores' normality and of the present ones' counts in cells, twice."""
        found = [anderson_darling(self.absent)]
        if self.present.size >= _FEWEST:
            places = (self.present - self.shift) / self.scale
            reached = (1 - self.rate) * special.ndtr(places) + self.rate * special.ndtr(places - self.best)
            counts = np.histogram(reached, bins=_CELLS, range=(0, 1))[0]
            expected = self.present.size / _CELLS
            found.append(float(special.chdtrc(_CELLS - 2, float(np.square(counts - expected).sum()) / expected)))
        return min(1.0, len(found) * min(found))

    def _profile(self, mean: float) -> float:
        """The largest logarithm of the likelihood at one μ."""
        if not self.free:
            found = optimize.minimize_scalar(
                lambda scale: -self._likelihood(mean, math.exp(scale), 0.0), bounds=(-2, 2), method="bounded"
            )
            return -float(found.fun)

        def loss(point: Float[np.ndarray, " parameters"]) -> float:
            return -self._likelihood(mean, math.exp(point[0]), float(point[1]))

        return -loss(_lowest(loss, [math.log(self.scale), self.shift]))

    def _guess(self) -> float:
        """A μ to begin at, by its logarithm: where likelihood is highest with the absent scores' own deviation."""
        tried = np.geomspace(1e-3, _LARGEST, 60)
        found = [self._likelihood(float(mean), 1.0, 0.0) for mean in tried]
        return math.log(float(tried[int(np.argmax(found))]))

    def _likelihood(self, mean: float, scale: float, shift: float) -> float:
        squares = self.second - 2 * shift * self.first + shift * shift
        logarithm = -self.absent.size * (math.log(scale) + squares / (2 * scale * scale))
        places: Float[np.ndarray, " present"] = (self.present - shift) / scale
        with np.errstate(over="ignore"):
            mixed = np.logaddexp(math.log1p(-self.rate), math.log(self.rate) + mean * places - mean * mean / 2)
        return logarithm - self.present.size * math.log(scale) + float(np.sum(mixed - places * places / 2))


def _lowest(
    loss: Callable[[Float[np.ndarray, " parameters"]], float], start: list[float]
) -> Float[np.ndarray, " parameters"]:
    """Where ``loss`` is least, by Nelder and Mead."""
    options = {"xatol": 1e-6, "fatol": 1e-7, "maxiter": 4000}
    # mypy: the stubs of scipy know no options of this method.
    found = optimize.minimize(loss, np.array(start), method="Nelder-Mead", options=options)  # type: ignore[call-overload]
    return np.asarray(found.x, dtype=float)
