"""Test accuracy over the budget it cost: one panel per dataset, one line per model; the non-private level beside it."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation
from pydantic import Field, model_validator

from wassdp.accounting.rounding import exact
from wassdp.claims import PRINTED
from wassdp.report import beside, called, seeds, style
from wassdp.report import published as _published
from wassdp.report.frames import power, titled
from wassdp.report.kinds import Drawing, Figure
from wassdp.report.settings import DATASET, budget_text, release, rounded
from wassdp.report.summary import Lined, lined, lowest, summary

BANDS_FROM = 4  # so many budgets of a line make a band; fewer have bars, and each seed a dot
NUMBER: style.Look = {"textcoords": "offset points", "fontsize": 7.5, "color": style.GREY, "zorder": 4}
DASHES: style.Look = {"linestyle": style.DASHED, "linewidth": 1.1}
DOTS: style.Look = {"color": style.GREY, "linestyle": style.DASHES[2], "linewidth": 1, "zorder": 1}
RING: style.Look = {
    "marker": "o", "linestyle": "", "ms": 9, "mfc": "none", "mec": style.BLACK, "mew": 1.3, "zorder": 5
}  # fmt: skip
MARK = 6.5  # points
APART = 0.075  # of an axis from its least to its largest tick, between two that have numbers


class AccuracyOverEpsilon(Lined, Figure):
    """The figure; its fields are its options."""

    caption: ClassVar[str] = """
    Test accuracy at the end of training over the budget that it cost, by the accountant ``{{ accountant }}``: mean
    over the seeds, with bars from the smallest to the largest and each seed as a dot, or a band where a line has
    four budgets or more. Dashed: the same model trained without clipping and noise. The hyper-parameters were not
    chosen privately; what their choice cost is said where the preset sets them. {% if published %}

    Open marks stand where the paper prints its accuracies and budgets ({{ published | replace("-", " ") }}), by
    kind: they are **published claims, no proofs**. A BDP budget holds for records drawn like the measured ones, not
    in the worst case, and a WDP budget bounds no likelihood ratio: only the marks for DP are budgets of the axis's
    own kind.{% endif %} {% if target %}

    A ring marks the least proven budget, of those tried, whose mean accuracy is at least the printed one (dotted).
    It is the best of the settings shown, chosen by their test accuracy; no budget includes that choice.{% endif %}
    """

    log: bool = Field(default=True, description="logarithmic horizontal axis")
    published: Annotated[str, PRINTED] | None = Field(
        default=None, description="published table whose accuracies and budgets are marked, e.g. wasserstein-dp-table-2"
    )
    target: bool = Field(
        default=False, description="mark each published accuracy, and the least proven epsilon here that reached it"
    )
    least: float | None = Field(default=None, description="lower end of the vertical axis; null: fitted to the data")

    @model_validator(mode="after")
    def _together(self) -> AccuracyOverEpsilon:
        if self.target and self.published is None:
            raise ValueError("target: needs published, the table whose accuracies are to be reached")
        if self.target and not self.accountant.startswith("upper/"):
            raise ValueError(f"target: needs an upper bound; accountant {self.accountant} proves nothing")
        return self

    def accountants_needed(self) -> tuple[str, ...]:
        return (self.accountant,)

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Mean over the seeds; a band or bars from the smallest to the largest.

        A run whose budget is not finite has no place on the axis and is left out of the picture, not of the data.

        Raises:
            ValueError: a column is missing, no run has a finite budget, the budgets do not belong on one axis, two
                settings of a line have one budget, or nothing is published about any of the datasets.
        """
        named = lined(runs, self)
        data = summary(named)
        # Seeds of one setting may differ in the last digits of a calibrated budget: they stand at the largest.
        at = named.groupby([DATASET, "line", "setting"])["budget"].transform("max")
        points = named.assign(epsilon=at, accuracy=100 * named["accuracy"])
        if not np.isfinite(data["epsilon"]).any():
            raise ValueError(f"runs: none has a finite epsilon/{self.accountant}")
        panels = list(data.groupby("dataset", sort=False))
        claims = _published.budgets(self.published, list(data["dataset"].unique())) if self.published else None
        colours = style.cycled(data["line"])
        figure, axes = style.wide_panels(len(panels))
        numbers: list[tuple[Annotation, beside.Place]] = []
        for axis, (dataset, panel) in zip(axes, panels, strict=True):
            seeds_here = points[points[DATASET] == dataset]
            for line, rows in panel.groupby("line", sort=False):
                _line(axis, rows, seeds_here[seeds_here["line"] == line], colours[str(line)])
            axis.set(title=titled(dataset), ylabel="test accuracy (%)")
            axis.set_xlabel(self._budgets(runs), fontsize="small")
            if claims is not None:
                numbers += _claims(axis, claims[claims["dataset"] == dataset], panel, target=self.target)
            if self.log:
                _logarithmic(axis, panel["epsilon"])
            low, high = axis.get_ylim()
            if self.published is not None:
                room = 0.07 * (high - low)  # for the numbers below the lowest marks and above the highest
                low, high = low - room, high + room
            axis.set_ylim(bottom=low if self.least is None else self.least, top=min(high, 100))
        style.legend_right(figure, self._legend(data, colours, claims).items())
        beside.settle(figure, numbers)
        if claims is None:
            return figure, data
        return figure, _with_claims(data, claims, self, named[f"delta/{self.accountant}"].max())

    def _budgets(self, runs: pd.DataFrame) -> str:
        """What the horizontal axis shows, in two lines."""
        about = release(runs, self.accountant)
        return rf"$\varepsilon$, {called.accountant(self.accountant)}" + f"\n{about}"

    def _legend(
        self, data: pd.DataFrame, colours: dict[str, str], claims: pd.DataFrame | None
    ) -> dict[str, style.Look]:
        looks: dict[str, style.Look] = {
            called.words(name): {"color": colour, "marker": "o", "markersize": 3.5} for name, colour in colours.items()
        }
        if data["epsilon"].isna().any():
            looks["the same without privacy,\nin the line's colour"] = {**DASHES, "color": style.LOWER}
        if claims is not None and self.published is not None:
            looks[f"\n{_published.title(self.published)},\nas printed, not proved:"] = {"linestyle": ""}
            kinds = dict.fromkeys(zip(claims["kind"], claims["delta"], strict=True))
            for place, (kind, delta) in enumerate(kinds):
                looks[rf"{kind} ($\delta$ = {power(delta)})"] = _claim_mark(place, str(kind))
        if self.target:
            looks |= {"accuracy as printed": DOTS, "least proven budget of those\ntried that reached it here": RING}
        return looks


