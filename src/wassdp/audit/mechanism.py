"""Releases put to the test: lower bounds from the code's own output beside what is proven or published of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wassdp import checks, noise
from wassdp.accounting import limits
from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import ContradictionError, Guarantee
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
KEPT = 30_000_000
"""Scores of either world that are kept; those of more trials are counted and forgotten."""
LEAST, MOST = 100, 10_000_000_000
"""Trials of either world."""


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
    same. The family-based bound, and the test of the claim, take the first thirty million trials.

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
    claimed = pair.claim(delta)
    scores = play(pair, trials=min(trials, KEPT), seed=seed)
    free, surely = _free(pair, scores, trials=trials, delta=delta, levels=(confidence, SURE), seed=seed)
    estimates, event = [free], pair.event()
    if (alone := pair.alone()) is not None:
        _refute(pair, scores, alone, claimed, surely)
        estimates.append(family.bound(scores, event=alone, delta=delta, confidence=confidence))
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


def _free(
    pair: Pair, scores: Scores, *, trials: int, delta: float, levels: Sequence[float], seed: int
) -> list[Estimate]:
    """Distribution-free bounds at several confidences."""
    alone, worlds = pair.alone(), (scores.present, scores.absent)
    if alone is None or alone.pure_epsilon is not None:
        # Nothing is told by theory, or ratios of one size only.
        choose, count = scores.split(SHARE)
        found, worlds, origin = cuts(choose), (count.present, count.absent), "on other trials"
    else:
        found, origin = in_theory(alone), "by theory"
    more = trials - scores.present.size
    total = worlds[0].size + more
    plans = [
        clopper_pearson.plan(found, present=total, absent=total, delta=delta, confidence=level, origin=origin)
        for level in levels
    ]
    thresholds = [plan.threshold for plan in plans]
    present, absent = (
        [
            clopper_pearson.above(kept, threshold) + further
            for threshold, further in zip(
                thresholds, _above(pair, thresholds, present=there, trials=more, seed=seed), strict=True
            )
        ]
        for there, kept in zip((True, False), worlds, strict=True)
    )
    return [
        clopper_pearson.counted(plan, present=(right, total), absent=(wrong, total), delta=delta, confidence=level)
        for plan, right, wrong, level in zip(plans, present, absent, levels, strict=True)
    ]


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


def _above(pair: Pair, thresholds: Sequence[float], *, present: bool, trials: int, seed: int) -> list[int]:
    """How many of so many fresh scores are above each threshold."""
    counts = [0] * len(thresholds)
    generator = noise.seeded(seed, type(pair).__qualname__, "present" if present else "absent", "counted")
    for first in range(0, trials, pair.block):
        here = min(pair.block, trials - first)
        scores = pair.at_once(present=present, trials=here, generator=generator)
        counts = [
            count + clopper_pearson.above(scores, threshold)
            for count, threshold in zip(counts, thresholds, strict=True)
        ]
    return counts


def _refute(pair: Pair, scores: Scores, alone: Event, proven: Guarantee, surely: Estimate) -> None:
    """Raise where the code gives away more than is proven."""
    name = type(pair).__module__.rpartition(".")[2]
    if surely.epsilon > proven.value:
        raise ContradictionError(
            f"{name}: epsilon = {proven.value:.6g} is proven at delta = {proven.delta:g}, and the code's own output "
            f"has at least {surely.epsilon:.6g} ({surely.basis}, confidence {SURE:g}, {surely.trials:,} trials)"
        )
    verdict = claim.test(scores, alone, confidence=SURE)
    if verdict.rejected:
        raise ContradictionError(
            f"{name}: the two worlds are told apart better than the proven curve through epsilon = {proven.value:.6g} "
            f"at delta = {proven.delta:g} allows (p = {verdict.p_value:.2g}, {verdict.trials:,} trials)"
        )
