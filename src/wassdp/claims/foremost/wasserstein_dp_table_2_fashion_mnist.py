"""Table 2 of *Wasserstein DP*, Fashion-MNIST."""

from __future__ import annotations

from wassdp.claims.selected import Below, Pick, Printed, SelectedClaim, Shown

SAME = Shown(
    set="wasserstein-dp",
    experiment="published-table-2",
    setting="fashion_mnist, model_a, σ = 0.01",
    accuracy="accuracy",
)

LOW = Shown(
    set="equal-budgets", experiment="scattering-fashion-mnist", setting="linear on scattering features, ε = 0.45"
)

CLAIM = SelectedClaim(
    place=3,
    paper="wasserstein-dp",
    where="Table 2, caption",
    title="Fashion-MNIST at {{ printed_accuracy }} %",
    words="Privacy budgets accounted by DP, BDP and WDP on MNIST, CIFAR-10, SVHN and Fashion-MNIST",
    claimed=Printed(table="wasserstein-dp-table-2", row="fashion_mnist", column="WDP"),
    accuracy=Printed(table="wasserstein-dp-table-2", row="fashion_mnist", column="accuracy"),
    same=SAME,
    honest=Shown(
        set="equal-budgets",
        experiment="damped-fashion-mnist",
        setting="linear on scattering features, ε = 4",
        accuracy="accuracy",
    ),
    finding=(
        "The published code's training reaches {{ accuracy }} %, and no more is proven of it than ε ≤ {{ proven }}. "
        "{{ honest_accuracy }} % cost a proven {{ honest }} here; at a proven {{ low }}, {{ low_accuracy }} %."
    ),
    picks={
        "low": Pick(runs=LOW, column="epsilon/upper/pld"),
        "low_accuracy": Pick(runs=LOW, column="accuracy"),
    },
    says=(Below(low="claimed", high="proven"),),
)
