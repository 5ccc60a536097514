r"""A lower bound on ε from one run, through the trade-off curves of a family: right guesses under f-DP.

If the run has the trade-off curve f, the probability of at least c right guesses of c' about m canaries is at most τ
whenever the recursion

.. math:: r_c = τ c / m, \quad h_c = τ (c' - c) / m, \quad
    h_i = \max\{h_{i+1}, \bar f^{-1}(r_{i+1})\}, \quad r_i = r_{i+1} + \frac{i}{c' - i} (h_i - h_{i+1})

ends with r_0 + h_0 above c'/m; f̄ = 1 - f, and f̄^{-1}(x) = f(1 - x) for a symmetric f. That rejects curves, not (ε, δ):
the ε is that of the least noise whose curve is rejected, and assumes the family.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from wassdp.accounting.event import Event
from wassdp.audit.bound import Estimate
from wassdp.audit.rescaled import rescaled
from wassdp.audit.scores import Scores
from wassdp.audit.statistics.curve import Curve, curve
from wassdp.audit.statistics.guesses import Guesses, least_rejected, through_family

SOURCE = "Mahloujifar, Melis and Chaudhuri (2025), arXiv:2410.22235, Theorem 9 and Algorithm 3"


def bound(scores: Scores, *, event: Event, delta: float, confidence: float = 0.95, guesses: float = 0.1) -> Estimate:
    """The bound, by a tenth of the canaries unless told otherwise; see `wassdp.audit.statistics.guesses`."""
    return through_family(
        scores,
        event,
        rejects,
        delta=delta,
        confidence=confidence,
        share=guesses,
        words=lambda seen: f"{seen.right:,} of the {seen.made:,} surest guesses about {seen.canaries:,} canaries right",
        source=SOURCE,
    )


def least_noise(guesses: Guesses, event: Event, confidence: float) -> float | None:
    """The least noise that is rejected, as a factor; None where none is."""
    return least_rejected(lambda noise: rejects(curve(rescaled(event, noise)), guesses, confidence))


def rejects(claimed: Curve, guesses: Guesses, confidence: float) -> bool:
    """Whether so many right guesses are too many for every run with this curve."""
    right, made, canaries = guesses.right, guesses.made, guesses.canaries
    # The worse of both orders of the worlds, so that it is symmetric.
    worse = np.maximum(claimed.first, claimed.second)
    heights, slopes, starts = (each.tolist() for each in Curve(claimed.epsilons, worse, worse).lines())
    r = (1 - confidence) * right / canaries
    h = (1 - confidence) * (made - right) / canaries
    for i in range(right - 1, -1, -1):
        rate = 1 - r
        line = max(bisect_right(starts, rate) - 1, 0)
        more = heights[line] + slopes[line] * rate
        if more <= h:
            # Then neither changes any more.
            break
        r, h = min(r + i / (made - i) * (more - h), 1.0), more
    return r + h > made / canaries
