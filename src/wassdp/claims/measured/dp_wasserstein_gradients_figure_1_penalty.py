"""WG Figure 1: the penalty from α = 0 to 0.75, statistical parity."""

from __future__ import annotations

from wassdp.claims.fair_figures import SET, Panels, off_one
from wassdp.claims.measurement import Measured

PANELS = Panels(
    experiment="fair-classification",
    weights=(0.0, 0.75),
    budgets=(1.0,),
    unfair={"disparate impact, off 1": off_one("disparate_impact")},
)

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 1",
    place="Section 7: 'the Wasserstein penalization mitigates biases as α increases'",
    statement="from α = 0 to .75 groups' scores come closer, the disparate impact nearer 1, with and without noise",
    formula="W(.75) ≤ W(0) and |1 - DI(.75)| ≤ |1 - DI(0)|",
    experiments=((SET, PANELS.experiment),),
    entries=PANELS.penalty,
)
