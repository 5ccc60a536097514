"""SWD's Table 2: printed accuracies, those of the runs here, and the budget that each run proves."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import pandas as pd
from pydantic import Field

from wassdp.claims.paired_seeds import half_width
from wassdp.report.frames import require
from wassdp.report.generation import CLASSIFIERS, named, printed
from wassdp.report.kinds import Table
from wassdp.report.settings import DATASET
from wassdp.report.shares import DELTA_RECORDS, deltas, largest
from wassdp.report.table_files import bounds

COLUMNS = (
    *("dataset", "method", "MLP (%)", "MLP ± 95 %", "logistic regression (%)", "logistic regression ± 95 %"),
    *("ε printed", "ε, Proposition 2", "ε proven", "δ"),
    *(DELTA_RECORDS, "relation and sampling", "seeds", "steps"),
)
OPTIONAL = {
    "noise": "noise",
    "noise_std": "deviation of a number's noise",
    "signal_to_noise": "spread of rows over noise",
    "distance": "distance of neighbouring rows",
    "dimension": "dimension",
    "releases": "releases",
    "rows_released": "rows released",
    "clipped": "rows clipped (%)",
    "frechet_sampled": "Fréchet distance to sampled test images",
    "frechet_sampled_floor": "… of other test images",
    "frechet_scattering": "Fréchet distance to the first test images",
}
FRECHET = (("frechet_sampled", "frechet_sampled_floor"), ("frechet_scattering",))
"""Metrics of new runs and of older ones: distances from other images, which one table may not hold together."""


class GenerationTable(Table):
    """The table; its fields are its options."""

    caption: ClassVar[str] = """
    *Differentially Private Sliced Wasserstein Distance* (Rakotomamonjy and Ralaivola 2021), Table 2: as printed, and
    from runs here. Accuracies are those of scikit-learn's classifiers trained on generated images only and tested on
    real ones, means over the seeds; **± 95 %** is half the width of Student's interval of the mean. **ε printed** is
    what the paper claims, for rows at most 1 apart. **ε, Proposition 2** (``{{ published }}``) is the paper's own
    formula, and **ε proven** the upper bound ``{{ proved }}``, both for the very run: its noise, its number of
    releases, the named relation and sampling, and the distance that its rows really have; raw pixels of 28 x 28 are up
    to 28 apart. Accuracies, Fréchet distances and shares of clipped rows are evaluation; they are no part of what the
    budget covers. **Fréchet distances** are those of features fixed beforehand (scattering coefficients). *To sampled
    test images*: from a fixed public sample of test images, beside the distance that as many other test images have
    from these; no generator can be told from real images below it. *To the first test images*: from those at the
    beginning of the test file, in runs before the sample. For MNIST these are no sample: real images of the second half
    of its test are further from them than images of the best published generators, so that they do not tell these
    apart. Where some runs have one distance and some the other, neither is shown. **Noise** is the deviation on a
    number for DP-SWD, and the deviation over the sensitivity for the others. **Spread of rows over noise** is how far
    private rows (of a class, where labels are public) spread along a mean direction, over the deviation of the noise on
    one released number: with noise per row it is far below 1, with noise per gradient it grows with the number of rows
    that a gradient is made of.
    """

    proved: str = Field(default="upper/pld", description="kind/name of the accountant whose budget the runs prove")
    published: str | None = Field(
        default="published/swd_bernstein", description="the paper's own account, shown where it was asked for"
    )

    def budgets_shown(self) -> tuple[str, ...]:
        return (self.proved,)

    def build(self, runs: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
        """For each dataset that has runs, the printed rows and one row per setting: means over its seeds.

        A dash where a seed lacks its share.

        ``ε proven`` is the largest of the setting's runs; ∞ where nothing is proven, a dash without privacy.

        Raises:
            ValueError: a column is missing, or the accountant proves nothing.
        """
        if not self.proved.startswith("upper/"):
            raise ValueError(f"proved = {self.proved!r}: must be an upper bound, upper/...")
        known = named(runs, self.proved)
        require(known, CLASSIFIERS)
        hidden = _not_shared(known)
        known = known.drop(columns=hidden, errors="ignore")
        said = printed().rename(columns={"mlp": "MLP (%)", "logistic": "logistic regression (%)", "delta": "δ"})
        said = said.rename(columns={"epsilon": "ε printed"}).assign(method="printed: " + said["method"])
        said["relation and sampling"] = ""
        rows: list[dict[Any, Any]] = []
        for dataset, of_dataset in known.groupby(DATASET, sort=False):
            rows += said[said["dataset"] == dataset].to_dict("records")
            rows += [self._measured(group) for _, group in of_dataset.groupby("setting", sort=False)]
        columns = [*COLUMNS, *(label for name, label in OPTIONAL.items() if name not in hidden)]
        return bounds(pd.DataFrame(rows, columns=columns), {"ε proven": "upper", "δ": "upper"})

    def _measured(self, group: pd.DataFrame) -> dict[str, Any]:
        first, formula = group.iloc[0], f"epsilon/{self.published}"
        row = {
            "dataset": first[DATASET],
            "method": first["method"],
            "MLP (%)": 100 * group["accuracy_mlp"].mean(skipna=False),
            "MLP ± 95 %": 100 * half_width(group["accuracy_mlp"].tolist()),
            "logistic regression (%)": 100 * group["accuracy_logistic"].mean(skipna=False),
            "logistic regression ± 95 %": 100 * half_width(group["accuracy_logistic"].tolist()),
            "ε, Proposition 2": float(group[formula].max(skipna=False)) if formula in group else math.nan,
            "ε proven": float(group["budget"].max()),
            "δ": deltas(group, self.proved).iloc[0],
            DELTA_RECORDS: largest(group, self.proved),
            "relation and sampling": first["relation"],
            "seeds": float(group["seed"].nunique()),
            "steps": float(first["steps"]),
        }
        means = {label: float(group[name].mean(skipna=False)) for name, label in OPTIONAL.items() if name in group}
        if "clipped" in group:
            means[OPTIONAL["clipped"]] *= 100
        return row | means


def _not_shared(known: pd.DataFrame) -> list[str]:
    """Fréchet distances other than those that all runs with any such distance have, the new ones first."""
    has = {metrics: known.reindex(columns=metrics[:1]).notna().any(axis=1) for metrics in FRECHET}
    judged = pd.concat(has, axis=1).any(axis=1)
    shown = next((metrics for metrics, own in has.items() if judged.any() and own[judged].all()), ())
    return [name for metrics in FRECHET for name in metrics if name not in shown]
