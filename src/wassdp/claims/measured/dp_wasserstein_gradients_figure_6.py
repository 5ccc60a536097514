"""WG Figure 6: training losses under statistical parity."""

from __future__ import annotations

from wassdp.claims import loss_curves
from wassdp.claims.fair_figures import SET
from wassdp.claims.measurement import Measured

FIGURES = ("figure-6",)

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 6",
    place="Section B.1: 'noisy versions of the loss curve, but very close to the non-private version'",
    statement="on average over steps, losses with noise are within 5 % of those without, statistical parity",
    formula="mean_t |L_ε(t) - L_∞(t)| ≤ mean_t L_∞(t) / 20",
    experiments=((SET, "fair-classification"),),
    drawn=tuple((SET, name) for name in FIGURES),
    entries=lambda rows: loss_curves.entries(rows, FIGURES),
)
