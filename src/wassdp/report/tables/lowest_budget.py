"""For each accuracy that a paper prints: its budgets, and the lowest proven budget that reached it here."""

from __future__ import annotations

from typing import Annotated, ClassVar

import pandas as pd
from pydantic import Field, field_validator

from wassdp.claims import PRINTED
from wassdp.report import called
from wassdp.report import published as _published
from wassdp.report.kinds import Table
from wassdp.report.settings import DATASET, release, rounded
from wassdp.report.shares import DELTA_RECORDS, delta_times_records
from wassdp.report.summary import Lined, lined, lowest, summary
from wassdp.report.table_files import bounds

NOT_REACHED = "not reached"


class LowestBudgetTable(Lined, Table):
    """The table; its fields are its options."""

    caption: ClassVar[str] = """
    For each test accuracy that the paper prints ({{ published | replace("-", " ") }}): the budgets it prints for
    it, by kind, and the lowest budget here that is proven, by ``{{ accountant }}``, of a setting whose mean over at
    least {{ seeds }} seeds reached that accuracy, rounded up to two decimals. Where none did, the row says so and
    names the most accurate private setting. The printed budgets are claims, no proofs. Settings were compared by
    their test accuracy, and no budget includes that choice.
    """

    published: Annotated[str, PRINTED] = Field(
        default="wasserstein-dp-table-2", description="published table whose accuracies count"
    )
    seeds: int = Field(default=3, ge=1, le=100_000, description="seeds that a setting must have to count")

    @field_validator("accountant")
    @classmethod
    def _proves(cls, accountant: str) -> str:
        if not accountant.startswith("upper/"):
            raise ValueError("must be an upper bound, upper/...; nothing else proves a budget")
        return accountant

    def build(self, runs: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
        """One row per published accuracy of a dataset that was trained on.

        Where no setting's mean over its seeds reached the accuracy, the lowest epsilon is "not reached" and the row
        names the most accurate private setting instead.

        Raises:
            ValueError: a column is missing, the runs' budgets do not belong together, no private setting of a dataset
                has enough seeds, or nothing is published about any of the datasets.
        """
        named = lined(runs, self, one_setting=False)
        table = summary(named)
        keys = ["dataset", "line", "setting"]
        share = named.assign(share=delta_times_records(named, self.accountant)).rename(columns={DATASET: "dataset"})
        table = table.join(share.groupby(keys)["share"].max(), on=keys)
        about = release(runs, self.accountant)
        enough = table[table["epsilon"].notna() & (table["seeds"] >= self.seeds)]
        claims = _published.budgets(self.published, list(dict.fromkeys(table["dataset"])))
        rows = []
        for (dataset, accuracy), claim in claims.groupby(["dataset", "accuracy"], sort=False):
            settings = enough[enough["dataset"] == dataset]
            if settings.empty:
                raise ValueError(f"runs: no private setting on {dataset} has {self.seeds} seeds")
            reached = lowest(settings, float(str(accuracy)))
            most_accurate = settings.sort_values(["accuracy", "epsilon"], ascending=[False, True]).iloc[0]
            best = most_accurate if reached is None else reached
            rows.append(
                {"dataset": dataset, "paper accuracy (%)": accuracy}
                | {f"paper ε, {kind}": epsilon for kind, epsilon in zip(claim["kind"], claim["epsilon"], strict=True)}
                | {
                    "lowest proven ε here": NOT_REACHED if reached is None else rounded(best["epsilon"]),
                    "model": best["line"],
                    "setting": best["setting"],
                    "mean accuracy (%)": best["accuracy"],
                    "seeds": best["seeds"],
                    DELTA_RECORDS: best["share"],
                    "proven under": f"{called.accountant(self.accountant)}, {about}",
                }
            )
        return bounds(pd.DataFrame(rows), {"lowest proven ε here": "upper"})
