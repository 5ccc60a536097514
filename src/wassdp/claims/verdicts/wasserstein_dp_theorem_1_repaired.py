"""WDP Theorem 1 stopped where its proof is right: Markov's inequality for exp(β Σ W), equation 84.

The expectation has to be known, or bounded, over all that makes the losses random; their means do not bound it.
"""

from __future__ import annotations

import math

from wassdp.accounting.formulas import generalised_wasserstein
from wassdp.claims.inequality import Inequality
from wassdp.claims.tails import Tail, draw, simpler


def _failure(found: Tail) -> float:
    return generalised_wasserstein.failure_probability(found.losses, found.probabilities, found.epsilon)


def _ratio(found: Tail) -> float:
    args = found.losses, found.probabilities, found.epsilon, found.beta
    return _failure(found) / max(generalised_wasserstein.chernoff_tail(*args), 1e-300)


def _verified(found: Tail) -> float:
    outcomes = [(sum(column), chance) for column, chance in zip(found.losses.T, found.probabilities, strict=True)]
    failing = sum(chance for total, chance in outcomes if total >= found.epsilon)
    scaled = [chance * math.exp(min(found.beta * (total - found.epsilon), 600.0)) for total, chance in outcomes]
    return float(failing / max(sum(scaled), 1e-300))


def _printed(found: Tail) -> float:
    args = found.losses, found.probabilities, found.epsilon, found.beta
    return _failure(found) / max(generalised_wasserstein.printed_tail(*args), 1e-300)


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Theorem 1",
    place="Advanced Composition, equation 10; appendix, equations 83 to 88",
    statement="the mean exponential of the losses bounds the probability that their sum exceeds a budget",
    formula="E exp[β Σ_t W_t − βε] ≤ δ ⇒ Pr[Σ_t W_t ≥ ε] ≤ δ",
    repairs="wasserstein-dp-theorem-1",
    draw=draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=_printed,
    simpler=simpler,
)
