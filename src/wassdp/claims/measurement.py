"""Sentences about experiments beside finished results: the runs tables that `wassdp publish` keeps."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wassdp import checks
from wassdp.claims import altered
from wassdp.claims.recomputed import Entries, Entry
from wassdp.claims.verdict import Verdict
from wassdp.files import RUNS, find_table, table_rows

PUBLISHED = Path(__file__).parents[3] / "docs" / "results"  # of a checkout; an installed package has none

Row = Mapping[str, str]
Rows = Mapping[str, Sequence[Row]]
"""Runs by experiment."""


@dataclass(frozen=True, kw_only=True)
class Measured(Entries):
    """A sentence about experiments, put beside runs that are finished.

    Args:
        experiments: what has to be there: published set and experiment.
        drawn: figures whose values are read too: published set and figure.
        entries: figures of these runs, by experiment's name, and of these figures' values, by figure's name.
        again: what the entries find, by their names, from the folder of published sets or the results folder, by code
            that shares nothing with ``entries``, reading included. For entries that have no such code themselves.
        folder: of published sets, or one results folder; None: those of this checkout.
    """

    experiments: tuple[tuple[str, str], ...]
    entries: Callable[[Rows], Sequence[Entry]]
    drawn: tuple[tuple[str, str], ...] = ()
    again: Callable[[Path], Mapping[str, float]] | None = None
    folder: Path | None = None

    def check(self, generator: np.random.Generator, tried: int) -> Verdict:
        checks.whole("tried", tried, least=1)
        if absent := self.absent():
            figure = f"no results of {', '.join(absent)}; make them, or name a folder that has them"
            return Verdict(status="not measured here", figure=figure, tried=0)
        return self.judged(self.found())

    def absent(self) -> list[str]:
        """Experiments without a run, figures without a value."""
        rows = self._rows()
        wanted = (*self.experiments, *self.drawn)
        return [f"{name} of the set {published}" for published, name in wanted if not rows[name]]

    def found(self) -> Sequence[Entry]:
        entries = self.entries(self._rows())
        if self.again is None:
            return entries
        plain = functools.cache(functools.partial(self.again, self.folder or PUBLISHED))

        def again(name: str) -> float:
            return plain()[name]

        return [
            entry if entry.again else dataclasses.replace(entry, again=functools.partial(again, entry.name))
            for entry in entries
        ]

    def flipped(self, folder: Path) -> Measured:
        """The same of other results, written there: published ones with as little changed as flips the verdict.

        Raises:
            ValueError: no change was found that does.
        """
        tables = self._tables()
        search = altered.contradicting if self.judged(self.found()).holds else altered.agreeing
        other = search(lambda changed: self.entries(_by_name(changed)), tables, exceptions=self.exceptions)
        altered.write(other, self.drawn, folder)
        return self.within(folder)

    def within(self, folder: Path) -> Measured:
        """The same of other results."""
        return dataclasses.replace(self, folder=folder)

    def _rows(self) -> Rows:
        return _by_name(self._tables())

    def _tables(self) -> altered.Tables:
        """Runs of each experiment and values of each figure, by published set and name."""
        folder = self.folder or PUBLISHED
        found = {(published, name): runs(folder, published, name) for published, name in self.experiments}
        return found | {(published, figure): values(folder, published, figure) for published, figure in self.drawn}


def _by_name(tables: altered.Tables) -> Rows:
    """An experiment may stand in several sets: all of its runs count."""
    found: dict[str, list[Row]] = {}
    for (_, name), rows in tables.items():
        found.setdefault(name, []).extend(rows)
    return found


def runs(folder: Path, published: str, experiment: str) -> list[Row]:
    """Runs of an experiment, from the set's folder inside ``folder`` or from that itself; none where neither is."""
    for path in (find_table(place, RUNS) for place in (folder / published, folder)):
        if path.is_file():
            return [row for row in _table(path, path.stat().st_mtime_ns) if row["experiment"] == experiment]
    return []


def values(folder: Path, published: str, figure: str) -> list[Row]:
    """What a figure shows, from the set's folder inside ``folder`` or from that itself; nothing where neither is."""
    for place in (folder / published / "figures", folder / "figures"):
        for own in sorted(place.glob("*/")):
            if (path := find_table(own, f"{figure}.csv")).is_file():
                return list(_table(path, path.stat().st_mtime_ns))
    return []


@functools.lru_cache(maxsize=16)
def _table(path: Path, written: int) -> tuple[Row, ...]:
    return tuple(table_rows(path))


def number(row: Row, column: str) -> float:
    """A figure of a run; unbounded budgets are infinite.

    Raises:
        ValueError: the run has none of that name.
    """
    text = row.get(column, "")
    if text == "":
        raise ValueError(f"runs: {row['name']} has no {column}")
    return float(text)


def mean(rows: Sequence[Row], column: str) -> float:
    """Mean over runs, of different seeds for instance.

    Raises:
        ValueError: there are none.
    """
    if not rows:
        raise ValueError(f"runs: none to take the mean of {column} of")
    return sum(number(row, column) for row in rows) / len(rows)


def labelled(rows: Sequence[Row], label: str) -> list[Row]:
    """Runs whose setting's label is this one, or begins so and goes on after a comma.

    >>> runs = [{"label": "DANN, σ = 1"}, {"label": "DANN, σ = 17"}, {"label": "DANN, σ = 1, dropout"}]
    >>> [row["label"] for row in labelled(runs, "DANN, σ = 1")]
    ['DANN, σ = 1', 'DANN, σ = 1, dropout']
    """
    return [row for row in rows if f"{row['label']}, ".startswith(f"{label}, ")]
