"""WG Figure 5, on the disparate impact, as Section B.3 has it: nearer 1."""

from __future__ import annotations

from wassdp.claims.fair_figures import SET, Panels, off_one
from wassdp.claims.measurement import Measured, Rows
from wassdp.claims.recomputed import Entry

PANELS = Panels(experiment="fair-classification")


def _entries(rows: Rows) -> list[Entry]:
    return PANELS.over_weights(rows, "disparate impact, off 1", off_one("disparate_impact"), "at most")


CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 5",
    place="Section B.1, with 'closer to 1' as Section B.3 has it",
    statement="the disparate impact by (17) comes nearer 1 at each next α",
    formula="|1 - DI(α')| ≤ |1 - DI(α)| at each next α' > α",
    repairs="dp-wasserstein-gradients-figure-5-disparate-impact",
    experiments=((SET, PANELS.experiment),),
    entries=_entries,
)
