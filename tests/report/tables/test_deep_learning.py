"""Table 2: printed beside recomputed beside proved."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest
from pydantic import ValidationError

from _collected import collected
from wassdp.report import table_files
from wassdp.report.tables import deep_learning as table

LABELS = {
    "epsilon/published/moments": 1e6,
    "epsilon/published/bayesian": 0.8,
    "epsilon/published/bayesian_printed_delta": 1.5,
    "epsilon/published/wasserstein": 64.0,
    "epsilon/published/wasserstein_printed_delta": 64.4,
}


def frame(datasets: tuple[str, ...] = ("mnist",), seeds: int = 2, **changes: Any) -> pd.DataFrame:
    rows = []
    for dataset in datasets:
        for seed in range(seeds):
            shared = {"seed": seed, "parameters.dataset": dataset, "parameters.epochs": 25}
            rows.append(
                {
                    "run": f"{len(rows):012x}",
                    "accuracy": 0.95 + 0.02 * seed,
                    "delta": 1e-5,
                    "parameters.privacy.noise_multiplier": 0.01,
                    "delta/published/bayesian_printed_delta": 1e-10,
                    "delta/published/wasserstein_printed_delta": 1e-10,
                    "epsilon/upper/pld": 5.0e5 + 100 * seed,
                    **{name: value * (1 + seed) for name, value in LABELS.items()},
                    **shared,
                    **changes,
                }
            )
            rows.append({"run": f"{len(rows):012x}", "accuracy": 0.98, "delta": None, **shared})
    return pd.DataFrame(rows)


def build(runs: pd.DataFrame, **options: Any) -> pd.DataFrame:
    return table.DeepLearningTable.model_validate(options).build(collected(runs), pd.DataFrame())


def test_a_dataset_has_its_printed_rows_and_one_for_each_delta() -> None:
    found = build(frame())
    own = found[found["dataset"] == "mnist"]
    assert list(own["row"]) == [
        "printed",
        "printed ε, P(A) recomputed",
        "recomputed, δ as printed",
        "recomputed, δ as coded",
    ]
    printed, checked, as_printed, as_coded = (row for _, row in own.iterrows())
    assert (printed["DP ε"], printed["BDP ε"], printed["WDP ε"]) == (2.2, 0.95, 0.76)
    assert (printed["DP δ"], printed["BDP δ"], printed["WDP δ"]) == (1e-5, 1e-10, 1e-10)
    assert (printed["DP P(A)"], printed["accuracy (%)"]) == (0.898, 96)
    assert checked["DP P(A)"] == pytest.approx(0.9002, abs=1e-4)
    assert math.isnan(printed["proved ε"])
    # Means over two seeds, the second twice the first.
    assert as_printed["WDP ε"] == pytest.approx(1.5 * 64.4)
    assert as_coded["WDP ε"] == pytest.approx(1.5 * 64.0)
    assert as_coded["BDP P(A)"] == pytest.approx(1 / (1 + math.exp(-1.2)))
    assert (as_printed["WDP δ"], as_coded["WDP δ"], as_printed["DP δ"]) == (1e-10, 1e-5, 1e-5)
    assert as_coded["accuracy (%)"] == pytest.approx(96.0)
    assert as_coded["accuracy without privacy (%)"] == pytest.approx(98.0)
    assert (as_coded["epochs"], as_coded["seeds"], as_coded["noise σ"]) == (25, 2, 0.01)


def test_what_is_proved_is_the_worst_of_the_seeds_at_the_runs_delta() -> None:
    found = build(frame())
    row = found[(found["dataset"] == "mnist") & found["row"].str.startswith("recomputed")].iloc[0]
    assert (row["proved ε"], row["proved δ"], row["proved P(A)"]) == (5.0e5 + 100, 1e-5, 1.0)
    unbounded = build(frame(**{"epsilon/upper/pld": math.inf}))
    row = unbounded[unbounded["row"].str.startswith("recomputed")].iloc[0]
    assert (row["proved ε"], row["proved P(A)"]) == (math.inf, 1.0)
    small = build(frame(**{"epsilon/upper/pld": 0.0}))
    row = small[small["row"].str.startswith("recomputed")].iloc[0]
    assert row["proved P(A)"] == pytest.approx(0.5 + 0.5e-5)


def test_a_dataset_that_was_not_run_keeps_its_printed_rows() -> None:
    found = build(frame(("mnist", "cifar10")))
    assert found["dataset"].value_counts().to_dict() == {"mnist": 4, "cifar10": 4, "svhn": 2, "fashion_mnist": 2}


def test_each_noise_has_its_own_rows() -> None:
    both = pd.concat([frame(), frame(**{"parameters.privacy.noise_multiplier": 1e-4})])
    found = build(both[both["delta"].notna()])
    noise = found.loc[(found["dataset"] == "mnist") & found["seeds"].notna(), "noise σ"]
    assert sorted(noise) == [1e-4, 1e-4, 0.01, 0.01]
    assert found.loc[found["seeds"].notna(), "accuracy without privacy (%)"].isna().all()


def test_a_mean_of_fewer_seeds_than_are_counted_is_missing() -> None:
    runs = frame()
    private = runs.index[runs["delta"].notna()]
    runs.loc[private[0], ["epsilon/published/bayesian", "accuracy"]] = math.nan
    row = build(runs).set_index("row").loc["recomputed, δ as coded"]
    assert row["seeds"] == 2
    assert row[["BDP ε", "BDP P(A)", "accuracy (%)"]].isna().all()
    assert row["WDP ε"] == pytest.approx(1.5 * 64.0)


def test_private_runs_that_do_not_say_their_noise_have_rows() -> None:
    unsaid = frame(**{"parameters.privacy.noise_multiplier": math.nan, "epsilon/upper/pld": 9.0})
    found = build(pd.concat([frame(), unsaid[unsaid["delta"].notna()]]))
    rows = found[found["row"] == "recomputed, δ as coded"]
    assert rows["noise σ"].isna().tolist() == [False, True]
    assert rows["proved ε"].tolist() == [5.0e5 + 100, 9.0]


def test_it_is_written_in_three_formats(tmp_path: Any) -> None:
    table_files.write(build(frame()), tmp_path / "table")
    text = (tmp_path / "table.md").read_text()
    assert "0.623" in text  # F-MNIST's printed P(A) for DP
    assert "0.9478" in text  # and what its ε gives
    assert (tmp_path / "table.tex").read_text().startswith(r"\begin{tabular}")
    assert len(pd.read_csv(tmp_path / "table.csv")) == len(build(frame()))


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="has no column epsilon/published/wasserstein_printed_delta"):
        build(frame().drop(columns="epsilon/published/wasserstein_printed_delta"))
    with pytest.raises(ValueError, match="proved = 'published/moments': must be an upper bound"):
        build(frame(), proved="published/moments")
    with pytest.raises(ValidationError, match="proven"):
        build(frame(), proven="upper/pld")
    runs = frame()
    runs.loc[0, "delta"] = 1e-6
    with pytest.raises(ValueError, match="several deltas"):
        build(runs)
