"""Runs of one setting: what differs between runs other than their seeds, and what to call it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from wassdp import checks
from wassdp.accounting.rounding import fixed, kind_of
from wassdp.report import style
from wassdp.report.frames import power, require

DATASET, MODEL = "parameters.dataset", "parameters.model.name"
NAMED_BY_BUDGET = ("parameters.privacy", "parameters.privacy.epsilon", "parameters.privacy.noise_multiplier")

BOUNDS = ("upper", "lower")

# Kinds whose every release has one neighbouring relation and one sampling scheme.
RELEASES = {
    "classification": "add/remove one record, Poisson sampling",
    "published_classification": "replace one record, shuffled passes",
}


def release(runs: pd.DataFrame, accountant: str) -> str:
    """Neighbouring relation, sampling scheme and delta that all of ``runs`` share, in words.

    Args:
        runs: rows of the table of runs.
        accountant: ``kind/name`` of the accountant whose delta counts.

    Raises:
        ValueError: they do not share them, or a run's kind is not known.
    """
    require(runs, ["kind", "delta"])
    kinds, at = set(runs["kind"]), sorted(set(deltas(runs, accountant).dropna()))
    if len(kinds) != 1:
        raise ValueError(f"runs: are of the kinds {', '.join(sorted(kinds))}; their budgets do not belong on one axis")
    (kind,) = kinds
    checks.one_of("kind", kind, RELEASES.keys())
    if len(at) > 1:
        raise ValueError(f"runs: have delta {', '.join(map(str, at))}; their budgets do not belong on one axis")
    return RELEASES[kind] + (rf", $\delta$ = {power(at[0])}" if at else "")


def heading(runs: pd.DataFrame, accountant: str) -> str:
    """What a figure's budgets are: whose, whether a bound, and the `release`."""
    return (
        f"{accountant} {'bound' if accountant.split('/')[0] in BOUNDS else '(no proof)'}, {release(runs, accountant)}"
    )


def deltas(runs: pd.DataFrame, accountant: str) -> pd.Series[float]:
    """The delta at which ``accountant`` accounted for each run: its own, if it was given one, else the run's."""
    column = f"delta/{accountant}"
    return runs[column].astype(float).fillna(runs["delta"]) if column in runs else runs["delta"]


def label(runs: pd.DataFrame, *, accountant: str) -> pd.DataFrame:
    """``runs`` with the columns ``budget``, ``level`` and ``setting``, sorted by level, runs without privacy last.

    A setting is all runs of one dataset that share every parameter, hence differ in their seeds only. ``budget``
    is a run's final epsilon by ``accountant`` (NaN for a run without privacy), ``level`` the largest of its
    setting, and ``setting`` a name made of the level and of as few parameters as tell the settings of the
    dataset apart.

    Args:
        runs: rows of the table of runs.
        accountant: ``kind/name`` of the accountant whose epsilon names a setting.

    Raises:
        ValueError: a column is missing, a private run has no epsilon by this accountant, or it is a lower bound:
            the largest of a setting's runs, rounded up, says nothing of those.
    """
    if kind_of(accountant) == "lower":
        raise ValueError(f"accountant = {accountant!r}: is a lower bound; settings are named by their largest budget")
    column = f"epsilon/{accountant}"
    require(runs, [DATASET, "delta"])
    private = runs["delta"].notna()
    if private.any():
        require(runs, [column])
    budgets = runs[column].astype(float) if column in runs else pd.Series(math.nan, index=runs.index)
    if budgets[private].isna().any():
        raise ValueError(f"runs: a private run has no {column}")
    parameters = [name for name in runs.columns if name.startswith("parameters.") and name != DATASET]
    labelled = runs.assign(budget=budgets.where(private))
    identity = labelled.groupby([DATASET, *parameters], dropna=False, sort=False).ngroup()
    labelled["level"] = labelled["budget"].groupby(identity).transform("max")
    names = [_names(rows, identity[rows.index], parameters) for _, rows in labelled.groupby(DATASET)]
    labelled["setting"] = pd.concat(names)
    return labelled.sort_values(["level", "setting"], kind="stable", na_position="last").reset_index(drop=True)


def colours(named: pd.DataFrame) -> dict[str, str]:
    """A colour for each `budget_name` of runs from `label`: in the order of the budgets, grey without privacy."""
    private = dict.fromkeys(budget_name(level) for level in named["level"].dropna())
    without = {budget_name(math.nan): style.LOWER} if named["level"].isna().any() else {}
    return style.ordered_colours(list(private)) | without


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


def _names(rows: pd.DataFrame, identity: pd.Series[int], parameters: Sequence[str]) -> pd.Series[str]:
    """Names of the settings of one dataset: the level, and parameters until all settings have names of their own."""
    names = rows["level"].map(budget_name)
    # A budget speaks for what set it, which is named only where nothing else tells two settings apart.
    order = [*(name for name in parameters if name not in NAMED_BY_BUDGET), *NAMED_BY_BUDGET]
    parts = {name: _parts(name, rows[name]) for name in order if name in rows}
    # Parameters in which all differ who have them come before those that only some have.
    first = [name for name, texts in parts.items() if texts[texts != ""].nunique() > 1]
    candidates = [*first, *(name for name in parts if name not in first)]
    while names.nunique() < identity.nunique():
        longer = [names + parts[name] for name in candidates]
        best = max(range(len(longer)), key=lambda place: longer[place].nunique(), default=None)
        if best is None or longer[best].nunique() == names.nunique():
            raise ValueError(f"runs: settings called {names.iloc[0]} differ in nothing that can be named")
        names = longer[best]
    return names


def _parts(name: str, values: pd.Series[Any]) -> pd.Series[str]:
    """What each run's name gains by a parameter; nothing where the run lacks it."""
    texts = [f", {_short(name)} {shown(value)}" if pd.notna(value) else "" for value in values]
    return pd.Series(texts, index=values.index, dtype=object)


def _short(name: str) -> str:
    """A parameter's own name; of a thing's ``name``, the thing."""
    *_, parent, own = name.split(".")
    return (parent if own == "name" else own).replace("_", " ")


def shown(value: Any) -> str:
    """A parameter's value as text.

    >>> shown(128.0), shown("tanh")
    ('128', 'tanh')
    """
    return f"{value:.12g}" if isinstance(value, float) else str(value)
