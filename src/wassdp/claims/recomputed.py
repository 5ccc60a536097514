"""Printed figures beside what they should be: entry by entry, to the digits that are printed."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from wassdp import checks
from wassdp.accounting.guarantee import Kind
from wassdp.accounting.rounding import rounded
from wassdp.claims.claim import Claim
from wassdp.claims.verdict import Counterexample, Verdict

SHOWN = 4  # entries named one by one
BOTH_PRINTED = "Both sides are printed in the paper: nothing is computed that other code could confirm"
UNCONFIRMED = "Not confirmed by other code"

Relation = Literal["is", "at most", "at least"]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One printed figure, and what it is compared with.

    Args:
        name: which one: row and column.
        printed: the figure as printed, or what a sentence states.
        found: what was recomputed, or measured.
        digit: unit of the last printed digit: a figure agrees if it is rounded, up or down, or cut off there. What is
            permitted beyond ``printed`` in the other relations.
        spread: what more the seeds alone may make of ``found`` - ``printed``, half the width of an interval; 0 where
            nothing is random, or where no interval is known.
        relation: what the statement says ``found`` is: ``printed``, at most that, or at least that.
        again: the same as ``found``, or what contradicts ``printed`` too, by code that shares nothing with it. None
            where ``found`` is printed itself, or `Measured.again` has it.
    """

    name: str
    printed: float
    found: float
    digit: float = 0.0
    spread: float = 0.0
    relation: Relation = "is"
    again: Callable[[], float] | None = None

    def agrees(self, found: float | None = None) -> bool:
        """Whether the figure is as stated."""
        value = self.found if found is None else found
        if math.isnan(value):
            raise ValueError(f"{self.name}: no number was found")
        permitted = self.digit + self.spread
        if self.relation == "is":
            return value == self.printed or abs(value - self.printed) < permitted * (1 + 1e-9)
        return value <= self.printed + permitted if self.relation == "at most" else value >= self.printed - permitted

    @property
    def unsure(self) -> bool:
        """Whether the figure is not as stated, by no more than the spread of the seeds permits: they decide nothing.

        >>> found = Entry(name="loss", printed=1.0, found=1.2, digit=0.1, spread=0.3, relation="at most")
        >>> found.agrees(), found.unsure
        (True, True)
        """
        return self.agrees() and not replace(self, spread=0.0).agrees()

    @property
    def words(self) -> str:
        """Both figures; what is found is rounded against a statement that it is at most, or at least, another.

        >>> Entry(name="MNIST", printed=0.9, found=0.87, digit=0.1).words
        'MNIST: stated 0.9, found 0.87'
        >>> Entry(name="proven", printed=2.2, found=504263.89, relation="at most").words
        'proven: stated at most 2.2, found 504300'
        """
        stated = f"{'' if self.relation == 'is' else f'{self.relation} '}{self.printed:.4g}"
        kinds: dict[Relation, Kind] = {"is": "published", "at most": "upper", "at least": "lower"}
        return f"{self.name}: stated {stated}, found {rounded(self.found, kinds[self.relation])}"


@dataclass(frozen=True, kw_only=True)
class Entries(Claim):
    """A statement about several figures.

    Args:
        lacking: what would be needed to recompute the figures and is not published. Then other figures refute nothing.
        exceptions: how many entries the statement itself exempts, without saying which in a way that could be checked.
        both_printed: whether the figures of each entry stand in the paper, on both sides.
    """

    lacking: str = ""
    exceptions: int = 0
    both_printed: bool = False
    usual: int = 1
    few: int = 1

    @abstractmethod
    def found(self) -> Sequence[Entry]:
        """All entries, computed."""

    def check(self, generator: np.random.Generator, tried: int) -> Verdict:
        checks.whole("tried", tried, least=1)
        return self.judged(self.found())

    def judged(self, entries: Sequence[Entry]) -> Verdict:
        """The verdict on entries that were computed.

        Raises:
            ValueError: there are none, or independent code agrees with a printed figure that is called wrong.
        """
        if not entries:
            raise ValueError(f"{self.item}: has no entries")
        wrong = [entry for entry in entries if not entry.agrees()]
        unsure = [entry for entry in entries if entry.unsure]
        figure = f"{len(entries) - len(wrong) - len(unsure)} of {len(entries)} figures are as stated"
        if unsure:
            figure += f", {len(unsure)} within the spread of the seeds alone: {_named(unsure)}"
        if wrong:
            figure += f"; not: {_named(wrong)}"
        figure = self.noted(figure)
        if len(wrong) + len(unsure) <= self.exceptions:
            return Verdict(status="repaired" if self.repairs else "holds here", figure=figure, tried=len(entries))
        if len(wrong) <= self.exceptions:
            return Verdict(status="not decided by these seeds", figure=figure, tried=len(entries))
        if self.lacking:
            figure += f". Not published: {self.lacking}"
            return Verdict(status="not reproducible from what is published", figure=figure, tried=len(entries))
        example = confirmed(self.item, wrong)
        if example is None:
            figure += f". {BOTH_PRINTED if self.both_printed else UNCONFIRMED}"
        return Verdict(status="refuted", figure=figure, tried=len(entries), counterexample=example)


@dataclass(frozen=True, kw_only=True)
class Recomputed(Entries):
    """Printed figures that follow from others that are printed too.

    Args:
        entries: all of them, computed.
        flipped_entries: the same of other input, for which the answer is the other one: what the paper would have to
            print, or another table, other scales, another formula. See `Claim.flipped`.
    """

    entries: Callable[[], Sequence[Entry]]
    flipped_entries: Callable[[], Sequence[Entry]]

    def found(self) -> Sequence[Entry]:
        return self.entries()

    def flipped(self, folder: Path) -> Recomputed:
        return replace(self, entries=self.flipped_entries)


def _named(entries: Sequence[Entry]) -> str:
    """The first few of them in words."""
    more = f"; and {len(entries) - SHOWN} more" if len(entries) > SHOWN else ""
    return "; ".join(entry.words for entry in entries[:SHOWN]) + more


def confirmed(item: str, wrong: Sequence[Entry]) -> Counterexample | None:
    """The computed entry that is furthest off, as a counterexample; None if nothing but what is read says any is.

    Raises:
        ValueError: independent code agrees with its printed figure.
    """
    computed = [entry for entry in wrong if entry.again is not None]
    if not computed:
        return None
    worst = max(computed, key=lambda entry: abs(entry.found - entry.printed) / (abs(entry.printed) + 1e-12))
    assert worst.again is not None
    again = worst.again()
    if worst.agrees(again):
        raise ValueError(f"{item}: {worst.words}, but by independent code {again:.6g}")
    if worst.printed == 0:
        return Counterexample(case=worst.words, ratio=worst.found, verified=again, compared="found")
    over = abs(worst.printed)
    return Counterexample(case=worst.words, ratio=worst.found / over, verified=again / over)
