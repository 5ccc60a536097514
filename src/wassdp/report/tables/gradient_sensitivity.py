"""How much of each proven sensitivity of Wasserstein gradients the worst neighbouring batches found use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from wassdp.accounting.guarantee import known_adjacency
from wassdp.report import style
from wassdp.report.frames import require
from wassdp.report.table_files import bounds

COLUMNS = {
    "parameters.theorem": "theorem",
    "parameters.relation": "adjacency",
    "parameters.dimension": "d",
    "parameters.projections": "k",
    "parameters.directions": "directions",
    "parameters.left": "n",
    "parameters.right": "m",
    "moved": "moved",
    "bound": "bound",
    "ratio": "ratio",
    "published_bound": "published bound",
    "published_ratio": "published ratio",
}


class Options(style.Options):
    """Options of this table: there are none."""


def build(runs: pd.DataFrame, history: pd.DataFrame, options: Mapping[str, Any]) -> pd.DataFrame:
    """One row per setting: the largest ratio over its seeds. A ratio above 1 would refute the theorem.

    Raises:
        ValueError: a column is missing.
    """
    Options.model_validate(options)
    require(runs, [name for name in COLUMNS if not name.startswith("published")])
    settings = [name for name in COLUMNS if name.startswith("parameters.")]
    worst = runs.sort_values("ratio", ascending=False).drop_duplicates(settings).sort_values(settings)
    worst = worst.assign(**{"parameters.relation": worst["parameters.relation"].map(known_adjacency)})
    table = worst[[name for name in COLUMNS if name in worst]].rename(columns=COLUMNS).reset_index(drop=True)
    # What a search found is no more than what there is, and what is proven no less.
    return bounds(table, {"moved": "lower", "ratio": "lower", "bound": "upper"})
