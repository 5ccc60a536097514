"""SWD Section 5.1: the sensitivity of the projections "does not depend on the number of samples".

What a replaced row changes of X U is zᵀU, whichever rows there are beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp.claims import shrinking
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import apart

Parts = tuple[Float[np.ndarray, "n d"], Float[np.ndarray, "n d"], Float[np.ndarray, "d k"]]


@dataclass(frozen=True)
class Rows:
    """n, d, k, and the seed of rows and directions."""

    rows: int
    dimension: int
    projections: int
    seed: int

    def __str__(self) -> str:
        return f"n = {self.rows}, d = {self.dimension}, k = {self.projections}, seed {self.seed}"

    @property
    def parts(self) -> Parts:
        """X, X' with another row at a random place, and U."""
        generator = np.random.default_rng(self.seed)
        rows = generator.normal(size=(self.rows, self.dimension))
        other = rows.copy()
        other[generator.integers(self.rows)] += generator.normal(size=self.dimension)
        directions = generator.normal(size=(self.dimension, self.projections))
        return rows, other, directions / np.linalg.norm(directions, axis=0)


def _draw(generator: np.random.Generator) -> Rows:
    rows, dimension, projections = (int(generator.integers(1, largest)) for largest in (200, 50, 50))
    return Rows(rows, dimension, projections, int(generator.integers(1 << 31)))


def _single(rows: np.ndarray, other: np.ndarray, directions: np.ndarray) -> float:
    """The change were the replaced row alone."""
    place = int(np.abs(rows - other).sum(axis=1).argmax())
    return float(np.linalg.norm(other[place] @ directions - rows[place] @ directions))


def _ratio(case: Rows) -> float:
    rows, other, directions = case.parts
    return apart(float(np.linalg.norm(other @ directions - rows @ directions)), _single(rows, other, directions))


def _plain(case: Rows) -> float:
    """In plain sums, entry by entry; what remains is rounding."""
    rows, other, directions = (part.tolist() for part in case.parts)
    columns = list(zip(*directions, strict=True))

    def projected(row: list[float]) -> list[float]:
        return [sum(a * b for a, b in zip(row, column, strict=True)) for column in columns]

    squares = [
        math.fsum((a - b) ** 2 for a, b in zip(projected(row), projected(after), strict=True))
        for row, after in zip(rows, other, strict=True)
    ]
    return math.sqrt(math.fsum(squares) / max(squares))


def _of_the_mean(case: Rows) -> float:
    """For the mean of the projected rows instead."""
    rows, other, directions = case.parts
    change = (other @ directions).mean(axis=0) - (rows @ directions).mean(axis=0)
    return apart(float(np.linalg.norm(change)), _single(rows, other, directions))


def _simpler(case: Rows) -> Iterator[Rows]:
    for name in ("rows", "dimension", "projections"):
        yield from shrinking.smaller(case, name)


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Section 5.1, number of samples",
    place="Section 5.1, last paragraph",
    statement="the sensitivity of the projections does not depend on the number of samples",
    formula="‖X U − X' U‖_F for n rows = ‖zᵀU‖, z the difference of the replaced rows",
    compared="quotient of both sides, either way",
    draw=_draw,
    ratio=_ratio,
    verified=_plain,
    corrupted=_of_the_mean,
    simpler=_simpler,
    usual=2000,
    few=50,
)
