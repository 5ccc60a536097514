"""WDP Definition 5, generalised WDP, with "above ε", and the sentence after it: WDP is its special case as δ → 0.

Equation 9 has "at least ε": a loss that is its budget for sure fails then (`wasserstein-dp-definition-5-as-printed`).
"""

from __future__ import annotations

from wassdp.accounting.formulas import generalised_wasserstein
from wassdp.claims import laws_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import apart
from wassdp.claims.tails import Tail, draw, simpler


def _largest(found: Tail) -> float:
    """The least budget that never fails: WDP's."""
    return float(found.losses.sum(axis=0)[found.probabilities > 0].max())


def _ratio(found: Tail) -> float:
    delta = float(found.probabilities[found.probabilities > 0].min()) / 2
    budgets = (generalised_wasserstein.budget(found.losses, found.probabilities, each) for each in (delta, 0.0))
    return max(apart(_largest(found), each) for each in budgets)


def _verified(found: Tail) -> float:
    outcomes = [(sum(column), chance) for column, chance in zip(found.losses.T, found.probabilities, strict=True)]
    delta = min(chance for _, chance in outcomes if chance > 0) / 2
    fits = [budget for budget, _ in outcomes if sum(chance for total, chance in outcomes if total > budget) <= delta]
    return plain.unequal(max(total for total, _ in outcomes), min(fits))


def _at_half(found: Tail) -> float:
    return apart(_largest(found), generalised_wasserstein.budget(found.losses, found.probabilities, 0.5))


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Definition 5",
    place="Advanced Composition, equation 9 and the sentence after it",
    statement="with 'above ε' in equation 9 WDP is the special case of generalised WDP when δ tends to 0",
    formula="min{ε: Pr[W_μ > ε] ≤ δ} → min{ε: W_μ ≤ ε always} as δ → 0",
    repairs="wasserstein-dp-definition-5-as-printed",
    draw=draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=_at_half,
    simpler=simpler,
    compared="larger / smaller of both budgets",
)
