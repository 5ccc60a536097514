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
from wassdp.data import SETS, descriptor
from wassdp.report import escaping


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


def verdicts(page: str, root: Path, paper: str) -> str:
    """How many statements of a paper hold, and a row for each that does not, from the coverage table."""
    with (root / "docs" / "coverage.csv").open(newline="", encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["paper"] == paper and row["claim"]]
    if not rows:
        raise ValueError(f"verdicts = {paper!r}: docs/coverage.csv has none of this paper")
    counted = [(status, sum(row["verdict"] == status for row in rows)) for status in STATUSES]
    told = ", ".join(f"{count} {status.replace('holds', 'hold')}" for status, count in counted if count)
    against = [
        (row["statement"], f"{row['item']}: {row['place']}", row["verdict"], row["counterexample"] or row["figure"])
        for row in rows
        if row["verdict"] in ("refuted", "repaired")
    ]
    coverage = posixpath.relpath("docs/coverage.md", posixpath.dirname(page))
    return "\n".join(
        [
            f"{len(rows)} statements of the paper were put to the test: {told}. All of them, with formulas, are in the "
            f"[coverage table]({coverage}); `wassdp claims NAME` checks one again.",
            "",
            f"<details><summary>The {len(against)} that do not hold as printed, or hold repaired</summary>",
            "",
            *table(("statement", "where", "verdict", "smallest counterexample, or what was found"), against),
            "",
            "</details>",
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
            units = {record.unit for record in own}
            shown = f" ({units.pop()})" if len(units) == 1 and units != {"percent"} else ""
            parts += [f"**{where}, as printed{shown}**", "", *_pivot(own), ""]
    return "\n".join(parts)


def _pivot(records: Sequence[PrintedValue]) -> Iterator[str]:
    """The printed values, a row for each of the paper's rows; a delta that a column shares stands in its head."""
    columns = list(dict.fromkeys(record.column for record in records))
    if len(columns) > 8:
        return table(
            ("row", "column", "printed"), ((_title(each.row), each.column, _value(each, "")) for each in records)
        )
    cells = {(record.row, record.column): record for record in records}
    deltas = {name: {each.delta for each in records if each.column == name} for name in columns}
    shared = {name: next(iter(found)) if len(found) == 1 else None for name, found in deltas.items()}
    heads = [f"{name}, δ = {shared[name]:g}" if shared[name] else name for name in columns]
    rows = (
        (_title(row), *(_value(cells[row, name], shared[name]) if (row, name) in cells else "" for name in columns))
        for row in dict.fromkeys(record.row for record in records)
    )
    return table(("", *heads), rows)


def _title(row: str) -> str:
    """What people call a row: the dataset's title, where it is one."""
    return descriptor(row).title if row in SETS.names() else row


def _value(record: PrintedValue, said: float | str | None) -> str:
    """A printed value, with its delta where the column's head does not say it."""
    unit = {"percent": " %"}.get(record.unit, "")
    delta = f" at δ = {record.delta:g}" if record.delta and record.delta != said else ""
    return f"{record.printed:g}{unit}{delta}"


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
    return escaping.markdown(text) or "–"
