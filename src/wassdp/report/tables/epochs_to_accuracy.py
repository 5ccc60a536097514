"""Epochs to an accuracy, printed and reproduced (*Wasserstein Differential Privacy*, "Deep Learning")."""

from __future__ import annotations

import pandas as pd

from wassdp.report.kinds import Table
from wassdp.report.reached import EpochsToLevel, curves_by_noise, first_epochs


class EpochsToAccuracyTable(EpochsToLevel, Table):
    """The table; its fields are its options."""

    def build(self, runs: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
        """One row for each framework or noise: printed epochs, and those of the first and the last seed to get there.

        Infinity: not within the epochs that were run.

        Raises:
            ValueError: a column or curve is missing, or the runs are of several datasets.
        """
        printed = self.printed()
        found = first_epochs(curves_by_noise(runs, history, self.frameworks), self.level)
        return pd.DataFrame(
            {
                "framework": found["framework"],
                "noise σ": found["noise"],
                "printed epochs": found["framework"].map(printed),
                f"epochs to {self.level:g} %, first seed": found["first"],
                f"epochs to {self.level:g} %, last seed": found["last"],
                "epochs run": found["epochs"],
                "best accuracy (%)": found["best"],
                "seeds": found["seeds"],
            }
        )
