"""WG Figure 11: what the penalty costs a classifier of the codes in accuracy."""

from __future__ import annotations

from wassdp.claims.fair_figures import OPEN, SET, Panels, column
from wassdp.claims.measurement import Measured, Rows
from wassdp.claims.recomputed import Entry

PANELS = Panels(experiment="fair-representation")


def _entries(rows: Rows) -> list[Entry]:
    return PANELS.over_weights(rows, "accuracy", column("accuracy"), "at most")


CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 11",
    place="Section B.3: 'at the expense of a decrease in accuracy'",
    statement="the accuracy of a classifier of the codes falls at each next α",
    formula="ACC(α') ≤ ACC(α) at each next α' > α",
    experiments=((SET, PANELS.experiment),),
    entries=_entries,
    lacking=OPEN,
)
