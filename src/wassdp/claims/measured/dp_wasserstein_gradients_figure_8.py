"""WG Figure 8: training losses under equality of odds."""

from __future__ import annotations

from wassdp.claims import loss_curves
from wassdp.claims.fair_figures import SET
from wassdp.claims.measurement import Measured

FIGURES = ("figure-8",)

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 8",
    place="Section B.1: 'it does not significantly affect the learning loss curve during optimization'",
    statement="on average over steps, losses with noise are within 5 % of those without, equality of odds",
    formula="mean_t |L_ε(t) - L_∞(t)| ≤ mean_t L_∞(t) / 20",
    experiments=((SET, "fair-odds"),),
    drawn=tuple((SET, name) for name in FIGURES),
    entries=lambda rows: loss_curves.entries(rows, FIGURES),
)
