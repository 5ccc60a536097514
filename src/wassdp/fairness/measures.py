"""Fairness of decisions and scores between two groups, as the literature measures it.

Symbols: A protected attribute, 0 or 1; Y label; G decision, 0 or 1.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Int64

Decisions = Bool[np.ndarray, " n"]
Attribute = Int64[np.ndarray, " n"]

BINS = 10
"""Equal parts of [0, 1] that a score's calibration is measured in."""


def rate_ratio(chosen: Decisions, sensitive: Attribute) -> float | None:
    r""":math:`P(G = 1 | A = 0) / P(G = 1 | A = 1)`; None where a group is empty or the denominator is 0.

    Of all examples, the disparate impact (WG equation 17); of those with Y = k, the index EO_k (equations 19 and 20).

    >>> rate_ratio(np.array([True, False, True, True]), np.array([0, 0, 1, 1]))
    0.5
    """
    rates = [float(chosen[sensitive == value].mean()) if (sensitive == value).any() else None for value in (0, 1)]
    return rates[0] / rates[1] if rates[0] is not None and rates[1] else None


def calibration_error(
    scores: Float[np.ndarray, " n"], labels: Int64[np.ndarray, " n"], *, bins: int = BINS
) -> float | None:
    """Mean gap between a score and the share of positives, over examples, in equal bins; None without examples.

    >>> round(calibration_error(np.array([0.9, 0.9, 0.1, 0.1]), np.array([1, 0, 0, 0])), 3)
    0.25
    """
    if len(scores) == 0:
        return None
    place = np.clip((scores * bins).astype(np.int64), 0, bins - 1)
    gaps = [abs(float((scores[place == b] - labels[place == b]).sum())) for b in np.unique(place)]
    return sum(gaps) / len(scores)


def of_decisions(
    scores: Float[np.ndarray, " n"], sensitive: Attribute, labels: Int64[np.ndarray, " n"]
) -> dict[str, float]:
    """Accuracy, disparate impact, EO_k of every class k, and each group's accuracy and calibration error.

    Decisions are scores above one half. What is not defined is left out.

    Args:
        scores: in [0, 1].
        sensitive: A.
        labels: Y, 0 or 1.
    """
    chosen = scores > 0.5
    found: dict[str, float | None] = {
        "accuracy": float((chosen == labels).mean()),
        "disparate_impact": rate_ratio(chosen, sensitive),
    }
    for label in (0, 1):
        found[f"equality_{label}"] = rate_ratio(chosen[labels == label], sensitive[labels == label])
    for value in (0, 1):
        own = sensitive == value
        found[f"accuracy_{value}"] = float((chosen[own] == labels[own]).mean()) if own.any() else None
        found[f"calibration_error_{value}"] = calibration_error(scores[own], labels[own])
    return {name: value for name, value in found.items() if value is not None}


def above_diagonal(points: Float[np.ndarray, "n 2"], sensitive: Attribute) -> dict[str, float]:
    """OD_0 and OD_1: each group's share of points above the falling diagonal (WG appendix B.2)."""
    above = points[:, 1] > -points[:, 0]
    return {
        f"above_diagonal_{value}": float(above[sensitive == value].mean())
        for value in (0, 1)
        if (sensitive == value).any()
    }
