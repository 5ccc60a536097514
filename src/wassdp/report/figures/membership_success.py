"""How well membership inference tells who was trained on, beside what every attacker is held to."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from wassdp.report import style
from wassdp.report.frames import require
from wassdp.report.kinds import Drawing, Figure

ATTACKERS = {"lira": ("LiRA", "o", "-"), "loss": ("threshold on the loss", "^", (0, (1, 1.2)))}
"""In words, with mark and dashes."""
ALLOWED: dict[str, Any] = {"color": style.UPPER, "marker": "_", "ms": 16, "mew": 1.6, "linestyle": ""}
LIMIT = (0, (5, 1.5))
COLUMNS = ("run", "privacy", "success_allowed", "epsilon", "parameters.privacy.delta", "success_lira", "success_loss")


class MembershipSuccess(Figure):
    """The figure; it has no options."""

    caption: ClassVar[str] = """
    Membership inference on models that were trained on random halves of the same records, by LiRA (Carlini et al.
    2022) and by a threshold on the loss (Yeom et al. 2018). (a) **Success**, the share of right answers where members
    are half of all, at a threshold fixed on half of the models and counted on the others; black: **proven** P(A) =
    (e^ε + δ)/(e^ε + 1), which no attacker on a record of these models exceeds. (b) Members accused over others accused,
    at all thresholds over all models; dashed: what (ε, δ) allows. These attackers are no bound: how far below the
    proven limit they stay says nothing of whether a budget holds.
    """

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """Panel (a) one place for each setting; panel (b) both attackers' curves, a colour for each setting.

        Raises:
            ValueError: a column is missing, or a setting has several runs.
        """
        require(runs, COLUMNS)
        if runs["privacy"].duplicated().any():
            raise ValueError("runs: must be one for each privacy setting")
        figure, (left, right) = style.panels(1, 2, share_x=False)
        figure.set_size_inches(2.7 * style.PANEL[0], 1.35 * style.PANEL[1])
        colours = style.cycled(runs["privacy"])
        _success(left, runs, colours)
        curves = _curves(runs, history)
        for (privacy, attacker), part in curves.groupby(["privacy", "attacker"], sort=False):
            shown = part[part["members"] > 0]
            dashes = ATTACKERS[str(attacker)][2]
            right.plot(shown["others"], shown["members"], color=colours[str(privacy)], linestyle=dashes)
        for _, run in runs[runs["epsilon"].notna()].iterrows():
            others = np.geomspace(1e-4, 1, 200)
            limit = allowed(others, float(run["epsilon"]), float(run["parameters.privacy.delta"]))
            right.plot(others, limit, color=colours[run["privacy"]], linestyle=LIMIT, linewidth=0.9)
        right.set(xscale="log", yscale="log", xlim=(1e-4, 1), ylim=(1e-4, 1.1))
        right.set(title="(b) at all thresholds", xlabel="others accused", ylabel="members accused")
        entries: list[tuple[str, style.Look]] = [
            (words, {"color": style.GREY, "marker": mark, "linestyle": dashes, "ms": 5})
            for words, mark, dashes in ATTACKERS.values()
        ]
        entries += [(name, {"color": colour, "linewidth": 3}) for name, colour in colours.items()]
        entries += [
            ("proven: at most this", ALLOWED | {"ms": 10}),
            ("proven, at all thresholds", {"color": style.GREY, "linestyle": LIMIT}),
        ]
        style.legend_below(figure, entries, columns=4)
        success = runs.loc[:, [name for name in COLUMNS if name != "run"]].assign(panel="a")
        return figure, pd.concat([success, curves.assign(panel="b")], ignore_index=True)


def allowed(others: np.ndarray, epsilon: float, delta: float) -> np.ndarray:
    """The largest share of members that (ε, δ) lets be accused, at each share of others.

    >>> allowed(np.array([0.0, 0.1, 1.0]), 0.0, 0.01).round(3).tolist()
    [0.01, 0.11, 1.0]
    """
    # Both orders of the two worlds: who is not accused is acquitted.
    either = np.minimum(math.exp(epsilon) * others + delta, 1 - math.exp(-epsilon) * (1 - delta - others))
    return np.asarray(np.clip(either, 0, 1))


def _success(axis: Axes, runs: pd.DataFrame, colours: dict[str, str]) -> None:
    places = np.arange(len(runs))
    for aside, (name, (_, mark, _)) in zip((-0.09, 0.09), ATTACKERS.items(), strict=True):
        for place, (_, run) in zip(places, runs.iterrows(), strict=True):
            axis.plot(
                place + aside, run[f"success_{name}"], marker=mark, color=colours[run["privacy"]], ms=6, linestyle=""
            )
    axis.plot(places, runs["success_allowed"], **ALLOWED)
    axis.axhline(0.5, color=style.GREY, linewidth=0.8)
    axis.set_xticks(places, runs["privacy"].tolist())
    axis.set(xlim=(-0.5, len(runs) - 0.5), ylim=(0.45, 1.0), title="(a) success where half are members")
    axis.set_ylabel("share of right answers")
    axis.grid(axis="x", visible=False)


def _curves(runs: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
    points = history[history["metric"].isin([f"members/{name}" for name in ATTACKERS])]
    points = points.merge(runs[["run", "privacy"]], on="run")
    points = points.assign(attacker=points["metric"].str.removeprefix("members/"))
    named = points.rename(columns={"position": "others", "value": "members"})
    return named[["privacy", "attacker", "others", "members"]]
