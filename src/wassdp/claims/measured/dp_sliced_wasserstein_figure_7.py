"""SWD Figure 7: the histogram of 100,000 projected coordinates in dimension 5 beside the law of Lemma 1."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from wassdp.claims.measurement import Measured, Row, Rows, number
from wassdp.claims.recomputed import Entry

SET, EXPERIMENT, FIGURE = "dp-sliced-wasserstein", "projected-coordinate", "figure-7"
DOUBT = 0.05
"""Probability with which chance alone passes each of the bounds."""


def _entries(rows: Rows) -> list[Entry]:
    entries = []
    for run in rows[EXPERIMENT]:
        draws, dimension = number(run, "parameters.draws"), number(run, "parameters.dimension")
        band = math.sqrt(math.log(2 / DOUBT) / (2 * draws))  # Dvoretzky, Kiefer and Wolfowitz; Massart (1990)
        about = f"seed {run['seed']}, {draws:,.0f} draws"
        entries += [
            Entry(
                name=f"{about}, largest gap of the distribution functions against what chance explains",
                printed=band,
                found=number(run, "kolmogorov"),
                relation="at most",
            ),
            Entry(
                name=f"{about}, mean",
                printed=1 / dimension,
                found=number(run, "mean_drawn"),
                digit=_normal(DOUBT / 2) * number(run, "deviation_exact") / math.sqrt(draws),
            ),
        ]
        cells = [row for row in rows[FIGURE] if row["metric"] == "density/drawn"]
        entries.append(
            Entry(
                name=f"{about}, largest deviation of the histogram's {len(cells)} cells, in standard errors",
                printed=_normal(DOUBT / (2 * len(cells))),
                found=_deviation(cells, draws, dimension),
                relation="at most",
            )
        )
    return entries


def _deviation(cells: list[Row], draws: float, dimension: float) -> float:
    """Shares of the draws in the cells against those of B(1/2, (d-1)/2)."""
    centres = np.array([number(cell, "position") for cell in cells])
    width = float(np.diff(centres).mean())
    edges = np.clip(np.append(centres - width / 2, centres[-1] + width / 2), 0, 1)
    stated = np.diff(special.betainc(0.5, (dimension - 1) / 2, edges))
    shares = width * np.array([number(cell, "value") for cell in cells])
    return float(np.max(np.abs(shares - stated) / np.sqrt(stated * (1 - stated) / draws)))


def _normal(tail: float) -> float:
    return -float(special.ndtri(tail))


CLAIM = Measured(
    paper="dp-sliced-wasserstein",
    item="Figure 7",
    place="Section 8.1 and Figure 7, caption: 'Estimation of the pdf of Y in Lemma 1'",
    statement="the histogram is that of B(1/2, (d-1)/2) at d = 5, up to what chance explains at 95 % (one seed)",
    formula="sup |F_n - F| ≤ √(ln(2/0.05)/(2n)), n = 100,000, F of B(1/2, 2); mean 1/5; 60 cells",
    experiments=((SET, EXPERIMENT),),
    drawn=((SET, FIGURE),),
    entries=_entries,
)
