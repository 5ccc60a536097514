"""WG Figure 10: training losses of a regression in the plane."""

from __future__ import annotations

from wassdp.claims import loss_curves
from wassdp.claims.fair_figures import OPEN, SET
from wassdp.claims.measurement import Measured

FIGURES = ("figure-10",)

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 10",
    place="Section B.2: 'the private loss curves are simply noisy versions of the non-private ones'",
    statement="on average over steps, losses with noise are within 5 % of those without, regression",
    formula="mean_t |L_ε(t) - L_∞(t)| ≤ mean_t L_∞(t) / 20",
    experiments=((SET, "fair-regression"),),
    drawn=tuple((SET, name) for name in FIGURES),
    entries=lambda rows: loss_curves.entries(rows, FIGURES),
    lacking=OPEN,
)
