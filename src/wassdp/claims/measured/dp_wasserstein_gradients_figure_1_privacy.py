"""WG Figure 1: no noise beside ε = 1, statistical parity."""

from __future__ import annotations

from wassdp.claims.fair_figures import SET, Panels
from wassdp.claims.measurement import Measured

PANELS = Panels(
    experiment="fair-classification", weights=(0.0, 0.75), budgets=(1.0,), shares=("accuracy", "disparate_impact")
)

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 1",
    place="Section 7: 'adding privacy does not significantly alter the results of the optimization'",
    statement="loss, groups' distance, accuracy and disparate impact at ε = 1 are those without noise, up to 5 %",
    formula="L_ε ≤ 1.05 L_∞, |W_ε - W_∞| ≤ W_∞(α = 0)/20, |s_ε - s_∞| ≤ 1/20, s = ACC, DI",
    experiments=((SET, PANELS.experiment),),
    entries=PANELS.privacy,
)
