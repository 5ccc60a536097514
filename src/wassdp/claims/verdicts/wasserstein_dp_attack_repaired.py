"""WDP's transformation with the budget it was made for: pure differential privacy (Triastcyn and Faltings 2020).

The attacker is to say which of two data sets was used, each with probability 1/2. Of data sets that are not equally
likely a guess without any output may succeed more often.
"""

from __future__ import annotations

import math

from wassdp.accounting.formulas.attack_success import attack_success
from wassdp.claims.inequality import Inequality
from wassdp.claims.masses import Masses, draw, simpler


def _success(found: Masses) -> float:
    """Success of the best attacker."""
    first, second = found.weights[:2]
    return 0.5 + float(abs(first - second).sum()) / 4


def _ratio(found: Masses) -> float:
    return _success(found) / attack_success(found.pure_epsilon())


def _verified(found: Masses) -> float:
    pairs = [(float(p), float(q)) for p, q in found.weights[:2].T]
    largest = max(max(p / q, q / p) for p, q in pairs)
    return sum(max(pair) for pair in pairs) / 2 * (1 + 1 / largest)


def _by_distance(found: Masses) -> float:
    return _success(found) * (1 + math.exp(-found.distance()))


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Discussion, comparability (3)",
    place="Additional Specifications, and the caption of Table 2",
    statement="a pure budget bounds how often an attack tells two data sets apart that are equally likely",
    formula="P(A) ≤ 1/(1 + exp(−ε)) for every attack on an ε-DP algorithm, both data sets with probability 1/2",
    repairs="wasserstein-dp-attack",
    draw=draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=_by_distance,
    simpler=simpler,
    few=40,
)
