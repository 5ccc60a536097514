"""The comparison as one page: everything it needs is in it, and what comes from data is escaped."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from wassdp.accounting.rounding import rounded
from wassdp.publish.comparison_rows import COLUMNS
from wassdp.report import escaping
from wassdp.report.shares import COLUMN as SHARE

TEMPLATE = Path(__file__).with_name("comparison.html")
SHOWN: Mapping[str, str] = {
    "task": "task",
    "data": "data",
    "method": "method",
    "epsilon": "proven ε",
    "delta": "δ",
    "relation": "a neighbour has",
    "attacked": "attacked ε",
    "public_data": "public data",
    "tuning": "settings judged on",
    "mean": "score, %",
    "seeds": "seeds",
    "seconds": "seconds",
    "memory_mib": "MiB",
}
"""Columns of the page and their headings; the others stand in a row's details."""
NUMBERS = ("epsilon", "delta", "attacked", "mean", "seeds", "seconds", "memory_mib")
FILTERS = ("task", "data", "relation", "public_data", "judged_on")


def page(table: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> str:
    """The page of these rows and parameters (`wassdp.publish.comparison_rows.rows`)."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, finalize=_visible
    )
    text: str = environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        rows=[_shown(row, parameters) for row, parameters in table],
        headings=SHOWN,
        numbers=NUMBERS,
        filters={name: sorted({str(row[name]) or "–" for row, _ in table}) for name in FILTERS},
        meanings={SHOWN.get(name, name.replace("_", " ")): meaning for name, meaning in COLUMNS.items()},
    )
    return text


def _shown(row: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """A row as the template takes it: texts of its cells, keys to sort numbers and to filter by, details."""
    cells = {name: _text(name, row) for name in SHOWN}
    keys = {name: _key(row[name]) for name in NUMBERS}
    count = len(row["runs"].split())
    return {
        "count": f"{count} run{'s' * (count > 1)}",
        "cells": cells,
        "keys": keys,
        "filters": {name: str(row[name]) or "–" for name in FILTERS},
        "share": "" if _missing(row[SHARE]) else f"{row[SHARE]:.4g}",
        "row": {name: "" if _missing(row[name]) else row[name] for name in COLUMNS},
        # The text of an element: its quotation marks, thousands in all, need no escape of five letters each.
        "parameters": Markup(html.escape(_visible(json.dumps(parameters, ensure_ascii=False)), quote=False)),
    }


def _visible(value: Any) -> Any:
    """What the page shows of a value: what nobody sees in a text is spelt out."""
    return escaping.visible(value) if type(value) is str else value


def _missing(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _key(value: float) -> str:
    """What a number is sorted by; nothing where there is none."""
    return "" if _missing(value) else repr(float(value))


def _text(name: str, row: Mapping[str, Any]) -> str:
    """A cell. Budgets are rounded against the reader's optimism, what is missing is said."""
    value = row[name]
    if name == "epsilon":
        if _missing(value):
            return "not private"
        text = "none finite" if math.isinf(value) else rounded(value, "upper")
        return f"{text} *" if row["remark"] else text
    if name == "attacked":
        return "–" if _missing(value) else rounded(value, "lower")
    if name == "tuning":
        return f"{row['judged_on']}, {row['trials']:.0f} trials" if row["trials"] > 0 else str(row["judged_on"])
    if name == "relation":
        return ", ".join(filter(None, (row["relation"], row["sampling"]))) or "–"
    if _missing(value):
        return "–"
    if name == "mean":
        return f"{100 * value:.1f}" + ("" if _missing(row["low"]) else f" ± {100 * (row['high'] - value):.1f}")
    if name == "seeds":
        return f"{value:.0f}" if _missing(row["seeds_configured"]) else f"{value:.0f} of {row['seeds_configured']:.0f}"
    if name == "delta":
        return rounded(value, "upper")
    return f"{value:.0f}" if name in NUMBERS else str(value)
