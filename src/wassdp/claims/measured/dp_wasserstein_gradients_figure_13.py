"""WG Figure 13: a Gaussian sample learns to be a circle, by the whole samples and by the points of the pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from wassdp.claims.fair_figures import SET
from wassdp.claims.measurement import Measured, Row, Rows, number
from wassdp.claims.recomputed import Entry

FIGURE = "figure-13"
RADIUS = 0.75
MATCHED = 0.1
"""Share of the distance before training that may be left."""
NEARER = 0.5
"""Share of the points' distance from the circle that may be left at any later picture."""


def _entries(rows: Rows) -> list[Entry]:
    entries = []
    for run in rows["circle"]:
        left = number(run, "distance") / number(run, "distance_before")
        about = f"{run['label']}, seed {run['seed']}"
        name = f"{about}, sliced W₂² after / before training"
        entries.append(Entry(name=name, printed=MATCHED, found=left, relation="at most"))
        pictures: dict[float, list[Row]] = {}
        for point in rows[FIGURE]:
            if point["run"] == run["run"] and point["side"] == "x":
                pictures.setdefault(number(point, "step"), []).append(point)
        if not pictures:  # the figure shows one seed
            continue
        first, *later = sorted(pictures)
        before = _off(pictures[first])
        for step in later:
            name = f"{about}, points' distance from the circle, step {step:g} against {first:g}"
            found = _off(pictures[step])
            entries.append(Entry(name=name, printed=NEARER * before, found=found, relation="at most"))
    return entries


def _off(points: Sequence[Row]) -> float:
    return fmean(abs(math.hypot(number(point, "first"), number(point, "second")) - RADIUS) for point in points)


CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 13",
    place="Appendix C: 'the ability of our method to privately learn distributions'",
    statement="training leaves a tenth of the sliced distance at most, with noise and without; each picture is nearer",
    formula="SW₂²(T) ≤ SW₂²(0) / 10, and E|‖x_t‖ - r| ≤ E|‖x_0‖ - r| / 2 in each later picture, r = 3/4",
    experiments=((SET, "circle"),),
    drawn=((SET, FIGURE),),
    entries=_entries,
)
