"""How loose each tangent theorem is over β, and where the distribution-aware R of Theorem 3.1 beats max |r|."""

from __future__ import annotations

from typing import ClassVar

import pandas as pd

from wassdp.report import style
from wassdp.report.gibbs import ACROSS, Column, columns_over_beta
from wassdp.report.kinds import Drawing, Figure

THEOREMS: dict[str, tuple[str, style.Look]] = {
    "3.1": (r"Theorem 3.1: TV, $L^1$", {"color": style.SKY, "marker": "o"}),
    "3.2": (r"Theorem 3.2: TV, $\log$", {"color": style.BROWN, "marker": "s"}),
    "3.3": (r"Theorem 3.3 as printed: Wasserstein, $L^1$", {"color": style.RED, "marker": "^"}),
    "3.3 repaired": (
        r"3.3 with $R = \int q\,\Vert r(w,\cdot)\Vert\,dw$ (repaired)",
        {"color": style.RED, "linestyle": style.DASHES[2]},
    ),
    "3.4": (r"Theorem 3.4: Wasserstein, $\log$", {"color": style.PURPLE, "marker": "D"}),
}
SHOWN = (0.05, 1000)  # a posterior that freezes on one hypothesis has an L¹ norm of 0: bounds are then loose beyond all
LEAST = 1e-9  # norms below this share of the largest are rounding: their quotient says nothing


class TangentLooseness(Figure):
    """The figure; it has no options."""

    caption: ClassVar[str] = """
    Above: the printed bound 2βR of each theorem of *Tangent Differential Privacy* (Ying 2025) over the exact
    operator norm on a finite W and these data; 1 is tight, and below 1 (shaded) the bound is **refuted**. Theorem
    3.3 is: its proof takes the Ḣ¹ norm of ∫ q r dw for a bound on a sum of sizes, but gradients have signs and
    cancel. With ∫ q ‖r(w, ·)‖ dw in place of its R the step holds (dotted). The 0/1 loss has jumps and no
    Wasserstein lines. Below: the distribution-aware R of Theorem 3.1 over max |r| of Remark 3.2(b); the shaded gap
    is what knowing p and q saves.
    """

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Above, bound over exact norm (below 1: the bound is refuted); below, R of Theorem 3.1 over max |r|.

        A loss with jumps has no Wasserstein lines. For Theorem 3.3 the proven lower end of the norm is taken, so that a
        quotient below 1 does refute; for its repair the upper end, so that one above 1 does confirm.

        Raises:
            ValueError: a column or a curve is missing, or a loss has two runs.
        """
        parts = []
        figure, columns = columns_over_beta(runs, history, THEOREMS)
        for column in columns:
            for theorem, (_, look) in THEOREMS.items():
                looseness = _looseness(column, theorem)
                column.above.plot(looseness.index, looseness, markersize=3, **look)
                parts.append(column.table(f"bound/norm {theorem}", looseness))
            aware = column.curve("radius/3.1") / column.curve("radius/3.2")
            column.below.plot(aware.index, aware, color=style.SKY, marker="o", markersize=3)
            column.below.fill_between(aware.index, aware, 1, color=style.SKY, alpha=0.12, linewidth=0)
            parts.append(column.table("R of 3.1 / max |r|", aware))
            column.above.axhline(1, color=style.BLACK, linewidth=1)
            column.above.axhspan(SHOWN[0], 1, color=style.RED, alpha=0.08, linewidth=0)
            column.above.set_ylim(*SHOWN)
            column.below.set_ylim(0, 1.05)
        for column in columns[::ACROSS]:
            column.above.set_ylabel("bound / exact norm\n(shaded: refuted)")
            column.below.set_ylabel(r"$\max_x \int q\,r\,dw\,/\,\max|r|$")
        return figure, pd.concat(parts, ignore_index=True)


def _looseness(column: Column, theorem: str) -> pd.Series[float]:
    """Bound over norm by β; empty for a theorem that does not speak of the run's loss."""
    if theorem not in ("3.1", "3.2") and not column.has("bound/3.3"):
        return pd.Series(dtype=float)
    if theorem == "3.3 repaired":
        radii, norm = column.curve("radius/3.3 repaired"), column.curve("norm_upper/3.3")
        bound = 2 * radii.index.to_series() * radii
    else:
        bound, norm = column.curve(f"bound/{theorem}"), column.curve(f"norm/{theorem}")
    return (bound / norm)[norm > LEAST * norm.max()]
