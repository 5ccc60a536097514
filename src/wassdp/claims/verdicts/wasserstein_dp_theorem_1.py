"""WDP Theorem 1, advanced composition.

Equation 84 is Markov's inequality for E exp(βW), and true. Equation 85 puts exp(β E W) in its place by Jensen's
inequality; but exp is convex, so exp(β E W) is the smaller of the two. The losses are random here, as Definition 5 and
the expectation in equation 10 have it; that of the composed algorithm is taken as their sum, as in equation 83, which
it is for outputs without noise in the l1 norm. Where no loss is random the statement holds, with any δ.
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
    return _failure(found) / max(generalised_wasserstein.printed_tail(*args), 1e-300)


def _verified(found: Tail) -> float:
    outcomes = [(sum(column), chance) for column, chance in zip(found.losses.T, found.probabilities, strict=True)]
    failing = sum(chance for total, chance in outcomes if total >= found.epsilon)
    mean = sum(total * chance for total, chance in outcomes)
    return float(failing) * math.exp(min(found.beta * (found.epsilon - mean), 600.0))


def _markov(found: Tail) -> float:
    args = found.losses, found.probabilities, found.epsilon, found.beta
    return _failure(found) / max(generalised_wasserstein.chernoff_tail(*args), 1e-300)


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Theorem 1",
    place="Advanced Composition, equation 10; appendix, equations 83 to 88",
    statement="the mean losses of the steps bound the probability that the whole loss exceeds a budget",
    formula="exp[β Σ_t E W_t − βε] ≤ δ ⇒ Pr[W ≥ ε] ≤ δ",
    draw=draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=_markov,
    simpler=simpler,
)
