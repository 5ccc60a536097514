"""SWD's Table 2: printed accuracies, those of the runs here, and the budget that each run proves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import pandas as pd
from pydantic import Field

from wassdp.report.frames import require
from wassdp.report.generation import CLASSIFIERS, named, printed
from wassdp.report.kinds import Table
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


class GenerationTable(Table):
    """The table; its fields are its options."""

    caption: ClassVar[str] = """
    *Differentially Private Sliced Wasserstein Distance* (Rakotomamonjy and Ralaivola 2021), Table 2: as printed,
    and from runs here. Accuracies are those of scikit-learn's classifiers trained on generated images only and
    tested on real ones. **ε printed** is what the paper claims, for rows at most 1 apart. **ε, Proposition 2**
    (``{{ published }}``) is the paper's own formula, and **ε proven** the upper bound ``{{ proved }}``, both for
    the very run: its noise, its number of releases, the named relation and sampling, and the distance that its rows
    really have; raw pixels of 28 x 28 are up to 28 apart. Accuracies, Fréchet distances and shares of clipped rows
    are evaluation; they are no part of what the budget covers. **Noise** is the deviation on a number for DP-SWD,
    and the deviation over the sensitivity for the others. **Spread of rows over noise** is how far private rows (of
    a class, where labels are public) spread along a mean direction, over the deviation of the noise on one released
    number: with noise per row it is far below 1, with noise per gradient it grows with the number of rows that a
    gradient is made of.
    """

    proved: str = Field(default="upper/pld", description="kind/name of the accountant whose budget the runs prove")
    published: str | None = Field(
        default="published/swd_bernstein", description="the paper's own account, shown where it was asked for"
    )

    def build(self, runs: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
        """For each dataset that has runs, the printed rows and one row per setting: means over its seeds.

        ``ε proven`` is the largest of the setting's runs; ∞ where nothing is proven, a dash without privacy.

        Raises:
            ValueError: a column is missing, or the accountant proves nothing.
        """
        if not self.proved.startswith("upper/"):
            raise ValueError(f"proved = {self.proved!r}: must be an upper bound, upper/...")
        own = named(runs, self.proved)
        require(own, CLASSIFIERS)
        said = printed()
        rows: list[dict[str, Any]] = []
        for dataset in dict.fromkeys(own[DATASET]):
            rows += [_printed(row) for row in said[said["dataset"] == dataset].to_dict("records")]
            rows += [_measured(group, self) for _, group in own[own[DATASET] == dataset].groupby("setting", sort=False)]
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


def _measured(group: pd.DataFrame, options: GenerationTable) -> dict[str, Any]:
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
