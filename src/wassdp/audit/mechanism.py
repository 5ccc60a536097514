"""Releases put to the test: lower bounds from the code's own output beside what is proven or published of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from wassdp import checks, noise
from wassdp.accounting import limits
from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import ContradictionError, Guarantee
from wassdp.accounting.rounding import exact, rounded
from wassdp.audit.bound import Estimate, LowerBound
from wassdp.audit.game import play
from wassdp.audit.pair import Pair
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import claim, clopper_pearson, family
from wassdp.audit.statistics.curve import curve
from wassdp.audit.statistics.thresholds import Cuts, cuts

SURE = 0.999
"""Confidence at which a lower bound contradicts a proof."""
SHARE = 0.2
"""Share of the scores that are kept on which a threshold is chosen, where theory does not tell it."""
KEPT = 10_000_000
"""Scores of either world that are kept; those of more trials are counted and forgotten."""
LEAST, MOST = 100, 10_000_000_000
"""Trials of either world."""
_WORLDS = ((True, "present"), (False, "absent"))


def check(*, trials: int, delta: float, confidence: float, seed: int) -> None:
    """Refuse what no audit can use, before any work.

    Raises:
        ValueError: an argument is outside its range.
    """
    if checks.whole("trials", trials, least=LEAST) > MOST:
        raise ValueError(f"trials = {trials}: must be at most {MOST}")
    limits.computable_delta(delta)
    checks.open_unit("confidence", confidence)
    checks.whole("seed", seed)


def audit_mechanism(
    pair: Pair, *, trials: int, delta: float, confidence: float = 0.95, seed: int = 0
) -> tuple[LowerBound, ...]:
    """Lower bounds on the ε of a release: distribution-free, then family-based of what is proven.

    The distribution-free bound counts all trials at a threshold that was fixed before any: scores are logarithms of
    likelihood ratios, and of those a correct code's errors are known. Were they others, the bound would hold all the
    same. The family-based bound counts all trials, too, in bins that were fixed on the first ones. The test of the
    claim takes the first ten million.

    Args:
        pair: the release at its worst neighbours.
        trials: releases in each world, from a hundred to ten thousand million.
        delta: in (0, 1).
        confidence: one-sided, of each bound by itself.
        seed: of all randomness.

    Raises:
        ValueError: an argument is outside its range.
        ContradictionError: the code gives away more than is proven of it: at confidence 99.9 %, the distribution-free
            bound lies above the proven ε, or the two worlds are told apart better than the claim's trade-off curve
            allows. A published figure that is contradicted is a finding, which the caller reads off the bounds.
    """
    check(trials=trials, delta=delta, confidence=confidence, seed=seed)
    claimed, alone, event = pair.claim(delta), pair.alone(), pair.event()
    scores = play(pair, trials=min(trials, KEPT), seed=seed)
    more = trials - scores.present.size
    free = _Thresholds(scores, alone, more=more, delta=delta, levels=(confidence, SURE))
    curves = None if alone is None else _Bins(scores, alone, more=more, delta=delta, confidence=confidence)
    for fresh in _fresh(pair, trials=more, seed=seed):
        free.add(fresh)
        if curves is not None:
            curves.add(fresh)
    shown, surely = free.estimates()
    estimates = [shown]
    if alone is not None and curves is not None:
        _refute(pair, scores, alone, claimed, surely)
        estimates.append(curves.estimate())
    return tuple(
        LowerBound(
            estimate=estimate,
            attack="mechanism",
            attacked=pair.attacked,
            pair=pair.neighbours,
            adjacency=event.adjacency,
            sampling=event.sampling,
        )
        for estimate in estimates
    )


class _Thresholds:
    """Distribution-free bounds at several confidences, of scores that are counted and may be forgotten."""

    def __init__(
        self, scores: Scores, alone: Event | None, *, more: int, delta: float, levels: Sequence[float]
    ) -> None:
        self.delta, self.levels = delta, levels
        if alone is None or alone.pure_epsilon is not None:
            # Nothing is told by theory, or ratios of one size only.
            choose, scores = scores.split(SHARE)
            found, origin = cuts(choose), "on other trials"
        else:
            found, origin = in_theory(alone), "by theory"
        total = scores.present.size + more
        self.plans = [
            clopper_pearson.plan(found, present=total, absent=total, delta=delta, confidence=level, origin=origin)
            for level in levels
        ]
        self.above = [(0, 0) for _ in levels]
        self.trials = 0
        self.add(scores)

    def add(self, fresh: Scores) -> None:
        self.above = [
            (
                right + clopper_pearson.above(fresh.present, plan.threshold),
                wrong + clopper_pearson.above(fresh.absent, plan.threshold),
            )
            for plan, (right, wrong) in zip(self.plans, self.above, strict=True)
        ]
        self.trials += fresh.present.size

    def estimates(self) -> list[Estimate]:
        return [
            clopper_pearson.counted(
                plan,
                present=(right, self.trials),
                absent=(wrong, self.trials),
                delta=self.delta,
                confidence=level,
            )
            for plan, (right, wrong), level in zip(self.plans, self.above, self.levels, strict=True)
        ]


class _Bins:
    """The family-based bound, of scores that are counted and may be forgotten."""

    def __init__(self, scores: Scores, alone: Event, *, more: int, delta: float, confidence: float) -> None:
        family.check(alone, delta=delta, confidence=confidence)
        self.alone, self.delta, self.confidence = alone, delta, confidence
        choose, count = family.split(scores)
        self.plan = family.plan(choose, counted=count.trials + 2 * more)
        self.counts = self.plan.binned(count)

    def add(self, fresh: Scores) -> None:
        self.counts += self.plan.binned(fresh)

    def estimate(self) -> Estimate:
        return family.counted(self.plan, self.counts, event=self.alone, delta=self.delta, confidence=self.confidence)


def in_theory(event: Event) -> Cuts:
    r"""Errors of who accuses where the logarithm of the likelihood ratio is above ε, for many ε.

    .. math:: Q(L > ε) = -e^{-ε} δ'(ε), \qquad P(L > ε) = δ(ε) + e^ε Q(L > ε)

    Args:
        event: whose profile δ is that of P against Q.

    Source: Balle and Wang (2018), arXiv:1805.06530, Theorem 5, differentiated.
    """
    polygon = curve(event)
    wrong = np.clip(-np.gradient(polygon.first, polygon.epsilons) * np.exp(-polygon.epsilons), 0, 1)
    right = np.clip(polygon.first + np.exp(polygon.epsilons) * wrong, 0, 1)
    return Cuts(polygon.epsilons, wrong, 1 - right)


def _fresh(pair: Pair, *, trials: int, seed: int) -> Iterator[Scores]:
    """Scores of so many further releases in either world, some at a time."""
    name = type(pair).__qualname__
    worlds = [(there, noise.seeded(seed, name, world, "counted")) for there, world in _WORLDS]
    for first in range(0, trials, pair.block):
        here = min(pair.block, trials - first)
        yield Scores(*(pair.at_once(present=there, trials=here, generator=bits) for there, bits in worlds))


def _refute(pair: Pair, scores: Scores, alone: Event, proven: Guarantee, surely: Estimate) -> None:
    """Raise where the code gives away more than is proven."""
    name = type(pair).__module__.rpartition(".")[2]
    promised, delta = f"epsilon = {rounded(proven.value, 'upper', digits=6)}", exact(proven.delta)
    if surely.epsilon > proven.value:
        reached = rounded(surely.epsilon, "lower", digits=6)
        raise ContradictionError(
            f"{name}: {promised} is proven at delta = {delta}, and the code's own output has at least {reached} "
            f"({surely.basis}, confidence {exact(SURE)}, {surely.trials:,} trials)"
        )
    verdict = claim.test(scores, alone, confidence=SURE)
    if verdict.rejected:
        raise ContradictionError(
            f"{name}: the two worlds are told apart better than the proven curve through {promised} at delta = {delta} "
            f"allows (p = {verdict.p_value:.2g}, {verdict.trials:,} trials)"
        )
