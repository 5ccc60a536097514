"""WDP Composition, observation (1), over the steps: curves of Figure 2, each as a share of its own rise.

Read as: at no step is the share of the Wasserstein accountant's rise that is reached further than a twentieth from the
moments or the Bayesian accountant's. All curves are close to straight lines. Over the thresholds it is otherwise:
`wasserstein-dp-composition-trends-clip`.
"""

from __future__ import annotations

from collections.abc import Mapping

from wassdp.claims.measurement import Measured, Rows, number
from wassdp.claims.recomputed import Entry

FIGURE = "figure-2"
APART = 0.05
"""Of the whole rise: "almost"."""


def _entries(rows: Rows) -> list[Entry]:
    curves: dict[tuple[float, str], dict[float, float]] = {}
    for row in rows[FIGURE]:
        curves.setdefault((number(row, "clip_quantile"), row["curve"]), {})[number(row, "step")] = number(
            row, "epsilon"
        )
    return [
        Entry(
            name=f"C at quantile {quantile:g}, WDP against {other}: largest distance of the shares of the rise",
            printed=APART,
            found=_apart(curves[quantile, "WDP"], curves[quantile, other]),
            relation="at most",
        )
        for quantile in dict.fromkeys(quantile for quantile, _ in curves)
        for other in ("DP", "BDP")
    ]


def _apart(one: Mapping[float, float], other: Mapping[float, float]) -> float:
    shares = [
        [(curve[step] - curve[min(curve)]) / (curve[max(curve)] - curve[min(curve)]) for step in sorted(one)]
        for curve in (one, other)
    ]
    return float(max(abs(a - b) for a, b in zip(*shares, strict=True)))


CLAIM = Measured(
    paper="wasserstein-dp",
    item="Composition, observation (1)",
    place="Experiments, Composition, observation (1) on Figure 2",
    statement="over the steps the Wasserstein accountant's curves almost replicate those of the other two in shape",
    formula="|share of WDP's rise reached at step t − the same of DP's, of BDP's| ≤ 1/20 for all t",
    experiments=(("wasserstein-dp", "composition"),),
    drawn=(("wasserstein-dp", FIGURE),),
    entries=_entries,
)
