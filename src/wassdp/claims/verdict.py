"""What a check of a published statement found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Status = Literal[
    "holds here",
    "refuted",
    "repaired",
    "not decided by these seeds",
    "not reproducible from what is published",
    "not measured here",
]
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, kw_only=True)
class Counterexample:
    """The smallest case found that contradicts a statement.

    Args:
        case: its inputs in words, enough to build it again.
        ratio: found / stated, above 1, by the check's own code.
        verified: the same by code that shares nothing with the search.
        compared: what both are, in words.
        verified_is: what ``verified`` is in words, where it is not the same figure as ``ratio``.
    """

    case: str
    ratio: float
    verified: float
    compared: str = "found / stated"
    verified_is: str = ""

    @property
    def words(self) -> str:
        """Inputs and both figures.

        >>> Counterexample(case="x = 1", ratio=2.0, verified=2.0).words
        'x = 1: found / stated 2, by independent code 2'
        >>> Counterexample(case="x = 1", ratio=2.0, verified=3.0, verified_is="the limit").words
        'x = 1: found / stated 2, by independent code 3 (the limit)'
        """
        text = f"{self.case}: {self.compared} {self.ratio:.4g}, by independent code {self.verified:.4g}"
        return f"{text} ({self.verified_is})" if self.verified_is else text


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a check found. *Holds here* is no proof: no case tried contradicts the statement. A contradiction is one.

    Args:
        status: *refuted*: a case contradicts it. *Repaired*: the statement is a correction of a published one, and no
            case contradicts it. *Not decided*: means over seeds contradict it, by no more than their interval permits.
            *Not reproducible*: what is published does not determine what it says. *Not measured*:
            the results that it speaks of are not there.
        figure: what was found, in words with its numbers.
        tried: number of cases.
        ratio: largest found / stated; None where nothing of that form was found.
        counterexample: the smallest one, where there is one.
    """

    status: Status
    figure: str
    tried: int
    ratio: float | None = None
    counterexample: Counterexample | None = None

    @property
    def holds(self) -> bool:
        """Whether nothing contradicts the statement."""
        return self.status in ("holds here", "repaired")

    @property
    def words(self) -> str:
        """The verdict, its figure and its counterexample.

        >>> Verdict(status="holds here", figure="largest found / stated 0.5 in 100 cases", tried=100).words
        'holds here: largest found / stated 0.5 in 100 cases'
        """
        text = f"{self.status}: {self.figure}"
        return text if self.counterexample is None else f"{text}; smallest: {self.counterexample.words}"
