"""The ledger: one row per run and budget, saying what is claimed, by which formula, and what it rests on.

A run that put a published statement to the test has a row for its verdict.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from wassdp.claims import verdicts
from wassdp.pipeline.plan import Plan, PlannedRun
from wassdp.result import Result

COLUMNS = (
    "paper",
    "experiment",
    "run",
    "name",
    "seed",
    "kind",
    "accountant",
    "claim",
    "epsilon",
    "epsilon_error",
    "delta",
    "adjacency",
    "sampling",
    "accuracy",
    "source",
    "rests_on",
)

CLAIM = "claim"  # kind of a row that is a verdict, not a budget

MEANING = {
    "upper": "upper bound: a theorem proves it",
    "lower": "lower bound: an attack measured it",
    "published": "published: the paper's own formula, whatever it proves",
}


def ledger(plan: Plan, found: Mapping[str, Result]) -> pd.DataFrame:
    """One row per run and budget, upper bounds before lower bounds before published figures; one per verdict."""
    rows: list[dict[str, Any]] = []
    for planned in plan.runs:
        result = found.get(planned.run)
        if result is None:
            continue
        for item in sorted(result.guarantees, key=lambda item: list(MEANING).index(item.kind)):
            rows.append(
                {
                    "paper": planned.paper,
                    "experiment": planned.experiment,
                    "run": planned.run,
                    "name": planned.name,
                    "seed": planned.seed,
                    "kind": item.kind,
                    "accountant": item.accountant,
                    "claim": _claim(item.kind, item.value, item.delta),
                    "epsilon": item.epsilon,
                    "epsilon_error": item.epsilon_error,
                    "delta": item.delta,
                    "adjacency": item.adjacency,
                    "sampling": item.sampling,
                    "accuracy": result.metrics.get("accuracy"),
                    "source": item.source,
                    "rests_on": "; ".join(item.assumptions),
                }
            )
        if "claim_ratio" in result.metrics:
            rows.append(_verdict(planned, result))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _verdict(planned: PlannedRun, result: Result) -> dict[str, Any]:
    name = planned.spec["parameters"]["claim"]
    claim = verdicts.load(name)
    found = verdicts.Verdict(tried=int(result.metrics["claim_tried"]), largest=result.metrics["claim_ratio"])
    return {
        "paper": planned.paper,
        "experiment": planned.experiment,
        "run": planned.run,
        "name": planned.name,
        "seed": planned.seed,
        "kind": CLAIM,
        "accountant": name,
        "claim": f"{claim.statement}: {found.words}",
        "source": claim.where,
    }


def markdown(frame: pd.DataFrame, *, preset: str) -> str:
    """The ledger to read: seeds of one setting share a row, with the mean and the range of their budgets."""
    lines = [
        f"# Ledger of the set *{preset}*",
        "",
        "Every budget of every run. The three kinds are never to be read as one another:",
        "",
        *(f"- **{kind}**: {meaning.split(': ', 1)[1]}." for kind, meaning in MEANING.items()),
        "",
        "`ledger.csv` and `ledger.json` hold one row per run; here, runs that differ in their seed alone share a row.",
    ]
    budgets = frame[frame["kind"] != CLAIM]
    for (paper, experiment), part in budgets.groupby(["paper", "experiment"], sort=False):
        lines += ["", f"## {paper}: {experiment}", ""]
        lines += [
            "| setting | kind | accountant | ε | δ | neighbouring | sampling | accuracy | runs |",
            "|---|---|---|---|---|---|---|---|---|",
        ]
        setting = part["name"].str.replace(r" ?seed=\d+$", "", regex=True).str.removeprefix(str(experiment)).str.strip()
        for (where, kind, accountant), rows in part.groupby([setting, "kind", "accountant"], sort=False):
            first = rows.iloc[0]
            cells = [
                where or "–",
                kind,
                accountant,
                spread(rows["epsilon"]),
                f"{first['delta']:g}",
                first["adjacency"],
                first["sampling"],
                spread(rows["accuracy"], missing="–"),
                str(len(rows)),
            ]
            lines.append(f"| {' | '.join(cells)} |")
        lines += ["", "What these budgets rest on:", ""]
        for (kind, accountant), rows in part.groupby(["kind", "accountant"], sort=False):
            # Runs of one experiment may rest on different things, a clipped and an unclipped one for instance.
            notes = dict.fromkeys(note for text in rows["rests_on"] for note in text.split("; ") if note)
            lines.append(f"- {kind}/{accountant}: {rows.iloc[0]['source']}. {_sentence('; '.join(notes))}".rstrip())
    for (paper, experiment), part in frame[frame["kind"] == CLAIM].groupby(["paper", "experiment"], sort=False):
        lines += ["", f"## {paper}: {experiment}", "", "Published statements put to the test; no budgets.", ""]
        lines += ["| where | statement and verdict |", "|---|---|"]
        # Bars of norms would end a cell.
        lines += [f"| {row['source']} | {row['claim'].replace('|', chr(92) + '|')} |" for _, row in part.iterrows()]
    return "\n".join(lines) + "\n"


def as_json(frame: pd.DataFrame, *, preset: str) -> str:
    """The ledger as JSON: unbounded budgets are null."""
    rows = json.loads(frame.to_json(orient="records", double_precision=15))
    return json.dumps({"preset": preset, "rows": rows}, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def spread(values: pd.Series, *, missing: str = "unbounded") -> str:
    """Mean and range of a column, or one value; ``missing``, with how many of how many, where some are not there.

    >>> spread(pd.Series([1.0, 3.0]))
    '2 (1 to 3)'
    >>> spread(pd.Series([1.0, None]))
    'unbounded (1 of 2)'
    """
    known = values.dropna().astype(float)
    if len(known) < len(values):
        return missing if known.empty else f"{missing} ({len(values) - len(known)} of {len(values)})"
    if known.max() - known.min() <= 1e-9 * abs(known.max()):
        return f"{known.iloc[0]:.4g}"
    return f"{known.mean():.4g} ({known.min():.4g} to {known.max():.4g})"


def _claim(kind: str, epsilon: float, delta: float) -> str:
    if epsilon == float("inf"):
        return "no finite budget"
    relation = {"upper": "≤", "lower": "≥", "published": "stated as"}[kind]
    return f"ε {relation} {epsilon:.4g} at δ = {delta:g}"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}." if text else ""
