"""Losses of DP, RDP and strong BDP between two discrete laws, in one direction (WDP Definitions 7, 9 and 10).

DP's is the largest log-ratio, for its budget bounds it at every outcome. Strong BDP's is the least ε that the log-ratio
passes with probability at most δ_b, over outputs of the first law.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from wassdp.claims import masses
from wassdp.claims.masses import Masses

DOUBT = 0.1  # δ_b
"""Larger than the paper's 1e-10, so that laws on few places show it; any δ_b has laws on rarer places that do."""


def draw(generator: np.random.Generator, *, laws: int = 2) -> Masses:
    """Random laws; some with an outcome that has at most the probability δ_b under some of them, and less under one."""
    found = masses.draw(generator, laws=laws)
    if generator.random() < 0.5:
        rare = DOUBT * generator.uniform(0.2, 0.9) * 10 ** -generator.uniform(0, 2, size=(laws, 1))
        rare[0] = DOUBT * generator.uniform(0.2, 0.9)
        if laws > 2:  # likely under another
            rare[2] = generator.uniform(0.2, 0.8)
        rare = rare[generator.permutation(laws)]
        rest = found.weights[:, 1:] / found.weights[:, 1:].sum(axis=1, keepdims=True)
        found = replace(found, weights=np.concatenate([rare, (1 - rare) * rest], axis=1))
    return found


def pure(found: Masses, one: int, other: int) -> float:
    """Largest log-ratio."""
    return float(np.log(found.weights[one] / found.weights[other]).max())


def renyi(found: Masses, one: int, other: int) -> float:
    """Rényi divergence of order α."""
    p, q, alpha = found.weights[one], found.weights[other], found.renyi_order
    return float(np.log(np.sum(q * (p / q) ** alpha))) / (alpha - 1)


def bayesian(found: Masses, one: int, other: int) -> float:
    """Quantile of the log-ratio at 1 − δ_b."""
    p = found.weights[one]
    losses = np.log(p / found.weights[other])
    order = np.argsort(-losses, kind="stable")
    passed = np.concatenate([[0.0], np.cumsum(p[order])[:-1]])  # probability of larger losses, or of equal ones before
    return float(losses[order][passed <= DOUBT][-1])


def plain_bayesian(p: list[float], q: list[float]) -> float:
    """The same by trying every outcome's loss as ε."""
    losses = [math.log(a / b) for a, b in zip(p, q, strict=True)]
    return min(
        loss
        for loss in losses
        if math.fsum(weight for weight, other in zip(p, losses, strict=True) if other > loss) <= DOUBT
    )
