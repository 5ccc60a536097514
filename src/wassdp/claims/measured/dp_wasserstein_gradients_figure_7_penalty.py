"""WG Figure 7: the penalty over α, equality of odds."""

from __future__ import annotations

from wassdp.claims.fair_figures import SET, Panels, off_one
from wassdp.claims.measurement import Measured

PANELS = Panels(experiment="fair-odds", unfair={f"EO{label}, off 1": off_one(f"equality_{label}") for label in (0, 1)})

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 7",
    place="Section B.1: discrepancies shrink 'as α increases, as shown by the values of EO0, EO1'",
    statement="the groups' scores come closer inside each class, and EO0 and EO1 nearer 1, at each next α",
    formula="W(α') ≤ W(α) and |1 - EO_y(α')| ≤ |1 - EO_y(α)| at each next α' > α, y = 0, 1",
    experiments=((SET, PANELS.experiment),),
    entries=PANELS.penalty,
)
