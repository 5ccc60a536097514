"""Pages of published results: what the papers print, what was found, the figures; read from ``docs`` as it is."""

from __future__ import annotations

import csv
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import links
from wassdp.claims import PRINTED
from wassdp.claims.record import PrintedValue
from wassdp.claims.verdict import STATUSES


def file(page: str, root: Path, name: str) -> str:
    """A Markdown file of the repository, without its title, inside a page."""
    text = (root / name).read_text(encoding="utf-8")
    return links.moved(text.partition("\n")[2], name, page, root)


def published(page: str, root: Path, name: str) -> str:
    """A published set: its README, as ``wassdp publish`` wrote it, its pictures as wide as they need."""
    return file(page, root, f"docs/results/{name}/README.md")


def claims(page: str, root: Path) -> str:
    """The claims of the first page: picture, table and what its words mean."""
    text = file(page, root, "docs/results/README.md")
    (part,) = re.findall(r"^## The claims that matter\n(.*?)^Every figure here", text, flags=re.MULTILINE | re.DOTALL)
    return str(part)


def tables(page: str, root: Path, name: str) -> str:
    """The tables of a published set, each folded under its name."""
    parts = []
    for path in sorted((root / "docs" / "results" / name / "tables").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        parts += [f"<details><summary>{path.stem}</summary>", "", text, "", "</details>", ""]
    return "\n".join(parts)


def verdicts(page: str, root: Path, paper: str) -> str:
    """How many statements of a paper hold, and a row for each that does not, from the coverage table."""
    with (root / "docs" / "coverage.csv").open(newline="", encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["paper"] == paper and row["claim"]]
    if not rows:
        raise ValueError(f"verdicts = {paper!r}: docs/coverage.csv has none of this paper")
    counted = [(status, sum(row["verdict"] == status for row in rows)) for status in STATUSES]
    told = ", ".join(f"{count} {status}" for status, count in counted if count)
    against = (
        (row["statement"], f"{row['item']}: {row['place']}", row["verdict"], row["counterexample"] or row["figure"])
        for row in rows
        if row["verdict"] in ("refuted", "repaired")
    )
    coverage = posixpath.relpath("docs/coverage.md", posixpath.dirname(page))
    return "\n".join(
        [
            f"{len(rows)} statements of the paper were put to the test: {told}. The refuted ones, and what does hold:",
            "",
            *table(("statement", "where", "verdict", "smallest counterexample, or what was found"), against),
            "",
            f"All of them, with their formulas: [coverage]({coverage}). `wassdp claims NAME` checks one again.",
        ]
    )


def printed(page: str, root: Path, paper: str) -> str:
    """What a paper prints, a table for each of its own; nothing where no value of it is kept."""
    parts: list[str] = []
    for name in PRINTED.names():
        records: Sequence[PrintedValue] = PRINTED.load(name).RECORDS
        if records[0].paper != paper:
            continue
        for where in dict.fromkeys(record.where for record in records):
            own = [record for record in records if record.where == where]
            parts += [f"**{where}, as printed**", "", *_pivot(own), ""]
    return "\n".join(parts)


def _pivot(records: Sequence[PrintedValue]) -> Iterator[str]:
    """The printed values, a row for each of the paper's rows."""
    columns = list(dict.fromkeys(record.column for record in records))
    cells = {(record.row, record.column): record for record in records}
    if len(columns) > 8:
        shown = ((record.row, record.column, _value(record)) for record in records)
        return table(("row", "column", "printed"), shown)
    rows = (
        (row, *(_value(cells[row, column]) if (row, column) in cells else "" for column in columns))
        for row in dict.fromkeys(record.row for record in records)
    )
    return table(("", *columns), rows)


def _value(record: PrintedValue) -> str:
    unit = {"percent": " %"}.get(record.unit, "")
    return f"{record.printed:g}{unit}" + (f" at δ = {record.delta:g}" if record.delta else "")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    r"""A table of Markdown, whatever stands in its cells.

    >>> print("\n".join(table(("a",), [("x | y",)])))
    | a |
    |---|
    | x \| y |
    """
    yield f"| {' | '.join(head)} |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield f"| {' | '.join(_cell(cell) for cell in row)} |"


def _cell(text: str) -> str:
    return re.sub(r"([|*_`<$\[\]])", r"\\\1", " ".join(text.split())) or "–"
