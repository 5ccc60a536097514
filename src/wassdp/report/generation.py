"""Runs that trained a generator: what to call their method, their relation, and what the paper printed."""

from __future__ import annotations

from typing import Any

import pandas as pd

from wassdp import claims

# Loaded by name below, imported here by statement: what `wassdp.code` reads to redraw after a correction.
from wassdp.claims.printed import dp_sliced_wasserstein_table_2
from wassdp.report.frames import require
from wassdp.report.settings import DATASET, shown

CLAIM = "dp-sliced-wasserstein-table-2"
METHOD = "parameters.method"
LABELS = {"joint": "joint labels", "outer": "labels by outer product", "per_class": "public labels", "none": ""}
FAMILIES = {"sliced": "SWD", "output_gradient": "SW gradients"}
READINGS = {"clipped": "", "orthant": "norm 0.707", "raw": "raw rows"}
CLASSIFIERS = {"accuracy_mlp": "MLP", "accuracy_logistic": "logistic regression"}
NEEDED = ("run", "seed", "delta", "steps", DATASET, f"{METHOD}.name")


def named(runs: pd.DataFrame, accountant: str) -> pd.DataFrame:
    """``runs`` with the columns ``method``, ``relation``, ``budget`` (NaN without privacy) and ``setting``.

    A setting is all runs that share every parameter, hence differ in their seeds only.

    Args:
        runs: rows of the table of runs.
        accountant: ``kind/name`` of the accountant whose epsilon is the budget.

    Raises:
        ValueError: a column is missing, or a private run has no such budget.
    """
    require(runs, NEEDED)
    column = f"epsilon/{accountant}"
    private = runs["delta"].notna()
    if private.any():
        require(runs, [column])
    budgets = runs[column].astype(float) if column in runs else pd.Series(float("nan"), index=runs.index)
    if budgets[private].isna().any():
        raise ValueError(f"runs: a private run has no {column}")
    rows = [{str(key): value for key, value in row.items()} for row in runs.to_dict("records")]
    parameters = [name for name in runs.columns if str(name).startswith("parameters.")]
    return runs.assign(
        method=[method(row) for row in rows],
        relation=[relation(row) for row in rows],
        budget=budgets.where(private),
        setting=runs.groupby(parameters, dropna=False, sort=False).ngroup(),
    )


def method(row: dict[str, Any]) -> str:
    """What a run trains towards, in words.

    Args:
        row: a row of the table of runs.

    >>> method({"delta": 1e-5, "parameters.method.name": "mean_embedding"})
    'DP-MERF'
    """
    prefix = "" if pd.isna(row["delta"]) else "DP-"
    name = row[f"{METHOD}.name"]
    if name == "mean_embedding":
        return ", ".join([f"{prefix}MERF", *_view(row)])
    words = [f"{prefix}{FAMILIES[name]}", *filter(None, [LABELS[row[f"{METHOD}.labels"]]]), *_view(row)]
    words += filter(None, [READINGS[row.get(f"{METHOD}.rows", "clipped")]])
    if row.get(f"{METHOD}.directions") == "orthogonal":
        words.append("orthogonal")
    smooth = row.get(f"{METHOD}.smooth")
    if not pd.isna(smooth):
        words.append(f"low {shown(float(smooth))}×{shown(float(smooth))}")
    return ", ".join([*words, *(_gradients(row) if name == "output_gradient" else _rows(row))])


def relation(row: dict[str, Any]) -> str:
    """The neighbouring relation and the sampling under which a run's budget holds, in words; empty without privacy."""
    if pd.isna(row["delta"]):
        return ""
    if row[f"{METHOD}.name"] == "mean_embedding":
        return "replace one, all records"
    if row.get(f"{METHOD}.sampling") == "poisson":
        return "zero out, Poisson"
    every = row[f"{METHOD}.name"] == "output_gradient" and pd.isna(row.get(f"{METHOD}.batch"))
    drawn = "all records" if every else "without replacement"
    return f"replace one in its class, {drawn}" if row[f"{METHOD}.labels"] == "per_class" else f"replace one, {drawn}"


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


def _gradients(row: dict[str, Any]) -> list[str]:
    bases, points = (shown(float(row[f"{METHOD}.{each}"])) for each in ("bases", "points"))
    words = [f"{bases} gradients in {points} points"]
    batch = row.get(f"{METHOD}.batch")
    return words if pd.isna(batch) else [*words, f"{shown(float(batch))} rows"]


def _rows(row: dict[str, Any]) -> list[str]:
    draws, batch = row.get(f"{METHOD}.draws", 1), row.get(f"{METHOD}.batch")
    size = "all rows" if pd.isna(batch) else f"{shown(float(batch))} rows"
    words = [size if draws == 1 else f"{shown(float(draws))}×{size}"]
    return [*words, "released once"] if pd.isna(row.get(f"{METHOD}.reuse")) else words


def _view(row: dict[str, Any]) -> list[str]:
    name = row.get(f"{METHOD}.view.name")
    if name == "pooled":
        factor = shown(float(row[f"{METHOD}.view.factor"]))
        return [f"averages of {factor}×{factor}"]
    if name == "cosine":
        side = shown(float(row[f"{METHOD}.view.side"]))
        return [f"{side}×{side} cosines"]
    return ["random features"] if name == "convolutional" else []
