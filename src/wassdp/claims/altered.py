"""Other results than the published ones, for which a sentence about experiments comes out the other way.

The same check on changed cells shows that its verdict rests on them. Changed are figures that were measured or proven,
never the columns that say what was run: all of a column, those of one setting, or one. The change is searched for, the
simplest first. To bring about a contradiction one change is enough; to lift it, every run is given the same figures,
or, where they stand beside printed ones, one change after the other brings another figure to what is stated.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wassdp.claims.recomputed import Entry, confirmed
from wassdp.files import RUNS

Row = Mapping[str, str]
Tables = Mapping[tuple[str, str], Sequence[Row]]
"""Rows by published set and experiment, or figure."""
Found = Callable[[Tables], Sequence[Entry]]

SETTINGS = ("label", "method", "privacy", "curve", "metric", "side", "clipped", "clip_quantile", "alpha", "target")
"""Columns whose values say which runs, or which curve of a figure, a row belongs to."""
ASKED = (*SETTINGS, "seed", "step", "steps", "position", "run")
"""Columns that say what was run, with ``parameters.`` and its like: they stay as they are."""
FACTORS = (2.0, 0.5, 1e3, 1e-3)
MOST = 40
"""Values of a column that name settings, and rows changed one by one; of longer tables as many, evenly spaced."""


@dataclass(frozen=True)
class Change:
    """Some cells of a column times a factor."""

    table: tuple[str, str]
    column: str
    rows: frozenset[int]
    factor: float

    def of(self, tables: Tables) -> Tables:
        """The tables with these cells changed."""
        changed = [
            {**row, self.column: repr(float(row[self.column]) * self.factor)}
            if place in self.rows and row.get(self.column)
            else row
            for place, row in enumerate(tables[self.table])
        ]
        return {**tables, self.table: changed}


def contradicting(found: Found, tables: Tables, *, exceptions: int) -> Tables:
    """Tables that contradict what these do not: more figures than ``exceptions`` are not as stated.

    Raises:
        ValueError: no single change brings that about.
    """
    for change in _changes(tables, _outcomes(found, tables), FACTORS):
        other = change.of(tables)
        wrong = [entry for entry in _entries(found, other) if not entry.agrees()]
        if len(wrong) > exceptions and _borne_out(wrong):
            return other
    raise ValueError("tables: no change of a column, a setting or a row contradicts the statement")


def agreeing(found: Found, tables: Tables, *, exceptions: int) -> Tables:
    """Tables that agree with what these contradict: at most ``exceptions`` figures are not as stated.

    Raises:
        ValueError: no changes bring that about.
    """
    outcomes = _outcomes(found, tables)
    equal = _equal(tables, outcomes)
    whole = (change.of(tables) for change in _changes(tables, outcomes, FACTORS, parts=_whole))
    for other in (equal, *whole):
        if (entries := _entries(found, other)) and len(_contrary(entries)) <= exceptions:
            return other
    while len(contrary := _contrary(_entries(found, tables))) > exceptions:
        tables = _nearer(found, tables, outcomes, contrary)
    return tables


def write(tables: Tables, figures: Sequence[tuple[str, str]], folder: Path) -> None:
    """Write tables as published sets have them: runs of all experiments of a set, a file for each of ``figures``."""
    sheets: dict[Path, list[Row]] = {}
    for (published, name), rows in tables.items():
        own = f"figures/altered/{name}.csv" if (published, name) in figures else RUNS
        sheets.setdefault(folder / published / own, []).extend(rows)
    for path, rows in sheets.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, list(dict.fromkeys(column for row in rows for column in row)), restval="")
            table.writeheader()
            table.writerows(rows)


def _entries(found: Found, tables: Tables) -> Sequence[Entry]:
    """What the check finds; nothing where it refuses the tables, or finds no number."""
    try:
        entries = found(tables)
    except (ValueError, ArithmeticError, LookupError):
        return ()
    return () if any(math.isnan(entry.found) for entry in entries) else entries


def _borne_out(wrong: Sequence[Entry]) -> bool:
    """Whether no other code contradicts them, as it does where a figure is changed that it computes anew."""
    try:
        confirmed("altered tables", wrong)
    except ValueError:
        return False
    return True


def _contrary(entries: Sequence[Entry]) -> list[Entry]:
    return [entry for entry in entries if not entry.agrees() or entry.unsure]


def _nearer(
    found: Found, tables: Tables, outcomes: Mapping[tuple[str, str], list[str]], contrary: list[Entry]
) -> Tables:
    """The first tables found of which fewer figures are not as stated, by bringing one of them to what is."""
    for entry in contrary:
        apart = entry.printed / entry.found if entry.found else math.inf
        factors = (apart, *FACTORS) if math.isfinite(apart) else FACTORS
        for change in _changes(tables, outcomes, factors):
            other = change.of(tables)
            if (entries := _entries(found, other)) and len(_contrary(entries)) < len(contrary):
                return other
    raise ValueError(f"tables: no change brings one of {len(contrary)} figures to what is stated: {contrary[0].words}")


class _Noted(dict[str, str]):
    """A row that notes which of its columns are read."""

    def __init__(self, row: Row, read: dict[str, None]) -> None:
        super().__init__(row)
        self.read = read

    def __getitem__(self, column: str) -> str:
        self.read[column] = None
        return super().__getitem__(column)

    def get(self, column: str, default: Any = None) -> Any:
        self.read[column] = None
        return super().get(column, default)


def _outcomes(found: Found, tables: Tables) -> dict[tuple[str, str], list[str]]:
    """Columns of each table that the check reads and that hold figures of what came out."""
    read: dict[tuple[str, str], dict[str, None]] = {name: {} for name in tables}
    found({name: [_Noted(row, read[name]) for row in rows] for name, rows in tables.items()})
    return {
        name: [
            column
            for column in columns
            if column not in ASKED and not column.startswith("parameters.") and _numbers(tables[name], column)
        ]
        for name, columns in read.items()
    }


def _numbers(rows: Sequence[Row], column: str) -> list[float]:
    """Finite figures of a column; none if it holds words."""
    try:
        values = [float(row[column]) for row in rows if row.get(column)]
    except ValueError:
        return []
    return [value for value in values if math.isfinite(value)]


def _equal(tables: Tables, outcomes: Mapping[tuple[str, str], list[str]]) -> Tables:
    """All rows with the first figure of each column."""
    other: dict[tuple[str, str], Sequence[Row]] = {}
    for name, rows in tables.items():
        same = {column: repr(_numbers(rows, column)[0]) for column in outcomes[name]}
        other[name] = [{**row, **{column: value for column, value in same.items() if row.get(column)}} for row in rows]
    return other


def _changes(
    tables: Tables,
    outcomes: Mapping[tuple[str, str], list[str]],
    factors: Sequence[float],
    *,
    parts: Callable[[Sequence[Row]], Iterator[frozenset[int]]] | None = None,
) -> Iterator[Change]:
    for name, rows in tables.items():
        for part in (parts or _parts)(rows):
            for column in outcomes[name]:
                for factor in factors:
                    yield Change(name, column, part, factor)


def _whole(rows: Sequence[Row]) -> Iterator[frozenset[int]]:
    yield frozenset(range(len(rows)))


def _parts(rows: Sequence[Row]) -> Iterator[frozenset[int]]:
    """All rows, those of each setting, and single ones."""
    yield from _whole(rows)
    for column in SETTINGS:
        places: dict[str, list[int]] = {}
        for place, row in enumerate(rows):
            places.setdefault(row.get(column, ""), []).append(place)
        if 1 < len(places) <= MOST:
            yield from (frozenset(own) for own in places.values())
    step = max(1, len(rows) // MOST)
    yield from (frozenset([place]) for place in range(step // 2, len(rows), step))
