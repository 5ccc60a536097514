"""One printed value and where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


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


def exchanged(records: Sequence[PrintedValue], one: str, other: str) -> tuple[PrintedValue, ...]:
    """The same table with two columns' headings exchanged, or parts of headings: methods' names, for instance.

    >>> table = [
    ...     PrintedValue(paper="p", where="Table 1", row="r", column=f"{name}, accuracy", printed=value, unit="percent")
    ...     for name, value in (("SWD", 2.0), ("DP-SWD", 1.0))
    ... ]
    >>> [(record.column, record.printed) for record in exchanged(table, "SWD", "DP-SWD")]
    [('DP-SWD, accuracy', 2.0), ('SWD, accuracy', 1.0)]
    """
    names = {one: other, other: one}

    def heading(column: str) -> str:
        about, space, name = column.split(",")[0].rpartition(" ")
        return about + space + names.get(name, name) + column[len(column.split(",")[0]) :]

    return tuple(replace(record, column=heading(record.column)) for record in records)
