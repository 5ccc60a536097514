"""Write a table as Markdown, CSV and LaTeX."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from wassdp.accounting.guarantee import Kind
from wassdp.accounting.large_delta import large
from wassdp.accounting.rounding import rounded
from wassdp.files import write_text
from wassdp.report import escaping
from wassdp.report.frames import titled
from wassdp.report.shares import ABOVE, DELTA_RECORDS

_KINDS = "wassdp.kinds"
PAGE = Path(__file__).with_name("table.html")
DATASET = "dataset"  # a column of names in configurations, which are shown as people know them


def write(frame: pd.DataFrame, stem: Path, *, page: bool = False) -> None:
    """Write ``stem``.md, .csv and .tex, and with ``page`` .html, each whole or not at all.

    CSV keeps every digit, and datasets' names in configurations; the others show four digits, rounded as `bounds` says,
    and the names that people know. Text between dollar signs is a formula and
    stays as it is. Infinity is shown as ∞ and a missing value as a dash.
    """
    write_text(stem.with_name(f"{stem.name}.csv"), frame.to_csv(index=False, lineterminator="\n"))
    write_text(stem.with_name(f"{stem.name}.md"), markdown(frame))
    write_text(stem.with_name(f"{stem.name}.tex"), latex(frame))
    if page:
        write_text(stem.with_name(f"{stem.name}.html"), html(frame))


def bounds(frame: pd.DataFrame, kinds: Mapping[str, Kind]) -> pd.DataFrame:
    """``frame`` with the kinds of those columns that hold bounds, or what belongs to them: how they are rounded.

    Any other column is rounded to nearest. Columns that are not there are passed over.

    >>> print(markdown(bounds(pd.DataFrame({"proven ε": [1.01927]}), {"proven ε": "upper"})), end="")
    | proven ε |
    | ---: |
    | 1.02 |
    """
    frame.attrs[_KINDS] = {name: kind for name, kind in kinds.items() if name in frame}
    return frame


def markdown(frame: pd.DataFrame) -> str:
    """The table in Markdown, numbers to the right.

    >>> print(markdown(pd.DataFrame({"name": ["x"], "value": [math.inf]})), end="")
    | name | value |
    | :--- | ---: |
    | x | ∞ |
    """
    rules = [" ---: " if _numeric(frame[name]) else " :--- " for name in frame.columns]
    lines = [_row(frame.columns, escaping.markdown), "|" + "|".join(rules) + "|"]
    lines += [_row(row, escaping.markdown) for row in _rows(frame)]
    return "\n".join(lines) + "\n"


def latex(frame: pd.DataFrame) -> str:
    """The table as a LaTeX ``tabular`` (package booktabs), numbers to the right."""
    columns = "".join("r" if _numeric(frame[name]) else "l" for name in frame.columns)
    rows = [list(frame.columns), *_rows(frame)]
    head, *body = (" & ".join(escaping.latex(value) for value in row) + r" \\" for row in rows)
    begin, end = rf"\begin{{tabular}}{{{columns}}}", r"\end{tabular}"
    return "\n".join([begin, r"\toprule", head, r"\midrule", *body, r"\bottomrule", end]) + "\n"


def html(frame: pd.DataFrame) -> str:
    """The table as a page of its own, numbers to the right; on a narrow screen it moves under its first column."""
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    numbers = [_numeric(frame[name]) for name in frame.columns]
    heads, *rows = (
        list(zip(map(escaping.plain, row), numbers, strict=True)) for row in (list(frame.columns), *_rows(frame))
    )
    text: str = environment.from_string(PAGE.read_text(encoding="utf-8")).render(heads=heads, rows=rows)
    return text


def show(value: Any, kind: Kind = "published") -> str:
    """A cell as text: numbers with four significant digits, an upper bound rounded up and a lower one down.

    >>> show(0.42888), show(84266.77), show(None), show(3), show(1.01927, "upper")
    ('0.4289', '84270', '–', '3', '1.02')
    """
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    return rounded(value, kind) if isinstance(value, float) else str(value)


def _rows(frame: pd.DataFrame) -> list[list[str]]:
    """All cells as text."""
    known: Mapping[str, Kind] = frame.attrs.get(_KINDS, {})

    def cell(name: str, value: Any) -> str:
        above = ABOVE if name == DELTA_RECORDS and isinstance(value, float) and large(value) else ""
        return titled(value) if name == DATASET else show(value, known.get(name, "published")) + above

    names = list(map(str, frame.columns))
    return [list(map(cell, names, row)) for row in frame.itertuples(index=False, name=None)]


def _row(values: Any, cell: Callable[[Any], str]) -> str:
    return "| " + " | ".join(cell(value) for value in values) + " |"


def _numeric(column: pd.Series[Any]) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column)) and not pd.api.types.is_bool_dtype(column)
