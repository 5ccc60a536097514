"""Sheets of generated images: a row per method, a panel per budget, a column per class (SWD, Figures 4 to 6)."""

from __future__ import annotations

import math
import textwrap
from typing import ClassVar

import numpy as np
import pandas as pd
from jaxtyping import UInt8
from pydantic import Field

from wassdp.generation import pictures
from wassdp.report import called, style
from wassdp.report.frames import require, titled
from wassdp.report.generation import CLASSIFIERS, named
from wassdp.report.kinds import Drawing, Figure
from wassdp.report.settings import DATASET, budget_name

PICTURE = "picture/samples"
SIDE, NAME, LEAST = 2.7, 2.0, 0.45  # inches: a sheet's width at most, of the names beside, and a row's height at least
SIZE, LETTERS = 7.5, 32  # points, and letters in a line of a name


class GeneratedSamples(Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    Generated images of each setting, one column per class (SWD, Figures 4, 5 and 6): samples of the generator at the
    end of its training, from the least seed, not chosen by eye. A row for each method: without privacy, where such a
    run is there, then from the least to the largest budget; above each sheet the proven budget by
    ``{{ accountant }}``, at the δ and under the neighbouring relation that the ledger names for the setting, which
    differ where labels are public, and the accuracy of an MLP trained on such images, of that seed. Shown in 16 shades;
    the results hold all of them.
    """

    accountant: str = Field(default="upper/pld", description="kind/name of the accountant whose epsilon is shown")
    columns: int = Field(default=4, ge=1, description="panels in a row, at most")
    part: float = Field(
        default=1, gt=0, le=1, description="upper part of each sheet that is shown: 0.4 for 4 of 10 rows"
    )

    def budgets_shown(self) -> tuple[str, ...]:
        return (self.accountant,)

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """The samples of the least seed of each setting: by dataset and method, without privacy first, then by budget.

        Raises:
            ValueError: a column is missing, or a run stored no samples.
        """
        require(runs, [PICTURE])
        known = named(runs, self.accountant)
        # The seed first: a budget that was calibrated can differ by seed in its last digits.
        first = known.sort_values("seed", kind="stable").drop_duplicates("setting")
        first = first.sort_values([DATASET, "budget", "seed"], na_position="first", kind="stable")
        lacking = first.loc[first[PICTURE].isna(), "run"]
        if not lacking.empty:
            raise ValueError(f"runs: {lacking.iloc[0]} has no {PICTURE}")
        several = first[DATASET].nunique() > 1
        # One row for a method with and without privacy, whose name the private one gives.
        alike = [first[DATASET], first["method"].str.removeprefix("DP-")]
        names = first.groupby(alike, sort=False)["method"].transform("last")
        names = first[DATASET].map(titled) + ", " + names if several else names
        methods = list(dict.fromkeys(names))
        places = first.groupby(names, sort=False).cumcount()
        if self.columns > 1:
            places += _after_no_privacy(first["budget"], names)
        columns = min(self.columns, int(places.max()) + 1)
        # A method with more budgets than columns goes on in the next row.
        lines = [(name, row) for name in methods for row in range(int(places[names == name].max()) // columns + 1)]
        sheets = [_shaded(pictures.unpack(text)) for text in first[PICTURE]]
        sheets = [sheet[: math.ceil(self.part * len(sheet))] for sheet in sheets]
        side = min(SIDE, (style.WIDEST - NAME) / columns)
        height = side * max(sheet.shape[0] / sheet.shape[1] for sheet in sheets)
        figure, axes = style.panels(len(lines), columns, share_x=False)
        figure.set_size_inches(NAME + columns * side, len(lines) * (max(height, LEAST) + 0.3))
        for axis in axes:
            axis.set_axis_off()
        what = "" if several else f"{titled(first[DATASET].iloc[0])}: "
        ours = rf"$\varepsilon$, {called.accountant(self.accountant)}" if first["budget"].notna().any() else ""
        theirs = "accuracy of an MLP trained on such images" if "accuracy_mlp" in first else ""
        style.over(figure, what + "; ".join(text for text in (ours, theirs) if text))
        for sheet, (_, row), name, place in zip(sheets, first.iterrows(), names, places, strict=True):
            line = lines.index((name, place // columns))
            axis = axes[line * columns + place % columns]
            axis.imshow(sheet, cmap="gray", vmin=0, vmax=255, interpolation="none")
            accuracy = "" if pd.isna(row.get("accuracy_mlp")) else f"; {100 * row['accuracy_mlp']:.1f} %"
            axis.set_title(f"{budget_name(row['budget'])}{accuracy}", fontsize=SIZE, pad=3)
        look: style.Look = {"ha": "right", "va": "center", "fontsize": SIZE}
        for name in methods:
            axis = axes[lines.index((name, 0)) * columns]
            axis.text(-0.03, 0.5, textwrap.fill(str(name), LETTERS), transform=axis.transAxes, **look)
        kept = [DATASET, "method", "relation", "seed", "budget", *(name for name in CLASSIFIERS if name in first)]
        return figure, first[["run", *kept]].rename(columns={DATASET: "dataset", "budget": "epsilon"})


def _after_no_privacy(budgets: pd.Series, names: pd.Series) -> pd.Series:
    """By how many panels a method's are moved: by one, where others have one without privacy and it has none."""
    without = budgets.isna()
    lacking = ~without.groupby(names).transform("any")
    return lacking.astype(int) * int(without.any())


def _shaded(sheet: UInt8[np.ndarray, ...]) -> UInt8[np.ndarray, ...]:
    """The sheet in the shades that sheets are kept in; those of older results have 256."""
    return np.asarray(pictures.STEP * np.round(sheet / pictures.STEP), dtype=np.uint8)
