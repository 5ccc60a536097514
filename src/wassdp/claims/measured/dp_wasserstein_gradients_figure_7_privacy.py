"""WG Figure 7: budgets beside no noise at every α, equality of odds."""

from __future__ import annotations

from wassdp.claims.fair_figures import SET, Panels
from wassdp.claims.measurement import Measured

PANELS = Panels(experiment="fair-odds", shares=("accuracy", "equality_0", "equality_1"))

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 7",
    place="Section B.1: 'private training has minimal impact on the model's fit across all values of α'",
    statement="loss, groups' distance, accuracy, EO0 and EO1 are those without noise, up to 5 %, at every α",
    formula="L_ε ≤ 1.05 L_∞, |W_ε - W_∞| ≤ W_∞(α = 0)/20, |s_ε - s_∞| ≤ 1/20, s = ACC, EO0, EO1",
    experiments=((SET, PANELS.experiment),),
    entries=PANELS.privacy,
)
