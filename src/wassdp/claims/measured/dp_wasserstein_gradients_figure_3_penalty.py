"""WG Figure 3: the penalty from α = 0 to 0.75, on codes of an autoencoder."""

from __future__ import annotations

from wassdp.claims.fair_figures import OPEN, SET, Panels
from wassdp.claims.measurement import Measured

PANELS = Panels(experiment="fair-representation", weights=(0.0, 0.75), budgets=(1.0,))

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 3",
    place="Section 7: 'increasing values of α reduce the discrepancy between the conditional distributions'",
    statement="from α = 0 to .75 the groups' codes come closer, with and without noise",
    formula="W(.75) ≤ W(0)",
    experiments=((SET, PANELS.experiment),),
    entries=PANELS.penalty,
    lacking=OPEN,
)
