"""Runs that trained a generator: their budgets, and what the paper printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import pandas as pd
from pydantic import Field

from wassdp import checks, claims

# Loaded by name below, imported here by statement: what `wassdp.code` reads to redraw after a correction.
from wassdp.claims.printed import dp_sliced_wasserstein_table_2
from wassdp.metric_words import ACCURACIES
from wassdp.report import seeds, style
from wassdp.report.frames import relation, require
from wassdp.report.settings import DATASET, budgets, rounded
from wassdp.sections import Section

CLAIM = "dp-sliced-wasserstein-table-2"
METHOD, BATCH = "parameters.method.name", "parameters.method.batch"
CLASSIFIERS = {name: ACCURACIES[name] for name in ("accuracy_mlp", "accuracy_logistic")}
"""Those of the paper's table."""


def named(runs: pd.DataFrame, accountant: str) -> pd.DataFrame:
    """``runs`` with the columns ``relation`` (empty without privacy), ``budget`` (NaN without) and ``setting``.

    A setting is all runs of one label, hence differ in their seeds only. Output gradients without batches use all
    records, although their guarantee speaks of samples without replacement: of all records, at rate 1.

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
        require(runs, [*facts, METHOD])
        whole = (runs[METHOD] == "output_gradient") & (runs[BATCH].isna() if BATCH in runs else True)
        relations = [
            relation(adjacency, "full" if all_records else sampling) if private else ""
            for adjacency, sampling, all_records, private in zip(
                *(runs[fact] for fact in facts), whole, budget.notna(), strict=True
            )
        ]
    setting = runs.groupby([DATASET, "label"], sort=False).ngroup()
    return runs.assign(relation=relations, budget=budget, setting=setting)


def lines(known: pd.DataFrame) -> pd.Series[str]:
    """What a line of a figure is of, for each of the `named` runs: method and neighbouring relation."""
    return known["method"] + known["relation"].map(lambda words: f" ({words})" if words else "")


class OfClassifier(Section):
    """Options of a figure that shows how well a classifier does that was trained on generated images."""

    accountant: str = Field(default="upper/pld", description="kind/name of the accountant whose epsilon is shown")
    classifier: Literal["accuracy_mlp", "accuracy_logistic"] = Field(
        default="accuracy_mlp", description="accuracy_mlp or accuracy_logistic"
    )

    def budgets_shown(self) -> tuple[str, ...]:
        return (self.accountant,)

    def named(self, runs: pd.DataFrame) -> pd.DataFrame:
        """The `named` runs.

        Raises:
            ValueError: a column is missing, or there is no such classifier.
        """
        checks.one_of("classifier", self.classifier, CLASSIFIERS)
        require(runs, [self.classifier])
        return named(runs, self.accountant)

    def colours(self, known: pd.DataFrame) -> dict[str, str]:
        """A colour for each `line` of `named` runs with privacy, the same in each figure of these runs."""
        private = known[known["budget"].notna()]
        return style.cycled(lines(private).sort_values())

    def summary(self, known: pd.DataFrame, keys: Sequence[str], **others: Any) -> pd.DataFrame:
        """By dataset, the columns ``keys`` and setting: the largest budget, rounded up, and the accuracy in percent.

        ``others`` are further columns, as `seeds.summarised` takes them; they stand before the accuracy.
        """
        largest = ("budget", lambda budgets: rounded(budgets.max()))
        names, count = seeds.ranged("accuracy"), ("seed", "nunique")
        settings = [DATASET, *keys, "setting"]
        table = seeds.summarised(known, settings, self.classifier, names, epsilon=largest, seeds=count, **others)
        table[[*names]] *= 100
        shown = table[[DATASET, *keys, "epsilon", *others, *names, "seeds"]].rename(columns={DATASET: "dataset"})
        return shown.sort_values(["dataset", keys[0], "epsilon"])

    def axis(self) -> str:
        """The label of an axis of accuracies."""
        return f"real test images right (%)\n{CLASSIFIERS[self.classifier]}, trained on generated ones"


def printed() -> pd.DataFrame:
    """Table 2 as printed: dataset, method, mlp and logistic (percent), epsilon and delta (missing without privacy)."""
    records = {(record.row, record.column): record for record in claims.load(CLAIM)}
    rows = []
    for dataset in dict.fromkeys(row for row, _ in records):
        for name in dp_sliced_wasserstein_table_2.METHODS:
            row: dict[str, Any] = {"dataset": dataset, "method": name}
            row |= {kind: records[dataset, f"{name}, {kind}"].printed for kind in ("mlp", "logistic")}
            if name != dp_sliced_wasserstein_table_2.WITHOUT_PRIVACY:
                row |= {"epsilon": records[dataset, "epsilon"].printed, "delta": records[dataset, "epsilon"].delta}
            rows.append(row)
    return pd.DataFrame(rows, columns=["dataset", "method", "mlp", "logistic", "epsilon", "delta"])
