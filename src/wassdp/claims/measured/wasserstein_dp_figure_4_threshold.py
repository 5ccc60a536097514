"""WDP Appendix B on Figure 4 beside Figure 2: what C does to each budget, with and without clipping.

The moments accountant's budget does not hold C at all, so that nothing is stated of it.
"""

from __future__ import annotations

from wassdp.claims.measurement import Measured, Rows
from wassdp.claims.recomputed import Entry
from wassdp.claims.synthetic_gradients import budget, drawn, floor

LESS = 0.9
"""Share of the impact without clipping that is at most left where it counts as decreased."""


def _entries(rows: Rows) -> list[Entry]:
    entries = []
    for name in ("bayesian", "wasserstein"):
        plain, clipped = (_impact(budget(rows, name, clipped=how)) for how in (False, True))
        entries.append(
            Entry(
                name=f"{name} accountant, largest / smallest budget over C less 1, clipped (not clipped: {plain:.3g})",
                printed=LESS * plain,
                found=clipped,
                relation="at most",
                again=(lambda: _by_noise_alone(rows)) if name == "wasserstein" else None,
            )
        )
    return entries


def _impact(budgets: dict[float, float]) -> float:
    return max(budgets.values()) / min(budgets.values()) - 1


def _by_noise_alone(rows: Rows) -> float:
    """The same of what the noise adds, which is proportional to C."""
    floors = [sum(map(floor, own)) / len(own) for own in drawn(rows, clipped=True).values()]
    return max(floors) / min(floors) - 1


CLAIM = Measured(
    paper="wasserstein-dp",
    item="Figure 4",
    place="Appendix B: 'the impact of C on the privacy budget has decreased'",
    statement="with clipping C changes the Bayesian and the Wasserstein accountant's budget by a tenth less at least",
    formula="r - 1 with clipping ≤ 0.9 (r - 1) without, r = max_C ε(C) / min_C ε(C), BDP and WDP",
    experiments=(("wasserstein-dp", "composition"),),
    entries=_entries,
)
