"""SWD's Table 2: printed accuracies, those of the runs here, and the budget that each run proves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
from pydantic import Field

from wassdp.report import style
from wassdp.report.frames import require
from wassdp.report.generation import CLASSIFIERS, named, printed
from wassdp.report.settings import DATASET
from wassdp.report.shares import DELTA_RECORDS, largest
from wassdp.report.table_files import bounds

OPTIONAL = {
    "noise": "noise",
    "noise_std": "deviation of a number's noise",
    "signal_to_noise": "spread of rows over noise",
    "distance": "distance of neighbouring rows",
    "dimension": "dimension",
    "releases": "releases",
    "rows_released": "rows released",
    "clipped": "rows clipped (%)",
    "frechet_scattering": "Fréchet distance (scattering)",
}


class Options(style.Options):
    """Options of this table."""

    proved: str = Field(default="upper/pld", description="kind/name of the accountant whose budget the runs prove")
    published: str | None = Field(
        default="published/swd_bernstein", description="the paper's own account, shown where it was asked for"
    )


def build(runs: pd.DataFrame, history: pd.DataFrame, options: Mapping[str, Any]) -> pd.DataFrame:
    """For each dataset that has runs, the printed rows and one row per setting: means over its seeds.

    ``ε proven`` is the largest of the setting's runs; ∞ where nothing is proven, a dash without privacy.

    Raises:
        ValueError: a column is missing, or the accountant proves nothing.
    """
    chosen = Options.model_validate(options)
    if not chosen.proved.startswith("upper/"):
        raise ValueError(f"proved = {chosen.proved!r}: must be an upper bound, upper/...")
    own = named(runs, chosen.proved)
    require(own, CLASSIFIERS)
    said = printed()
    rows: list[dict[str, Any]] = []
    for dataset in dict.fromkeys(own[DATASET]):
        rows += [_printed(row) for row in said[said["dataset"] == dataset].to_dict("records")]
        rows += [_measured(group, chosen) for _, group in own[own[DATASET] == dataset].groupby("setting", sort=False)]
    return bounds(pd.DataFrame(rows), {"ε proven": "upper", "δ": "upper"})


def _printed(row: Mapping[Any, Any]) -> dict[str, Any]:
    empty = {"seeds": math.nan, "steps": math.nan} | dict.fromkeys(OPTIONAL.values(), math.nan)
    return {
        "dataset": row["dataset"],
        "method": f"printed: {row['method']}",
        "MLP (%)": float(row["mlp"]),
        "logistic regression (%)": float(row["logistic"]),
        "ε printed": row["epsilon"],
        "ε, Proposition 2": math.nan,
        "ε proven": math.nan,
        "δ": row["delta"],
        DELTA_RECORDS: math.nan,
        "relation and sampling": "",
        **empty,
    }


def _measured(group: pd.DataFrame, options: Options) -> dict[str, Any]:
    first = group.iloc[0]
    by_paper = f"epsilon/{options.published}"
    row = {
        "dataset": first[DATASET],
        "method": first["method"],
        "MLP (%)": 100 * group["accuracy_mlp"].mean(),
        "logistic regression (%)": 100 * group["accuracy_logistic"].mean(),
        "ε printed": math.nan,
        "ε, Proposition 2": float(group[by_paper].max()) if by_paper in group else math.nan,
        "ε proven": float(group["budget"].max()),
        "δ": first["delta"],
        DELTA_RECORDS: largest(group),
        "relation and sampling": first["relation"],
        "seeds": float(group["seed"].nunique()),
        "steps": float(first["steps"]),
    }
    scale = {"clipped": 100.0}
    for name, label in OPTIONAL.items():
        row[label] = scale.get(name, 1.0) * float(group[name].mean()) if name in group else math.nan
    return row
