"""WG section 5.3: the limit of Gaussian DP for Poisson samples as an account of batches, beside what is proven.

Both take the paper's sensitivity; what a smaller one proves for the same runs stands beside it. The form is Opacus's
default. The section of Dong et al. that the paper refers to has the limit for batches of a fixed size:
`dp-wasserstein-gradients-limit-uniform`.
"""

from __future__ import annotations

from wassdp.claims.fair_limits import EXPERIMENTS, of_limit
from wassdp.claims.measurement import Measured

CLAIM = Measured(
    paper="dp-wasserstein-gradients",
    item="Section 5.3, Poisson limit",
    place="Section 5.3, and the captions of the figures",
    statement=(
        "the budget by the GDP limit for Poisson samples is at least the one proven for the runs' noise,"
        " both by the paper's sensitivity"
    ),
    formula="ε_GDP(μ for Poisson samples; δ) ≥ ε_proven(δ), both at Δ of the paper",
    note="The limit for batches of a fixed size, which the paper's reference has, is above what is proven",
    experiments=EXPERIMENTS,
    entries=lambda rows: of_limit(rows, "gdp"),
)
