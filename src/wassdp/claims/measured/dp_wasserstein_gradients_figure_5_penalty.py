"""WG Figure 5: the penalty over α, statistical parity."""

from __future__ import annotations

from wassdp.claims.fair_figures import SET, Panels
from wassdp.claims.measurement import Measured

PANELS = Panels(experiment="fair-classification")

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 5",
    place="Section B.1: 'for increasing values of α, the histograms of the scores … get closer'",
    statement="the groups' scores come closer at each next α, at every budget",
    formula="W(α') ≤ W(α) at each next α' > α",
    experiments=((SET, PANELS.experiment),),
    entries=PANELS.penalty,
)
