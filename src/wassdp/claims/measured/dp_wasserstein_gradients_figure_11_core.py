"""WG Figure 11: the reconstruction of the core variables."""

from __future__ import annotations

from wassdp.claims.fair_figures import OPEN, SET, Panels, column
from wassdp.claims.measurement import Measured, Rows
from wassdp.claims.recomputed import Entry

PANELS = Panels(experiment="fair-representation")


def _entries(rows: Rows) -> list[Entry]:
    return PANELS.over_weights(rows, "loss of the core variables", column("core_loss"), "at most", slack=0.1)


CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 11",
    place="Section B.3: 'the reconstruction associated with the core part is not affected much'",
    statement="at each next α the core variables' reconstruction loss rises by a tenth of that at α = 0 at most",
    formula="RLc(α') ≤ RLc(α) + RLc(0) / 10 at each next α' > α",
    experiments=((SET, PANELS.experiment),),
    entries=_entries,
    lacking=OPEN,
)
