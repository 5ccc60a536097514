"""Accuracy on the target over the budget (SWD, Figure 3): published runs at stated budgets, others at proven ones."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from pydantic import Field

from wassdp.accounting.rounding import exact
from wassdp.report import style
from wassdp.report.adaptation import colour, named, settings
from wassdp.report.kinds import Drawing, Figure

STATED = {"published_dp_swd"}
"""Methods of which nothing is proved: they stand at the budget that a published formula states."""

LEAST_SPAN = 5.0
"""Factor that the axis of budgets spans at least: budgets that calibration made equal stand in one place."""

STEP = 1.04
"""Factor between the places of two methods at one budget: side by side, their bars can be told apart."""


class AdaptationOverEpsilon(Figure):
    """The figure; its fields are its options. An accountant is named ``kind/name``."""

    caption: ClassVar[str] = """
    Accuracy on the target over the budget, as Figure 3 of *Differentially Private Sliced Wasserstein Distance*
    (Rakotomamonjy and Ralaivola 2021): means over the seeds, bars from the smallest to the largest. **Hollow**
    marks are the paper's own DP-SWD at the ε that the published formula **states** ({{ stated }}); nothing is
    proved of these runs. **Full** marks stand at **proven** budgets ({{ proven }}: replace one record, batches
    without replacement). Dashed level lines are methods without privacy. A private method that is no better than
    *source only* has not used the target at all, and neither has one that is no better than its **cross**, where it
    has one: that has the method's noise at the same budget, without the gradient.
    """

    proven: str = Field(default="upper/pld", description="accountant of the runs that prove a budget")
    stated: str = Field(default="published/swd_bernstein_code", description="accountant of the runs as published")

    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Means over the seeds with bars from the smallest to the largest; methods without privacy are level lines.

        Methods of one budget stand side by side around it; the data has the budgets themselves.

        A hollow mark stands at a stated budget, which nothing proves; a full one at a proven budget; a cross is a
        control that has its method's noise without the gradient: it has no budget, and stands at that which its noise
        would keep with the gradient. Private settings without a finite budget of their kind are left out of the axes
        and kept in the data.

        Raises:
            ValueError: a column is missing, a method is unknown, or no setting has a finite budget.
        """
        own = named(runs)
        stated = own["parameters.method.name"].isin(STATED)
        parts = [
            settings(rows, f"epsilon/{accountant}").assign(accountant=accountant)
            for rows, accountant in ((own[stated], self.stated), (own[~stated], self.proven))
            if len(rows)
        ]
        data = pd.concat(parts).sort_values(["panel", "place", "epsilon"]).reset_index(drop=True)
        data.loc[data["delta"].isna(), "accountant"] = None
        data["shown_at"] = data["epsilon"].where(~data["control"], data["parameters.method.epsilon"])
        shown = data[np.isfinite(data["epsilon"])]
        if shown.empty:
            raise ValueError(f"runs: no setting has a finite epsilon by {self.proven} or {self.stated}")
        with style.context():
            problems = list(dict.fromkeys(shown["problem"]))
            figure, axes = style.wide_panels(len(problems))
            for axis, problem in zip(axes, problems, strict=True):
                _panel(axis, data[data["problem"] == problem])
                axis.set_title(problem)
            style.legend_right(figure, _legend(data[data["problem"].isin(problems)], self))
        return figure, data.drop(columns=["panel", "place", "setting", "private", "share", "shown_at"])


def _panel(axis: Axes, rows: pd.DataFrame) -> None:
    private = list(dict.fromkeys(rows.loc[rows["private"], "method"]))
    for (name, method), part in rows.groupby(["name", "method"], sort=False):
        if str(method) not in private:
            for level in part["accuracy"]:
                axis.axhline(level, color=colour(str(name)), linestyle=(0, (4, 2)), linewidth=1.2)
            continue
        part = part[np.isfinite(part["shown_at"])].sort_values("shown_at")
        bars = np.abs(part[["least", "most"]].to_numpy().T - part["accuracy"].to_numpy())
        aside = STEP ** (private.index(str(method)) - (len(private) - 1) / 2)
        axis.errorbar(
            aside * part["shown_at"],
            part["accuracy"],
            yerr=bars,
            capsize=2,
            linewidth=1.2,
            **_mark(str(name), control=bool(part["control"].iloc[0])),
        )
    axis.set_xscale("log")
    axis.margins(x=0.15)
    low, high = axis.get_xlim()
    if high < LEAST_SPAN * low:
        middle = math.sqrt(low * high)
        axis.set_xlim(middle / math.sqrt(LEAST_SPAN), middle * math.sqrt(LEAST_SPAN))
    style.plain_log_ticks(axis)
    axis.set_xlabel(r"$\varepsilon$")
    axis.set_ylabel("accuracy on the target (%)")


def _legend(data: pd.DataFrame, options: AdaptationOverEpsilon) -> list[Line2D]:
    handles = []
    for name, method in dict.fromkeys(zip(data["name"], data["method"], strict=True)):
        rows = data[data["method"] == method]
        if rows["control"].any() and np.isfinite(rows["shown_at"]).any():
            look: dict[str, Any] = {**_mark(name, control=True), "label": f"{method}:\nno budget, at that of its noise"}
        elif rows["delta"].isna().all():
            look = {"color": colour(name), "linestyle": (0, (4, 2)), "label": method}
        elif np.isfinite(rows["epsilon"]).any():
            words = f"stated by {options.stated}, not proved" if name in STATED else f"proven by {options.proven}"
            deltas = ", ".join(exact(delta) for delta in sorted(set(rows["delta"])) if not math.isnan(delta))
            look = {**_mark(name), "label": f"{method}:\n{words},\nδ = {deltas}"}
        else:
            continue
        handles.append(Line2D([], [], **look))
    return handles


def _mark(name: str, *, control: bool = False) -> dict[str, Any]:
    own = colour(name)
    if control:
        # A control often lies where its method does: larger and behind it, both are seen.
        look: dict[str, Any] = {"marker": "X", "markersize": 8, "markeredgewidth": 0, "zorder": 1.9, "alpha": 0.6}
        return look | {"color": own, "linestyle": (0, (6, 1.5, 1, 1.5))}
    look = {"color": own, "marker": "o", "markersize": 5}
    if name in STATED:
        return look | {"markerfacecolor": "white", "linestyle": (0, (1, 1.2))}
    return look | {"linestyle": "-"}
