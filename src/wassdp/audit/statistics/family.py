"""A lower bound on ε through a family of trade-off curves: the event's own, with other noise. It assumes the family."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy import optimize, special

from wassdp import checks
from wassdp.accounting import limits
from wassdp.accounting.event import Event
from wassdp.accounting.numerics import exact
from wassdp.audit.bound import Estimate
from wassdp.audit.rescaled import rescaled
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import bins
from wassdp.audit.statistics.curve import Curve, curve

_FURTHEST = 12.0
"""Natural logarithm of how much smaller or larger the noise may be than the event's."""
_STEP, _CLOSE = 0.02, 1e-4
"""Relative differences of two noises: for a derivative, and between the last rejected one and the first that is not."""
_BINS, _FEWEST = 40, 12
"""Bins for the bound, and for the test of fit (`_FIT_BINS`): how many, and how many scores are expected in each."""
_FIT_BINS, _FIT_FEWEST = 10, 60
SHARE = 0.05
"""Of the trials, on which bins are chosen."""
_CHOSEN = 10
"""Scores of a world that bins are chosen on, at least."""
SOURCE = (
    "trade-off curves: Dong, Roth and Su (2022), arXiv:1905.02383; a family's parameter from an attacker's errors: "
    "Nasr et al. (2023), arXiv:2302.07956; here by generalised least squares over all thresholds"
)


@dataclass(frozen=True, eq=False)
class FamilyPlan:
    """What is fixed before any trial is counted: cuts between the bins of the bound, and of the test of fit."""

    cuts: Float[np.ndarray, " cuts"]
    fit_cuts: Float[np.ndarray, " fit_cuts"]

    def binned(self, scores: Scores) -> FamilyCounts:
        """Counts of ``scores``; those of several parts of all trials may be added."""
        return FamilyCounts(bins.binned(scores, self.cuts), bins.binned(scores, self.fit_cuts))


@dataclass(frozen=True, eq=False)
class FamilyCounts:
    """Trials counted by a plan, in the bins of the bound and in those of the test of fit."""

    seen: bins.Binned
    fit_seen: bins.Binned

    def __add__(self, other: FamilyCounts) -> FamilyCounts:
        return FamilyCounts(self.seen + other.seen, self.fit_seen + other.fit_seen)


def bound(scores: Scores, *, event: Event, delta: float, confidence: float = 0.95, share: float = SHARE) -> Estimate:
    """The ε of the event with as much noise as the scores do not contradict; 0 where they contradict none.

    The first part of the trials fixes bins; the rest is counted in them. A noise is rejected where the attacker's
    errors lie too far below its curve (`wassdp.audit.statistics.bins.deviate`), and all larger noises with it. The fit
    is that of the best noise: small where scores follow no curve of the family, None where there are too few of them
    for three bins, in which alone a curve can fail.

    Args:
        scores: of both worlds; anything that grows with the likelihood ratio, since only ranks enter. For an event of
            add-remove neighbours, ``present`` are those of the records with the one in question.
        event: what the code says that one trial releases; its noise is not believed.
        delta: in (0, 1).
        confidence: one-sided, of the whole procedure, in (0, 1), for large numbers of trials.
        share: of either world's trials, taken from its beginning, on which bins are chosen; ten at least.

    Raises:
        ValueError: an argument is outside its range, a world has too few trials, no theorem gives the event a profile,
            its budget is unbounded, or its noise cannot be scaled.
    """
    check(event, delta=delta, confidence=confidence)
    choose, count = split(scores, share)
    fixed = plan(choose, counted=count.trials)
    return counted(fixed, fixed.binned(count), event=event, delta=delta, confidence=confidence)


def check(event: Event, *, delta: float, confidence: float) -> None:
    """Refuse what gives no bound, before anything is counted.

    Raises:
        ValueError: as `bound`.
    """
    checks.open_unit("confidence", confidence)
    limits.computable_delta(delta)
    if reason := event.refusal():
        raise ValueError(f"event: {reason}")
    if math.isinf(exact.upper_epsilon(event, delta, accuracy=1e-2)):
        raise ValueError("event: its budget is unbounded, so that it is no family of curves")


