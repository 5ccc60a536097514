"""SWD Algorithm 1 on two samples of one law, whose smoothed distance is 0, as the samples grow."""

from __future__ import annotations

from itertools import pairwise

from wassdp.claims.measurement import Measured, Row, Rows, number
from wassdp.claims.paired_seeds import paired
from wassdp.claims.recomputed import Entry

EXPERIMENT = "toy-gaussians"
LEFT = 0.5
"""Share of the value that ten times the points may leave; 1/√10 would be that of a mean."""


def _entries(rows: Rows) -> list[Entry]:
    cells: dict[tuple[float, float], list[Row]] = {}
    for row in rows[EXPERIMENT]:
        cells.setdefault((number(row, "parameters.sigma"), number(row, "parameters.points")), []).append(row)
    entries = []
    for (noise, few), (same, many) in pairwise(sorted(cells)):
        if noise == same:
            pair = paired(cells[noise, few], cells[noise, many], lambda row: number(row, "floor_dp_swd"))
            name = f"σ = {noise:g}, value of {many:,.0f} points against half of that of {few:,.0f}"
            entry = Entry(name=name, printed=LEFT * pair.before, found=pair.after, relation="at most")
            entries.append(entry)
    return entries


CLAIM = Measured(
    paper="dp-sliced-wasserstein",
    item="Algorithm 1",
    place="Algorithm 1, with Section 6.1: 'the distance DP-SWD is minimized when μ = ν'",
    statement="of two samples of one law Algorithm 1 makes less as they grow: half at most for ten times the points",
    formula="E DP-SWD(10n points) ≤ E DP-SWD(n points) / 2, μ = ν, at each σ",
    experiments=(("dp-sliced-wasserstein", EXPERIMENT),),
    entries=_entries,
)
