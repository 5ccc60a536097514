r"""Ranks of methods at equal proven budgets, and how sure they are.

A cell is a problem at a budget; its methods are ranked by their mean score over seeds, the best is 1. How much of a
rank is chance is told twice: by resampling the seeds of every method, and, over all budgets of a problem, by Nemenyi's
critical difference of mean ranks,

.. math:: q_{\alpha}(k) \sqrt{k (k + 1) / (6 N)}

for k methods and N cells, q the studentized range's quantile over :math:`\sqrt 2` (Demšar 2006, JMLR 7, section
3.2.2). Cells of one problem share their records, so that they are no independent sample: it is a yardstick, no test.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from wassdp import checks
from wassdp.accounting.rounding import of_all
from wassdp.report import costs
from wassdp.report.frames import require, truth
from wassdp.report.settings import BOUNDS
from wassdp.report.shares import deltas

NOTHING_PROVEN, MORE_PROVEN, NOT_PRIVATE = "nothing proven", "proves more than the budget", "not private"
SLACK = 1e-9
DRAWS = 20_000
SEED = 0
TERMS = 2_000_000
"""Rank sums that the exact test of Friedman may hold at a time: 4 methods at 20 budgets, 5 at 10, 6 at 4."""
_ONE = {frozenset(("replace-one", "replace-one-inside-class")): "replace-one-inside-class"}
"""Two relations that one ranking may hold: every pair of neighbours of the second is one of the first."""


def cells(runs: pd.DataFrame, accountant: str) -> pd.DataFrame:
    """One row per problem, budget and method.

    Columns: problem, budget (asked for), method, scores (a tuple over seeds), mean, least, most, seeds, epsilon (the
    largest proven), delta, adjacency, sampling, selection, public, seconds, memory (means; MiB; of
    runs on processors where there are any), ``gpu`` (whether those are a GPU's), and ``unranked``, why a method is not
    ranked there, empty if it is. A method that has no budget since nothing of private records enters it
    stands at every budget of its problem; one that is not private at all has the budget NaN.

    Args:
        runs: rows of the table of runs that are compared in one task.
        accountant: ``kind/name`` of the proven accountant.

    Raises:
        ValueError: a column is missing, a run has no score, a private one no budget by the accountant, or the ranked
            budgets are under relations or deltas that do not belong together, of one method or of several.
    """
    if accountant.split("/")[0] != BOUNDS[0]:
        raise ValueError(
            f"accountant = {accountant!r}: must be an upper bound, upper/...; nothing else proves a budget"
        )
    columns = ("problem", "method", "epsilon", "score", "releases_nothing", "public")
    require(runs, [*(f"compared.{name}" for name in columns if name != "epsilon"), "seed", "selection", "delta"])
    # The labels of the table of runs are other words for the same.
    runs = runs.drop(columns=[name for name in columns if name in runs])
    known = runs.reindex(columns=[*runs.columns, *({"compared.epsilon", f"epsilon/{accountant}"} - set(runs.columns))])
    known = known.rename(columns={f"compared.{name}": name for name in columns}).rename(columns={"epsilon": "budget"})
    known["proven"] = known[f"epsilon/{accountant}"].astype(float)
    known["delta"] = deltas(known, accountant)
    unscored = known["score"].astype(float).isna()
    if unscored.any():
        raise ValueError(f"runs: a run of {known['method'][unscored].iloc[0]} has no score")
    lacking = known["delta"].notna() & known["proven"].isna()
    if lacking.any():
        raise ValueError(f"runs: a private run of {known['method'][lacking].iloc[0]} has no epsilon/{accountant}")
    table = pd.DataFrame(
        [
            _cell(rows, accountant)
            for _, rows in known.groupby(["problem", "method", "budget"], sort=False, dropna=False)
        ]
    )
    table = _at_every_budget(table)
    _one_relation(table[table["unranked"] == ""])
    return table.sort_values(["problem", "budget"], kind="stable", na_position="last", ignore_index=True)


def _cell(rows: pd.DataFrame, accountant: str) -> dict[str, object]:
    first, scores = rows.iloc[0], rows["score"].astype(float)
    facts = {name: _one(rows, f"{name}/{accountant}") for name in ("adjacency", "sampling")}
    timed = costs.comparable(rows)
    nothing, budget = bool(truth(rows["releases_nothing"]).all()), float(first["budget"])
    proven = of_all(rows["proven"], "upper")
    return {
        **{name: first[name] for name in ("problem", "budget", "method", "public", "selection")},
        "delta": _one(rows, "delta"),
        **facts,
        "scores": tuple(scores),
        "mean": float(scores.mean()),
        "least": float(scores.min()),
        "most": float(scores.max()),
        "seeds": int(rows["seed"].nunique()),
        "epsilon": proven,
        "seconds": float(timed["seconds"].mean()),
        "memory": float(timed["peak_memory_mib"].mean()),
        "gpu": bool(costs.on_gpu(timed).any()),
        "everywhere": nothing or (math.isinf(proven) and math.isnan(budget)),
        "unranked": _unranked(proven, budget, nothing=nothing),
    }


def _one(rows: pd.DataFrame, name: str) -> Any:
    """What all seeds of a method at a budget have in this column, NaN where none has anything.

    Raises:
        ValueError: they have several, or some have none: no one budget is proven of such runs.
    """
    known = rows[name] if name in rows else pd.Series(math.nan, index=rows.index)
    found = list(dict.fromkeys(known.dropna()))
    if len(found) > 1 or (found and known.isna().any()):
        said = ", ".join(map(str, [*found, *(["none"] if known.isna().any() else [])]))
        raise ValueError(f"runs: those of {rows['method'].iloc[0]} at one budget have {name} {said}; must have one")
    return found[0] if found else math.nan


def _unranked(proven: float, budget: float, *, nothing: bool) -> str:
    if nothing:
        return ""
    if math.isnan(proven):
        return NOT_PRIVATE
    if math.isinf(proven):
        return NOTHING_PROVEN
    return "" if proven <= budget * (1 + SLACK) else MORE_PROVEN


def _at_every_budget(table: pd.DataFrame) -> pd.DataFrame:
    """The table with rows that have no budget repeated at every budget of their problem."""
    parts = []
    for _, rows in table.groupby("problem", sort=False):
        budgets = sorted(rows["budget"].dropna().unique())
        alone = rows["everywhere"] & rows["budget"].isna() & bool(budgets)
        parts += [rows[~alone], *(rows[alone].assign(budget=budget) for budget in budgets)]
    return pd.concat(parts).drop(columns="everywhere")


def _one_relation(ranked: pd.DataFrame) -> None:
    private = ranked[ranked["delta"].notna()]
    found = frozenset(private["adjacency"].dropna())
    if len(found) > 1 and found not in _ONE:
        raise ValueError(f"runs: have budgets under {' and '.join(sorted(found))}, which no one ranking may hold")
    deltas = sorted(set(private["delta"]))
    if len(deltas) > 1:
        raise ValueError(f"runs: have budgets at the deltas {', '.join(f'{each:g}' for each in deltas)}; must have one")


def relation(table: pd.DataFrame) -> str:
    """The neighbouring relation that all ranked budgets of `cells` hold under; empty where none is private."""
    found = frozenset(table[table["unranked"] == ""]["adjacency"].dropna())
    return _ONE.get(found) or next(iter(found), "")


def ranked(table: pd.DataFrame) -> pd.DataFrame:
    """``table`` of `cells` with each method's rank in its cell, and the range of 95 % of resampled seeds.

    New columns: rank, rank_least, rank_most, and of all cells of a problem that have every method, mean_rank,
    mean_least, mean_most, with their number ``blocks``; NaN where a method is not ranked, ranges where a method of the
    cell has one seed.
    """
    columns = ("rank", "rank_least", "rank_most", "mean_rank", "mean_least", "mean_most")
    made = table.assign(**dict.fromkeys(columns, math.nan), blocks=0)
    for name, problem in table[table["unranked"] == ""].groupby("problem", sort=False):
        drawn: dict[float, pd.Series] = {}
        for budget, rows in problem.sort_values("method").groupby("budget", sort=False):
            # A cell's draws are its own: neither other cells nor the order of rows change a range.
            generator = np.random.default_rng([SEED, *f"{name} {budget}".encode()])
            own = [sorted(scores) for scores in rows["scores"]]
            places = pd.Series(list(resampled(own, generator).T), index=rows.index)
            made.loc[rows.index, "rank"] = _ranks(rows["mean"].to_numpy(dtype=float))
            made.loc[rows.index, ["rank_least", "rank_most"]] = [_middle(each) for each in places]
            drawn[float(str(budget))] = places.set_axis(rows["method"])
        _mean_ranks(made, problem, drawn)
    return made


def _mean_ranks(made: pd.DataFrame, problem: pd.DataFrame, drawn: dict[float, pd.Series]) -> None:
    """Fill in the mean ranks over those budgets at which every method of the problem is ranked."""
    methods = set(problem["method"])
    complete = [budget for budget, places in drawn.items() if set(places.index) == methods]
    inside = problem[problem["budget"].isin(complete)]
    for method, rows in inside.groupby("method"):
        over = np.mean([drawn[budget][method] for budget in complete], axis=0)
        own = (made["problem"] == problem["problem"].iloc[0]) & (made["method"] == method) & (made["unranked"] == "")
        made.loc[own, "mean_rank"] = made.loc[rows.index, "rank"].mean()
        made.loc[own, ["mean_least", "mean_most"]] = _middle(over)
        made.loc[own, "blocks"] = len(complete)


def _ranks(scores: Float[np.ndarray, "*draws methods"]) -> Float[np.ndarray, "*draws methods"]:
    """Ranks along the last axis, the largest score first; equal scores share their mean rank."""
    return np.asarray(rankdata(-scores, axis=-1), dtype=float)


def resampled(scores: Sequence[Sequence[float]], generator: np.random.Generator) -> Float[np.ndarray, "draws methods"]:
    """Ranks of methods whose seeds are drawn anew, with replacement; NaN where a method has one seed.

    Args:
        scores: of each method over its seeds.
        generator: of the draws.
    """
    if any(len(own) < 2 for own in scores):
        return np.full((DRAWS, len(scores)), math.nan)
    means = [generator.choice(np.asarray(own), size=(DRAWS, len(own))).mean(axis=1) for own in scores]
    return _ranks(np.stack(means, axis=1))


def _middle(values: Float[np.ndarray, " draws"]) -> tuple[float, float]:
    """The range of 95 %, between values that were drawn: there is no rank of 1.975."""
    least, most = np.quantile(values, 0.025, method="lower"), np.quantile(values, 0.975, method="higher")
    return float(least), float(most)


def critical_difference(methods: int, blocks: int, *, level: float = 0.05) -> float:
    """Nemenyi's critical difference of mean ranks.

    Args:
        methods: k >= 2.
        blocks: N >= 1.
        level: of the test.

    >>> round(critical_difference(4, 14), 2)  # Demšar (2006), section 3.2.4
    1.25
    """
    checks.whole("methods", methods, least=2)
    checks.whole("blocks", blocks, least=1)
    quantile = float(studentized_range.ppf(1 - checks.open_unit("level", level), methods, math.inf)) / math.sqrt(2)
    return quantile * math.sqrt(methods * (methods + 1) / (6 * blocks))


@dataclass(frozen=True)
class Friedman:
    """The p value of Friedman's test, and whether it is exact, else by the χ² approximation; NaN: it has no answer."""

    p: float
    exact: bool


def friedman(table: pd.DataFrame) -> Friedman:
    """Friedman's test that all methods of one problem of `cells` are alike.

    It asks for three methods and two budgets at which all of them are ranked.
    """
    wide = table[table["unranked"] == ""].pivot(index="budget", columns="method", values="mean").dropna()
    if wide.shape[1] < 3 or wide.shape[0] < 2:
        return Friedman(math.nan, exact=False)
    exact = _permuted(_ranks(wide.to_numpy(dtype=float)))
    if exact is not None:
        return Friedman(exact, exact=True)
    return Friedman(float(friedmanchisquare(*(wide[name] for name in wide)).pvalue), exact=False)


def _permuted(ranks: Float[np.ndarray, "blocks methods"]) -> float | None:
    """The share of all permutations of every block's ranks whose statistic is at least the one found.

    The statistic, tied ranks or not, grows with the sum of squares of the methods' rank sums, which forgets their
    order: block after block, all arrangements of its ranks are added to the rank sums so far, sorted, with the
    probability of each. None where that takes more than `TERMS` rank sums at a time.

    Source: Friedman (1937), The use of ranks to avoid the assumption of normality, JASA 32, pages 675-701.
    """
    doubled = np.rint(2 * ranks).astype(np.int64)  # tied ranks are halves
    methods, found = doubled.shape[1], int(np.square(doubled.sum(axis=0)).sum())
    # A sorted row of rank sums as one number, its digits.
    digits = (int(doubled.max(axis=1).sum()) + 1) ** np.arange(methods, dtype=object)
    if math.factorial(methods) > TERMS or digits[-1] * digits[1] >= 2**63:
        return None
    sums = np.sort(doubled[:1], axis=1)
    chances: np.ndarray[Any, Any] = np.ones(1)
    for block in doubled[1:]:
        arranged, times = np.unique(list(itertools.permutations(block)), axis=0, return_counts=True)
        if len(sums) * len(arranged) > TERMS:
            return None
        reached = np.sort((sums[:, None] + arranged).reshape(-1, methods), axis=1)
        _, kept, places = np.unique(reached @ digits.astype(np.int64), return_index=True, return_inverse=True)
        chances = np.bincount(places, weights=np.outer(chances, times / times.sum()).ravel())
        sums = reached[kept]
    return min(1.0, float(chances[np.square(sums).sum(axis=1) >= found].sum()))
