"""How good each setting was, and the least budget that was enough for an accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pydantic import Field

from wassdp.report import seeds
from wassdp.report.frames import require
from wassdp.report.settings import DATASET, MODEL, label, shown
from wassdp.sections import Section


class Lined(Section):
    """Options of what shows lines: settings of one model, say, at several budgets."""

    accountant: str = Field(default="upper/pld", description="kind/name of the accountant whose epsilon is shown")
    lines: tuple[str, ...] = Field(
        default=(MODEL,), description="columns of the table of runs that make a line (or a panel, or a row) of its own"
    )

    def budgets_shown(self) -> tuple[str, ...]:
        return (self.accountant,)


def lined(runs: pd.DataFrame, options: Lined, *, one_setting: bool = True) -> pd.DataFrame:
    """``runs`` as from `label`, with the column ``line``: the values of ``options.lines`` in one text.

    A column that a run lacks is left out of its text.

    Args:
        runs: rows of the table of runs.
        options: accountant and columns.
        one_setting: refuse lines with several settings at one budget.

    Raises:
        ValueError: a column is missing, or a line has several settings at one budget; the message names the
            parameters that tell them apart.
    """
    require(runs, ["run", "seed", DATASET, *options.lines])
    named = label(runs, accountant=options.accountant)
    texts = named[list(options.lines)].itertuples(index=False, name=None)
    named["line"] = [", ".join(shown(value) for value in row if pd.notna(value)) for row in texts]
    if one_setting:
        _one_setting_per_budget(named)
    return named


def summary(named: pd.DataFrame) -> pd.DataFrame:
    """Per dataset, line and setting: largest epsilon, mean and range of the test accuracy in percent, number of seeds.

    Args:
        named: runs from `lined`.

    Raises:
        ValueError: a run has no accuracy.
    """
    require(named, ["run", "seed", "accuracy"])
    lacking = named.loc[named["accuracy"].isna(), "run"]
    if not lacking.empty:
        raise ValueError(f"runs: {lacking.iloc[0]} has no accuracy")
    # Seeds of one setting may differ in the last digits of a calibrated budget: group by the setting, not by epsilon.
    names = seeds.ranged("accuracy")
    largest, count = ("budget", "max"), ("seed", "nunique")
    keys = [DATASET, "line", "setting"]
    table = seeds.summarised(named, keys, "accuracy", names, epsilon=largest, seeds=count)
    # A mean of equal floats may lie beside them.
    table["accuracy"] = table["accuracy"].clip(table["accuracy_least"], table["accuracy_most"])
    table[[*names]] *= 100
    table = table[[*keys, "epsilon", *names, "seeds"]].rename(columns={DATASET: "dataset"})
    return table.sort_values(["dataset", "line", "epsilon"], ignore_index=True)


def lowest(table: pd.DataFrame, accuracy: float) -> pd.Series[Any] | None:
    """The row of least finite epsilon whose mean accuracy is at least ``accuracy`` percent, or None.

    Among rows of one epsilon the most accurate one.

    Args:
        table: rows of `summary`.
        accuracy: what is to be reached, in percent.
    """
    enough = np.isfinite(table["epsilon"]) & (table["accuracy"] >= accuracy - 1e-9)  # a mean of floats may fall short
    if not enough.any():
        return None
    best: pd.Series[Any] = table[enough].sort_values(["epsilon", "accuracy"], ascending=[True, False]).iloc[0]
    return best


def _one_setting_per_budget(named: pd.DataFrame) -> None:
    # Calibrated budgets meet their target to about three digits; several runs without a finite one are not drawn.
    level = named["level"].map("{:.3g}".format).mask(np.isinf(named["level"]), named["setting"])
    for (dataset, line, budget), rows in named.groupby([DATASET, "line", level]):
        if rows["setting"].nunique() > 1:
            parameters = [str(name) for name in rows.columns if str(name).startswith("parameters.")]
            varying = [name for name in parameters if rows[name].astype(str).nunique() > 1]
            raise ValueError(
                f"lines: {line} on {dataset} has {rows['setting'].nunique()} settings at epsilon {budget}; "
                f"add what tells them apart, of {', '.join(varying)}"
            )
