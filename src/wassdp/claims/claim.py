"""A published statement that a computation can contradict."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wassdp.claims.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class Claim(ABC):
    """A published statement.

    Args:
        paper: short name, the folder of the paper's figures.
        item: what it is called there: ``Theorem 2``, ``Table 2``, ``Abstract``.
        place: where it stands in the paper: section, equation, sentence.
        statement: what it says, in one line of plain words.
        formula: the same in one line of mathematics; empty where it has none.
        repairs: name of the claim whose statement this one corrects; empty if it is a paper's own.
        note: what has to be said beside every verdict on it, without a full stop: where the authors say it themselves,
            where it does hold. Empty if nothing.
        usual: number of cases of a search, about ten seconds of one core at most.
        few: number of cases that tests and quick looks try, well under a second of one core. They have to show the
            same verdict, and the other one for `flipped`.
    """

    paper: str
    item: str
    place: str
    statement: str
    formula: str = ""
    repairs: str = ""
    note: str = ""
    usual: int = 1000
    few: int = 100

    @property
    def where(self) -> str:
        """The item, and whether the statement is not the paper's own.

        >>> from wassdp import claims
        >>> claims.claim("tangent-theorem-3-3-repaired").where
        'Theorem 3.3, repaired here'
        """
        return f"{self.item}, repaired here" if self.repairs else self.item

    def noted(self, figure: str) -> str:
        """What was found, with the note."""
        return f"{figure}. {self.note}" if self.note else figure

    @abstractmethod
    def check(self, generator: np.random.Generator, tried: int) -> Verdict:
        """Put the statement to the test.

        Args:
            generator: source of all randomness.
            tried: number of cases, for a search; a check that is exact does not need it.

        Raises:
            ValueError: ``tried`` is no positive whole number, or a case gives no number.
        """

    @abstractmethod
    def flipped(self, folder: Path) -> Claim:
        """The same check of other words, or of other input: corrected where it is refuted, corrupted where it holds.

        Its verdict has to come out the other way, or the check could not fail.

        Args:
            folder: an empty one, for checks that read files.
        """
