"""The table of lowest proven budgets."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from _collected import collected
from wassdp.report.tables import lowest_budget

NOTHING = pd.DataFrame(columns=["run", "metric", "axis", "position", "value"])


def runs(*rows: tuple[str, float | None, float, int]) -> pd.DataFrame:
    """Runs from (dataset, epsilon, accuracy, number of seeds); accuracies spread by 0.002 around their mean."""
    found: list[dict[str, Any]] = []
    for dataset, epsilon, accuracy, seeds in rows:
        for seed in range(seeds):
            found.append(
                {
                    "run": f"{len(found):012x}",
                    "kind": "classification",
                    "seed": seed,
                    "parameters.dataset": dataset,
                    "parameters.model.name": "linear",
                    "parameters.privacy.epsilon": epsilon,
                    "accuracy": accuracy + 0.002 * (seed - (seeds - 1) / 2),
                    "delta": None if epsilon is None else 1e-5,
                    "epsilon/upper/pld": None if epsilon is None else epsilon - 1e-4,
                }
            )
    return pd.DataFrame(found)


def build(table: pd.DataFrame, **options: Any) -> pd.DataFrame:
    return lowest_budget.LowestBudgetTable.model_validate(options).build(collected(table), NOTHING)


MNIST = (("mnist", 0.2, 0.95, 3), ("mnist", 0.3, 0.9601, 3), ("mnist", 0.76, 0.97, 3), ("mnist", None, 0.99, 3))


def test_a_row_names_the_least_budget_that_reached_the_printed_accuracy() -> None:
    (row,) = build(runs(*MNIST)).to_dict("records")
    assert row["paper accuracy (%)"] == 96
    assert [row[f"paper ε, {kind}"] for kind in ("DP", "BDP", "WDP")] == [2.2, 0.95, 0.76]
    assert row["lowest proven ε here"] == 0.3
    assert row["mean accuracy (%)"] == pytest.approx(96.01)
    assert (row["model"], row["setting"], row["seeds"]) == ("linear", r"$\varepsilon$ = 0.30", 3)
    assert "proven (PLD), add/remove one record, Poisson sampling" in row["proven under"]


def test_where_no_private_setting_reached_it_the_row_says_so_and_names_the_best() -> None:
    table = runs(("cifar10", 1.0, 0.6, 3), ("cifar10", 8.0, 0.7299, 3), ("cifar10", None, 0.9, 3))
    (row,) = build(table).to_dict("records")
    assert row["lowest proven ε here"] == "not reached"
    assert row["setting"] == r"$\varepsilon$ = 8.00"


def test_a_setting_with_too_few_seeds_does_not_count() -> None:
    lucky = runs(*MNIST, ("mnist", 0.1, 0.98, 2))
    assert build(lucky)["lowest proven ε here"].tolist() == [0.3]
    assert build(lucky, seeds=2)["lowest proven ε here"].tolist() == [0.1]
    with pytest.raises(ValueError, match="no private setting on mnist has 4 seeds"):
        build(lucky, seeds=4)


def test_one_row_for_each_dataset_that_is_published_about_and_was_trained_on() -> None:
    table = build(runs(*MNIST, ("svhn", 1.0, 0.93, 3), ("digits", 1.0, 0.9, 3)))
    assert table["dataset"].tolist() == ["mnist", "svhn"]
    with pytest.raises(ValueError, match="has no accuracy and budget of digits"):
        build(runs(("digits", 1.0, 0.9, 3)))


def test_only_an_upper_bound_proves() -> None:
    with pytest.raises(ValueError, match="must be an upper bound"):
        build(runs(*MNIST), accountant="published/moments")
