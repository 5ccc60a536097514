"""Chains of a Langevin sampler: where they go, what they see, and whether they agree. Meta-stability made visible."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from wassdp.report import style
from wassdp.report.frames import require, titled
from wassdp.report.gibbs import DATASET, mark_not_converged
from wassdp.report.kinds import Drawing, Figure
from wassdp.tangent.diagnostics import LARGEST_R_HAT


class GibbsChains(Figure):
    """The figure; it has no options."""

    caption: ClassVar[str] = """
    Four Langevin chains on one Gibbs posterior a row: where they go, what each of them sees, and R-hat (split,
    rank-normalised; Vehtari et al. 2021) of the quantity on which they agree least: the mean risk or the margin of
    a watched record. Chains that stay in modes of their own (meta-stability, which *Tangent Differential Privacy*,
    section 4, names as open) have an R-hat far above 1.01 and are marked **not converged**: their estimates are not
    to be used.
    """

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """One row per run: the chains' course, their distributions, and R-hat, of the quantity of the largest R-hat.

        Raises:
            ValueError: a column or a curve is missing.
        """
        require(runs, ["run", "label", DATASET, "converged"])
        parts = []
        figure, axes = style.panels(len(runs), 3, share_x=False)
        figure.set_size_inches(style.WIDEST, 2.2 * len(runs))
        for place, (_, run) in enumerate(runs.iterrows()):
            points = history[history["run"] == run["run"]]
            trace, density, course = axes[3 * place : 3 * place + 3]
            chains = sorted({name for name in points["metric"] if str(name).startswith("trace/")})
            if not chains:
                raise ValueError(f"history: has no traces for run {run['run']}")
            for name, colour in style.ordered_colours(chains).items():
                _line(trace, points, name, colour)
                _line(density, points, name.replace("trace", "density"), colour)
            _line(course, points, "r_hat", style.GREY)
            course.axhline(LARGEST_R_HAT, color=style.RED, linewidth=1, linestyle=style.DASHES[1])
            _logarithmic(course, float(np.max(points.loc[points["metric"] == "r_hat", "value"])))
            # Not "below 1": of chains of which it is not known nothing says that they have.
            if run["converged"] != 1:
                mark_not_converged(trace)
            trace.set_title(f"{titled(run[DATASET])}, {run['label']}", fontsize=8, loc="left")
            trace.set(xlabel="draw", ylabel="mean risk or margin of\nleast agreement")
            density.set(xlabel="mean risk or margin of least agreement", ylabel="density in each chain")
            course.set(xlabel="draws of each chain", ylabel=r"$\hat R$ (dashed: 1.01)")
            parts.append(points[points["axis"].isin(["draw", "value"])])
        return figure, pd.concat(parts, ignore_index=True)


def _line(axis: Axes, points: pd.DataFrame, metric: str, colour: str) -> None:
    curve = points[points["metric"] == metric]
    axis.plot(curve["position"], curve["value"], color=colour, linewidth=1)


def _logarithmic(axis: Axes, largest: float) -> None:
    """An axis of R-hat from 1 on, with few ticks."""
    top = max(1.1, 1.2 * largest)
    few = ((1.3, (1, 1.05, 1.1)), (4, (1, 1.1, 1.5, 2)), (100, (1, 2, 5, 10, 20, 50)))
    marks = next((marks for most, marks in few if top < most), (1, 10, 100, 1e4, 1e6))
    axis.set_yscale("log")
    axis.set_ylim(0.99, top)
    axis.minorticks_off()
    axis.set_yticks([mark for mark in marks if mark <= top], [f"{mark:,.9g}" for mark in marks if mark <= top])
