"""WG Figure 4: training losses at α = 0.75, of Figures 1, 2 and 3."""

from __future__ import annotations

from wassdp.claims import loss_curves
from wassdp.claims.fair_figures import OPEN, SET
from wassdp.claims.measurement import Measured

FIGURES = ("figure-4-left", "figure-4-middle", "figure-4-right")

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Figure 4",
    place="Section 7: 'This can be seen from the loss curve, presented in Figure 4'; 'Figures 3 and 4 show'",
    statement="on average over steps, losses with noise are within 5 % of those without: parity, odds, codes, α = .75",
    formula="mean_t |L_ε(t) - L_∞(t)| ≤ mean_t L_∞(t) / 20",
    experiments=((SET, "fair-classification"), (SET, "fair-odds"), (SET, "fair-representation")),
    drawn=tuple((SET, name) for name in FIGURES),
    entries=lambda rows: loss_curves.entries(rows, FIGURES),
    lacking=OPEN,
)
