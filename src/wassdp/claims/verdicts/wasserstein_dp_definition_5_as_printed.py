"""WDP Definition 5 with its inequality as printed, and the sentence after it: WDP is its special case.

Equation 9 has "at least ε". A loss that is ε for sure, as every loss is that does not depend on chance, is within a WDP
budget of ε and reaches ε with probability 1. Every larger budget does. With "above ε" in equation 9 the sentence holds
(`wasserstein-dp-definition-5`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from wassdp.accounting.formulas import generalised_wasserstein
from wassdp.claims.inequality import Inequality
from wassdp.claims.tails import Tail, draw, simpler

DELTA = 0.01


def _draw(generator: np.random.Generator) -> Tail:
    return _exactly(draw(generator))


def _exactly(found: Tail) -> Tail:
    """With the least ε of WDP, the largest loss that may happen."""
    return replace(found, epsilon=float(found.losses.sum(axis=0)[found.probabilities > 0].max()))


def _ratio(found: Tail) -> float:
    return generalised_wasserstein.failure_probability(found.losses, found.probabilities, found.epsilon) / DELTA


def _verified(found: Tail) -> float:
    outcomes = [(sum(column), chance) for column, chance in zip(found.losses.T, found.probabilities, strict=True)]
    most = max(total for total, chance in outcomes if chance > 0)
    return float(sum(chance for total, chance in outcomes if total >= most)) / DELTA


def _above(found: Tail) -> float:
    """With a budget that is larger by a thousandth."""
    epsilon = 1.001 * found.epsilon + 1e-9
    return generalised_wasserstein.failure_probability(found.losses, found.probabilities, epsilon) / DELTA


def _simpler(found: Tail) -> Iterator[Tail]:
    for other in map(_exactly, simpler(found)):
        if other.epsilon > 0:
            yield other


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Definition 5 as printed",
    place="Advanced Composition, equation 9 and the sentence after it",
    statement="(μ, ε)-WDP is generalised (μ, ε)-WDP for every δ > 0, with 'at least ε' in equation 9 and the same ε",
    formula="W_μ ≤ ε always ⇒ Pr[W_μ ≥ ε] ≤ δ, here at δ = 0.01",
    note="Every larger ε does, and with 'above ε' the same one does",
    draw=_draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=_above,
    simpler=_simpler,
    compared="Pr[W_μ ≥ ε] / δ",
)
