"""Tables of the kept benchmarks, with where and when each was measured."""

from __future__ import annotations

import ast
import csv
import json
from collections.abc import Iterator
from pathlib import Path

import sets


def tables(page: str, root: Path) -> str:
    """What each benchmark measures, in its own words, its table and its origin."""
    lines: list[str] = []
    for path in sorted((root / "docs" / "results" / "benchmarks").glob("*.csv")):
        origin = json.loads(path.with_suffix(".provenance.json").read_text(encoding="utf-8"))
        code = (root / "bench" / f"{path.stem}.py").read_text(encoding="utf-8")
        measured = ast.get_docstring(ast.parse(code)) or ""
        with path.open(newline="", encoding="utf-8") as rows:
            head, *body = csv.reader(rows)
        lines += [
            f"## {path.stem.replace('_', ' ').capitalize()}",
            "",
            measured,
            "",
            f"Measured on {origin['machine']}, {origin['computed'][:10]}, with Python {origin['versions']['python']}, "
            f"numpy {origin['versions']['numpy']} and torch {origin['versions'].get('torch', 'none')}.",
            "",
            *sets.table([cell.replace("_", " ") for cell in head], _rounded(body)),
            "",
        ]
    return "\n".join(lines)


def _rounded(rows: list[list[str]]) -> Iterator[list[str]]:
    for row in rows:
        yield [shown(cell) for cell in row]


def shown(cell: str) -> str:
    """A number with four digits; anything else as it is.

    >>> shown("12469.89944"), shown("256"), shown("26k CNN")
    ('12470', '256', '26k CNN')
    """
    try:
        return cell if cell.lstrip("-").isdigit() else f"{float(f'{float(cell):.4g}'):g}"
    except ValueError:
        return cell
