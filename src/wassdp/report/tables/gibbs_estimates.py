"""Radii of the tangent theorems estimated from chains, beside the exact ones where there are any."""

from __future__ import annotations

from typing import ClassVar

import pandas as pd

from wassdp.report.frames import require
from wassdp.report.gibbs import DATASET, LOSS, NOT_CONVERGED
from wassdp.report.kinds import Table
from wassdp.tangent.losses import TITLES

COLUMNS = {
    DATASET: "dataset",
    "parameters.loss": "loss",
    "parameters.hidden": "hidden units",
    "parameters.sampler": "sampler",
    "step": "step h",
    "parameters.inverse_temperature": "β",
}


class GibbsEstimatesTable(Table):
    """The table; it has no options."""

    caption: ClassVar[str] = """
    The radii R of Theorem 3.1 (Remark 3.2(c)) and of Theorem 3.3 as printed (Remark 3.4(b)) of *Tangent
    Differential Privacy* (Ying 2025), estimated from Langevin chains, with Monte-Carlo error, R-hat and effective
    draws; beside them the exact values on a fine grid where W has two weights. Theorem 3.3 is refuted with this R,
    so that no bound follows from it; with R = ∫ q ‖r(w, ·)‖ dw it holds. *Not converged*: R-hat is 1.01 or more, or
    fewer than 400 effective draws, or, for SGLD, a bias of 5 % or more. SGLD's bias is of the order of its step and
    R-hat does not see it: a second run at half the step does.
    """

    def build(self, runs: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
        """Two rows per run, for R of Theorems 3.1 (Remark 3.2(c)) and 3.3 (Remark 3.4(b)); a dash where there is none.

        Raises:
            ValueError: a column is missing.
        """
        require(runs, [*COLUMNS, "3.1/estimate"])
        rows = []
        for _, run in runs.iterrows():
            for radius in ("3.1", "3.3"):
                if pd.isna(run.get(f"{radius}/estimate")):
                    continue
                error, bias = run.get(f"{radius}/relative_error"), run.get(f"{radius}/bias")
                rows.append(
                    {label: run[name] for name, label in COLUMNS.items()}
                    | {
                        "loss": TITLES[run[LOSS]],
                        "R of theorem": radius,
                        "estimate": run[f"{radius}/estimate"],
                        "Monte-Carlo error": run[f"{radius}/error"],
                        "exact": run.get(f"{radius}/exact"),
                        "relative error (%)": None if error is None else 100 * error,
                        "bias by half the step (%)": None if bias is None else 100 * bias,
                        "R-hat": run[f"{radius}/r_hat"],
                        "effective draws": round(run[f"{radius}/effective"]),
                        "chains": "converged" if run[f"{radius}/converged"] == 1 else NOT_CONVERGED,
                    }
                )
        return pd.DataFrame(rows)
