from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wassdp import config, runs
from wassdp.pipeline import plan
from wassdp.tracking.names import LONGEST, short_names

WORDS = st.sampled_from(
    ["linear", "batch 512", "ε = 1", "ε = 10", "C the 0.99 quantile of the batch's norms", "a", "x-y", "no privacy"]
)
LABELS = st.lists(WORDS, min_size=1, max_size=6).map(", ".join)
SEEDS = st.lists(st.integers(0, 10**6), min_size=1, max_size=3, unique=True)
CONFIGURATIONS = [Path("config.yaml"), *sorted(Path("workflow/presets").glob("*.yaml"))]
READ = {
    "composition": [
        ("not clipped, C the 0.05 quantile of the batch's norms", "unclipped, q .05 batch"),
        ("clipped, C the 0.5 quantile of the norm's law", "clipped, q .5 law"),
    ],
    "gradient-sensitivity": [
        ("clipped gradient, replace one, dimension 1, projections 50", "any, 1-d, k 50"),
        ("clipped gradient, replace one inside its class, dimension 784, projections 1", "in class, 784-d, k 1"),
        ("clipped gradient, replace one, dimension 784, projections 1", "any, 784-d, k 1"),
    ],
    "gradient-sensitivity-unequal": [
        (
            "clipped gradient, replace one inside its class, dimension 1, projections 50, left 2",
            "in class, 1-d, k 50, n 2",
        ),
        ("clipped gradient, replace one, dimension 2, projections 1, left 6", "any, 2-d, k 1, n 6"),
    ],
    "adaptation": [
        ("source only, dropout in 1 epoch", "source only, dropout"),
        ("DP-SWD, as published, σ = 5.34", "DP-SWD, published, σ 5.34"),
        ("DP-SWD, accounted in full, ε = 10", "DP-SWD, in full, ε 10"),
        ("Wasserstein gradient, private encoder, ε = 10", "gradient, ε 10"),
        ("Wasserstein gradient, private encoder, noise alone, that of ε = 10", "gradient, noise of ε 10"),
    ],
    "adaptation-office-caltech10": [
        ("dslr to webcam (office_caltech10, googlenet), source only", "D-W, source only"),
        ("amazon to caltech10 (office_caltech10, googlenet), DP-DANN, σ = 9.81", "A-C, DP-DANN, σ = 9.81"),
    ],
    "generation": [
        ("SW gradients, labels by outer product, averages of 2×2, norm 0.707, no privacy", "SWG, outer, no privacy"),
        ("DP-SW gradients, public labels, averages of 2×2, norm 0.707, ε = 1", "DP-SWG, public, ε 1"),
        ("DP-SWD, public labels, 14×14 cosines, orthogonal, 500×1 rows, ε = 10", "14×14 cosines, ε 10"),
        ("DP-SWD, public labels, low 12×12, orthogonal, 500×1 rows, ε = 10", "DP-SWD, low 12×12, ε 10"),
        ("DP-SWD, public labels, orthogonal, all rows, released once, ε = 10", "DP-SWD, all rows, ε 10"),
    ],
    "fair-classification": [
        ("α = 0, statistical parity, no noise", "α 0, no noise"),
        ("α = 0.25, statistical parity, ε = 10 by gdp, published bound", "α .25, ε 10 by GDP"),
    ],
    "budgets-attacked": [
        ("wasserstein dp table 2 fashion mnist", "WDP table 2 Fashion-MNIST"),
        ("dp sliced wasserstein proposition 2", "SWD proposition 2"),
    ],
    "adaptation-mnist-usps": [
        ("DP-DANN, learning rate 0.001, ε = 10", "DP-DANN, lr .001, ε 10"),
        ("DP-DANN, learning rate 0.0001, ε = 10", "DP-DANN, lr 1e-4, ε 10"),
        ("DP-DANN, learning rate 0.0005, ε = 1", "DP-DANN, lr 5e-4, ε 1"),
        ("DP-SWD, accounted in full, ε = 10", "DP-SWD, in full, ε 10"),
    ],
    "published-table-2": [
        ("fashion_mnist, model_a, σ = 0.01", "Fashion, model a, σ .01"),
        ("cifar10, model_b, no privacy", "CIFAR-10, no privacy"),
    ],
}
"""Labels of experiments, and what their runs are called where they have no room."""


@settings(deadline=None)
@given(st.lists(LABELS, min_size=1, max_size=40, unique=True), SEEDS)
def test_names_are_short_and_tell_runs_apart(labels: list[str], seeds: list[int]) -> None:
    names = short_names([(label, seed) for label in labels for seed in seeds])
    assert len(set(names)) == len(labels) * len(seeds)
    assert max(map(len, names)) <= LONGEST


def test_what_is_shared_is_left_out() -> None:
    claims = [("wasserstein-dp-theorem-1", 0), ("wasserstein-dp-theorem-1-repaired", 0), ("wasserstein-dp-remark", 0)]
    assert short_names(claims) == ["theorem-1", "theorem-1-repaired", "remark"]
    assert short_names([("tail-bound", 0)]) == ["tail-bound"]
    long = "DP-SWD, public labels, norm 0.707, orthogonal, low 5×5, 60×1 rows, ε = 10"
    assert short_names([(long, 0), ("SWD", 0)]) == ["DP-SWD, public, ε 10", "SWD"]


@pytest.mark.parametrize("experiment", READ)
def test_long_labels_have_names_that_read_as_words(experiment: str) -> None:
    labels, names = zip(*READ[experiment], strict=True)
    assert short_names([(label, 0) for label in labels]) == list(names)


def test_what_has_no_shorter_words_loses_its_middle_and_then_has_a_number() -> None:
    assert short_names([("a word that is too long for a name", 0), ("b", 0)]) == ["a word that…g for a name", "b"]
    alike = [(f"a word that is too long {middle} for the name of a run", 0) for middle in "xy"]
    assert [name[:3] for name in short_names(alike)] == ["#1 ", "#2 "]


@pytest.mark.parametrize("path", CONFIGURATIONS, ids=str)
def test_no_name_of_a_configuration_is_cut_or_numbered(path: Path) -> None:
    read = config.read(path)
    planned = plan.plan(read, runs.expand(read))
    for experiment in planned.experiments:
        own = {(row.label, row.seed): None for row in planned.runs if row.experiment == experiment.name}
        cut = [name for name in short_names([*own]) if "…" in name or name.startswith("#")]
        assert not cut, (experiment.name, cut)
