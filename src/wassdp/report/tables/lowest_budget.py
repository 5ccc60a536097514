"""For each accuracy that a paper prints: its budgets, and the lowest proven budget that reached it here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from pydantic import Field, field_validator

from wassdp.report import published as _published
from wassdp.report.settings import DATASET, release, rounded
from wassdp.report.shares import DELTA_RECORDS, delta_times_records
from wassdp.report.summary import LineOptions, lined, lowest, summary
from wassdp.report.table_files import bounds

NOT_REACHED = "not reached"


class Options(LineOptions):
    """Options of this table."""

    published: str = Field(default="wasserstein-dp-table-2", description="published table whose accuracies count")
    seeds: int = Field(default=3, ge=1, description="seeds that a setting must have to count")

    @field_validator("accountant")
    @classmethod
    def _proves(cls, accountant: str) -> str:
        if not accountant.startswith("upper/"):
            raise ValueError("must be an upper bound, upper/...; nothing else proves a budget")
        return accountant


def build(runs: pd.DataFrame, history: pd.DataFrame, options: Mapping[str, Any]) -> pd.DataFrame:
    """One row per published accuracy of a dataset that was trained on.

    Where no setting's mean over its seeds reached the accuracy, the lowest epsilon is "not reached" and the row
    names the most accurate private setting instead.

    Raises:
        ValueError: a column is missing, the runs' budgets do not belong together, no private setting of a dataset
            has enough seeds, or nothing is published about any of the datasets.
    """
    chosen = Options.model_validate(options)
    named = lined(runs, chosen, one_setting=False)
    table = summary(named)
    shares = named.assign(share=delta_times_records(named)).groupby([DATASET, "line", "setting"])["share"].max()
    places = table[["dataset", "line", "setting"]].itertuples(index=False, name=None)
    table["delta_times_records"] = [shares[place] for place in places]
    about = release(runs, chosen.accountant)
    enough = table[table["epsilon"].notna() & (table["seeds"] >= chosen.seeds)]
    claims = _published.budgets(chosen.published, list(dict.fromkeys(table["dataset"])))
    rows = []
    for (dataset, accuracy), claim in claims.groupby(["dataset", "accuracy"], sort=False):
        own = enough[enough["dataset"] == dataset]
        if own.empty:
            raise ValueError(f"runs: no private setting on {dataset} has {chosen.seeds} seeds")
        found = lowest(own, float(str(accuracy)))
        best = own.sort_values(["accuracy", "epsilon"], ascending=[False, True]).iloc[0] if found is None else found
        rows.append(
            {"dataset": dataset, "paper accuracy (%)": accuracy}
            | {f"paper ε, {kind}": epsilon for kind, epsilon in zip(claim["kind"], claim["epsilon"], strict=True)}
            | {
                "lowest proven ε here": NOT_REACHED if found is None else rounded(best["epsilon"]),
                "model": best["line"],
                "setting": best["setting"],
                "mean accuracy (%)": best["accuracy"],
                "seeds": best["seeds"],
                DELTA_RECORDS: best["delta_times_records"],
                "proven under": f"{chosen.accountant}, {about}",
            }
        )
    return bounds(pd.DataFrame(rows), {"lowest proven ε here": "upper"})
