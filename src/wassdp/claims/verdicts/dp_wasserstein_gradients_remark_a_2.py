"""WG Remark A.2: clipping every row of a Jacobian bounds its spectral norm."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp.claims import shrinking
from wassdp.claims.inequality import Inequality
from wassdp.claims.words import in_words


@dataclass(frozen=True)
class Jacobian:
    """Rows of the Jacobian, and L."""

    rows: tuple[tuple[float, ...], ...]
    bound: float

    def __str__(self) -> str:
        return f"rows {in_words(np.array(self.rows))}, L = {self.bound:.6g}"


def _draw(generator: np.random.Generator) -> Jacobian:
    """Rows that are nearly parallel, or not, of any length."""
    shape = tuple(generator.integers(1, 6, size=2))
    rows = generator.normal(size=shape[1]) + 10 ** generator.uniform(-3, 1) * generator.normal(size=shape)
    rows *= 10 ** generator.uniform(-1, 2, size=(shape[0], 1))
    return Jacobian(tuple(tuple(row) for row in rows.tolist()), float(10 ** generator.uniform(-1, 1)))


def _clipped(case: Jacobian, most: float) -> Float[np.ndarray, "d parameters"]:
    rows = np.array(case.rows)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows * np.minimum(1.0, most / np.maximum(norms, 1e-300)))


def _ratio(case: Jacobian) -> float:
    return float(np.linalg.norm(_clipped(case, case.bound / math.sqrt(len(case.rows))), 2)) / case.bound


def _plain(case: Jacobian) -> float:
    """By the largest eigenvalue of the rows' inner products, written out."""
    most = case.bound / math.sqrt(len(case.rows))
    rows = []
    for row in case.rows:
        norm = math.hypot(*row)
        rows.append([value * min(1.0, most / norm) if norm else 0.0 for value in row])
    gram = [[sum(a * b for a, b in zip(one, other, strict=True)) for other in rows] for one in rows]
    return math.sqrt(max(0.0, float(np.linalg.eigvalsh(np.array(gram))[-1]))) / case.bound


def _simpler(case: Jacobian) -> Iterator[Jacobian]:
    yield from shrinking.fewer(case, "rows")
    yield from (other for other in shrinking.rounder(case, "bound", "rows") if other.bound > 0)


CLAIM = Inequality(
    paper="dp-wasserstein-gradients",
    item="Remark A.2",
    place="Section A.3; Remark 5.2",
    statement="a Jacobian whose d rows are clipped to norm L/√d has spectral norm at most L",
    formula="sup_{‖η‖=1} ‖J^L η‖ ≤ L",
    draw=_draw,
    ratio=_ratio,
    verified=_plain,
    corrupted=lambda case: float(np.linalg.norm(_clipped(case, case.bound), 2)) / case.bound,
    simpler=_simpler,
    usual=5000,
    few=200,
)
