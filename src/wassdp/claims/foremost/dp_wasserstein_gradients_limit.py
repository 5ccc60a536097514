"""The Gaussian limit by which *DP Wasserstein gradients* accounts for its steps."""

from __future__ import annotations

from wassdp.claims.selected import Below, Pick, SelectedClaim, Shown

SAME = Shown(
    set="dp-wasserstein-gradients",
    experiment="fair-classification",
    setting="α = 0.75, statistical parity, ε = 10 by gdp, published bound",
    accuracy="accuracy",
)

PLAIN = Shown(
    set="dp-wasserstein-gradients",
    experiment="fair-classification",
    setting="α = 0, statistical parity, ε = 10 by gdp, published bound",
)
"""Without the penalty the paper's sensitivity is the smallest there is."""

CLAIM = SelectedClaim(
    place=9,
    paper="dp-wasserstein-gradients",
    where="Section 5.3; Figure 5",
    title="Fair classification, accounted by a Gaussian limit (Opacus's default form)",
    words=(
        "Finally, this writing now fits the framework of privacy accounting in the limit regime of Section 5.2 of "
        "(Dong et al., 2019). We use this accountant in the experiments using the implementation of (Yousefpour et "
        "al., 2021)."
    ),
    claimed="gdp",
    same=SAME,
    unattacked="no records are known that surely move a clipped Wasserstein gradient as far as its bound allows",
    honest=Shown(
        set="dp-wasserstein-gradients",
        experiment="fair-classification-tight",
        setting="α = 0.75, statistical parity, ε = 1",
        accuracy="accuracy",
    ),
    finding=(
        "The limit has two forms. The section that the paper refers to has the one for batches of a fixed size, as "
        "the paper's are; the implementation that it names, Opacus, takes the one for Poisson samples unless told "
        "otherwise. No code of the authors was found, so which of them was run is not known. Without the penalty, "
        "where the paper's sensitivity is the smallest there is, {{ plain }} is proven: the form for fixed batches "
        "gives {{ uniform }}, which is enough; Opacus's default gives {{ claimed }}, which is too little, since the "
        "noise that is drawn shows {{ plain_attacked }} at least, by its family. The claimed ε of this row is by "
        "Opacus's default. With the penalty "
        "that sensitivity is about twice the smallest, which hides it: {{ own }} is proven under it, {{ proven }} for "
        "the same runs under the smaller one. The disparate impact, {{ impact }} there, is {{ honest_impact }} at a "
        "proven {{ honest }}."
    ),
    picks={
        "plain": Pick(runs=PLAIN, column="epsilon/upper/pld"),
        "plain_attacked": Pick(runs=PLAIN, column="epsilon/lower/noise_scale_family"),
        "own": Pick(runs=SAME, column="epsilon/upper/pld_published_sensitivity"),
        "uniform": Pick(runs=PLAIN, column="epsilon/published/gdp_uniform"),
        "impact": Pick(runs=SAME, column="disparate_impact"),
        "honest_impact": Pick(
            runs=Shown(
                set="dp-wasserstein-gradients",
                experiment="fair-classification-tight",
                setting="α = 0.75, statistical parity, ε = 1",
            ),
            column="disparate_impact",
        ),
    },
    says=(
        Below(low="claimed", high="plain_attacked"),
        Below(low="plain_attacked", high="plain"),
        Below(low="plain", high="uniform"),
        Below(low="proven", high="own"),
    ),
)
