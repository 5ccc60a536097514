"""The coverage table to read."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from wassdp.claims import PAPERS
from wassdp.claims.verdict import STATUSES

COMMAND = "wassdp coverage"


def markdown(table: pd.DataFrame, negatives: list[str]) -> str:
    """The table of `wassdp.report.coverage` in Markdown, with a list of results that came out against a method."""
    lines = [
        "# What of the papers is here",
        "",
        f"Made by `{COMMAND}`; `coverage.csv` holds the same. Every numbered item of the four papers, what implements "
        "it, the experiments about it with the published sets that hold their results (seeds with results, of those "
        "configured), and the verdicts on what it states. *Holds here* is no proof: no case tried contradicts it. "
        "*Refuted*: a case does, or a figure is not what it is said to be. *Repaired*: a corrected statement, which no "
        "case contradicts. *Not decided by these seeds*: some means over seeds are not as stated, by no more than the "
        "interval of the seeds permits (95 %, Student's, seed by seed; of drawn curves the seeds' range). *Not "
        "reproducible*: what is published does not determine it. *Not measured here*: results are absent.",
        "",
        *_counts(table),
    ]
    for paper, part in table.groupby("paper", sort=False):
        lines += [
            "",
            f"## {PAPERS.load(str(paper)).TITLE}",
            "",
            *_items(part),
            "",
            "### Verdicts",
            "",
            *_verdicts(part),
        ]
    lines += ["", "## Results against methods of this project or of the papers", ""]
    lines += [f"- {text}" for text in negatives]
    return "\n".join(lines) + "\n"


def _counts(table: pd.DataFrame) -> Iterator[str]:
    yield "| paper | items | claims | " + " | ".join(STATUSES) + " |"
    yield "|---|" + "---:|" * (2 + len(STATUSES))
    for paper, part in table.groupby("paper", sort=False):
        counts = [str((part["verdict"] == status).sum()) for status in STATUSES]
        title = PAPERS.load(str(paper)).TITLE
        link = f"[{title}](#{title.lower().replace(' ', '-')})"
        cells = [link, str(part["item"].nunique()), str((part["claim"] != "").sum()), *counts]
        yield f"| {' | '.join(cells)} |"


def _items(part: pd.DataFrame) -> Iterator[str]:
    yield "| item | about | implemented in | experiments (seeds) | published in | verdicts | not here |"
    yield "|---|---|---|---|---|---|---|"
    for item, rows in part.groupby("item", sort=False):
        first = rows.iloc[0]
        code = ", ".join(f"`{name.removeprefix('wassdp.')}`" for name in first["implemented"].split(", ") if name)
        verdicts = "; ".join(_counted(rows))
        seeds = first["seeds"].replace(": ", " (").replace(", ", "), ") + (")" if first["seeds"] else "")
        sets = ", ".join(f"[{name}](results/{name}/README.md)" for name in first["published"].split(", ") if name)
        cells = [str(item), first["title"], code, seeds, sets, verdicts, first["missing"]]
        yield f"| {' | '.join(_cell(cell) or '–' for cell in cells)} |"


SEVERAL = {"holds here": "hold here"}


def _counted(rows: pd.DataFrame) -> Iterator[str]:
    for status in STATUSES:
        if count := int((rows["verdict"] == status).sum()):
            yield status if count == 1 else f"{count} {SEVERAL.get(status, status)}"


def _verdicts(part: pd.DataFrame) -> Iterator[str]:
    yield "| claim | where | statement | verdict | found |"
    yield "|---|---|---|---|---|"
    for row in part[part["claim"] != ""].to_dict(orient="records"):
        stated = f"{row['statement']}: {row['formula']}" if row["formula"] else row["statement"]
        found = f"{row['figure']}. Smallest: {row['counterexample']}" if row["counterexample"] else row["figure"]
        where = f"{row['item']}, {row['place']}"
        cells = [f"`{row['claim']}`", where, stated, f"**{row['verdict']}**", found]
        yield f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
