"""Every accountant's answer to one question, side by side."""

from __future__ import annotations

import html
import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wassdp import checks
from wassdp.accounting import accountant, consistency
from wassdp.accounting.event import Event, encode
from wassdp.accounting.guarantee import Guarantee
from wassdp.accounting.rounding import exact, rounded

_ORDER = {"upper": 0, "published": 1, "lower": 2}


DIGITS = 6
"""Of a budget in the table."""


@dataclass(frozen=True)
class Comparison:
    """The budgets of one event at one delta; prints as a table, upper bounds first.

    Args:
        event: what was released.
        delta: in (0, 1).
        guarantees: one per accountant.
        seconds: wall-clock time of each.
        refused: accountants that do not cover the event, and why.
    """

    event: Event
    delta: float
    guarantees: tuple[Guarantee, ...]
    seconds: tuple[float, ...]
    refused: tuple[tuple[str, str], ...] = ()

    def __getitem__(self, name: str) -> Guarantee:
        return {guarantee.accountant: guarantee for guarantee in reversed(self.guarantees)}[name]

    def as_json(self, mechanism: dict[str, Any] | None = None) -> dict[str, Any]:
        """The comparison as a JSON value; ``mechanism`` replaces the encoded event."""
        rows = [
            guarantee.model_dump(mode="json", exclude={"bounded", "delta"}) | {"seconds": round(seconds, 6)}
            for guarantee, seconds in zip(self.guarantees, self.seconds, strict=True)
        ]
        return {"mechanism": mechanism or encode(self.event), "delta": self.delta, "rows": rows}

    def _cells(self) -> list[tuple[str, str, str, str]]:
        cells: list[tuple[str, str, str, str]] = []
        for guarantee in self.guarantees:
            value = rounded(guarantee.value, guarantee.kind, digits=DIGITS, infinite="unbounded")
            error = _error(guarantee)
            mark = " *" if guarantee.kind == "published" else ""
            cells.append((guarantee.accountant + mark, guarantee.kind, value, error))
        return cells

    def _notes(self) -> list[str]:
        notes = [f"{self.event.adjacency} adjacency, {self.event.sampling} sampling, delta = {exact(self.delta)}"]
        if any(map(_error, self.guarantees)):
            notes.append("error: the exact value lies at most so far below epsilon")
        upper = (guarantee.assumptions for guarantee in self.guarantees if guarantee.kind == "upper")
        notes += [f"assumes: {note}" for note in dict.fromkeys(itertools.chain(*upper))]
        for guarantee in self.guarantees:
            if guarantee.kind == "published":
                doubt = "; ".join(guarantee.assumptions) or "as printed, whatever it proves"
                notes.append(f"* {guarantee.accountant}: {_ranges(doubt)} ({guarantee.source})")
        return notes

    def __str__(self) -> str:
        rows = [("accountant", "kind", "epsilon", "error"), *self._cells()]
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        lines.insert(1, "  ".join("-" * width for width in widths))
        return "\n".join([*lines, "", *self._notes()])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{cell}</th>" for cell in ("accountant", "kind", "ε", "error"))
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in self._cells()
        )
        notes = "<br>".join(html.escape(note) for note in self._notes())
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p><small>{notes}</small></p>"


def _ranges(text: str) -> str:
    """A text in which five and more whole numbers that follow each other are a range.

    >>> _ranges("orders 1, 2, 3, 4, 5, 8, 9")
    'orders 1 to 5, 8, 9'
    """
    words = text.split(", ")
    for start in range(len(words)):
        head, _, first = words[start].rpartition(" ")
        if first.isdecimal():
            end = start + 1
            while end < len(words) and words[end] == str(int(first) + end - start):
                end += 1
            if end - start >= 5:
                ends = f"{head} {first} to {words[end - 1]}".lstrip()
                return ", ".join([*words[:start], ends, *([_ranges(", ".join(words[end:]))] if words[end:] else [])])
    return text


def _error(guarantee: Guarantee) -> str:
    """How far below ε the exact value may be; nothing where no digit that is shown can tell."""
    error = guarantee.epsilon_error or 0.0
    return f"-{rounded(error, 'upper', digits=1)}" if error > 10.0**-DIGITS * guarantee.value else ""


def compare(event: Event, delta: float, accountants: Sequence[str] | None = None) -> Comparison:
    """The budget of ``event`` at ``delta`` by several accountants.

    Args:
        event: what was released.
        delta: in (0, 1).
        accountants: names; by default all that cover the event.

    Returns:
        Upper bounds first, the smallest of them on top.

    Raises:
        ValueError: delta is not in (0, 1); an accountant that was named refuses the event; or none was named and
            no upper bound covers it.
        ContradictionError: an upper bound lies below the exact accountant's lower one.

    >>> from wassdp.accounting.events.gaussian import Gaussian
    >>> print(compare(Gaussian(noise_multiplier=2.0, adjacency="add-remove"), 1e-5, ["pld", "zcdp"]))
    accountant  kind   epsilon  error
    ----------  -----  -------  -----
    pld         upper  1.9931
    zcdp        upper  2.16572
    <BLANKLINE>
    add-remove adjacency, full sampling, delta = 1e-05
    """
    checks.open_unit("delta", delta)
    answers: list[tuple[Guarantee, float]] = []
    refused = []
    for name in accountants if accountants is not None else sorted(accountant.names()):
        asked = accountant.load(name)
        if (reason := asked.reason(event)) is not None:
            if accountants is not None:
                raise ValueError(f"accountant = {name!r}: {reason}")
            refused.append((name, reason))
            continue
        start = time.perf_counter()
        guarantee = asked.answer(event, delta)
        answers.append((guarantee, time.perf_counter() - start))
    if accountants is None and not any(guarantee.kind == "upper" for guarantee, _ in answers):
        raise ValueError(f"event: no upper bound covers it: {dict(refused)['pld']}")
    consistency.refuse_contradictions(event, [(guarantee.accountant, guarantee) for guarantee, _ in answers])
    answers.sort(key=lambda answer: (_ORDER[answer[0].kind], answer[0].value))
    return Comparison(event, delta, tuple(g for g, _ in answers), tuple(s for _, s in answers), tuple(refused))
