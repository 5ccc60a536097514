"""Domain adaptation: accuracy on the target, printed and measured; budget, stated and proven (SWD, Table 1)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import pandas as pd
from pydantic import Field

from wassdp import claims
from wassdp.report.adaptation import METHOD, PRINTED, PROVEN, named, settings
from wassdp.report.kinds import Table
from wassdp.report.shares import DELTA_RECORDS
from wassdp.report.table_files import bounds

# Features of ten classes are no problem of the paper's, whatever their domains are called.
DATASETS = {"digits": ("usps", "mnist"), "office31": ("office31",), "visda": ("visda",)}


class AdaptationTable(Table):
    """The table; its fields are its options."""

    caption: ClassVar[str] = """
    Unsupervised domain adaptation, *Differentially Private Sliced Wasserstein Distance* (Rakotomamonjy and Ralaivola
    2021), Table 1: accuracy on the target as **printed** (mean of ten runs, ±) and as measured here (mean, **± 95 %**:
    half the width of Student's interval of it, least and most of the seeds). As in the authors' code, accuracy is that
    on the very target records that are adapted to; **held out** is that on the rest of the target's domain, where there
    is any. Every ε printed is 10. **proven ε** (upper/pld: replace one record, batches without replacement) is ∞ where
    something leaves without noise: the published DP-SWD divides by the private batch's largest norm, and its gradient
    reaches the shared encoder through the Jacobian at private records, which lies outside the mechanism's guarantee.
    *DP-SWD, accounted in full* clips rows to a public norm, lets no gradient through private records, and has noise for
    the steps that the run really makes. DP-DANN clips and noises all gradients of the target, the encoder's included; σ
    of 17 and 14.65 is the authors' code's. *Wasserstein gradient, private encoder* adds the clipped, noisy gradient of
    Rodríguez-Vítores, Lalanne and Loubes in the encoder, of the sliced Wasserstein distance between both domains' class
    scores (or features): its budget covers the Jacobian at private records, and its σ is the noise over the gradient's
    sensitivity. A private method that is no better than *source only* has not used the target, nor has one that is no
    better than its own *noise alone*, which has no budget and stands at the one that its noise is for. How the authors'
    28x28 USPS file was made is not stated: the layout (``margin``) decides what *source only* reaches.
    Office-Caltech10's features stand in for Office-31's, which cannot be had here, and are compared with nothing.
    Settings that the paper does not print (clip norms, radii, weights; on Office-Caltech10 the epochs too) were chosen
    by short runs whose target accuracies were read: no ε includes that. **δ × records** near 1 makes a budget worth
    little: to publish one record drawn at random, as it is, keeps ε = 0 at δ = 1/records. The paper's own rows have the
    paper's δ.
    """

    claim: Annotated[str, claims.PRINTED] = Field(
        default="dp-sliced-wasserstein-table-1", description="the printed table, as in wassdp.claims"
    )

    def build(self, runs: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
        """One row per problem and setting.

        ``proven ε`` is the largest of the seeds' upper bounds: ∞ where the run exposes something that carries no noise,
        a dash for methods without privacy. Printed columns have dashes where the paper has no such problem or method.

        Raises:
            ValueError: a column is missing, or a method is unknown.
        """
        printed = {(record.row, record.column): record for record in claims.load(self.claim)}
        rows = [_row(row.to_dict(), printed) for _, row in settings(named(runs), PROVEN).iterrows()]
        return bounds(pd.DataFrame(rows), {"proven ε": "upper", "δ": "upper"})


def _row(row: Mapping[Any, Any], printed: Mapping[tuple[str, str], claims.PrintedValue]) -> dict[str, Any]:
    def value(column: str) -> claims.PrintedValue | None:
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
        "± 95 %": row["interval"],
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
