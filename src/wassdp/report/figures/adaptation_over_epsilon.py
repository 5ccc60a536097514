"""Accuracy on the target over the budget (SWD, Figure 3): published runs at stated budgets, others at proven ones."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from pydantic import Field

from wassdp.report import called, style
from wassdp.report.adaptation import METHOD, colour, mark, named, settings
from wassdp.report.frames import in_words, power
from wassdp.report.kinds import Drawing, Figure

STATED = {"published_dp_swd"}
"""Methods of which nothing is proved: they stand at the budget that a published formula states."""

LETTERS = 40
"""Of a line in the legend."""

LEAST_SPAN = 5.0
"""Factor that the axis of budgets spans at least: budgets that calibration made equal stand in one place."""


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

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Means over the seeds with bars from the smallest to the largest; methods without privacy are level lines.

        Every mark stands at its budget; of methods that share one, later bars have wider caps.

        A hollow mark stands at a stated budget, which nothing proves; a full one at a proven budget; a cross is a
        control that has its method's noise without the gradient: it has no budget, and stands at that which its noise
        would keep with the gradient. Private settings without a finite budget of their kind are left out of the axes
        and kept in the data.

        Raises:
            ValueError: a column is missing, a method is unknown, or no setting has a finite budget.
        """
        known = named(runs)
        stated = known[f"{METHOD}name"].isin(STATED)
        parts = [
            settings(rows, f"epsilon/{accountant}").assign(accountant=accountant)
            for rows, accountant in ((known[stated], self.stated), (known[~stated], self.proven))
            if len(rows)
        ]
        data = pd.concat(parts).sort_values(["panel", "place", "epsilon"]).reset_index(drop=True)
        data.loc[data["delta"].isna(), "accountant"] = None
        data["shown_at"] = data["epsilon"].where(~data["control"], data[f"{METHOD}epsilon"])
        problems = list(dict.fromkeys(data.loc[np.isfinite(data["epsilon"]), "problem"]))
        if not problems:
            raise ValueError(f"runs: no setting has a finite epsilon by {self.proven} or {self.stated}")
        figure, axes = style.wide_panels(len(problems))
        label = _axis(data[data["problem"].isin(problems)], self)
        for axis, problem in zip(axes, problems, strict=True):
            _panel(axis, data[data["problem"] == problem], label)
            axis.set_title(in_words(problem))
        style.legend_right(figure, _legend(data[data["problem"].isin(problems)], self))
        return figure, data.drop(columns=["panel", "place", "setting", "private", "share", "shown_at"])


def _panel(axis: Axes, rows: pd.DataFrame, label: str) -> None:
    private = list(dict.fromkeys(rows.loc[rows["private"], "method"]))
    for (name, method), settings_of_method in rows.groupby(["name", "method"], sort=False):
        if str(method) not in private:
            for level in settings_of_method["accuracy"]:
                axis.axhline(level, color=colour(str(name)), linestyle=style.DASHED, linewidth=1.2)
            continue
        points = settings_of_method[np.isfinite(settings_of_method["shown_at"])].sort_values("shown_at")
        bars = np.abs(points[["least", "most"]].to_numpy().T - points["accuracy"].to_numpy())
        cap = 2 + 1.5 * private.index(str(method))
        look = _mark(str(name), control=bool(points["control"].iloc[0]))
        axis.errorbar(points["shown_at"], points["accuracy"], yerr=bars, capsize=cap, linewidth=1.2, **look)
    axis.set_xscale("log")
    axis.margins(x=0.15)
    low, high = axis.get_xlim()
    if high < LEAST_SPAN * low:
        middle = math.sqrt(low * high)
        axis.set_xlim(middle / math.sqrt(LEAST_SPAN), middle * math.sqrt(LEAST_SPAN))
    style.plain_log_ticks(axis)
    axis.set(xlabel=label, ylabel="accuracy on the target (%)")


def _axis(data: pd.DataFrame, options: AdaptationOverEpsilon) -> str:
    """The name of the axis of budgets: what proves them, and their δ where all have one."""
    private = data[np.isfinite(data["epsilon"])]
    proven = f", {called.accountant(options.proven)}" if (~private["name"].isin(STATED)).any() else ""
    stated = (" or stated" if proven else ", stated") if private["name"].isin(STATED).any() else ""
    (*others, delta) = sorted(set(private["delta"].dropna()))
    return rf"$\varepsilon${proven}{stated}" + ("" if others else rf", $\delta$ = {power(delta)}")


def _legend(data: pd.DataFrame, options: AdaptationOverEpsilon) -> Iterator[tuple[str, style.Look]]:
    several = data.loc[np.isfinite(data["epsilon"]), "delta"].nunique() > 1
    for name, method in dict.fromkeys(zip(data["name"], data["method"], strict=True)):
        rows = data[data["method"] == method]
        if rows["control"].any() and np.isfinite(rows["shown_at"]).any():
            yield style.filled(f"{method} (no budget)", LETTERS), _mark(name, control=True)
        elif rows["delta"].isna().all():
            yield style.filled(method, LETTERS), {"color": colour(name), "linestyle": style.DASHED}
        elif np.isfinite(rows["epsilon"]).any():
            deltas = ", ".join(power(delta) for delta in sorted(set(rows["delta"].dropna())))
            whole = method + (rf", $\delta$ = {deltas}" if several else "")
            stated = f":\nstated by {called.words(options.stated.split('/')[-1])}, not proved" if name in STATED else ""
            yield style.filled(whole, LETTERS) + stated, _mark(name)


def _mark(name: str, *, control: bool = False) -> dict[str, Any]:
    look = {"color": colour(name)}
    if control:
        # A control often lies where its method does: larger and behind it, both are seen.
        behind = {"marker": "X", "markersize": 8, "markeredgewidth": 0, "zorder": 1.9, "alpha": 0.6}
        return look | behind | {"linestyle": (0, (6, 1.5, 1, 1.5))}
    stated = {"markerfacecolor": "white", "linestyle": (0, (1, 1.2))}
    return look | {"marker": mark(name), "markersize": 5} | (stated if name in STATED else {"linestyle": "-"})
