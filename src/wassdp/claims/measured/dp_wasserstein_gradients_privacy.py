"""WG section 7: what privacy does to the penalised loss, on training records."""

from __future__ import annotations

from wassdp.claims.fair_figures import SET, Panels, of_each
from wassdp.claims.measurement import Measured

EXPERIMENTS = ("fair-classification", "fair-odds")  # the sentence is about classification

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Section 7",
    place="Section 7, classification: 'adding privacy does not significantly alter the results of the optimization'",
    statement="the penalised loss that private training ends with is at most a twentieth above that without noise",
    formula="L_ε(T) ≤ L_∞(T) + |L_∞(T)| / 20",
    experiments=tuple((SET, name) for name in EXPERIMENTS),
    entries=of_each(EXPERIMENTS, Panels.loss),
)
