"""Domain adaptation: accuracy on the target, printed and measured; budget, stated and proven (SWD, Table 1)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
from pydantic import Field

from wassdp import claims
from wassdp.report import style
from wassdp.report.adaptation import METHOD, PRINTED, PROVEN, named, settings
from wassdp.report.shares import DELTA_RECORDS
from wassdp.report.table_files import bounds

# Features of ten classes are no problem of the paper's, whatever their domains are called.
DATASETS = {"digits": ("usps", "mnist"), "office31": ("office31",), "visda": ("visda",)}


class Options(style.Options):
    """Options of this table."""

    claim: str = Field(default="dp-sliced-wasserstein-table-1", description="the printed table, as in wassdp.claims")


def build(runs: pd.DataFrame, history: pd.DataFrame, options: Mapping[str, Any]) -> pd.DataFrame:
    """One row per problem and setting.

    ``proven ε`` is the largest of the seeds' upper bounds: ∞ where the run exposes something that carries no noise, a
    dash for methods without privacy. Printed columns have dashes where the paper has no such problem or method.

    Raises:
        ValueError: a column is missing, or a method is unknown.
    """
    chosen = Options.model_validate(options)
    printed = {(record.row, record.column): record for record in claims.load(chosen.claim)}
    rows = [_row(row.to_dict(), printed) for _, row in settings(named(runs), PROVEN).iterrows()]
    return bounds(pd.DataFrame(rows), {"proven ε": "upper", "δ": "upper"})


def _row(row: Mapping[Any, Any], printed: Mapping[tuple[str, str], claims.Record]) -> dict[str, Any]:
    def value(column: str) -> claims.Record | None:
        sources = DATASETS.get(row["dataset"], ())
        return next((found for dataset in sources if (found := printed.get((dataset, column)))), None)

    # A budget that was asked for is none of the paper's settings.
    method = PRINTED.get(row["name"]) if math.isnan(row[f"{METHOD}epsilon"]) else None
    accuracy, spread = value(f"{method}, {row['task']}"), value(f"spread of {method}, {row['task']}")
    private = not math.isnan(row["delta"])
    budget = value(f"epsilon, {row['task']}") if private and method is not None else None
    return {
        "problem": row["problem"],
        "method": row["method"],
        "σ": row["sigma"],
        "printed accuracy (%)": math.nan if accuracy is None else accuracy.printed,
        "printed ±": math.nan if spread is None else spread.printed,
        "accuracy (%)": row["accuracy"],
        "least": row["least"],
        "most": row["most"],
        "accuracy held out (%)": row["accuracy_held_out"],
        "seeds": int(row["seeds"]),
        "epochs": int(row["epochs"]),
        "printed ε": math.nan if budget is None else budget.printed,
        "proven ε": row["epsilon"] if private else math.nan,
        "δ": row["delta"],
        DELTA_RECORDS: row["share"],
    }
