"""The claims that matter most, to read: the rows of the first page, and what each rests on."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from wassdp.accounting.large_delta import large
from wassdp.accounting.rounding import rounded
from wassdp.pipeline import single_sums
from wassdp.publish.foremost import NONE, words
from wassdp.report import called, escaping
from wassdp.report.shares import ABOVE
from wassdp.selection import optimistic

HEAD = "| | claim | claimed ε | attacked ε | proven ε | accuracy, % | honest noise: proven ε | accuracy, % |"
WIDTHS = "3 30 10 18 13 10 13 10"
"""Of its columns in the workflow's report, in parts of a hundred."""
READ_MARK = " †"
"""Behind an accuracy that may be too good by how its settings were chosen (`wassdp.selection.optimistic`)."""
IDEAL = ("noise of these runs was drawn in single precision", single_sums.SAID)
"""What is said of runs whose bound is that of ideal noise, or of exact sums, while theirs were rounded."""
IDEAL_MARK = " ‡"
"""Behind such a bound."""
RULE = "|---:|---|---:|---:|---:|---:|---:|---:|"


def rows(table: pd.DataFrame) -> list[str]:
    """The table of the first page, a claim a row.

    Args:
        table: from `wassdp.publish.foremost.table`.
    """
    return [HEAD, RULE, *(_row(row) for _, row in table.iterrows())]


def landing(table: pd.DataFrame) -> list[str]:
    """The same rows in the form of the workflow's report, reStructuredText."""
    head = [cell.strip() for cell in HEAD.split("|")[1:-1]]
    rows = [",".join(f'"{cell}"' for cell in line) for line in (head, *(_cells(row) for _, row in table.iterrows()))]
    return [".. csv-table::", "   :header-rows: 1", f"   :widths: {WIDTHS}", "", *(f"   {line}" for line in rows)]


def _row(row: pd.Series[Any]) -> str:
    return f"| {' | '.join(_cells(row))} |"


def _cells(row: pd.Series[Any]) -> list[str]:
    shown = words(row)
    return [
        str(row["place"]),
        row["title"],
        shown["claimed"],
        shown["attacked"],
        (f"**{shown['proven']}**" if row["proven"] > row["claimed"] else shown["proven"]) + _mark(row, "rests_on"),
        _accuracy(shown["accuracy"], row["accuracy_reach"]) + READ_MARK * optimistic(row["selection"]),
        shown["honest"] + _mark(row, "honest_rests_on"),
        _accuracy(shown["honest_accuracy"], row["honest_accuracy_reach"])
        + READ_MARK * optimistic(row["honest_selection"]),
    ]


def _accuracy(shown: str, reach: float) -> str:
    """With half the width of its interval, where several seeds give one."""
    return shown if math.isnan(reach) else f"{shown} ± {reach:.1f}"


def _mark(row: pd.Series[Any], column: str) -> str:
    """The mark of a bound that rests on what its runs did not do; nothing where there is no bound."""
    said = row.get(column)
    return IDEAL_MARK if isinstance(said, str) and any(words in said for words in IDEAL) else ""


def details(table: pd.DataFrame) -> list[str]:
    """What each claim says, what was found, and what the figures mean; the latter folded."""
    lines: list[str] = []
    for _, row in table.iterrows():
        lines += [f"### {row['place']}. {row['title']}", "", f"> {row['words']}", ""]
        lines += [f"*{called.title(row['paper'])}*, {row['where']}.", ""]
        lines += [row["finding"], "", "<details><summary>Runs, seeds, δ, relation</summary>", ""]
        lines += [f"- {text}." for text in _facts(row)] + ["", "</details>", ""]
    return lines


def _facts(row: pd.Series[Any]) -> list[str]:
    shown = words(row)
    printed = "" if math.isnan(row["printed_accuracy"]) else f", {shown['printed_accuracy']} % printed beside it"
    facts = [
        f"claimed: ε = {shown['claimed']} at δ = {_delta(row['claimed_delta'])}, {row['claimed_by']}{printed}",
        f"the same run: {_runs(row['runs'])}; {_proven(row, 'proven')}",
        f"attacked: {row['unattacked'] or _attacked(row, shown)}",
        f"honest noise: {row['dishonest']}",
    ]
    if not row["dishonest"]:
        facts[-1] = f"honest noise: {_runs(row['honest_runs'])}; {_proven(row, 'honest')}"
    return facts


def _runs(place: str) -> str:
    name, _, rest = place.partition(": ")
    return f"[{name}]({name}/README.md), {rest}"


def _proven(row: pd.Series[Any], name: str) -> str:
    """What gives a proven budget its meaning."""
    prefix = "" if name == "proven" else f"{name}_"
    share = row[f"{prefix}share"]
    records = (
        "" if math.isnan(share) else f" (× records: {rounded(share, 'published', digits=2)}{ABOVE * large(share)})"
    )
    rests = f"; rests on: {escaping.words(row[f'{prefix}rests_on'].rstrip('.'))}" if row[f"{prefix}rests_on"] else ""
    return (
        f"{_seeds(row[f'{prefix}seeds'])}; proven at δ = {_delta(row[f'{name}_delta'])}{records}, "
        f"{row[f'{name}_relation']}; settings chosen by: {row[f'{prefix}selection']}{rests}"
    )


def _attacked(row: pd.Series[Any], shown: dict[str, str]) -> str:
    deltas = [row[f"{name}_delta"] for name in ("attacked", "attacked_family") if row[name] > 0]
    # A lower bound holds at smaller deltas: of two bounds at two of them both do at the smaller one.
    delta = min(deltas, default=math.nan)
    rests = f"; rests on: {escaping.words(row['attacked_rests_on'].rstrip('.'))}" if row["attacked_rests_on"] else ""
    return f"ε ≥ {shown['attacked']} at δ = {NONE if math.isnan(delta) else rounded(delta, 'lower', digits=3)}{rests}"


def _seeds(count: float) -> str:
    return "one seed" if count == 1 else f"{int(count)} seeds"


def _delta(value: float) -> str:
    return NONE if math.isnan(value) else rounded(value, "upper", digits=3)
