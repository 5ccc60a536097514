"""The Gaussian limit by which *DP Wasserstein gradients* accounts for its steps."""

from __future__ import annotations

from wassdp.claims.selected import Pick, SelectedClaim, Shown

SAME = Shown(
    set="dp-wasserstein-gradients",
    experiment="fair-classification",
    setting="α = 0.75, statistical parity, ε = 10 by gdp, published bound",
    accuracy="accuracy",
)

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
        "A limit of many steps bounds nothing at finitely many: where it gives {{ claimed }}, ε ≤ {{ proven }} is "
        "proven for the paper's sensitivity; the limit for fixed batches gives {{ uniform }}. The disparate impact, "
        "{{ impact }} there, is {{ honest_impact }} at a proven {{ honest }} under this project's tighter sensitivity."
    ),
    picks={
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
)
