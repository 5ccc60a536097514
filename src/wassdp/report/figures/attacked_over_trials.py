"""What an attack on trainings reached over how many canaries, or models, it had, beside what is proven."""

from __future__ import annotations

from typing import ClassVar

import pandas as pd
from matplotlib.ticker import NullLocator

from wassdp.report import style
from wassdp.report.frames import ADJACENCIES, SAMPLINGS, in_words, power, require
from wassdp.report.kinds import Drawing, Figure

NUMBERS = {"parameters.audit.canaries": "canaries in one training", "parameters.models": "final models of either world"}
"""Columns that say how much an attack had, and what it is."""
LOWER, UPPER = "epsilon/lower/", "epsilon/upper/"
ALONE = "noise_scale_family"
"""The attack that stands beside every run, whatever else is done."""
CANARY, MODEL = "parameters.audit.canary", "parameters.model.name"


class AttackedOverTrials(Figure):
    """The figure; it has no options."""

    caption: ClassVar[str] = """
    **Lower** bounds on ε at the δ of the runs, measured on real trainings, over how much the attack had: canaries that
    are each a record of one training or not, by a coin, or final models trained with and without a crafted record.
    Filled: what assumes nothing of the scores. Open: what assumes the family of the run's own trade-off curves at any
    noise; never the same kind of figure. Black: the **proven** ε. Each mark is one run, each bound one-sided at the
    confidence that its ledger row states.
    """

    @style.context()
    def draw(self, runs: pd.DataFrame, history: pd.DataFrame) -> Drawing:
        """One panel; a colour for each kind of canary, a mark for each kind of bound.

        Raises:
            ValueError: no run was attacked, or the runs differ in what was attacked.
        """
        data, words = _data(runs)
        figure, (axis,) = style.panels(1, 1)
        figure.set_size_inches(1.7 * style.PANEL[0], 1.35 * style.PANEL[1])
        colours = style.cycled(data["attacked"])
        for (attacked, family), part in data.groupby(["attacked", "family"], sort=False):
            rows = part.sort_values("number")
            axis.plot(
                rows["number"],
                rows["epsilon"],
                **_look(colours[str(attacked)], family=bool(family)),
            )
        proven = float(data["proven"].max())
        axis.axhline(proven, color=style.UPPER, linewidth=1.1)
        axis.set(xscale="log", xlabel=words, ylabel=r"$\varepsilon$ of one run", ylim=(0, 1.08 * proven))
        style.over(figure, _about(runs))
        numbers = sorted(set(data["number"]))
        axis.set_xlim(numbers[0] / 1.5, numbers[-1] * 1.5)
        axis.set_xticks(numbers, [f"{number:,.0f}" for number in numbers])
        axis.xaxis.set_minor_locator(NullLocator())
        entries: list[tuple[str, style.Look]] = [("proven: at most this", {"color": style.UPPER, "linewidth": 1.1})]
        for (attacked, family), _ in data.groupby(["attacked", "family"], sort=False):
            how = "by a family" if family else "assuming nothing"
            entries.append((f"{attacked}, {how}: at least this", _look(colours[str(attacked)], family=bool(family))))
        style.legend_below(figure, entries, columns=1)
        return figure, data


def _about(runs: pd.DataFrame) -> str:
    """What was trained on, and of what the bounds speak: data sets, relations, sampling schemes and δ."""
    words = [in_words(str(problem)) for problem in dict.fromkeys(runs["problem"].dropna())] if "problem" in runs else []
    for fact, names in (("adjacency", ADJACENCIES), ("sampling", SAMPLINGS)):
        words += [names[str(value)] for value in dict.fromkeys(runs.filter(regex=f"^{fact}/upper/").stack())]
    deltas = [rf"$\delta$ = {power(float(delta))}" for delta in sorted(set(runs["delta"].dropna()))]
    return ", ".join([*words, *deltas])


def _look(colour: str, *, family: bool) -> style.Look:
    return {
        "color": colour,
        "marker": "o",
        "ms": 6,
        "mfc": "white" if family else colour,
        "linestyle": style.DASHES[2 if family else 0],
        "linewidth": 1.1,
    }


def _data(runs: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """A row for each bound: how much it had, what was attacked, whether it assumes a family, ε, and the proven one."""
    number = next((name for name in NUMBERS if name in runs and runs[name].notna().any()), None)
    attacks = [name for name in map(str, runs) if name.startswith(LOWER) and not name.endswith(ALONE)]
    proofs = [name for name in map(str, runs) if name.startswith(UPPER)]
    if number is None or not attacks or not proofs:
        raise ValueError("runs: none was attacked by canaries or final models, beside a proven budget")
    require(runs, [number])
    parts = []
    for name in attacks:
        there = runs[runs[name].notna() & runs[number].notna()]
        parts.append(
            pd.DataFrame(
                {
                    "attacked": _attacked(there),
                    "family": name.endswith("_family"),
                    "number": there[number],
                    "epsilon": there[name],
                    "proven": there[proofs].min(axis=1),
                }
            )
        )
    return pd.concat(parts, ignore_index=True), NUMBERS[number]


def _attacked(runs: pd.DataFrame) -> pd.Series[str]:
    """What an attack put into the training, in words."""
    if MODEL not in runs or "parameters.audit.canaries" not in runs:
        return pd.Series("a crafted record", index=runs.index)
    usual = runs[MODEL].map(lambda name: "indicator" if name == "linear" else "gradient")
    asked = runs[CANARY].fillna(usual) if CANARY in runs else usual
    return asked + " canaries"
