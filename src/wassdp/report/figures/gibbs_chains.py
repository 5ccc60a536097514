"""Chains of a Langevin sampler: where they go, what they see, and whether they agree. Meta-stability made visible."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from wassdp.report import style
from wassdp.report.frames import require
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

    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """One row per run: the chains' course, their distributions, and R-hat, of the quantity of the largest R-hat.

        Raises:
            ValueError: a column or a curve is missing.
        """
        require(runs, ["run", "label", DATASET, "converged"])
        parts = []
        with style.context():
            figure, axes = style.panels(len(runs), 3, share_x=False)
            figure.set_size_inches(10.5, 2.7 * len(runs))
            for place, (_, run) in enumerate(runs.iterrows()):
                own = history[history["run"] == run["run"]]
                trace, density, course = axes[3 * place : 3 * place + 3]
                chains = sorted({name for name in own["metric"] if str(name).startswith("trace/")})
                if not chains:
                    raise ValueError(f"history: has no traces for run {run['run']}")
                colours = style.ordered_colours(chains)
                for name in chains:
                    _line(trace, own, name, colours[name])
                    _line(density, own, name.replace("trace", "density"), colours[name])
                _line(course, own, "r_hat", style.BLACK)
                course.axhline(LARGEST_R_HAT, color=style.RED, linewidth=1, linestyle=style.DASHES[1])
                _logarithmic(course, float(np.max(own.loc[own["metric"] == "r_hat", "value"])))
                if run["converged"] < 1:
                    mark_not_converged(trace)
                trace.set_title(f"{run[DATASET]}, {run['label']}", fontsize=8, loc="left")
                trace.set_xlabel("draw")
                trace.set_ylabel("mean risk or margin of\nleast agreement")
                density.set_xlabel("mean risk or margin of least agreement")
                density.set_ylabel("density in each chain")
                course.set_xlabel("draws of each chain")
                course.set_ylabel(r"$\hat R$ (dashed: 1.01)")
                parts.append(own[own["axis"].isin(["draw", "value"])])
        return figure, pd.concat(parts, ignore_index=True)


def _line(axis: Axes, points: pd.DataFrame, metric: str, colour: str) -> None:
    own = points[points["metric"] == metric]
    axis.plot(own["position"], own["value"], color=colour, linewidth=1)


def _logarithmic(axis: Axes, largest: float) -> None:
    """An axis of R-hat from 1 on, with few ticks."""
    top = max(1.1, 1.2 * largest)
    marks = (1, 1.01, 1.05, 1.1) if top < 1.3 else (1, 1.1, 1.5, 2, 5, 10, 100, 1e4, 1e6)
    axis.set_yscale("log")
    axis.set_ylim(0.99, top)
    axis.minorticks_off()
    axis.set_yticks([mark for mark in marks if mark <= top], [f"{mark:g}" for mark in marks if mark <= top])
