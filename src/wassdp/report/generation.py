"""Runs that trained a generator: their budgets, and what the paper printed."""

from __future__ import annotations

import pandas as pd

from wassdp import claims

# Loaded by name below, imported here by statement: what `wassdp.code` reads to redraw after a correction.
from wassdp.claims.printed import dp_sliced_wasserstein_table_2
from wassdp.report.frames import relation, require
from wassdp.report.settings import DATASET, budgets

CLAIM = "dp-sliced-wasserstein-table-2"
CLASSIFIERS = {"accuracy_mlp": "MLP", "accuracy_logistic": "logistic regression"}


def named(runs: pd.DataFrame, accountant: str) -> pd.DataFrame:
    """``runs`` with the columns ``relation`` (empty without privacy), ``budget`` (NaN without) and ``setting``.

    A setting is all runs of one label, hence differ in their seeds only.

    Args:
        runs: rows of the table of runs.
        accountant: ``kind/name`` of the accountant whose epsilon is the budget.

    Raises:
        ValueError: a column is missing, or a private run has no such budget.
    """
    require(runs, ["run", "seed", "steps", DATASET, "label", "method"])
    budget, relations = budgets(runs, accountant), [""] * len(runs)
    if budget.notna().any():
        facts = [f"adjacency/{accountant}", f"sampling/{accountant}"]
        require(runs, facts)
        relations = [
            relation(*fact) if private else ""
            for fact, private in zip(runs[facts].itertuples(index=False, name=None), budget.notna(), strict=True)
        ]
    setting = runs.groupby([DATASET, "label"], sort=False).ngroup()
    return runs.assign(relation=relations, budget=budget, setting=setting)


def real_images_right(classifier: str) -> str:
    """The label of an axis of accuracies."""
    return f"real test images right (%)\n{CLASSIFIERS[classifier]}, trained on generated ones"


def printed() -> pd.DataFrame:
    """Table 2 as printed: dataset, method, mlp and logistic (percent), epsilon and delta (missing without privacy)."""
    records = {(record.row, record.column): record for record in claims.load(CLAIM)}
    rows = []
    for dataset in dict.fromkeys(row for row, _ in records):
        budget = records[dataset, "epsilon"]
        for name in dp_sliced_wasserstein_table_2.METHODS:
            private = name != dp_sliced_wasserstein_table_2.WITHOUT_PRIVACY
            rows.append(
                {
                    "dataset": dataset,
                    "method": name,
                    "mlp": records[dataset, f"{name}, mlp"].printed,
                    "logistic": records[dataset, f"{name}, logistic"].printed,
                    "epsilon": budget.printed if private else float("nan"),
                    "delta": budget.delta if private else float("nan"),
                }
            )
    return pd.DataFrame(rows)
