"""WG Figure 12: training losses of an autoencoder."""

from __future__ import annotations

from wassdp.claims import loss_curves
from wassdp.claims.fair_figures import OPEN, SET
from wassdp.claims.measurement import Measured

FIGURES = ("figure-12",)

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 12",
    place="Section B.3: 'we can infer from Figures 11 and 12 that privacy doesn't affect much'",
    statement="on average over steps, losses with noise are within 5 % of those without, codes of an autoencoder",
    formula="mean_t |L_ε(t) - L_∞(t)| ≤ mean_t L_∞(t) / 20",
    experiments=((SET, "fair-representation"),),
    drawn=tuple((SET, name) for name in FIGURES),
    entries=lambda rows: loss_curves.entries(rows, FIGURES),
    lacking=OPEN,
)
