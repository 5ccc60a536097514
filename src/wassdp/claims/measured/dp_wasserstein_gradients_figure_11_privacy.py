"""WG Figure 11: no noise beside ε = 1 at every α, codes of an autoencoder."""

from __future__ import annotations

from wassdp.claims.fair_figures import OPEN, SET, Panels
from wassdp.claims.measurement import Measured

PANELS = Panels(experiment="fair-representation", shares=("accuracy", "disparate_impact"))

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 11",
    place="Section B.3: 'privacy doesn't affect much to the results of the optimization'",
    statement="loss, distance of the codes, accuracy and disparate impact are those without noise, up to 5 %",
    formula="L_ε ≤ 1.05 L_∞, |W_ε - W_∞| ≤ W_∞(α = 0)/20, |s_ε - s_∞| ≤ 1/20, s = ACC, DI",
    experiments=((SET, PANELS.experiment),),
    entries=PANELS.privacy,
    lacking=OPEN,
)
