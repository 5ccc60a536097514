"""How much of each proven sensitivity of Wasserstein gradients the worst neighbouring batches found use."""

from __future__ import annotations

from typing import ClassVar

import pandas as pd

from wassdp.accounting.guarantee import known_adjacency
from wassdp.report.frames import require
from wassdp.report.kinds import Table
from wassdp.report.table_files import bounds

COLUMNS = {
    "parameters.theorem": "theorem",
    "parameters.relation": "adjacency",
    "parameters.dimension": "d",
    "parameters.projections": "k",
    "parameters.directions": "directions",
    "parameters.left": "n",
    "parameters.right": "m",
    "parameters.jacobian_norms": "L₁, L₂",
    "moved": "moved",
    "bound": "bound",
    "ratio": "ratio",
    "published_bound": "published bound",
    "published_ratio": "published ratio",
}


class GradientSensitivityTable(Table):
    """The table; it has no options."""

    caption: ClassVar[str] = """
    How far the worst neighbouring batches found move a Wasserstein gradient, and what share of its proven sensitivity
    that is. A ratio above 1 would refute the theorem; a ratio of 1 says that it cannot be improved. *clipped*: the
    gradient in a model's parameters, bounded by *Learning with Differentially Private (Sliced) Wasserstein Gradients*,
    Theorems 4.1 and A.1 (published bound) and by this project's refinement of their proof (bound). *output*: the
    gradient in public points. d is the dimension of the outputs, k the number of directions, n and m the points of the
    two sides, L₁ and L₂ what their Jacobians are clipped to (*clipped* alone). The search is hill climbing: its ratios
    are lower bounds on the largest one.
    """

    def build(self, runs: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
        """One row per setting: the largest ratio over its seeds. A ratio above 1 would refute the theorem.

        Raises:
            ValueError: a column is missing.
        """
        require(runs, [name for name in COLUMNS if not name.startswith("published")])
        settings = [name for name in COLUMNS if name.startswith("parameters.")]
        worst = runs.sort_values("ratio", ascending=False).drop_duplicates(settings).sort_values(settings)
        worst = worst.assign(**{"parameters.relation": worst["parameters.relation"].map(known_adjacency)})
        table = worst[[name for name in COLUMNS if name in worst]].rename(columns=COLUMNS).reset_index(drop=True)
        # What a search found is no more than what there is, and what is proven no less.
        return bounds(table, {"moved": "lower", "ratio": "lower", "bound": "upper"})
