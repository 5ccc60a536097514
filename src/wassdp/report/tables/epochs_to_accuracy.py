"""Epochs to an accuracy, printed and reproduced (*Wasserstein Differential Privacy*, "Deep Learning")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from pydantic import Field

from wassdp import claims
from wassdp.claims.printed.wasserstein_dp_epochs import LEVEL
from wassdp.report import style
from wassdp.report.reached import curves_by_noise, first_epochs


class Options(style.Options):
    """Options of this table."""

    frameworks: dict[str, float] = Field(description="framework to the noise multiplier that its runs train with")
    claim: str = Field(default="wasserstein-dp-epochs", description="the printed epochs, as in wassdp.claims")
    level: float = Field(default=LEVEL, gt=0, le=100, description="accuracy to reach, percent")


def build(runs: pd.DataFrame, history: pd.DataFrame, options: Mapping[str, Any]) -> pd.DataFrame:
    """One row for each framework or noise: printed epochs, and those of the first and the last seed to get there.

    Infinity: not within the epochs that were run.

    Raises:
        ValueError: a column or curve is missing, or the runs are of several datasets.
    """
    chosen = Options.model_validate(options)
    printed = {record.column: record.printed for record in claims.load(chosen.claim)}
    found = first_epochs(curves_by_noise(runs, history, chosen.frameworks), chosen.level)
    return pd.DataFrame(
        {
            "framework": found["framework"],
            "noise σ": found["noise"],
            "printed epochs": found["framework"].map(printed),
            f"epochs to {chosen.level:g} %, first seed": found["first"],
            f"epochs to {chosen.level:g} %, last seed": found["last"],
            "epochs run": found["epochs"],
            "best accuracy (%)": found["best"],
            "seeds": found["seeds"],
        }
    )
