"""WG Figure 5, on the disparate impact, word for word."""

from __future__ import annotations

from wassdp.claims.fair_figures import SET, Panels, column
from wassdp.claims.measurement import Measured, Rows
from wassdp.claims.recomputed import Entry

PANELS = Panels(experiment="fair-classification")


def _entries(rows: Rows) -> list[Entry]:
    return PANELS.over_weights(rows, "disparate impact", column("disparate_impact"), "at most")


CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 5",
    place="Section B.1: 'a progressive reduction of biases, as seen in the decreasing values of the disparate impact'",
    statement="word for word: the disparate impact, P(G = 1 | A = 0) / P(G = 1 | A = 1) by (17), falls at each next α",
    experiments=((SET, PANELS.experiment),),
    entries=_entries,
)
