"""WDP Appendix B on Figure 4 beside Figure 2: how far the three budgets are apart, with and without clipping."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from wassdp.claims.measurement import Measured, Rows
from wassdp.claims.recomputed import Entry
from wassdp.claims.synthetic_gradients import ACCOUNTANTS, bayesian, budget, moments

EQUAL = 1e-3
"""Share by which a gap may grow and still counts as equal."""


def _entries(rows: Rows) -> list[Entry]:
    plain, clipped = ({name: budget(rows, name, clipped=how) for name in ACCOUNTANTS} for how in (False, True))
    entries = []
    for one, other in combinations(ACCOUNTANTS, 2):
        for quantile in clipped[one]:
            before, after = (abs(side[one][quantile] - side[other][quantile]) for side in (plain, clipped))
            entries.append(
                Entry(
                    name=f"C at quantile {quantile:g}, {one} and {other} accountant apart with clipping",
                    printed=before,
                    found=after,
                    digit=EQUAL * before,
                    relation="at most",
                    again=_again(quantile) if (one, other) == ("moments", "bayesian") else None,
                )
            )
    return entries


def _again(quantile: float) -> Callable[[], float]:
    """How far DP and BDP are apart, for gradients that are drawn anew."""
    return lambda: abs(moments() - bayesian(quantile, clipped=True))


CLAIM = Measured(
    paper="wasserstein-dp",
    item="Figure 4",
    place="Appendix B: 'the gap of privacy budgets between different DP frameworks has narrowed'",
    statement="with clipping no two frameworks' budgets are further apart than without, up to a thousandth (3 seeds)",
    formula="|ε_a - ε_b| with clipping ≤ 1.001 |ε_a - ε_b| without, a and b of DP, BDP, WDP",
    experiments=(("wasserstein-dp", "composition"),),
    entries=_entries,
)