def _line(axis: Axes, rows: pd.DataFrame, points: pd.DataFrame, colour: str) -> None:
    finite = points[np.isfinite(points["epsilon"])]
    name = str(rows["line"].iloc[0])
    look: dict[str, Any] = {"color": colour, "marker": "o", "markersize": 3.5, "label": name}
    if finite["epsilon"].nunique() >= BANDS_FROM:
        seeds.band(axis, finite, "epsilon", "accuracy", **look)
    elif not finite.empty:
        seeds.bars(axis, finite, "epsilon", "accuracy", cap=3, **look)
        axis.scatter(finite["epsilon"], finite["accuracy"], s=14, facecolor="none", edgecolor=colour, linewidth=0.7)
    for _, row in rows[rows["epsilon"].isna()].iterrows():
        axis.axhline(row["accuracy"], color=colour, label=f"{name}, no privacy", **DASHES)
        axis.axhspan(row["accuracy_least"], row["accuracy_most"], color=colour, alpha=0.12, linewidth=0)


def least_text(data: pd.DataFrame, best: pd.Series[Any]) -> str:
    """The least budget that was enough, as far as these runs tell: where no smaller one was tried, no more is known.

    >>> tried = pd.DataFrame({"epsilon": [0.25, 1.0]})
    >>> least_text(tried, tried.iloc[0]), least_text(tried, tried.iloc[1])
    ('≤ 0.25, smallest tried', '= 1.00')
    """
    text = budget_text(best["epsilon"])
    return f"= {text}" if (data["epsilon"] < best["epsilon"]).any() else f"≤ {text}, smallest tried"


