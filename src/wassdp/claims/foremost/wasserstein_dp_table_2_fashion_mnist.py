"""Table 2 of *Wasserstein DP*, Fashion-MNIST."""

from __future__ import annotations

from wassdp.claims.selected import Below, Pick, Printed, SelectedClaim, Shown

SAME = Shown(
    set="wasserstein-dp",
    experiment="published-table-2",
    setting="fashion_mnist, model_a, σ = 0.01",
    accuracy="accuracy",
)

LOW = Shown(set="head-to-head", experiment="fashion-mnist-scattering", setting="linear on scattering features, ε = 0.5")
REACHED = Shown(set="equal-budgets", experiment="damped-fashion-mnist", setting="linear on scattering features, ε = 4")

AS_CLAIMED = Shown(set="attacks", experiment="budgets-attacked", setting="wasserstein dp table 2 fashion mnist")

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
        set="head-to-head",
        experiment="fashion-mnist-scattering",
        setting="linear on scattering features, ε = 3",
        accuracy="accuracy",
    ),
    finding=(
        "The paper prints no noise. With that of its authors' code, as here, trainings reach {{ accuracy }} %, and no "
        "more is proven of them than ε ≤ {{ proven }}; with so much noise that the formula gives {{ claimed }}, an "
        "attack on trainings reaches {{ found }}. "
        "Scattering features give {{ low_accuracy }} % at a proven {{ low }} and {{ honest_accuracy }} % at "
        "{{ honest }}, settings chosen on validation records; {{ reached_accuracy }} % cost {{ reached }}, after test "
        "accuracies of other settings had been read."
    ),
    picks={
        "found": Pick(runs=AS_CLAIMED, column="lower/measured"),
        "low": Pick(runs=LOW, column="epsilon/upper/pld"),
        "low_accuracy": Pick(runs=LOW, column="accuracy"),
        "reached": Pick(runs=REACHED, column="epsilon/upper/pld"),
        "reached_accuracy": Pick(runs=REACHED, column="accuracy"),
    },
    says=(Below(low="claimed", high="proven"), Below(low="claimed", high="found")),
)
