"""Theorem 3.2 of *Tangent DP*, read as a budget of one draw."""

from __future__ import annotations

from wassdp.claims.selected import Below, Pick, SelectedClaim, Shown

SAME = Shown(
    set="tangent-dp",
    experiment="gibbs-accuracy",
    setting="digits, Savage loss, exact draw, ε = 1",
    accuracy="accuracy",
)

CLAIM = SelectedClaim(
    place=10,
    paper="tangent-dp",
    where="Theorem 3.2",
    title="One draw from a Gibbs posterior",
    words=(
        "If max |r(w, x)| ≤ R, then A satisfies tangent differential privacy at p for the norm pair (L¹, L^∞) with "
        "bound 2βR."
    ),
    claimed="tangent",
    same=SAME,
    unattacked="the draw has no noise of a stated deviation, which the attack by the noise's scale needs",
    honest=SAME,
    finding=(
        "The theorem holds in every case tried, the largest found being {{ largest }} of the bound. That bounds how "
        "fast one distribution's draw changes, and is no (ε, δ): read as one here. Of one draw for which it gives "
        "{{ claimed }}, the exact accountant proves {{ honest }}, with {{ honest_accuracy }} % on "
        "scikit-learn's digits."
    ),
    picks={
        "largest": Pick(
            runs=Shown(set="tangent-dp", experiment="tangent-claims", setting="tangent-theorem-3-2"),
            column="claim_ratio",
        )
    },
    says=(Below(low="largest", high=1 + 1e-9), Below(low="honest", high="claimed")),
)
