r"""A lower bound on ε where scores are normal with one variance in both worlds, as on a release with Gaussian noise.

With n present scores of mean μσ + c and m absent ones of mean c, all of deviation σ, Student's

.. math:: t = \frac{\bar x - \bar y}{s \sqrt{1/n + 1/m}}

has the noncentral t law of n + m - 2 degrees of freedom and noncentrality μ / \sqrt{1/n + 1/m}. The smallest μ at
which a t as large is not too rare bounds μ from below, exactly at every number of trials; ε follows from the Gaussian
mechanism with noise multiplier 1/μ. Where c is known, m deviations from it are known too: then it is n + m - 1 degrees
of freedom and μ \sqrt n. The deviation is never believed: it is the noise that is attacked.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import optimize, special

from wassdp import checks
from wassdp.accounting import limits
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.numerics import exact
from wassdp.audit.bound import Estimate
from wassdp.audit.scores import Scores
from wassdp.audit.statistics.inverse import in_cells
from wassdp.audit.statistics.normality import alike, anderson_darling, equal_variances

SOURCE = (
    "noncentral t: Johnson and Welch (1940), Biometrika 31; its profile: Balle and Wang (2018), arXiv:1805.06530, "
    "Theorem 8"
)
_EDGES = np.concatenate(([0.0], np.geomspace(1e-18, 0.5, 3001), 1 - np.geomspace(0.5, 1e-16, 1001)[1:], [1.0]))
"""Of cells of probability, finer towards both ends: what is rare at the confidence asked for lies in them too."""
_WEIGHTS = np.diff(_EDGES)
_PLACES = np.sqrt(_EDGES[1:] * np.maximum(_EDGES[:-1], 1e-30))
_LEAST_MEAN = 1e-9
"""Below it a Gaussian release has no ε that could be told from 0."""


def bound(scores: Scores, *, delta: float, confidence: float = 0.95, centre: float | None = None) -> Estimate:
    """The bound, 0 where the present scores are no larger on average, neither world's vary, or not all are finite.

    Args:
        scores: of both worlds, for instance the projection of a release on the record's own part.
        delta: in (0, 1).
        confidence: one-sided, in (0, 1).
        centre: c, where the code tells it: noise of mean 0 on a projection from which the rest is subtracted gives 0.

    Returns:
        Its fit is the least p-value of normality in either world (Anderson and Darling), of equal variances (F) and,
        where a centre is given, of that centre (t), times their number. A world of fewer than eight scores is not
        tested for normality; where neither is, there is no test of fit.

    Raises:
        ValueError: an argument is outside its range, or there are fewer than three scores.
    """
    checks.open_unit("confidence", confidence)
    limits.computable_delta(delta)
    if scores.trials < 3:
        raise ValueError(f"scores: must be at least 3, not {scores.trials}")
    if centre is not None:
        checks.finite("centre", centre)
    mean = least_mean(scores, confidence, centre)
    return Estimate(
        epsilon=0.0 if mean < _LEAST_MEAN else epsilon_of(mean, delta),
        delta=delta,
        confidence=confidence,
        basis="family-based",
        statistic=f"noncentral t{'' if centre is None else ' about a known centre'}",
        trials=scores.trials,
        source=SOURCE,
        fit=fit(scores, centre),
    )


def epsilon_of(mean: float, delta: float) -> float:
    """ε at ``delta`` of a Gaussian release whose worlds are ``mean`` deviations apart, from below."""
    return exact.epsilon(Gaussian(noise_multiplier=1 / mean, adjacency="add-remove"), delta).lower


def least_mean(scores: Scores, confidence: float, centre: float | None) -> float:
    """What μ is not below, except with probability 1 - confidence; 0 where nothing is known."""
    x, y = (world.astype(float) for world in (scores.present, scores.absent))
    largest = max(float(np.abs(world).max()) for world in (x, y))
    if not math.isfinite(largest) or (alike(x, largest=largest) and alike(y, largest=largest)):
        return 0.0
    # Counted from near them all: the mean of large numbers is rounded by more than means of many numbers differ.
    middle = float(y.mean()) if centre is None else centre
    x, y = x - middle, y - middle
    other = float(y.mean()) if centre is None else 0.0
    squares = float(np.square(x - x.mean()).sum() + np.square(y - other).sum())
    freedom = scores.trials - (2 if centre is None else 1)
    width = math.sqrt(1 / x.size + (1 / y.size if centre is None else 0.0))
    if squares <= 0 or freedom < 1:
        return 0.0
    t = (float(x.mean()) - other) / math.sqrt(squares / freedom) / width
    # Deviations of s from σ, one for each cell.
    halves = in_cells(
        lambda half: special.gammainc(freedom / 2, half), special.gammaincinv(freedom / 2, _PLACES), _EDGES
    )
    spread = np.sqrt(halves * 2 / freedom)

    def excess(shift: float) -> float:
        """P(a noncentral t is at least as large), less what is permitted."""
        return float(_WEIGHTS @ special.ndtr(shift - t * spread)) - (1 - confidence)

    if t <= 0 or excess(0.0) >= 0:
        return 0.0
    return max(0.0, float(optimize.brentq(excess, 0.0, 2 * t + 10, xtol=1e-9)) * (1 - 1e-6)) * width


def fit(scores: Scores, centre: float | None) -> float | None:
    """The p-value of the family, by Bonferroni's inequality; None where there are too few scores to tell."""
    x, y = scores.present, scores.absent
    found = [p for p in (anderson_darling(x), anderson_darling(y)) if p is not None]
    if not found:
        return None
    if min(found) > 0:
        if (equal := equal_variances(x, y)) is not None:
            found.append(equal)
        if centre is not None and y.size > 1 and y.std() > 0:
            t = (float(y.mean()) - centre) / float(y.std(ddof=1)) * math.sqrt(y.size)
            found.append(2 * float(special.stdtr(y.size - 1, -abs(t))))
    return min(1.0, len(found) * min(found))
