"""Radii of the tangent theorems estimated from chains, beside the exact ones where there are any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from wassdp.report import style
from wassdp.report.frames import require
from wassdp.report.gibbs import DATASET, LOSS, LOSSES, NOT_CONVERGED

COLUMNS = {
    DATASET: "dataset",
    "parameters.loss": "loss",
    "parameters.hidden": "hidden units",
    "parameters.sampler": "sampler",
    "step": "step h",
    "parameters.inverse_temperature": "β",
}


class Options(style.Options):
    """This table has no options."""


def build(runs: pd.DataFrame, history: pd.DataFrame, options: Mapping[str, Any]) -> pd.DataFrame:
    """Two rows per run, for R of Theorems 3.1 (Remark 3.2(c)) and 3.3 (Remark 3.4(b)); a dash where there is none.

    Raises:
        ValueError: a column is missing.
    """
    Options.model_validate(options)
    require(runs, [*COLUMNS, "3.1/estimate"])
    rows = []
    for _, run in runs.iterrows():
        for radius in ("3.1", "3.3"):
            if pd.isna(run.get(f"{radius}/estimate")):
                continue
            error, bias = run.get(f"{radius}/relative_error"), run.get(f"{radius}/bias")
            rows.append(
                {label: run[name] for name, label in COLUMNS.items()}
                | {
                    "loss": LOSSES[run[LOSS]],
                    "R of theorem": radius,
                    "estimate": run[f"{radius}/estimate"],
                    "Monte-Carlo error": run[f"{radius}/error"],
                    "exact": run.get(f"{radius}/exact"),
                    "relative error (%)": None if error is None else 100 * error,
                    "bias by half the step (%)": None if bias is None else 100 * bias,
                    "R-hat": run[f"{radius}/r_hat"],
                    "effective draws": round(run[f"{radius}/effective"]),
                    "chains": "converged" if run[f"{radius}/converged"] == 1 else NOT_CONVERGED,
                }
            )
    return pd.DataFrame(rows)
