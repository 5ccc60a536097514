"""WDP Proposition 13, group privacy."""

from __future__ import annotations

import itertools

from wassdp.claims import laws_plain as plain
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import Laws, draw, quotient, simpler


def _largest(found: Laws) -> float:
    """ε, of a chain of data sets in which each is the next one's neighbour."""
    return max(found.distance(number, number + 1) for number in range(len(found.points) - 1))


def _ratio(found: Laws) -> float:
    group = len(found.points) - 1
    return quotient(found.distance(0, group), group * _largest(found))


def _verified(found: Laws) -> float:
    chain = found.points.tolist()
    each = [plain.best_assignment(one, other, found.order) for one, other in itertools.pairwise(chain)]
    return plain.over(plain.best_assignment(chain[0], chain[-1], found.order), len(each) * max(each))


def _by_root(found: Laws) -> float:
    group = len(found.points) - 1
    return quotient(found.distance(0, group), group**0.5 * _largest(found))


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Proposition 13",
    place="Properties of WDP",
    statement="for data sets that differ in k entries the budget is k times that of one",
    formula="(μ, ε)-WDP ⇒ W_μ(M(D), M(D')) ≤ kε for D, D' that differ in k entries",
    draw=lambda generator: draw(generator, laws=int(generator.integers(2, 6))),
    ratio=_ratio,
    verified=_verified,
    corrupted=_by_root,
    simpler=simpler,
)
