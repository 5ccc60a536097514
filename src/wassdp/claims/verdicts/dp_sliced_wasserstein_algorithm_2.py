"""SWD Algorithm 2, steps 10 and 11: rows divided by twice the largest norm of their own batch.

Lemma 2 is about batches that differ in one row, by at most 1. Dividing by a norm of the batch changes every row when
the longest one is replaced. The reading most favourable to the authors asks only that all rows together move by at
most 1, which Lemma 2's bound would still cover.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp.claims import shrinking
from wassdp.claims.inequality import Inequality
from wassdp.claims.words import in_words

Points = Float[np.ndarray, "n d"]


@dataclass(frozen=True)
class Batch:
    """Encoded rows, and what replaces the first one."""

    rows: tuple[tuple[float, ...], ...]
    other: tuple[float, ...]

    def __str__(self) -> str:
        return f"rows {in_words(np.array(self.rows))}, the first to become {in_words(np.array(self.other))}"


def _draw(generator: np.random.Generator) -> Batch:
    """Up to six rows of one or two coordinates, the first of any length."""
    rows = generator.normal(size=(int(generator.integers(1, 7)), int(generator.integers(1, 3))))
    rows[0] *= 10 ** generator.uniform(-1, 1.5)
    other = generator.normal(size=(1, rows.shape[1]))[0]
    return Batch(tuple(tuple(row) for row in rows.tolist()), tuple(other.tolist()))


def _divided(rows: Points) -> Points:
    return np.asarray(rows / (2 * max(float(np.linalg.norm(rows, axis=1).max()), 1e-300)))


def _clipped(rows: Points) -> Points:
    """Each row by itself, to norm 1/2."""
    return np.asarray(rows / np.maximum(1.0, 2 * np.linalg.norm(rows, axis=1, keepdims=True)))


def _both(case: Batch) -> tuple[Points, Points]:
    rows = np.array(case.rows)
    return rows, np.vstack([case.other, rows[1:]])


def _ratio(case: Batch) -> float:
    before, after = _both(case)
    return float(np.linalg.norm(_divided(before) - _divided(after)))


def _plain(case: Batch) -> float:
    sides = []
    for rows in (case.rows, (case.other, *case.rows[1:])):
        longest = max(math.hypot(*row) for row in rows)
        sides.append([value / (2 * longest) if longest else 0.0 for row in rows for value in row])
    return math.dist(*sides)


def _row_by_row(case: Batch) -> float:
    before, after = _both(case)
    return float(np.linalg.norm(_clipped(before) - _clipped(after)))


def _simpler(case: Batch) -> Iterator[Batch]:
    for place in range(1, len(case.rows)):
        yield Batch(case.rows[:place] + case.rows[place + 1 :], case.other)
    if len(case.other) > 1:
        yield Batch(tuple(row[:1] for row in case.rows), case.other[:1])
    yield from shrinking.rounder(case, "rows", "other")
    halved = Batch(tuple(tuple(float(int(value / 2)) for value in row) for row in case.rows), case.other)
    if halved != case:
        yield halved


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Algorithm 2, normalisation",
    place="Algorithm 2, steps 10 and 11, with the premise of Lemma 2",
    statement="batches divided by twice their largest norm differ by at most 1 where one record is replaced",
    formula="‖X/(2 max_j‖x_j‖) - X'/(2 max_j‖x'_j‖)‖_F ≤ 1 for X, X' that differ in one row",
    compared="distance / 1",
    draw=_draw,
    ratio=_ratio,
    verified=_plain,
    corrupted=_row_by_row,
    simpler=_simpler,
    usual=5000,
    few=300,
)
