"""WG Appendix B: how many people of each attribute, and of each attribute and label, there are on average."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from wassdp.claims.biased_draws import People, draw, over_chance, simpler
from wassdp.claims.inequality import Inequality


def _stated(agreement: float) -> dict[tuple[int, ...], float]:
    """Over n: of attribute j, and of attribute j and label k."""
    shares: dict[tuple[int, ...], float] = {(0,): 0.5, (1,): 0.5}
    for j in (0, 1):
        shares[j, j], shares[j, 1 - j] = agreement / 2, (1 - agreement) / 2
    return shares


def _counts(case: People) -> dict[tuple[int, ...], float]:
    people = case.drawn()
    pairs = np.bincount(2 * people.sensitive + people.labels, minlength=4).reshape(2, 2)
    counts: dict[tuple[int, ...], float] = {(j,): float(pairs[j].sum()) for j in (0, 1)}
    counts.update({(j, k): float(pairs[j, k]) for j in (0, 1) for k in (0, 1)})
    return counts


def _ratio(case: People) -> float:
    return over_chance(_counts(case), _stated(case.agreement), case.size)


def _plain(case: People) -> float:
    counts: Counter[tuple[int, ...]] = Counter()
    for _, _, label, attribute in case.plain():
        counts.update([(attribute,), (attribute, label)])
    people, p = counts[0,] + counts[1,], case.agreement
    gaps = [(counts[j,], 0.5) for j in (0, 1)] + [(counts[j, j], p / 2) for j in (0, 1)]
    gaps += [(counts[j, 1 - j], (1 - p) / 2) for j in (0, 1)]
    return max(abs(count - people * share) / (6 * math.sqrt(people * share * (1 - share))) for count, share in gaps)


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Appendix B, sizes of the classes",
    place="Appendix B, last paragraph before B.1",
    statement="half of the people have each attribute on average, a share p of these the label that is equal to it",
    formula="E(n_j) = n/2, E(n_{j,j}) = pn/2, E(n_{j,1-j}) = (1-p)n/2",
    compared="distance from the stated mean / what chance explains",
    draw=draw,
    ratio=_ratio,
    verified=_plain,
    corrupted=lambda case: over_chance(_counts(case), _stated(1 - case.agreement), case.size),
    simpler=simpler,
    usual=600,
    few=30,
)
