"""Table 2 of *DP sliced Wasserstein*: generation of MNIST."""

from __future__ import annotations

from wassdp.claims.selected import Below, Pick, Printed, SelectedClaim, Shown

CLAIM = SelectedClaim(
    place=8,
    paper="dp-sliced-wasserstein",
    where="Table 2, DP-SWD-b, MNIST, MLP",
    title="Generated MNIST at {{ printed_accuracy }} % downstream",
    words="All models are compared with the same fixed budget of privacy (ε, δ) = (10, 10^-5).",
    claimed=Printed(table="dp-sliced-wasserstein-table-2", row="mnist", column="epsilon"),
    accuracy=Printed(table="dp-sliced-wasserstein-table-2", row="mnist", column="DP-SWD-b, mlp"),
    same=Shown(
        set="dp-sliced-wasserstein",
        experiment="generation-readings-mnist",
        setting="DP-SWD, labels by outer product, raw rows, 100 rows, σ = 2.94",
        accuracy="accuracy_mlp",
    ),
    honest=Shown(
        set="head-to-head",
        experiment="generation-moments",
        setting="DP-moments, 18×18 cosines, 59 directions, 2 parts a class, ε = 1",
        accuracy="accuracy_mlp_stopped",
    ),
    finding=(
        "The printed noise is for rows within distance 1, raw images with their labels are up to {{ distance }} apart: "
        "for them ε ≤ {{ proven }} is proven at the same noise. Images from noisy moments, labels private, without a "
        "distance and without a generator, give {{ honest_accuracy }} % at a proven {{ honest }}, settings chosen on "
        "validation records by a search that was set up when test accuracies were known, by the same network, but "
        "stopped on held-out generated images instead of trained to the end of its training loss. "
        "{{ searched_accuracy }} % came of a longer search, after test accuracies of earlier settings had been read."
    ),
    picks={
        "distance": Pick(
            runs=Shown(
                set="dp-sliced-wasserstein",
                experiment="generation-readings-mnist",
                setting="DP-SWD, labels by outer product, raw rows, 100 rows, σ = 2.94",
            ),
            column="distance",
        ),
        "searched_accuracy": Pick(
            runs=Shown(
                set="private-images",
                experiment="moments-mnist-1",
                setting="DP-moments, 18×18 cosines, 42 directions, 2 parts a class, ε = 1",
            ),
            column="accuracy_mlp_stopped",
        ),
    },
    says=(Below(low="claimed", high="proven"),),
)
