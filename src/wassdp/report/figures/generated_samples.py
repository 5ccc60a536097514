"""Sheets of generated images, one panel per setting, one column of images per class (SWD, Figures 4 to 6)."""

from __future__ import annotations

import math
import textwrap
from typing import ClassVar

import pandas as pd
from pydantic import Field

from wassdp.generation import pictures
from wassdp.report import style
from wassdp.report.frames import require, titled
from wassdp.report.generation import CLASSIFIERS, named
from wassdp.report.kinds import Drawing, Figure
from wassdp.report.settings import DATASET, budget_name

PICTURE = "picture/samples"
SIDE = 2.7  # inches


class GeneratedSamples(Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    Generated images of each setting, one column per class (SWD, Figures 4, 5 and 6): samples of the generator at
    the end of its training, from the least seed, not chosen by eye. The title names the method, the proven budget
    by ``{{ accountant }}`` and the accuracy of an MLP trained on such images.
    """

    accountant: str = Field(default="upper/pld", description="kind/name of the accountant whose epsilon is shown")
    columns: int = Field(default=3, ge=1, description="panels in a row")
    part: float = Field(
        default=1, gt=0, le=1, description="upper part of each sheet that is shown: 0.4 for 4 of 10 rows"
    )

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """The samples of the least seed of each setting; by dataset, those without privacy first, then by budget.

        Raises:
            ValueError: a column is missing, or a run stored no samples.
        """
        require(runs, [PICTURE])
        known = named(runs, self.accountant)
        known = known.sort_values([DATASET, "budget", "seed"], na_position="first", kind="stable")
        first = known.drop_duplicates("setting")
        lacking = first.loc[first[PICTURE].isna(), "run"]
        if not lacking.empty:
            raise ValueError(f"runs: {lacking.iloc[0]} has no {PICTURE}")
        columns = min(self.columns, len(first))
        rows = math.ceil(len(first) / columns)
        sheets = [pictures.unpack(text) for text in first[PICTURE]]
        sheets = [sheet[: math.ceil(self.part * len(sheet))] for sheet in sheets]
        height = SIDE * max(sheet.shape[0] / sheet.shape[1] for sheet in sheets)
        figure, axes = style.panels(rows, columns, share_x=False)
        figure.set_size_inches(columns * (SIDE + 0.1), rows * (height + 0.75))
        for axis in axes[len(first) :]:
            axis.set_visible(False)
        for axis, sheet, (_, row) in zip(axes, sheets, first.iterrows(), strict=False):
            axis.imshow(sheet, cmap="gray", vmin=0, vmax=255, interpolation="nearest")
            axis.set_axis_off()
            words = textwrap.fill(f"{titled(row[DATASET])}, {row['method']}", 40)
            accuracy = "" if pd.isna(row.get("accuracy_mlp")) else f", MLP {100 * row['accuracy_mlp']:.1f} %"
            axis.set_title(f"{words}\n{budget_name(row['budget'])}{accuracy}", fontsize=7.5)
        kept = [DATASET, "method", "relation", "seed", "budget", *(name for name in CLASSIFIERS if name in first)]
        return figure, first[["run", *kept]].rename(columns={DATASET: "dataset", "budget": "epsilon"})
