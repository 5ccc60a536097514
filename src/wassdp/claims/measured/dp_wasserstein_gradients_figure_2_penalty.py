"""WG Figure 2: the penalty from α = 0 to 0.75, equality of odds."""

from __future__ import annotations

from wassdp.claims.fair_figures import SET, Panels, off_one
from wassdp.claims.measurement import Measured

PANELS = Panels(
    experiment="fair-odds",
    weights=(0.0, 0.75),
    budgets=(1.0,),
    unfair={f"EO{label}, off 1": off_one(f"equality_{label}") for label in (0, 1)},
)

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 2",
    place="Section 7: 'the Wasserstein penalization mitigates biases as α increases'",
    statement="from α = 0 to .75 groups' scores come closer in each class, EO0, EO1 nearer 1, noise or not",
    formula="W(.75) ≤ W(0) and |1 - EO_y(.75)| ≤ |1 - EO_y(0)|, y = 0, 1",
    experiments=((SET, PANELS.experiment),),
    entries=PANELS.penalty,
)
