"""Runs of one setting: what differs between runs other than their seeds, and what to call it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from wassdp import checks
from wassdp.accounting.rounding import fixed, kind_of
from wassdp.report import called, style
from wassdp.report.frames import power, relation, require

DATASET, MODEL = "parameters.dataset", "parameters.model.name"

BOUNDS = ("upper", "lower")


def release(runs: pd.DataFrame, accountant: str) -> str:
    """Neighbouring relation, sampling scheme and delta that all budgets of ``runs`` share, in words.

    Args:
        runs: rows of the table of runs.
        accountant: ``kind/name`` of the accountant whose budgets count.

    Raises:
        ValueError: they do not share them.
    """
    if runs["delta"].isna().all():
        return "no run is private"
    adjacency, sampling, delta = (shared(runs, name, accountant) for name in ("adjacency", "sampling", "delta"))
    return rf"{relation(str(adjacency), str(sampling))}, $\delta$ = {power(float(delta))}"


def shared(runs: pd.DataFrame, fact: str, accountant: str) -> Any:
    """The one ``fact`` (adjacency, sampling or delta) of all budgets of ``runs`` by an accountant.

    Raises:
        ValueError: they do not share it, or there is none.
    """
    require(runs, [f"{fact}/{accountant}"])
    values = sorted(set(runs[f"{fact}/{accountant}"].dropna()))
    if len(values) != 1:
        raise ValueError(
            f"runs: have {fact} {', '.join(map(str, values)) or 'nowhere'}; their budgets do not belong on one axis"
        )
    return values[0]


def heading(runs: pd.DataFrame, accountant: str) -> str:
    """What a figure's budgets are: whose, whether a bound, and the `release`."""
    proof = "" if kind_of(accountant) in BOUNDS else ", no proof"
    return f"{called.accountant(accountant)}{proof}: {release(runs, accountant)}"


def label(runs: pd.DataFrame, *, accountant: str) -> pd.DataFrame:
    """``runs`` with the columns ``budget``, ``level`` and ``setting``, sorted by level, runs without privacy last.

    A setting is all runs of one dataset and label, which differ in their seeds only. ``budget`` is a run's final
    epsilon by ``accountant`` (NaN for a run without privacy), ``level`` the largest of its setting, and ``setting``
    a name made of the level and of as little of the label as tells the settings of the dataset apart: a budget
    speaks for what set it.

    Args:
        runs: rows of the table of runs.
        accountant: ``kind/name`` of the accountant whose epsilon names a setting.

    Raises:
        ValueError: a column is missing, a private run has no epsilon by this accountant, or it is a lower bound:
            the largest of a setting's runs, rounded up, says nothing of those.
    """
    if kind_of(accountant) == "lower":
        raise ValueError(f"accountant = {accountant!r}: is a lower bound; settings are named by their largest budget")
    require(runs, [DATASET, "label", "method", "privacy"])
    labelled = runs.assign(budget=budgets(runs, accountant))
    labelled["level"] = labelled.groupby([DATASET, "label"])["budget"].transform("max")
    labelled["setting"] = labelled["level"].map(budget_name)
    for words in ("method", "privacy", "label"):
        names = labelled.groupby(DATASET)[["setting", "label"]].nunique()
        alike = labelled[DATASET].map(names["setting"] < names["label"])
        longer = labelled["setting"] + labelled[words].fillna("").map(lambda text: f", {text}" if text else "")
        labelled["setting"] = labelled["setting"].where(~alike, longer)
    return labelled.sort_values(["level", "setting"], kind="stable", na_position="last").reset_index(drop=True)


def budgets(runs: pd.DataFrame, accountant: str) -> pd.Series[float]:
    """Each run's epsilon by ``accountant`` (``kind/name``), NaN for a run without privacy.

    Raises:
        ValueError: a private run has none.
    """
    require(runs, ["delta"])
    column, private = f"epsilon/{accountant}", runs["delta"].notna()
    if private.any():
        require(runs, [column])
    values = runs[column].astype(float) if column in runs else pd.Series(math.nan, index=runs.index)
    if values[private].isna().any():
        raise ValueError(f"runs: a private run has no {column}")
    return values.where(private)


def colours(named: pd.DataFrame) -> dict[str, str]:
    """A colour for each `budget_name` of runs from `label`: in the order of the budgets, grey without privacy."""
    private = dict.fromkeys(budget_name(level) for level in named["level"].dropna())
    without = {budget_name(math.nan): style.LOWER} if named["level"].isna().any() else {}
    return style.ordered_colours(list(private)) | without


def in_order(points: pd.DataFrame, named: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """``points`` sorted by these columns, the settings among them as they stand in ``named``."""
    order = {name: place for place, name in enumerate(dict.fromkeys(named["setting"]))}
    return points.sort_values(list(by), key=lambda column: column.map(order) if column.name == "setting" else column)


def at_budgets(named: pd.DataFrame, budgets: Sequence[float]) -> pd.DataFrame:
    """The runs from `label` whose level is one of ``budgets``, rounded up to two decimals.

    Raises:
        ValueError: no run has one of the budgets.
    """
    there = named["level"].map(rounded)
    for budget in budgets:
        checks.one_of("budgets", budget, set(there[np.isfinite(there)]))
    return named[there.isin(list(budgets))]


def rounded(budget: float, decimals: int = 2) -> float:
    """A budget to so many decimals, never below itself; infinity and NaN as they are.

    >>> rounded(2.1812), rounded(3.0)
    (2.19, 3.0)
    """
    return float(fixed(budget, "upper", decimals=decimals).replace(",", "")) if math.isfinite(budget) else budget


def budget_text(budget: float) -> str:
    """A finite budget as figures write it, never below itself: two decimals, fewer above 100, more below .1.

    >>> budget_text(2.1812), budget_text(3.0), budget_text(19627.2), budget_text(0.00121)
    ('2.19', '3.00', '19,628', '0.0013')
    """
    decimals = 2
    if budget >= 100:
        decimals = 0
    elif budget > 0:
        decimals = max(2, 1 - math.floor(math.log10(budget)))
    return fixed(budget, "upper", decimals=decimals)


def budget_name(level: float) -> str:
    """What to call a level: its epsilon, rounded up, or the lack of one."""
    if math.isnan(level):
        return "no privacy"
    return r"no finite $\varepsilon$" if math.isinf(level) else rf"$\varepsilon$ = {budget_text(level)}"


def shown(value: Any) -> str:
    """A parameter's value as text.

    >>> shown(128.0), shown("tanh")
    ('128', 'tanh')
    """
    return f"{value:.12g}" if isinstance(value, float) else str(value)
