"""WG Figure 11: the penalty over α, codes of an autoencoder."""

from __future__ import annotations

from wassdp.claims.fair_figures import OPEN, SET, Panels, off_one
from wassdp.claims.measurement import Measured

PANELS = Panels(experiment="fair-representation", unfair={"disparate impact, off 1": off_one("disparate_impact")})

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 11",
    place="Section B.3: 'increasing values of α lead to values of the disparate impact index closer to 1'",
    statement="at each next α the groups' codes come closer, and a classifier's disparate impact on them nearer 1",
    formula="W(α') ≤ W(α) and |1 - DI(α')| ≤ |1 - DI(α)| at each next α' > α",
    experiments=((SET, PANELS.experiment),),
    entries=PANELS.penalty,
    lacking=OPEN,
)
