"""Bounds on DP-SWD's squared sensitivity that hold with high probability, as printed: w of its Proposition 2.

Each takes k directions, dimension d and the probability, in (0, 1), with which w is said to be exceeded at most.
"""

from __future__ import annotations

import math

from scipy.special import ndtri


def bernstein(projections: int, dimension: int, tail: float) -> float:
    r"""Bernstein's bound, L = log(1/tail).

    .. math:: k/d + (2/3) L + (2/d) \sqrt{k (d-1)/(d+2) L}

    Source: SWD Lemma 2.
    """
    return _bernstein(projections, projections, dimension, tail)


def bernstein_code(projections: int, dimension: int, tail: float) -> float:
    """`bernstein` as the authors' code has it: k enters the root twice (arakotom/dp_swd)."""
    return _bernstein(projections, projections * projections, dimension, tail)


def central_limit(projections: int, dimension: int, tail: float) -> float:
    r"""The central limit's, z the quantile of N(0, 1) at 1 - tail.

    .. math:: k/d + (z/d) \sqrt{2k(d-1)/(d+2)}

    Source: SWD Section 3.1.
    """
    root = 2 * projections * (dimension - 1) / (dimension + 2)
    return projections / dimension - float(ndtri(tail)) / dimension * math.sqrt(root)


def _bernstein(projections: int, variance: int, dimension: int, tail: float) -> float:
    log_term = -math.log(tail)
    root = variance * (dimension - 1) / (dimension + 2) * log_term
    return projections / dimension + 2 / 3 * log_term + 2 / dimension * math.sqrt(root)
