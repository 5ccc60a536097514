"""One printed value and where it stands."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class PrintedValue:
    """One cell of a published table, or one figure of its text.

    Args:
        paper: short name, the folder of the paper's figures.
        where: table or section.
        row: what the row is about, by its name in this project.
        column: what the column is about.
        printed: the value as printed.
        unit: of ``printed``.
        delta: the delta printed beside a budget.
    """

    paper: str
    where: str
    row: str
    column: str
    printed: float
    unit: str
    delta: float | None = None
