"""WG Figure 5: budgets beside no noise at every α, statistical parity."""

from __future__ import annotations

from wassdp.claims.fair_figures import SET, Panels
from wassdp.claims.measurement import Measured

PANELS = Panels(experiment="fair-classification", shares=("accuracy", "disparate_impact"))

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 5",
    place="Section B.1: 'both the histogram and the computed measures do not change much across the rows'",
    statement="loss, groups' distance, accuracy and disparate impact are those without noise, up to 5 %, at every α",
    formula="L_ε ≤ 1.05 L_∞, |W_ε - W_∞| ≤ W_∞(α = 0)/20, |s_ε - s_∞| ≤ 1/20, s = ACC, DI",
    experiments=((SET, PANELS.experiment),),
    entries=PANELS.privacy,
)