def _claims(
    axis: Axes, claims: pd.DataFrame, data: pd.DataFrame, *, target: bool
) -> list[tuple[Annotation, beside.Place]]:
    """Open marks for what is published, and their numbers; under the title, what was reached at a proven budget."""
    edge = [withStroke(linewidth=2, foreground="white")]
    numbers = []
    points = zip(claims["epsilon"], claims["accuracy"], strict=True)
    for place, (point, kind) in enumerate(zip(points, claims["kind"], strict=True)):
        axis.plot(*point, **_claim_mark(place, str(kind)))
        # Neighbours lie close together: their numbers stand below and above in turn.
        aside = beside.ABOVE if place % 2 else beside.BELOW
        numbers.append((axis.annotate(exact(point[0]), point, aside[:2], path_effects=edge, **NUMBER), aside))
    if not target:
        return numbers
    texts = []
    for accuracy in dict.fromkeys(claims["accuracy"]):
        axis.axhline(accuracy, **DOTS)
        best = lowest(data, accuracy)
        if best is None:
            texts.append(rf"{accuracy:g} %: reached at no proven $\varepsilon$")
        else:
            texts.append(rf"{accuracy:g} % reached at a proven $\varepsilon$ {least_text(data, best)}")
            axis.plot(best["epsilon"], best["accuracy"], **RING)
    axis.set_title(axis.get_title(), pad=6 + 11 * max(1, len(texts)))
    axis.annotate(
        "\n".join(texts), (0.5, 1.0), (0, 4), "axes fraction", textcoords="offset points", ha="center", fontsize=8
    )
    return numbers


def _claim_mark(place: int, kind: str) -> dict[str, Any]:
    return style.open_mark(place, MARK, style.KINDS.get(kind, style.GREY))


def _with_claims(data: pd.DataFrame, claims: pd.DataFrame, options: AccuracyOverEpsilon, delta: float) -> pd.DataFrame:
    """Both in one table: whose budget it is, at which delta, and whether it is proven or published."""
    private = data["epsilon"].notna()
    ours = data.assign(kind=options.accountant.split("/")[0], delta=delta)
    ours[["kind", "delta"]] = ours[["kind", "delta"]].where(private, axis="index")
    theirs = claims.assign(line=f"{options.published}: " + claims["kind"], kind="published")
    both = pd.concat([ours, theirs[["dataset", "line", "epsilon", "accuracy", "kind", "delta"]]], ignore_index=True)
    return both.astype({"seeds": "Int64"})


def _logarithmic(axis: Axes, budgets: pd.Series[float]) -> None:
    finite = sorted({rounded(value) for value in budgets[np.isfinite(budgets)]})
    axis.set_xscale("log")
    if len(finite) <= 8:
        # The budgets themselves are the ticks: a reader wants these numbers, not powers of ten.
        axis.set_xticks(finite, _ticks(finite))
        axis.minorticks_off()
    else:
        style.plain_log_ticks(axis)
    left, right = axis.get_xlim()
    if right < 1.5 * left:  # a single budget stands in the middle
        axis.set_xlim(left / 2, 2 * right)


def _ticks(values: list[float]) -> list[str]:
    """The values as texts, without those that would touch the last one; the largest is always there.

    >>> _ticks([0.91, 2.7, 3.5, 4.0, 8.0]), _ticks([1.0, 7.5, 8.0])
    (['0.91', '2.7', '', '4', '8'], ['1', '', '8'])
    """
    room = (values[-1] / values[0]) ** APART
    texts = [exact(values[-1])]
    right = values[-1]
    for value in reversed(values[:-1]):
        texts.insert(0, exact(value) if right / value >= room else "")
        right = value if texts[0] else right
    return texts
