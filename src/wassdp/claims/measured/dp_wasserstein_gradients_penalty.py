"""WG section 7: what the penalty does, on training records, at every budget that was run."""

from __future__ import annotations

from wassdp.claims.fair_figures import SET, Panels, of_each
from wassdp.claims.measurement import Measured

EXPERIMENTS = ("fair-classification", "fair-odds", "fair-regression", "fair-representation")

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Section 7",
    place="Section 7: 'the Wasserstein penalization mitigates biases as α increases'",
    statement="the Wasserstein distance of the groups falls as the penalty's weight α rises, at every budget",
    formula="W(α') ≤ W(α) at each next α' > α",
    experiments=tuple((SET, name) for name in EXPERIMENTS),
    entries=of_each(EXPERIMENTS, Panels.penalty),
)
