"""The ledger to read: seeds of one setting share a row, with the budget that holds for each of them."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from wassdp.accounting.guarantee import Kind
from wassdp.accounting.rounding import kind_of, rounded, worst
from wassdp.report.frames import ADJACENCIES, SAMPLINGS
from wassdp.report.ledger import CLAIM, CONTROL, COVERS, EPSILON, MEANING, NO_BUDGET, NOT_RECORDED
from wassdp.report.shares import LARGE_SHARE, large

HEAD = (
    "| setting | kind | accountant | ε of one run | δ | δ × records | neighbouring | sampling | accuracy | seeds |",
    "|---|---|---|---|---|---|---|---|---|---|",
)


def markdown(frame: pd.DataFrame, *, preset: str, remark: str | None = None) -> str:
    """The ledger in Markdown.

    Over seeds, a row has the largest upper bound, the smallest lower one, and mean and range of what is published.

    Args:
        frame: from `wassdp.report.ledger.ledger`.
        preset: name of the set.
        remark: a line on top, about all of it.
    """
    present = set(frame["kind"])
    lines = [
        f"# Ledger of the set *{preset}*",
        "",
        *([f"**{remark}**", ""] if remark else []),
        "Every budget of every run. One kind is never to be read as another:",
        "",
        *(f"- **{kind}**: {meaning.split(': ', 1)[1]}." for kind, meaning in MEANING.items() if kind in present),
        "",
        f"{COVERS}.",
        "",
        "`ledger.csv` and `ledger.json` hold one row per run; here, runs that differ in their seed alone share a row, "
        "with the largest upper bound among them, or mean and range of what is published"
        f"{', or the smallest lower bound' if 'lower' in present else ''}. Upper bounds and their δ are rounded up. "
        "*Seeds* counts those with results, of those configured.",
    ]
    for (paper, experiment), part in frame[frame["kind"] != CLAIM].groupby(["paper", "experiment"], sort=False):
        lines += ["", f"## {paper}: {experiment}", "", *_experiment(part)]
    for (paper, experiment), part in frame[frame["kind"] == CLAIM].groupby(["paper", "experiment"], sort=False):
        lines += ["", f"## {paper}: {experiment}", "", "Published statements put to the test; no budgets.", ""]
        lines += ["| where | statement and verdict |", "|---|---|"]
        # Bars of norms would end a cell.
        lines += [f"| {row['source']} | {row['claim'].replace('|', chr(92) + '|')} |" for _, row in part.iterrows()]
    return "\n".join(lines) + "\n"


def spread(values: pd.Series, kind: Kind = "published", *, missing: str = "unbounded") -> str:
    """A column of several seeds: of bounds the one that holds for all, else mean and range; or the one value.

    ``missing`` stands there, with how many of how many, where some are not there.

    >>> spread(pd.Series([1.0, 3.0])), spread(pd.Series([1.0, 3.0]), "upper")
    ('2 (1 to 3)', '3')
    >>> spread(pd.Series([1.0, None]))
    'unbounded (1 of 2)'
    """
    known = values.dropna().astype(float)
    if len(known) < len(values):
        return missing if known.empty else f"{missing} ({len(values) - len(known)} of {len(values)})"
    most = rounded(worst(known, kind), kind)
    if kind != "published" or known.max() - known.min() <= 1e-9 * abs(known.max()):
        return most
    return f"{most} ({rounded(known.min(), kind)} to {rounded(known.max(), kind)})"


def _experiment(part: pd.DataFrame) -> list[str]:
    remarks = {text: place for place, text in enumerate(dict.fromkeys(filter(None, part["remark"])), start=1)}
    lines = [*HEAD]
    for key, rows in part.groupby(["label", "kind", "accountant"], sort=False):
        where, kind, accountant = map(str, key)
        own = [f"[{remarks[text]}]" for text in dict.fromkeys(rows["remark"]) if text]
        lines.append(f"| {' | '.join(_cells(' '.join([where, *own]), str(kind), str(accountant), rows))} |")
    lines += ["", *(f"- [{place}] {_sentence(text)}" for text, place in remarks.items())]
    lines += [f"- {text}" for text in (_searched(part), _planned(part)) if text]
    lines += ["", "What these budgets rest on:", ""]
    for group, rows in part.groupby(["kind", "accountant"], sort=False):
        kind, accountant = map(str, group)
        if kind == CONTROL:
            lines.append(f"- {CONTROL}: {NO_BUDGET}.")
            continue
        # Runs of one experiment may rest on different things, a clipped and an unclipped one for instance.
        notes = dict.fromkeys(note for text in rows["rests_on"] for note in text.split("; ") if note)
        lines.append(f"- {kind}/{accountant}: {rows.iloc[0]['source']}. {_sentence('; '.join(notes))}".rstrip())
    return lines


def _cells(where: str, kind: str, accountant: str, rows: pd.DataFrame) -> list[str]:
    accuracy, seeds = spread(rows["accuracy"], missing="–"), _seeds(rows)
    if kind == CONTROL:
        return [where, kind, "–", "no budget", "–", "–", "–", "–", accuracy, seeds]
    first, bound = rows.iloc[0], kind_of(kind)
    delta = rounded(worst(rows["delta"], bound), bound, digits=6)
    share = "–"
    if rows["delta_times_records"].notna().all():
        largest = float(rows["delta_times_records"].max())
        share = rounded(largest, "published", digits=2)
        if large(largest):
            share = f"**{share}, above {LARGE_SHARE:g}**"
    epsilon = spread(rows[EPSILON], bound)
    told = ADJACENCIES[first["adjacency"]], SAMPLINGS[first["sampling"]]
    return [where, kind, accountant, epsilon, delta, share, *told, accuracy, seeds]


def _seeds(rows: pd.DataFrame) -> str:
    configured: Any = rows["seeds_configured"].iloc[0]
    present = rows["seed"].nunique()
    return f"{present} of ?" if configured is None or math.isnan(configured) else f"{present} of {int(configured)}"


def _searched(part: pd.DataFrame) -> str:
    text = str(part["search"].iloc[0])
    return f"Search: {text}." if text in (NOT_RECORDED, "none") else f"Search, in no ε here: {text.rstrip('.')}."


def _planned(part: pd.DataFrame) -> str:
    cut = str(part["plan_cut"].iloc[0])
    if cut == NOT_RECORDED:
        return "Configured seeds and runs are not recorded: the plan may have been cut."
    return f"The plan was cut by hand: it has {cut}." if cut else ""


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].rstrip('.')}." if text else ""
