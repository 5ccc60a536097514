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
    where="Section 5, after Algorithm 1; Figure 2",
    title="Fair classification, accounted by a Gaussian limit",
    words="this writing now fits the framework of privacy accounting in the limit regime [...]. We use this accountant",
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
        "A limit of many steps bounds nothing at finitely many: without the penalty, where the paper's sensitivity is "
        "the smallest there is, it gives {{ claimed }}; the noise that is drawn shows {{ plain_attacked }} at least, "
        "by its family; {{ plain }} is proven, and the limit for fixed batches gives {{ uniform }}. The paper does not "
        "say which form of the limit it used; this is that for Poisson samples, Opacus's default. With the penalty "
        "that sensitivity is about twice the smallest, which hides it: {{ own }} is proven under it, {{ proven }} for "
        "the same runs under the smaller one. The disparate impact, {{ impact }} there, is {{ honest_impact }} at a "
        "proven {{ honest }}."
    ),
    picks={
        "plain": Pick(runs=PLAIN, column="epsilon/upper/pld"),
        "plain_attacked": Pick(runs=PLAIN, column="epsilon/lower/noise_scale_family"),
        "own": Pick(runs=SAME, column="epsilon/upper/pld_published_sensitivity"),
        "uniform": Pick(runs=SAME, column="epsilon/published/gdp_uniform"),
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
        Below(low="proven", high="own"),
    ),
)
