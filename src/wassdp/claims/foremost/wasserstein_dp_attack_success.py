"""The probability of a successful attack of *Wasserstein DP*, P(A), on MNIST."""

from __future__ import annotations

from wassdp.claims.selected import Below, Pick, Printed, SelectedClaim, Shown

PRIVATE = Shown(set="attacks", experiment="membership-mnist", setting="linear on scattering features, ε = 0.76")
OPEN = Shown(set="attacks", experiment="membership-mnist", setting="linear on scattering features, no privacy")

CLAIM = SelectedClaim(
    place=5,
    paper="wasserstein-dp",
    where="Table 2, caption; Additional Specifications, comparability (3)",
    title="The budget bounds an attacker's success",
    words="Privacy budgets can be uniformly transformed into the probability of successful attacks",
    claimed=Printed(table="wasserstein-dp-table-2", row="mnist", column="WDP"),
    same=Shown(set="wasserstein-dp", experiment="published-table-2", setting="model_a, σ = 0.01", accuracy="accuracy"),
    honest=Shown(
        set="equal-budgets",
        experiment="scattering-mnist",
        setting="linear on scattering features, ε = 0.76",
        accuracy="accuracy",
    ),
    finding=(
        "P(A) = 1/(1 + e^-ε) bounds a guess of membership where ε is proven, up to δ, and nothing where it is a "
        "distance: with ε ≤ {{ proven }}, proven at the noise of the authors' code since the paper prints none, the "
        "bound is 1. At a proven {{ honest }} it is {{ bound }}. Against models of {{ records }} records at that "
        "budget, {{ small }} % accurate, membership inference by losses succeeds with "
        "{{ success }}, by likelihood ratios with {{ ratios }}, without privacy with {{ open }}."
    ),
    picks={
        "bound": Pick(runs=PRIVATE, column="success_allowed"),
        "success": Pick(runs=PRIVATE, column="success_loss"),
        "ratios": Pick(runs=PRIVATE, column="success_lira"),
        "records": Pick(runs=PRIVATE, column="records"),
        "small": Pick(runs=PRIVATE, column="accuracy"),
        "open": Pick(runs=OPEN, column="success_lira"),
    },
    says=(Below(low="success", high="bound"), Below(low="ratios", high="bound")),
)
