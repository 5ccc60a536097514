"""WG Figure 2: no noise beside ε = 1, equality of odds."""

from __future__ import annotations

from wassdp.claims.fair_figures import SET, Panels
from wassdp.claims.measurement import Measured

PANELS = Panels(
    experiment="fair-odds", weights=(0.0, 0.75), budgets=(1.0,), shares=("accuracy", "equality_0", "equality_1")
)

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 2",
    place="Section 7: 'adding privacy does not significantly alter the results of the optimization'",
    statement="at ε = 1 loss, groups' distance, accuracy, EO0 and EO1 are those without noise, up to 5 %",
    formula="L_ε ≤ 1.05 L_∞, |W_ε - W_∞| ≤ W_∞(α = 0)/20, |s_ε - s_∞| ≤ 1/20, s = ACC, EO0, EO1",
    experiments=((SET, PANELS.experiment),),
    entries=PANELS.privacy,
)