def split(scores: Scores, share: float = SHARE) -> tuple[Scores, Scores]:
    """Trials to choose bins on, as `bound` says, and those to count.

    Raises:
        ValueError: the share is not in (0, 1), or leaves one side without a score.
    """
    fewest = min(scores.present.size, scores.absent.size)
    return scores.split(max(checks.open_unit("share", share), min(0.5, _CHOSEN / fewest)))


def plan(choose: Scores, *, counted: int) -> FamilyPlan:
    """Bins from trials that are not counted.

    Args:
        choose: those trials.
        counted: how many others will be, of both worlds together.
    """
    return FamilyPlan(
        bins.cut_places(choose, counted=counted, most=_BINS, fewest=_FEWEST),
        bins.cut_places(choose, counted=counted, most=_FIT_BINS, fewest=_FIT_FEWEST),
    )


def counted(fixed: FamilyPlan, counts: FamilyCounts, *, event: Event, delta: float, confidence: float) -> Estimate:
    """The bound that counts give; arguments as for `bound`, which `check` has passed."""
    family = _Family(event)
    noise = family.rejected(counts.seen, confidence) if fixed.cuts.size else None
    return Estimate(
        epsilon=0.0 if noise is None else exact.epsilon(rescaled(event, noise), delta).lower,
        delta=delta,
        confidence=confidence,
        basis="family-based",
        statistic=f"generalised least squares on ranks in {fixed.cuts.size + 1} bins fixed on other trials",
        trials=int(counts.seen.present.sum() + counts.seen.absent.sum()),
        source=SOURCE,
        fit=family.fit(counts.fit_seen) if fixed.fit_cuts.size > 1 else None,
    )


class _Family:
    """Curves of an event by the logarithm of what its noise is multiplied by."""

    def __init__(self, event: Event) -> None:
        self.event = event

    def curve(self, place: float) -> Curve:
        return curve(rescaled(self.event, math.exp(place)))

    def curves(self, place: float) -> tuple[Curve, Curve]:
        """That of a noise, and that of a little more."""
        return self.curve(place), self.curve(place + _STEP)

    def rejected(self, seen: bins.Binned, confidence: float) -> float | None:
        """The least noise that is rejected, as a factor; None where none is."""
        limit = float(special.ndtri(1 - confidence))
        start = self._crossing(lambda place: bins.deviate(*self.curves(place), seen) - limit, 0.0, 0.25, 3e-3)
        if start is None:
            return None
        # The same draws every time, so that the answer is a function of the scores.
        exactly = bins.quantile(*self.curves(start), seen, limit, np.random.default_rng(0))
        found = self._crossing(lambda place: bins.deviate(*self.curves(place), seen) - exactly, start, 0.01, _CLOSE)
        return None if found is None else math.exp(found)

    def fit(self, seen: bins.Binned) -> float:
        """p-value of χ² at the noise whose curve the errors lie about."""
        place = self._crossing(lambda place: bins.deviate(*self.curves(place), seen), 0.0, 0.25, 1e-3)
        at = _FURTHEST if place is None else place
        return float(special.chdtrc(seen.present.size - 2, bins.misfit(self.curve(at), seen)))

    def _crossing(self, falling: Callable[[float], float], start: float, step: float, close: float) -> float | None:
        """Where a falling function is first known to be below 0; None where it is not."""
        low = high = start
        value = falling(start)
        if value >= 0:
            while value >= 0:
                low, high, step = high, high + step, 2 * step
                if high > _FURTHEST:
                    return None
                value = falling(high)
        else:
            while value < 0:
                low, high, step = low - step, low, 2 * step
                if low < -_FURTHEST:
                    return high
                value = falling(low)
        root = optimize.brentq(lambda place: max(min(falling(place), 1e3), -1e3), low, high, xtol=close / 2)
        return min(high, float(root) + close)
