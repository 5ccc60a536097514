"""Figure 4 of *Wasserstein DP*: 100 steps of synthetic gradients, clipped."""

from __future__ import annotations

from wassdp.claims.selected import Below, Pick, SelectedClaim, Shown

SAME = Shown(set="wasserstein-dp", experiment="composition", setting="clipped, C the 0.5 quantile of the batch's norms")
PUBLIC = Shown(set="wasserstein-dp", experiment="composition", setting="clipped, C the 0.5 quantile of the norm's law")

CLAIM = SelectedClaim(
    place=4,
    paper="wasserstein-dp",
    where="Appendix, Figure 4; Composition, observation (2)",
    title="100 noisy steps of clipped gradients",
    words="However, this does not affect WDP to still get the lowest cumulative privacy budget",
    claimed="wasserstein",
    same=SAME,
    unattacked="no noise covers the clip norm, a quantile of the step's own private norms that scales the noise",
    honest=PUBLIC,
    finding=(
        "Clip norm and noise of every step are quantiles of that step's private gradients: one record can double the "
        "noise, and no finite ε holds. With the quantile of the norm's distribution, a public constant, the same steps "
        "cost ε ≤ {{ honest }}. At order 1 the Bayesian accountant that the figure compares with gives {{ bayesian }} "
        "and the moments accountant {{ moments }}, both below the {{ claimed }} that is called the lowest."
    ),
    picks={
        "bayesian": Pick(runs=SAME, column="epsilon/published/bayesian-order-1"),
        "moments": Pick(runs=SAME, column="epsilon/published/moments-order-1"),
    },
    says=(Below(low="bayesian", high="claimed"), Below(low="moments", high="claimed")),
)
