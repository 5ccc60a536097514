"""Figures that a sentence picks from published runs, and whether the runs show what its words say of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

import pandas as pd

from wassdp.accounting.rounding import kind_of, worst
from wassdp.claims import Above, Below, Comparison, NotAbove, Pick, Shown
from wassdp.claims.paired_seeds import paired
from wassdp.report import ratios

Runs = Callable[[Shown], pd.DataFrame]
"""Gives the rows of ``runs.csv`` of one setting, one for each seed."""


class UntrueError(ValueError):
    """Words say what the runs do not show."""


def column(rows: pd.DataFrame, name: str) -> pd.Series[float]:
    """One column of the runs of a setting; a ratio of rates as itself or its inverse (`wassdp.report.ratios`).

    Raises:
        ValueError: they have no such column, or a seed lacks it.
    """
    if name not in rows:
        raise ValueError(f"column = {name!r}: runs {', '.join(rows['run'])} have none")
    lacking = rows.loc[rows[name].isna(), "run"]
    if not lacking.empty:
        raise ValueError(f"column = {name!r}: run {', '.join(lacking)} of {len(rows)} has none")
    return ratios.of_runs(rows)[name].astype(float)


def value(pick: Pick, runs: Runs) -> float:
    """Of accuracies the mean (a share), of bounds the worst of all seeds; infinite where none is finite.

    Raises:
        ValueError: runs or the column are not there, or a seed lacks it.
    """
    values = column(runs(pick.runs), pick.column)
    return float(values.mean()) if pick.column.startswith("accuracy") else worst(values, kind_of(pick.column))


def seeds(names: Collection[str], picks: Mapping[str, Pick], runs: Runs) -> int:
    """How many seeds each of some settings has.

    Args:
        names: of picks; none: all.
        picks: the settings' runs.
        runs: reads them.

    Raises:
        UntrueError: they have not equally many.
        ValueError: runs are not there.
    """
    counts = {name: runs(picks[name].runs)["run"].nunique() for name in names or picks}
    least, most = (chosen(counts, key=lambda name: counts[name]) for chosen in (min, max))
    if counts[least] != counts[most]:
        raise UntrueError(
            f"the words say one number of seeds; the runs have {counts[least]} of {least}, {counts[most]} of {most}"
        )
    return counts[most]


def refuse_untrue(
    said: Iterable[Comparison], picks: Mapping[str, Pick], runs: Runs, others: Mapping[str, float] | None = None
) -> None:
    """Refuse words that the runs do not bear out.

    Args:
        said: what they say.
        picks: the figures that they name.
        runs: reads them.
        others: named figures that are at hand.

    Raises:
        UntrueError: the runs show something else, or nothing.
        ValueError: runs or a figure that is named are not there.
    """
    figures = {name: value(pick, runs) for name, pick in picks.items()} | dict(others or {})
    for comparison in said:
        if isinstance(comparison, Below):
            _refuse_not_below(comparison, figures)
        else:
            _refuse_other_order(comparison, picks, runs)


def _refuse_not_below(said: Below, figures: Mapping[str, float]) -> None:
    low, high = (figures[end] if isinstance(end, str) else end for end in (said.low, said.high))
    # Not the negation of >=: what is not a number is less than nothing.
    if not said.times * low < high:
        times = "" if said.times == 1 else f"{said.times:g} times "
        raise UntrueError(
            f"the words say that {times}{said.low} is below {said.high}; the runs say {low:g} and {high:g}"
        )


def _refuse_other_order(said: NotAbove | Above, picks: Mapping[str, Pick], runs: Runs) -> None:
    first, second = (
        [
            {"seed": str(seed), "figure": repr(float(figure))}
            for seed, figure in zip(rows["seed"], column(rows, picks[name].column), strict=True)
        ]
        for name, rows in ((name, runs(picks[name].runs)) for name in (said.first, said.second))
    )
    pair = paired(second, first, lambda row: float(row["figure"]))
    gain, more = pair.after - pair.before, isinstance(said, Above)
    # Not the negations: what is not a number shows neither.
    if not (gain > pair.spread if more else gain <= pair.spread):
        raise UntrueError(
            f"the words say that {said.first} is above {said.second} by {'more' if more else 'no more'} than seeds may "
            f"make of it; the runs say {pair.after:g} and {pair.before:g}, and {pair.spread:g} for the seeds"
        )
