"""Runs of fair learning, arranged as the paper arranges them: weights of the penalty across, budgets down."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import pandas as pd

from wassdp.accounting import sensitivities
from wassdp.accounting.rounding import kind_of, of_all
from wassdp.report import called, seeds, style
from wassdp.report.frames import in_words, require
from wassdp.report.settings import budget_text, shown

ALPHA, EPSILON = "parameters.alpha", "parameters.privacy.epsilon"
SENSITIVE, PENALTY = "parameters.sensitive", "parameters.penalty"
PROVEN = "epsilon/upper/pld"
PROVEN_AS_PUBLISHED = f"{PROVEN}{sensitivities.PUBLISHED}"
PUBLISHED = {"epsilon/published/gdp": "Poisson GDP limit", "epsilon/published/gdp_uniform": "uniform GDP limit"}
NO_NOISE = "no noise"
LACKING = "–"
"""In place of a mean of which a seed lacks its share."""


def arranged(runs: pd.DataFrame) -> pd.DataFrame:
    """``runs`` with the columns ``alpha`` and ``target``, the budget asked for (infinite without noise), in order.

    Raises:
        ValueError: a column is missing, or two runs of one seed share weight and budget.
    """
    require(runs, ["run", "seed", ALPHA])
    targets = runs[EPSILON].astype(float) if EPSILON in runs else pd.Series(math.nan, index=runs.index)
    known = runs.assign(alpha=runs[ALPHA].astype(float), target=targets.fillna(math.inf))
    if known.duplicated(["alpha", "target", "seed"]).any():
        raise ValueError("runs: several of one seed have the same weight and budget; show them apart")
    return known.sort_values(["target", "alpha", "seed"], ascending=[False, True, True]).reset_index(drop=True)


def of_weights(known: pd.DataFrame, alphas: Collection[float]) -> pd.DataFrame:
    """`arranged` runs of these weights of the penalty; all where none is named.

    Raises:
        ValueError: no run has one of them.
    """
    if missing := set(alphas) - set(known["alpha"]):
        raise ValueError(f"alphas: no run has {sorted(missing)}; there are {sorted(set(known['alpha'].tolist()))}")
    return known[known["alpha"].isin(alphas)] if alphas else known


def budget(rows: pd.DataFrame) -> str:
    """What a row of panels is called: its budgets, proven and published, from the least weight's to the largest's.

    A line for each kind. Of several seeds the largest, of proven budgets infinite where one has none. Where the paper's
    sensitivity is larger than this project's, the budgets proven with both are said; published ones are with the
    paper's.
    """
    if math.isinf(rows["target"].iloc[0]):
        return NO_NOISE
    proven, as_published = (
        rows[name] if name in rows else pd.Series(math.nan, index=rows.index) for name in (PROVEN, PROVEN_AS_PUBLISHED)
    )
    lines = []
    if proven.notna().any():
        lines = [rf"proven $\varepsilon$ = {_ends(rows, proven.fillna(math.inf))}"]
        if as_published.notna().any():
            both = as_published.fillna(proven.where(_same(rows))).fillna(math.inf)
            lines[0] += f" (published sensitivity: {_ends(rows, both)})"
    stated = {word: _ends(rows, rows[name]) for name, word in PUBLISHED.items() if name in rows}
    limits = ", ".join(rf"{word} $\varepsilon$ = {ends}" for word, ends in stated.items() if ends)
    lines += [limits] if limits else []
    return "\n".join(lines) or rf"$\varepsilon$ = {shown(float(rows['target'].iloc[0]))}"


def _ends(rows: pd.DataFrame, values: pd.Series[float]) -> str:
    """Least and largest budget over the weights, of each the largest of its seeds; nothing if one has none."""
    if not values.notna().all():
        return ""
    largest = values.groupby(rows["alpha"]).max()
    ends = (float(largest.min()), float(largest.max()))
    return " to ".join(dict.fromkeys(budget_text(end) if math.isfinite(end) else r"$\infty$" for end in ends))


def _same(rows: pd.DataFrame) -> pd.Series[bool]:
    """Which runs have one sensitivity and hence one budget: those whose gradient has no Wasserstein distance."""
    alone = rows["alpha"] == 0
    return alone | (rows[PENALTY] == "renyi") if PENALTY in rows else alone


def named(runs: pd.DataFrame) -> str:
    """What the models learn, in words: data sets and task, the groups that are told apart, and what fairness means.

    >>> facts = {"problem": "adult, classification", SENSITIVE: "sex", PENALTY: "equality_of_odds"}
    >>> named(pd.DataFrame([facts]))
    'Adult, classification; groups by sex; equality of odds'
    """
    known = {
        name: dict.fromkeys(runs[name].dropna()) if name in runs else {} for name in ("problem", SENSITIVE, PENALTY)
    }
    groups = [f"groups by {in_words(str(name))}" for name in known[SENSITIVE] if name != "attribute"]
    penalties = [called.words(str(name)) for name in known[PENALTY]]
    return "; ".join([*(in_words(str(problem)) for problem in known["problem"]), *groups, *penalties])


def means(rows: pd.DataFrame, names: Sequence[tuple[str, str]], digits: int = 3) -> str:
    r"""Means over the seeds of those metrics that are there, each by its short name, which stays beside its value.

    A dash where a seed lacks it.

    >>> means(pd.DataFrame({"accuracy": [0.5, 0.7]}), [("ACC", "accuracy"), ("DI", "disparate_impact")])
    'ACC\xa00.6'
    >>> means(pd.DataFrame({"disparate_impact": [0.95, None]}), [("DI", "disparate_impact")])
    'DI\xa0–'
    """
    there = {short: rows[name] for short, name in names if name in rows and rows[name].notna().any()}
    known = {short: float(values.mean(skipna=False)) for short, values in there.items()}
    texts = {short: LACKING if math.isnan(mean) else f"{mean:.{digits}g}" for short, mean in known.items()}
    return ", ".join(f"{short}\N{NO-BREAK SPACE}{text}" for short, text in texts.items())


def _of_all(budgets: pd.Series[float]) -> float:
    return of_all(budgets, "upper")


def _largest(budgets: pd.Series[float]) -> float:
    return float(budgets.max(skipna=False))


def summary(runs: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """Per weight and budget, mean and range of every metric over the seeds, and the largest budgets.

    Missing where a seed lacks the metric, as one does that is not defined for its model.
    """
    keys = ["target", "alpha"]
    groups = runs.groupby(keys, sort=False)
    table = groups.agg(seeds=("seed", "nunique")).reset_index()[["alpha", "target", "seeds"]]
    budgets = [name for name in (PROVEN, PROVEN_AS_PUBLISHED, *PUBLISHED) if name in runs]
    of_seeds = {name: _of_all if kind_of(name) == "upper" else _largest for name in budgets}
    table = table.join(groups[budgets].agg(of_seeds) if budgets else groups[budgets].max(), on=keys)
    for name in metrics:
        if name in runs and runs[name].notna().any():
            spread = seeds.summarised(runs, keys, name, seeds.ranged(name)).set_index(keys)
            table = table.join(spread, on=keys)
    return table


def shades(targets: pd.Series[float]) -> dict[float, str]:
    """A colour for each budget asked for, from the least strict to the strictest; grey without noise."""
    descending = sorted(targets.unique(), reverse=True)
    finite = [str(target) for target in descending if math.isfinite(target)]
    colours = style.ordered_colours(finite)
    return {target: colours.get(str(target), style.LOWER) for target in descending}
