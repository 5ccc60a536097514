"""WG section 5.3: the limit of Gaussian DP for batches of a fixed size, beside what is proven.

The form that Section 5.2 of Dong et al. has, which the paper refers to. Both take the paper's
sensitivity.
"""

from __future__ import annotations

from wassdp.claims.fair_limits import EXPERIMENTS, of_limit
from wassdp.claims.measurement import Measured

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Section 5.3, uniform limit",
    place="Section 5.3, and the captions of the figures",
    statement=(
        "the budget by the GDP limit for batches of a fixed size is at least the one proven for the runs' noise,"
        " both by the paper's sensitivity"
    ),
    formula="ε_GDP(μ for fixed batches; δ) ≥ ε_proven(δ), both at Δ of the paper",
    experiments=EXPERIMENTS,
    entries=lambda rows: of_limit(rows, "gdp_uniform"),
)
