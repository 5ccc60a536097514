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


def rate_ratio(decisions: Decisions, sensitive: Attribute) -> float | None:
    r""":math:`P(G = 1 | A = 0) / P(G = 1 | A = 1)`; None where a group is empty or the denominator is 0.

    Of all examples, the disparate impact (WG equation 17); of those with Y = k, the index EO_k (equations 19 and 20).

    >>> rate_ratio(np.array([True, False, True, True]), np.array([0, 0, 1, 1]))
    0.5
    """
    rates = [float(decisions[sensitive == value].mean()) if (sensitive == value).any() else None for value in (0, 1)]
    return rates[0] / rates[1] if rates[0] is not None and rates[1] else None


def parity_gap(decisions: Decisions, sensitive: Attribute) -> float | None:
    r""":math:`|P(G = 1 | A = 0) - P(G = 1 | A = 1)|`; None where a group is empty.

    >>> parity_gap(np.array([True, False, True, True]), np.array([0, 0, 1, 1]))
    0.5
    """
    members = [decisions[sensitive == value] for value in (0, 1)]
    return abs(float(members[0].mean() - members[1].mean())) if all(map(len, members)) else None


def calibration_error(
    scores: Float[np.ndarray, " n"], labels: Int64[np.ndarray, " n"], *, bins: int = BINS
) -> float | None:
    """Mean gap between a score and the share of positives, over examples, in equal bins; None without examples.

    >>> round(calibration_error(np.array([0.9, 0.9, 0.1, 0.1]), np.array([1, 0, 0, 0])), 3)
    0.25
    """
    if len(scores) == 0:
        return None
    bin_of = np.clip((scores * bins).astype(np.int64), 0, bins - 1)
    gaps = [abs(float((scores[bin_of == b] - labels[bin_of == b]).sum())) for b in np.unique(bin_of)]
    return sum(gaps) / len(scores)


def of_decisions(
    scores: Float[np.ndarray, " n"], sensitive: Attribute, labels: Int64[np.ndarray, " n"]
) -> dict[str, float]:
    """Accuracy, disparate impact, parity gap, EO_k of every class k, and each group's accuracy and calibration error.

    Decisions are scores above one half. What is not defined is left out.

    Args:
        scores: in [0, 1].
        sensitive: A.
        labels: Y, 0 or 1.
    """
    decisions = scores > 0.5
    measured: dict[str, float | None] = {
        "accuracy": float((decisions == labels).mean()),
        "disparate_impact": rate_ratio(decisions, sensitive),
        "parity_gap": parity_gap(decisions, sensitive),
    }
    for label in (0, 1):
        measured[f"equality_{label}"] = rate_ratio(decisions[labels == label], sensitive[labels == label])
    for value in (0, 1):
        members = sensitive == value
        measured[f"accuracy_{value}"] = float((decisions[members] == labels[members]).mean()) if members.any() else None
        measured[f"calibration_error_{value}"] = calibration_error(scores[members], labels[members])
    return {name: value for name, value in measured.items() if value is not None}


def above_diagonal(points: Float[np.ndarray, "n 2"], sensitive: Attribute) -> dict[str, float]:
    """OD_0 and OD_1: each group's share of points above the falling diagonal (WG appendix B.2)."""
    above = points[:, 1] > -points[:, 0]
    return {
        f"above_diagonal_{value}": float(above[sensitive == value].mean())
        for value in (0, 1)
        if (sensitive == value).any()
    }
