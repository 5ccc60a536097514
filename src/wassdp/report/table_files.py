"""Write a table as Markdown, CSV and LaTeX."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from wassdp.files import write_text

_MATHS = re.compile(r"(\$[^$]*\$)")
_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "ε": r"$\varepsilon$",
    "δ": r"$\delta$",
    "λ": r"$\lambda$",
    "σ": r"$\sigma$",
    "∞": r"$\infty$",
    "±": r"$\pm$",
    "–": "--",
}


def write(frame: pd.DataFrame, stem: Path) -> None:
    """Write ``stem``.md, .csv and .tex, each whole or not at all.

    CSV keeps every digit; the others show four. Text between dollar signs is a formula and stays as
    it is. Infinity is shown as ∞ and a missing value as a dash.
    """
    write_text(stem.with_name(f"{stem.name}.csv"), frame.to_csv(index=False, lineterminator="\n"))
    write_text(stem.with_name(f"{stem.name}.md"), markdown(frame))
    write_text(stem.with_name(f"{stem.name}.tex"), latex(frame))


def markdown(frame: pd.DataFrame) -> str:
    """The table in Markdown, numbers to the right.

    >>> print(markdown(pd.DataFrame({"name": ["x"], "value": [math.inf]})), end="")
    | name | value |
    | :--- | ---: |
    | x | ∞ |
    """
    rules = [" ---: " if _numeric(frame[name]) else " :--- " for name in frame.columns]
    lines = [_row(frame.columns, _markdown_cell), "|" + "|".join(rules) + "|"]
    lines += [_row(row, _markdown_cell) for row in _rows(frame)]
    return "\n".join(lines) + "\n"


def latex(frame: pd.DataFrame) -> str:
    """The table as a LaTeX ``tabular`` (package booktabs), numbers to the right."""
    columns = "".join("r" if _numeric(frame[name]) else "l" for name in frame.columns)
    rows = [list(frame.columns), *_rows(frame)]
    head, *body = (" & ".join(_latex_cell(value) for value in row) + r" \\" for row in rows)
    lines = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        head,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def show(value: Any) -> str:
    """A cell as text: numbers with four significant digits.

    >>> show(0.42888), show(84266.77), show(None), show(3)
    ('0.4289', '84270', '–', '3')
    """
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, float) and math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if isinstance(value, float):
        rounded = float(f"{value:.4g}")
        return f"{rounded:.0f}" if 1e4 <= abs(rounded) < 1e7 else f"{rounded:.4g}"
    return str(value)


def _rows(frame: pd.DataFrame) -> list[list[Any]]:
    return [list(row) for row in frame.itertuples(index=False, name=None)]


def _row(values: Any, cell: Callable[[Any], str]) -> str:
    return "| " + " | ".join(cell(value) for value in values) + " |"


def _markdown_cell(value: Any) -> str:
    return show(value).replace("|", "\\|").replace("\n", " ")


def _latex_cell(value: Any) -> str:
    parts = _MATHS.split(show(value))
    return "".join(
        part if _MATHS.fullmatch(part) else "".join(_LATEX.get(letter, letter) for letter in part) for part in parts
    )


def _numeric(column: pd.Series[Any]) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column)) and not pd.api.types.is_bool_dtype(column)
