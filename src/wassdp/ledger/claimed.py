"""What is claimed, what an attack reached and what is proven, for every setting of a set: one picture of the ledger."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatterMathtext, LogLocator, NullFormatter

from wassdp.accounting.rounding import kind_of
from wassdp.ledger.of_runs import of_runs
from wassdp.ledger.rows import EPSILON
from wassdp.report import called, escaping, short_labels, style
from wassdp.report.frames import in_words

STEM = "claimed-attacked-proven"
# The two kinds of lower bound are never one: filled what assumes nothing, open what assumes a family.
ATTACKED: dict[bool, Any] = {
    False: {"marker": 5, "color": style.LOWER, "ms": 6, "ls": ""},
    True: {"marker": 5, "mfc": "none", "mec": style.LOWER, "ms": 6, "ls": ""},
}
ROW = 0.2  # inches
WIDTH = 7.2
LINE = 0.14  # inches, of a further line of a title
LABEL_LETTERS, TITLE_LETTERS = 18, 15  # in an inch, of a setting beside a panel and of its title
LEAST_TITLE = 40  # letters of a title's line at least
NOTHING = 0.02  # of a panel's width from its left edge: 0 has no place on a logarithmic axis
LONGEST = 68  # letters of a setting
MOST = 300
"""Settings that the picture shows, the first ones: nobody reads a longer one, and it would take minutes to draw."""


def table(ledger: pd.DataFrame) -> pd.DataFrame:
    """Settings with a published or an attacked budget, each with every budget of each kind, over its seeds.

    Of proven budgets the largest over the seeds, of attacked ones the smallest, of published ones the mean; a bound
    that a run lacks is none. Infinite: there is no finite budget. Of attacks on trainings that assume nothing, one that
    reached nothing counts too; the attack that stands beside every run, which assumes a family, is silent of most where
    it is not above 0.

    Args:
        ledger: from `wassdp.ledger.rows.ledger`, or read from ``ledger.csv``.

    Returns:
        Columns paper, experiment, setting, kind, accountant, delta, epsilon, in the ledger's order.
    """
    budgets = ledger[ledger["kind"].isin(("published", "lower", "upper"))]
    key = ["paper", "experiment", "label"]
    attacked = (budgets["kind"] == "lower") & (~_of_family(budgets) | (budgets[EPSILON].astype(float) > 0))
    claimed = budgets.loc[(budgets["kind"] == "published") | attacked, key].drop_duplicates()
    own = budgets.merge(claimed, on=key)
    rows = []
    for key_of, setting in own.groupby(key, sort=False):
        runs = setting["run"].nunique()
        for (kind, accountant), part in setting.groupby(["kind", "accountant"], sort=False):
            value, delta = of_runs(part, kind_of(str(kind)), runs=runs)
            rows.append((*key_of, kind, accountant, delta, value))
    return pd.DataFrame(rows, columns=["paper", "experiment", "setting", "kind", "accountant", "delta", "epsilon"])


def draw(ledger: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """The picture and its data; an empty one that says so where nothing was published or attacked.

    The picture has the first `MOST` settings and says how many more there are; the data has all. One row per setting,
    on one logarithmic axis: published figures in colour, attacked lower bounds as grey triangles (filled what assumes
    nothing, open what assumes a family; filled at the left edge an attack that reached nothing), the proven upper bound
    as a black bar, both at the δ of the claims. The true budget lies between triangle and bar, as far as the attack's
    neighbours are real records and its family fits. A published mark left of a triangle is contradicted by a
    measurement, one left of the bar is not proven.
    """
    data = table(ledger)
    if data.empty:
        with style.context():
            figure = Figure(figsize=(WIDTH, 1.0))
            figure.text(
                0.5, 0.5, "No setting of this set has a published or an attacked budget.", ha="center", va="center"
            )
        return figure, data
    place = data.groupby(["paper", "experiment", "setting"], sort=False).ngroup()
    shown, more = data[place < MOST], max(0, int(place.max()) + 1 - MOST)
    groups = [group for _, group in shown.groupby(["paper", "experiment"], sort=False)]
    settings = [group["setting"].nunique() for group in groups]
    formulas = list(dict.fromkeys(shown.loc[shown["kind"] == "published", "accountant"]))
    looks = _looks(formulas)
    finite = shown.loc[np.isfinite(shown["epsilon"]) & (shown["epsilon"] > 0), "epsilon"]
    left, right = float(finite.min()) / 2, float(finite.max()) * 6
    with style.context():
        titles = _titles(groups)
        extra = sum(title.count("\n") for title in titles)
        height = ROW * (sum(settings) + 2.2 * len(groups)) + 1.2 + LINE * extra
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        ratios = [count + 1.0 for count in settings]
        axes = figure.subplots(len(groups), 1, sharex=True, squeeze=False, height_ratios=ratios)[:, 0]
        for axis, group, title in zip(axes, groups, titles, strict=True):
            _panel(axis, group, looks, right)
            axis.set_title(title, loc="left", fontsize=8)
            axis.set_xlim(left, right)
        nothing = "\nat the left edge: nothing reached" if _reached_nothing(shown).any() else ""
        axes[-1].set_xlabel(rf"$\varepsilon$ of one run; at the right edge: no finite budget{nothing}")
        style.legend_below(figure, _legend(shown, looks), columns=4)
        if more:
            style.foot(figure, f"{more:,} more settings stand in {STEM}.csv alone.")
    return figure, data


def _panel(axis: Axes, group: pd.DataFrame, looks: dict[str, tuple[str, str]], edge: float) -> None:
    settings = list(dict.fromkeys(group["setting"]))
    axis.set_xscale("log")
    for place, (_, every) in enumerate(group.groupby("setting", sort=False)):
        rows = _comparable(every)
        proven, best = rows.loc[rows["kind"] == "upper", "epsilon"], rows.loc[rows["kind"] == "upper", "epsilon"].min()
        for (_, family), attacked in rows[rows["kind"] == "lower"].groupby(["kind", _of_family(rows)]):
            if (reached := attacked["epsilon"].max()) > 0:
                axis.plot(reached, place, **ATTACKED[bool(family)], zorder=4)
            elif not family:
                axis.plot(NOTHING, place, **ATTACKED[False], zorder=4, transform=axis.get_yaxis_transform())
        if len(proven):
            known = np.isfinite(best)
            axis.plot(
                best if known else edge / 1.3,
                place,
                marker="|" if known else 5,
                ms=9,
                mew=2,
                ls="",
                color=style.UPPER,
                zorder=4,
                clip_on=False,
            )
        for _, row in rows[rows["kind"] == "published"].iterrows():
            colour, mark = looks[str(row["accountant"])]
            shown = row["epsilon"] if np.isfinite(row["epsilon"]) else edge / 1.3
            axis.plot(
                shown, place, marker=mark, ms=4.5, mfc="none", mec=colour, mew=1.1, ls="", zorder=3, clip_on=False
            )
    axis.set_yticks(range(len(settings)), _own(settings))
    axis.set_ylim(len(settings) - 0.4, -0.6)
    axis.tick_params(axis="y", labelsize=7, length=0)
    axis.xaxis.set_major_locator(LogLocator(numticks=9))
    axis.xaxis.set_major_formatter(LogFormatterMathtext(labelOnlyBase=True))
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.grid(axis="y", visible=False)


def _comparable(rows: pd.DataFrame) -> pd.DataFrame:
    """A setting's claims, and what bounds them: proofs at the δ that most claims have or a smaller one, attacks at that
    or a larger one; without a claim, the δ of most attacks. Others say nothing at that δ, and stand in the data alone.
    """
    for kind in ("published", "lower"):
        deltas = rows.loc[rows["kind"] == kind, "delta"].dropna()
        if len(deltas):
            delta = float(deltas.mode().iloc[0])
            near = np.isclose(rows["delta"], delta, rtol=1e-9, atol=0)
            proof, attack = rows["kind"] == "upper", rows["kind"] == "lower"
            lost = (proof & ~(near | (rows["delta"] < delta))) | (attack & ~(near | (rows["delta"] > delta)))
            return rows[~lost]
    return rows


def _titles(groups: Sequence[pd.DataFrame]) -> list[str]:
    """Paper, experiment and what its settings have in common, of each group, in lines that fit beside the labels."""
    titles, longest = [], 0
    for group in groups:
        settings = list(dict.fromkeys(group["setting"]))
        common = shared(settings)
        said = ", ".join(part.strip("()") for part in common)
        title = f"{called.title(group['paper'].iloc[0])}: {called.words(group['experiment'].iloc[0])}"
        titles.append(f"{title} ({escaping.figure(in_words(said))})" if common else title)
        longest = max(longest, *map(len, _own(settings)))
    letters = max(LEAST_TITLE, int((WIDTH - longest / LABEL_LETTERS) * TITLE_LETTERS))
    return [style.filled(title, letters) for title in titles]


def shared(settings: Sequence[str]) -> list[str]:
    """The parts that all settings of a panel have, which its title says once; the last part of each is its own.

    >>> shared(["α = 0, statistical parity, ε = 1", "α = 0.5, statistical parity, ε = 1"])
    ['statistical parity']
    >>> shared(["dslr to amazon (surf, 800 words), ε = 1", "dslr to webcam (surf, 800 words), ε = 1"])
    ['(surf, 800 words)']
    """
    parts = [_parts(name) for name in settings]
    return [part for part in parts[0][:-1] if all(part in other[:-1] for other in parts)] if len(parts) > 1 else []


def _parts(setting: str) -> list[str]:
    """What stands between commas outside of brackets; a bracket before a comma is a part besides."""
    return re.split(r" (?=\([^()]*\), )|, (?![^()]*\))", setting)


def _own(settings: Sequence[str]) -> list[str]:
    """What each setting of a panel has of its own; of a long one as much as tells it from the others."""
    common, telling = shared(settings), short_labels.short(settings, bare=True)
    names = []
    for setting in settings:
        parts = [part for part in _parts(setting) if part not in common]
        own = "".join(f" {part}" if part.startswith("(") else f", {part}" for part in parts).lstrip(", ")
        name = own if len(in_words(own)) <= LONGEST else telling[setting]
        names.append(escaping.figure(textwrap.shorten(in_words(name), LONGEST)))
    return names


def _looks(formulas: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Colour and shape of each; a colour that comes again has another shape."""
    found: dict[str, tuple[str, str]] = {}
    for place, name in enumerate(formulas):
        colour = _colour(str(name), place)
        shapes = (style.MARKS[(place + step) % len(style.MARKS)] for step in range(len(style.MARKS)))
        own = [(colour, shape) for shape in shapes]
        found[name] = next((look for look in own if look not in found.values()), own[0])
    return found


def _colour(accountant: str, place: int) -> str:
    return style.KINDS.get(called.framework(accountant) or "", style.OTHERS[place % len(style.OTHERS)])


def _of_family(rows: pd.DataFrame) -> pd.Series[bool]:
    """Whether a bound assumes a family of trade-off curves (`wassdp.audit.bound.LowerBound.guarantee`)."""
    return rows["accountant"].astype(str).str.endswith("_family")


def _reached_nothing(rows: pd.DataFrame) -> pd.Series[bool]:
    return (rows["kind"] == "lower") & ~_of_family(rows) & (rows["epsilon"] == 0)


def _legend(data: pd.DataFrame, looks: dict[str, tuple[str, str]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, (colour, mark) in looks.items():
        yield called.accountant(f"published/{name}"), {"marker": mark, "mec": colour, "mfc": "none", "ls": ""}
    shown = data[(data["kind"] == "lower") & (_reached_nothing(data) | (data["epsilon"] > 0))]
    for family in sorted(set(_of_family(shown))):
        yield f"attacked, {'by a family' if family else 'assuming nothing'}: at least this", ATTACKED[family]
    yield "proven: at most this", {"marker": "|", "color": style.UPPER, "mew": 2, "ms": 9, "ls": ""}
