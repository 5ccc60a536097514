"""WG Figure 5: what the penalty costs in accuracy."""

from __future__ import annotations

from wassdp.claims.fair_figures import SET, Panels, column
from wassdp.claims.measurement import Measured, Rows
from wassdp.claims.recomputed import Entry

PANELS = Panels(experiment="fair-classification")


def _entries(rows: Rows) -> list[Entry]:
    return PANELS.over_weights(rows, "accuracy", column("accuracy"), "at most")


CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 5",
    place="Section B.1: 'albeit at the expense of accuracy, as expected'",
    statement="test accuracy falls at each next α, at every budget",
    formula="ACC(α') ≤ ACC(α) at each next α' > α",
    experiments=((SET, PANELS.experiment),),
    entries=_entries,
)
