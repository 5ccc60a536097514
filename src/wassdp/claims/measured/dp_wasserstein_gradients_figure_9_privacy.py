"""WG Figure 9: no noise beside ε = 1 at every α, regression in the plane."""

from __future__ import annotations

from wassdp.claims.fair_figures import OPEN, SET, Panels
from wassdp.claims.measurement import Measured

PANELS = Panels(experiment="fair-regression", shares=("accuracy", "above_diagonal_0", "above_diagonal_1"))

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 9",
    place="Section 7, which sends regression to Section B.2: 'As in the previous examples', on privacy",
    statement="loss, groups' distance, accuracy and shares over the diagonal are those without noise, up to 5 %",
    formula="L_ε ≤ 1.05 L_∞, |W_ε - W_∞| ≤ W_∞(α = 0)/20, |s_ε - s_∞| ≤ 1/20, s = ACC, OD0, OD1",
    experiments=((SET, PANELS.experiment),),
    entries=PANELS.privacy,
    lacking=OPEN,
)
