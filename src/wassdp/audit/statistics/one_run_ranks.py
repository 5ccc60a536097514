r"""A lower bound on ε from one run, through a family, from the surest guesses: order statistics of their confidence.

Independent canaries, each seen through the same pair with trade-off curve f, are guessed by likelihood ratio, and the r
surest of m guesses count. With γ(w) the probability of error at the w-th quantile of sureness and its mean above w,
γ̄(w) = ∫_w^1 γ / (1 - w), the number of errors T among them has

.. math:: P(T ≤ u) = E\, P(\mathrm{Bin}(r, \barγ(W)) ≤ u), \qquad W \sim \mathrm{Beta}(m - r, r + 1),

and no attacker makes fewer. The ε is that of the least noise at which so few errors are too few.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float
from scipy import special

from wassdp.accounting.event import Event
from wassdp.audit.bound import Estimate
from wassdp.audit.rescaled import rescaled
from wassdp.audit.scores import Scores
from wassdp.audit.statistics.curve import Curve, curve
from wassdp.audit.statistics.guesses import Guesses, least_rejected, through_family
from wassdp.audit.statistics.inverse import in_cells

SOURCE = "Xiang, Wang, Xiao, Tian and Wang (2025), arXiv:2509.08704, Theorem 2"
_NODES = 2000

Rates = Float[np.ndarray, " rates"]


def bound(scores: Scores, *, event: Event, delta: float, confidence: float = 0.95, guesses: float = 0.5) -> Estimate:
    """The bound, by half of the canaries unless told otherwise; see `wassdp.audit.statistics.guesses`.

    Canaries must be independent of each other, and scores logarithms of likelihood ratios.
    """
    return through_family(
        scores,
        event,
        too_few_errors,
        delta=delta,
        confidence=confidence,
        share=guesses,
        words=lambda seen: (
            f"{seen.made - seen.right:,} errors in the {seen.made:,} surest guesses about independent canaries"
        ),
        source=SOURCE,
    )


def least_noise(guesses: Guesses, event: Event, confidence: float) -> float | None:
    """The least noise that is rejected, as a factor; None where none is."""
    return least_rejected(lambda noise: too_few_errors(curve(rescaled(event, noise)), guesses, confidence))


def too_few_errors(claimed: Curve, guesses: Guesses, confidence: float) -> bool:
    """Whether there are too few errors for every canary's pair to have this curve."""
    return p_value(claimed, guesses) <= 1 - confidence


def p_value(claimed: Curve, guesses: Guesses) -> float:
    """How likely so few errors are at most, if every canary is seen through a pair with this curve."""
    canaries, made, wrong = guesses.canaries, guesses.made, guesses.made - guesses.right
    places = np.zeros(1) if made == canaries else _places(float(canaries - made), made + 1.0)
    errors = mean_errors(claimed, places)
    if wrong >= made:
        return 1.0
    return float(special.betaincc(wrong + 1.0, made - wrong, errors).mean())


def _places(first: float, second: float) -> Rates:
    """Quantiles of Beta(first, second), about the middles of equal cells of probability."""
    edges = np.arange(_NODES + 1) / _NODES
    guess = special.betaincinv(first, second, (np.arange(_NODES) + 0.5) / _NODES)
    return in_cells(lambda place: special.betainc(first, second, place), guess, edges)


def mean_errors(claimed: Curve, places: Rates) -> Rates:
    """γ̄: how often guesses that are surer than a share ``places`` of all are wrong on average.

    The polygon is the curve of a pair of as many outcomes as it has sides, each as likely as its side is wide
    (absent) and high (present).
    """
    heights, slopes, starts = claimed.lines()
    ends = np.append(starts[1:], 1.0)
    absent = np.clip(ends - starts, 0.0, None)
    present = -slopes * absent
    # What is certain: present with probability 1 - f(0), absent where f is 0 already.
    absent, present = np.append(absent, 0.0), np.append(present, max(0.0, 1 - float(heights[0])))
    weight, wrong = (absent + present) / 2, np.minimum(absent, present) / 2
    order = np.argsort(-wrong / np.maximum(weight, 1e-300), kind="stable")
    below = np.concatenate(([0.0], np.cumsum(weight[order]))) / weight.sum()
    above = np.concatenate((np.cumsum(wrong[order][::-1])[::-1], [0.0])) / weight.sum()
    return np.asarray(np.interp(places, below, above) / np.maximum(1 - places, 1e-300))
