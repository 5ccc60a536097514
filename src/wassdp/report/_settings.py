"""Runs of one setting: what differs between runs other than their seeds, and what to call it."""

from __future__ import annotations

import math

import pandas as pd

from wassdp import checks
from wassdp.report._frames import require

DATASET, MODEL = "parameters.dataset", "parameters.model.name"
NAMED_BY_BUDGET = ("parameters.privacy", "parameters.privacy.epsilon", "parameters.privacy.noise_multiplier")

# Kinds whose every release has one neighbouring relation and one sampling scheme.
RELEASES = {"classification": "add/remove one record, Poisson sampling"}


def release(runs: pd.DataFrame) -> str:
    """Neighbouring relation, sampling scheme and delta that all of ``runs`` share, in words.

    Raises:
        ValueError: they do not share them, or a run's kind is not known.
    """
    require(runs, ["kind", "delta"])
    kinds, deltas = set(runs["kind"]), sorted(set(runs["delta"].dropna()))
    if len(kinds) != 1:
        raise ValueError(f"runs: are of the kinds {', '.join(sorted(kinds))}; their budgets do not belong on one axis")
    (kind,) = kinds
    checks.one_of("kind", kind, RELEASES.keys())
    if len(deltas) > 1:
        raise ValueError(f"runs: have delta {', '.join(map(str, deltas))}; their budgets do not belong on one axis")
    return RELEASES[kind] + (rf", $\delta$ = {power(deltas[0])}" if deltas else "")


def label(runs: pd.DataFrame, *, accountant: str) -> pd.DataFrame:
    """``runs`` with the columns ``budget`` and ``setting``, sorted by budget, runs without privacy last.

    ``budget`` is the final epsilon by ``accountant`` (NaN for a run without privacy), ``setting`` a name made
    of the budget and of the parameters in which the runs of the dataset differ, seeds left out. Runs of one
    dataset and one setting differ in their seeds only.

    Args:
        runs: rows of the table of runs.
        accountant: ``kind/name`` of the accountant whose epsilon names a setting.

    Raises:
        ValueError: a column is missing, or a private run has no epsilon by this accountant.
    """
    column = f"epsilon/{accountant}"
    require(runs, [DATASET, "delta"])
    private = runs["delta"].notna()
    if private.any():
        require(runs, [column])
    budgets = runs[column].astype(float) if column in runs else pd.Series(math.nan, index=runs.index)
    if budgets[private].isna().any():
        raise ValueError(f"runs: a private run has no {column}")
    varying = {dataset: _varying(rows) for dataset, rows in runs.groupby(DATASET)}
    names = []
    for budget, (_, row) in zip(budgets, runs.iterrows(), strict=True):
        parts = [f"{_short(name)} {row[name]}" for name in varying[row[DATASET]] if pd.notna(row[name])]
        names.append(", ".join([_budget(budget), *parts]))
    labelled = runs.assign(budget=budgets.where(private), setting=names)
    return labelled.sort_values(["budget", "setting"], kind="stable", na_position="last").reset_index(drop=True)


def power(value: float) -> str:
    """A small power of ten as such, any other number as it is.

    >>> power(1e-5), power(0.02)
    ('$10^{-5}$', '0.02')
    """
    mantissa, exponent = f"{value:e}".split("e")
    return f"$10^{{{int(exponent)}}}$" if float(mantissa) == 1 and int(exponent) < -1 else f"{value:g}"


def _varying(runs: pd.DataFrame) -> list[str]:
    """Parameters in which ``runs`` differ; one that some lack (an option of one model) differs if its values do."""
    parameters = [name for name in runs.columns if name.startswith("parameters.") and name not in NAMED_BY_BUDGET]
    return [name for name in parameters if runs[name].dropna().astype(str).nunique() > 1]


def _short(name: str) -> str:
    """A parameter's own name; of a thing's ``name``, the thing."""
    *_, parent, own = name.split(".")
    return (parent if own == "name" else own).replace("_", " ")


def rounded(budget: float) -> float:
    """A finite budget to two decimals, never below itself.

    >>> rounded(2.1812), rounded(3.0)
    (2.19, 3.0)
    """
    return math.ceil(round(100 * budget, 9)) / 100


def _budget(value: float) -> str:
    if math.isnan(value):
        return "no privacy"
    return r"no finite $\varepsilon$" if math.isinf(value) else rf"$\varepsilon$ = {rounded(value):.2f}"
