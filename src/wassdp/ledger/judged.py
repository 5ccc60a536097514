"""The ledger by setting: what is claimed, what an attack reached, what is proven, and what follows for the claim."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from wassdp.accounting.guarantee import Kind
from wassdp.accounting.rounding import rounded
from wassdp.ledger.of_runs import of_runs
from wassdp.ledger.rows import CLAIM, CONTROL, EPSILON, PAPERS_CLAIM
from wassdp.report.shares import COLUMN

KEY = ["paper", "experiment", "label"]
NEEDED = [
    *KEY,
    *("run", "kind", "accountant", PAPERS_CLAIM, EPSILON, "delta", "seed", "adjacency", "sampling", "rests_on"),
    *("headline", "headline_value", "seeds_configured", COLUMN),
]
# What may follow for the claim of a setting, the gravest first.
CONTRADICTED, UNBOUNDED, NOT_PROVEN, HOLDS, OTHER_DELTA, NO_CLAIM, IS_CONTROL = (
    "contradicted by an attack",
    "no finite ε is proven",
    "not proven",
    "holds",
    "not comparable, other δ",
    "no claim",
    "control",
)
MARKED = (CONTRADICTED, UNBOUNDED, NOT_PROVEN)
"""Those that a reader has to see at once."""
NOT_ATTACKED = "no attack ran beside these runs"
NO_BOUND = "no lower bound by this attack: "


def settings(ledger: pd.DataFrame) -> pd.DataFrame:
    """One row per setting, verdicts on published statements left out, in the ledger's order.

    Over seeds, of proven budgets the largest counts, of attacked ones the smallest, of claimed ones the mean; a claim
    is judged by its smallest, or largest, whichever is against it. Of several accountants and attacks the tightest at a
    δ that says something of the claim. Infinite: there is no finite budget; missing: none was asked for.

    Args:
        ledger: from `wassdp.ledger.rows.ledger`, or read from ``ledger.csv``.

    Returns:
        Columns paper, experiment, label; ``claimed``, ``attacked`` (assuming nothing), ``attacked_family``, ``proven``,
        each with ``<name>_by`` and ``<name>_delta``; ``not_attacked``, the reason; adjacency, sampling,
        ``delta_times_records``; ``headline``, ``value``, its mean, missing where a seed lacks it; seeds_present,
        seeds_configured; ``verdict`` and ``mark``, which of the verdicts above it is.
    """
    budgets = ledger.loc[ledger["kind"] != CLAIM, NEEDED]
    # Rows of texts as objects are taken several times as fast.
    budgets = budgets.astype(dict.fromkeys(("kind", "accountant", *KEY), object))
    groups = budgets.groupby(KEY, sort=False, dropna=False)
    return pd.DataFrame([dict(zip(KEY, key, strict=True)) | _setting(rows) for key, rows in groups])


def summary(judged: pd.DataFrame) -> pd.DataFrame:
    """How many settings of each experiment have each verdict; a column for each that occurs, the gravest first.

    Args:
        judged: from `settings`; without rows, and so without columns, where no run has a budget.
    """
    if judged.empty:
        return pd.DataFrame(columns=["paper", "experiment"])
    order = [mark for mark in (*MARKED, HOLDS, OTHER_DELTA, NO_CLAIM, IS_CONTROL) if judged["mark"].eq(mark).any()]
    rows = []
    for (paper, experiment), part in judged.groupby(["paper", "experiment"], sort=False):
        rows.append((paper, experiment, *(int(part["mark"].eq(mark).sum()) for mark in order)))
    return pd.DataFrame(rows, columns=["paper", "experiment", *order])


def _setting(rows: pd.DataFrame) -> dict[str, Any]:
    lower = rows[rows["kind"] == "lower"]
    family = lower["accountant"].astype(str).str.endswith("_family")
    parts = {
        "claimed": rows[(rows["kind"] == "published") & rows[PAPERS_CLAIM].eq(True)],
        "attacked": lower[~family],
        "attacked_family": lower[family],
        "proven": rows[rows["kind"] == "upper"],
    }
    deltas = parts["claimed"]["delta"].astype(float)
    ends = float(deltas.min(skipna=False)), float(deltas.max(skipna=False))
    row: dict[str, Any] = {}
    for name, part in parts.items():
        row |= _best(name, part, ends, runs=rows["run"].nunique())
    budgets = rows[rows["kind"] != CONTROL]
    told = budgets if len(budgets) else rows
    row |= {
        "not_attacked": _reason(lower) if math.isnan(row["attacked"]) and math.isnan(row["attacked_family"]) else "",
        **{name: told[name].iloc[0] for name in ("adjacency", "sampling", "headline", "seeds_configured")},
        COLUMN: float(told[COLUMN].max()),
        "value": float(rows.drop_duplicates("run")["headline_value"].astype(float).mean(skipna=False)),
        "seeds_present": rows["seed"].nunique(dropna=False),
    }
    mark, verdict = _verdict(row, parts["claimed"], controls=not len(budgets))
    return row | {"mark": mark, "verdict": verdict}


def _best(name: str, part: pd.DataFrame, claimed: tuple[float, float], *, runs: int) -> dict[str, Any]:
    """The tightest budget of a kind: of each accountant what holds for all seeds, then the best accountant.

    Those at a δ that says something of claims at the least and the largest of ``claimed`` come first, whatever others
    reach elsewhere. A bound that a run lacks is none for all of them. An attack that reached nothing of a run reached
    nothing.
    """
    kind: Kind = "published" if name == "claimed" else "upper" if name == "proven" else "lower"
    found = []
    for accountant, rows in part.groupby("accountant", sort=False):
        value, delta = of_runs(rows, kind, runs=runs)
        if kind != "lower" or value > 0:
            found.append((value, str(accountant), delta))
    if not found:
        return {name: math.nan, f"{name}_by": "", f"{name}_delta": math.nan}
    pick = max if kind == "lower" else min
    told = [item for item in found if _tells(kind, item[0], item[2], claimed)]
    value, by, delta = found[0] if kind == "published" else pick(told or found, key=lambda item: item[0])
    return {name: value, f"{name}_by": by, f"{name}_delta": delta}


def _tells(kind: Kind, value: float, delta: float, claimed: tuple[float, float]) -> bool:
    """Whether a bound at ``delta`` may refute, or prove, claims between these two: none where they are NaN.

    What is (ε, δ)-private is so at every larger δ: an attack refutes claims at no larger δ than its own, and a proof
    proves those at no smaller one, if it is finite.
    """
    least, most = claimed
    return delta >= most if kind == "lower" else math.isfinite(value) and delta <= least


def _reason(lower: pd.DataFrame) -> str:
    """Why nothing was attacked."""
    notes = [note for text in lower["rests_on"].dropna() for note in str(text).split("; ")]
    said = dict.fromkeys(note.removeprefix(NO_BOUND) for note in notes if note.startswith(NO_BOUND))
    return "; ".join(said) or NOT_ATTACKED


def _verdict(row: dict[str, Any], claims: pd.DataFrame, *, controls: bool) -> tuple[str, str]:
    """What follows, and how to say it.

    A lower bound at some δ holds at every smaller one, an upper bound at every larger one. Each seed's claim is at a δ
    of its own.
    """
    if controls:
        return IS_CONTROL, "control: nothing of the private side is released"
    proven = row["proven"]
    if claims.empty:
        return (UNBOUNDED, UNBOUNDED) if math.isinf(proven) else (NO_CLAIM, NO_CLAIM)
    claimed, deltas = claims[EPSILON].astype(float).fillna(math.inf), claims["delta"].astype(float)
    for name, how in (("attacked", "assuming nothing"), ("attacked_family", "by a family")):
        if row[name] > (most := claimed.max()) and (row[f"{name}_delta"] >= deltas).all():
            return CONTRADICTED, f"{CONTRADICTED}, {how}: it reaches {_times(row[name], most)}"
    if math.isinf(proven):
        return UNBOUNDED, UNBOUNDED
    if math.isnan(proven):
        return NOT_PROVEN, NOT_PROVEN
    short = claimed[(claimed < proven) & (deltas <= row["proven_delta"])]
    if not short.empty:
        return NOT_PROVEN, f"{NOT_PROVEN}: what is, is {_times(proven, short.min())}"
    least = claimed.min()
    if least >= proven and (deltas >= row["proven_delta"]).all():
        return HOLDS, HOLDS if least < 1.1 * proven else f"{HOLDS}: it is {_times(least, proven, 'what is proven')}"
    return OTHER_DELTA, OTHER_DELTA


def _times(value: float, unit: float, what: str = "the claim") -> str:
    """How many times ``unit`` a value above it is, in words.

    >>> _times(1.0193, 1.0), _times(3e5, 2.0), _times(2.0, 0.0)
    ('1.9 % above the claim', '150000 times the claim', 'above the claim, which is 0')
    """
    if unit <= 0:
        return f"above {what}, which is 0"
    ratio = value / unit
    if ratio < 1.1:
        return f"{rounded(100 * (ratio - 1), 'published', digits=2)} % above {what}"
    return f"{rounded(ratio, 'published', digits=2)} times {what}"
