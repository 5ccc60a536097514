"""A test of the claim that an event makes: can an attacker's errors be as small as they were? Nothing is assumed."""

from __future__ import annotations

from dataclasses import dataclass

from wassdp import checks
from wassdp.accounting.event import Event
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import errors, proportion
from wassdp.audit.statistics.curve import curve
from wassdp.audit.statistics.thresholds import cuts

_FLOOR = 0.01
"""Share of the permitted error below which no p-value is told."""


@dataclass(frozen=True, kw_only=True)
class ClaimVerdict:
    """Whether the code that made the scores can satisfy a claim.

    Args:
        p_value: how likely errors as small are at most, if the claim holds; no smaller one than a hundredth of
            1 - confidence is told.
        rejected: whether that is at most 1 - confidence.
        confidence: one-sided, of the whole procedure.
        threshold: who scores above it was accused.
        false_positives: what P(absent > threshold) is not above, at ``confidence``, by itself.
        false_negatives: what P(present ≤ threshold) is not above, at ``confidence``, by itself.
        claimed: the least false negative rate that the claim allows at that false positive rate.
        trials: scores that were counted, of both worlds together.
    """

    p_value: float
    rejected: bool
    confidence: float
    threshold: float
    false_positives: float
    false_negatives: float
    claimed: float
    trials: int


def test(scores: Scores, event: Event, *, confidence: float = 0.999, share: float = 0.5) -> ClaimVerdict:  # noqa: PT028
    """Whether ``scores`` contradict what is proven of ``event``: correct code, with probability 1 - confidence at most.

    The threshold, and the weights of both errors, are fixed on the first part of the trials; the rest is counted, and
    set against a lower bound on the errors of every attacker (`wassdp.audit.statistics.errors`). Where sampling tells
    the two worlds apart, each inequality is claimed with its own δ. A claim that is unbounded is never rejected.

    Args:
        scores: of both worlds, in the order of their independent trials; for an event of add-remove neighbours,
            ``present`` are those of the records with the one in question.
        event: what the code says that one trial releases.
        confidence: one-sided, in (0, 1).
        share: of either world's trials, taken from its beginning, on which the threshold is chosen.

    Raises:
        ValueError: an argument is outside its range, a world has fewer than two trials, or no theorem gives the event
            a profile.
    """
    checks.open_unit("confidence", confidence)
    choose, count = scores.split(share)
    claimed = curve(event)
    permitted = 1 - confidence
    chosen = errors.plan(cuts(choose), claimed, absent=count.absent.size, present=count.present.size)
    seen = errors.counted(count, chosen.threshold)
    p_value = errors.p_value(claimed, chosen, seen, floor=_FLOOR * permitted)
    positives = proportion.upper(seen.false_positives, seen.absent, permitted)
    return ClaimVerdict(
        p_value=p_value,
        rejected=p_value <= permitted,
        confidence=confidence,
        threshold=chosen.threshold,
        false_positives=float(positives),
        false_negatives=float(proportion.upper(seen.false_negatives, seen.present, permitted)),
        claimed=float(claimed.false_negatives(positives.reshape(1))[0]),
        trials=count.trials,
    )
