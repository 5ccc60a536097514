"""How well membership inference tells who was trained on, beside what budgets allow."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pandas as pd

from wassdp.accounting.formulas.attack_success import attack_success
from wassdp.accounting.rounding import of_all
from wassdp.report.frames import require
from wassdp.report.kinds import Table
from wassdp.report.table_files import bounds

DATASET = "dataset"
COLUMNS = {
    "parameters.dataset": DATASET,
    "label": "setting",
    "parameters.models": "models",
    "accuracy": "accuracy",
    "success_loss": "success, loss",
    "success_lira": "success, LiRA",
    "loss_at_0.001": "TPR at 0.1 %, loss",
    "lira_at_0.001": "TPR at 0.1 %, LiRA",
}
PRIVATE = {"epsilon": "proven ε", "success_allowed": "proven P(A)"}


def _budget(values: pd.Series[float]) -> float:
    return of_all(values, "upper")


def _allowed(values: pd.Series[float]) -> float:
    return float(np.minimum(of_all(values, "upper"), 1.0))


def _mean(values: pd.Series[float]) -> float:
    return float(values.mean(skipna=False))


WORST = {"epsilon": _budget, "success_allowed": _allowed}


class MembershipTable(Table):
    """The table; it has no options."""

    caption: ClassVar[str] = """
    Membership inference: models trained on random halves of the same records, and two attackers on each of them, a
    threshold on the loss (Yeom et al. 2018) and LiRA, whose shadow models are the others (Carlini et al. 2022).
    **success** is the share of right answers where members are half of all, at a threshold fixed on half of the models
    and counted on the others; **TPR at 0.1 %** the share of members accused where one in a thousand others is. What
    these attackers find is no bound: a better one may come. **proven P(A)** = (e^ε + δ)/(e^ε + 1) bounds every attacker
    on a record of these models. **P(A) as 1/(1+e^-ε)** is the formula that *Wasserstein Differential Privacy* applies
    to its budgets, here of the proven ε: how far below it real attackers stay says nothing of whether a budget holds.
    """

    def build(self, runs: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
        """One row per setting: means over its seeds, a dash where one lacks its share, and the largest ε.

        Raises:
            ValueError: a column is missing.
        """
        require(runs, COLUMNS)
        there = {name: title for name, title in PRIVATE.items() if name in runs}
        keys = ["parameters.dataset", "label", "parameters.models"]
        how: dict[str, Any] = {name: _mean for name in COLUMNS if name not in keys}
        how |= {name: worst for name, worst in WORST.items() if name in there}
        table = runs.groupby(keys, sort=False, as_index=False).agg(how).rename(columns=COLUMNS | there)
        if "epsilon" in there:
            table["P(A) as 1/(1+e^-ε)"] = table["proven ε"].map(attack_success, na_action="ignore")
        return bounds(table, dict.fromkeys(there.values(), "upper"))
