"""WDP Composition, observation (1), over the four thresholds C of Figure 2.

Read as: from the smallest C to the largest, the budget after all steps goes the same way under WDP as under DP and BDP,
a change of less than a hundredth counting as none. Noise grows with C and gradients are not clipped: what the others
say falls or stays, and WDP's loss grows with the noise (`wasserstein-dp-theorem-2-noise`).
"""

from __future__ import annotations

from pathlib import Path

from wassdp.claims.measurement import Measured, Rows, number
from wassdp.claims.plain_tables import experiment_rows
from wassdp.claims.recomputed import Entry

FIGURE = "figure-2"
NONE = 0.01


def _entries(rows: Rows) -> list[Entry]:
    ends: dict[str, dict[float, float]] = {}
    last = max(number(row, "step") for row in rows[FIGURE])
    for row in rows[FIGURE]:
        if number(row, "step") == last:
            ends.setdefault(row["curve"], {})[number(row, "clip_quantile")] = number(row, "epsilon")
    changes = {curve: budgets[max(budgets)] / budgets[min(budgets)] - 1 for curve, budgets in ends.items()}
    return [
        Entry(
            name=f"budget under WDP from the smallest to the largest C, {other}'s changing by {changes[other]:.0%}",
            printed=0.0,
            found=changes["WDP"],
            digit=NONE,
            relation="is" if abs(changes[other]) < NONE else "at least" if changes[other] > 0 else "at most",
        )
        for other in ("DP", "BDP")
    ]


def _again(folder: Path) -> dict[str, float]:
    """From the runs, not from the figure's curves: each accountant's budget, summed over the seeds."""
    sums: dict[str, dict[float, float]] = {"moments": {}, "bayesian": {}, "wasserstein": {}}
    for row in experiment_rows(folder, "wasserstein-dp", "composition"):
        if row["parameters.clip"] == "False" and row["parameters.threshold"] != "population":
            threshold = float(row["parameters.clip_quantile"])
            for name, own in sums.items():
                own[threshold] = own.get(threshold, 0.0) + float(row[f"epsilon/published/{name}"])
    changes = {name: own[max(own)] / own[min(own)] - 1 for name, own in sums.items()}
    about = "budget under WDP from the smallest to the largest C"
    return {
        f"{about}, {words}'s changing by {changes[other]:.0%}": changes["wasserstein"]
        for words, other in (("DP", "moments"), ("BDP", "bayesian"))
    }


CLAIM = Measured(
    paper="wasserstein-dp",
    item="Composition, observation (1), over C",
    place="Experiments, Composition, observation (1) on Figure 2",
    statement="as C grows the Wasserstein accountant's budget changes the way the other two's do",
    formula="sign of the change from C at quantile .05 to C at quantile .99, after 100 steps",
    experiments=(("wasserstein-dp", "composition"),),
    drawn=(("wasserstein-dp", FIGURE),),
    entries=_entries,
    again=_again,
)
