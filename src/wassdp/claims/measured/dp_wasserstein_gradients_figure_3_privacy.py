"""WG Figure 3: no noise beside ε = 1, codes of an autoencoder."""

from __future__ import annotations

from wassdp.claims.fair_figures import OPEN, SET, Panels
from wassdp.claims.measurement import Measured

PANELS = Panels(experiment="fair-representation", weights=(0.0, 0.75), budgets=(1.0,))

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 3",
    place="Section 7: 'Figures 3 and 4 show that privacy does not have a significative effect'",
    statement="at ε = 1 penalised loss, distance of the codes and accuracy are those without noise, up to 5 %",
    formula="L_ε ≤ 1.05 L_∞, |W_ε - W_∞| ≤ W_∞(α = 0)/20, |s_ε - s_∞| ≤ 1/20, s = ACC",
    experiments=((SET, PANELS.experiment),),
    entries=PANELS.privacy,
    lacking=OPEN,
)
