"""Risks r(w, x) of a finite set of hypotheses on a set of records, handed out block by block."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import numpy as np
from jaxtyping import Float

from wassdp import checks
from wassdp.tangent.losses import MarginLoss

T = TypeVar("T")

ENTRIES = 2**17  # of a block: 1 MiB, which stays in a processor's own cache


class Risks(Protocol):
    """Risks of ``hypotheses`` hypotheses on ``records`` records; never held whole."""

    @property
    def hypotheses(self) -> int:
        """Number of hypotheses."""

    @property
    def records(self) -> int:
        """N, number of records."""

    @property
    def range(self) -> float:
        """Largest minus smallest risk that a record can have, whatever the records are."""

    def block(self, first: int, last: int) -> Float[np.ndarray, "block hypotheses"]:
        """Risks of records ``first`` to ``last`` - 1, a new array."""


class SmoothRisks(Risks, Protocol):
    """Risks with gradients in the record."""

    def gradients(self, first: int, last: int) -> Float[np.ndarray, "block hypotheses dimension"]:
        r"""\nabla_x r(w, x) of records ``first`` to ``last`` - 1."""


@dataclass(frozen=True, eq=False)
class MatrixRisks:
    """Any risks, given as a matrix.

    Args:
        matrix: r, shape (hypotheses, records).
        least: smallest risk that any record can have, known without the data.
        most: largest one.
        slopes: gradients in the record, shape (hypotheses, records, dimension), if there are any.

    Raises:
        ValueError: the matrix is empty, or a risk is not a number in [least, most].
    """

    matrix: Float[np.ndarray, "hypotheses records"]
    least: float = 0.0
    most: float = 1.0
    slopes: Float[np.ndarray, "hypotheses records dimension"] | None = None

    def __post_init__(self) -> None:
        if self.matrix.size == 0:
            raise ValueError(f"matrix: has shape {self.matrix.shape}; must have a hypothesis and a record")
        if not checks.finite("least", self.least) < checks.finite("most", self.most):
            raise ValueError(f"most = {self.most!r}: must be above least = {self.least!r}")
        wrong = ~((self.matrix >= self.least) & (self.matrix <= self.most))
        if wrong.any():
            w, x = np.argwhere(wrong)[0]
            raise ValueError(
                f"matrix[{w}, {x}] = {self.matrix[w, x]}: every risk must lie in [{self.least:g}, {self.most:g}]"
            )

    @property
    def hypotheses(self) -> int:
        return len(self.matrix)

    @property
    def records(self) -> int:
        return int(self.matrix.shape[1])

    @property
    def range(self) -> float:
        return self.most - self.least

    def block(self, first: int, last: int) -> Float[np.ndarray, "block hypotheses"]:
        return np.ascontiguousarray(self.matrix[:, first:last].T)

    def gradients(self, first: int, last: int) -> Float[np.ndarray, "block hypotheses dimension"]:
        if self.slopes is None:
            raise ValueError("slopes: were not given; Wasserstein quantities need gradients in the record")
        return self.slopes[:, first:last].swapaxes(0, 1)


@dataclass(frozen=True, eq=False)
class MarginRisks:
    r"""Risks of linear classifiers: r(w, (x, y)) = φ(y (⟨w, x⟩ + b)).

    Args:
        weights: w, shape (hypotheses, dimension).
        features: x, shape (records, dimension).
        labels: y, -1 or 1, shape (records,).
        loss: φ.
        intercepts: b, shape (hypotheses,); None for 0.
        feature_norm: public bound on every ‖x‖: it limits the margins and so the range of the risk.

    Raises:
        ValueError: something is empty, not finite or of the wrong shape, or a record is longer than ``feature_norm``.
    """

    weights: Float[np.ndarray, "hypotheses dimension"]
    features: Float[np.ndarray, "records dimension"]
    labels: Float[np.ndarray, " records"]
    loss: MarginLoss
    intercepts: Float[np.ndarray, " hypotheses"] | None = None
    feature_norm: float = 1.0
    _columns: Float[np.ndarray, "dimension hypotheses"] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        check_examples(self.features, self.labels, self.feature_norm)
        if self.weights.size == 0 or not np.isfinite(self.weights).all():
            raise ValueError("weights: must be finite, with at least one hypothesis and one dimension")
        object.__setattr__(self, "_columns", np.ascontiguousarray(self.weights.T))

    @property
    def hypotheses(self) -> int:
        return len(self.weights)

    @property
    def records(self) -> int:
        return len(self.features)

    @property
    def range(self) -> float:
        return self.loss.range(self._reach())

    @property
    def least(self) -> float:
        """Smallest risk of any record within ``feature_norm``."""
        return float(self.loss.value(np.array([min(self._reach(), self.loss.least_at)]))[0])

    @property
    def largest(self) -> float:
        """Largest risk of any record within ``feature_norm``: losses are 0 or more, largest at the worst margin."""
        return float(self.loss.value(np.array([-self._reach()]))[0])

    def _reach(self) -> float:
        """Bound on every margin."""
        reach = self.feature_norm * np.linalg.norm(self.weights, axis=1)
        if self.intercepts is not None:
            reach = reach + np.abs(self.intercepts)
        return float(reach.max())

    def block(self, first: int, last: int) -> Float[np.ndarray, "block hypotheses"]:
        return self.loss.value(self._margins(first, last))

    def gradients(self, first: int, last: int) -> Float[np.ndarray, "block hypotheses dimension"]:
        if self.loss.slope is None:
            raise ValueError("loss: has jumps; Wasserstein quantities need gradients in the record")
        slopes = self.loss.slope(self._margins(first, last)) * self.labels[first:last, None]
        return np.asarray(slopes[:, :, None] * self.weights)

    def moved(self, displacements: Float[np.ndarray, "records dimension"]) -> MarginRisks:
        """The same hypotheses on records each moved by its displacement; the norm bound grows with the longest."""
        farthest = float(np.linalg.norm(displacements, axis=1).max())
        return MarginRisks(
            weights=self.weights,
            features=self.features + displacements,
            labels=self.labels,
            loss=self.loss,
            intercepts=self.intercepts,
            feature_norm=self.feature_norm + farthest,
        )

    def _margins(self, first: int, last: int) -> Float[np.ndarray, "block hypotheses"]:
        # The label multiplies the few features, not the many scores.
        labels = self.labels[first:last, None]
        margins = np.asarray((labels * self.features[first:last]) @ self._columns)
        if self.intercepts is not None:
            margins += labels * self.intercepts
        return margins


def check_examples(
    features: Float[np.ndarray, "records dimension"], labels: Float[np.ndarray, " records"], feature_norm: float
) -> None:
    """Raise unless every record is finite and no longer than ``feature_norm``, and every label -1 or 1."""
    checks.positive("feature_norm", feature_norm)
    if features.size == 0:
        raise ValueError(f"features: has shape {features.shape}; must have a record and a dimension")
    if not np.isin(labels, (-1.0, 1.0)).all():
        raise ValueError("labels: must be -1 or 1")
    longest = float(np.linalg.norm(features, axis=1).max())
    if not longest <= feature_norm * (1 + 1e-9):  # not <=: NaN is refused too; the record's own norm is private
        raise ValueError(f"features: a record is longer than feature_norm = {feature_norm!r}, or not finite")


def record_blocks(records: int, entries_per_record: int) -> Iterator[tuple[int, int]]:
    """Ranges of records that together hold about `ENTRIES` numbers.

    >>> list(record_blocks(5, ENTRIES // 2))
    [(0, 2), (2, 4), (4, 5)]
    """
    step = max(1, ENTRIES // entries_per_record)
    return ((first, min(first + step, records)) for first in range(0, records, step))


def mapped(function: Callable[[int, int], T], risks: Risks, *, workers: int = 1) -> Iterator[T]:
    """``function(first, last)`` for every block of records, in their order.

    Args:
        function: what to do with a block; it must be safe to call from several threads.
        risks: whose blocks.
        workers: threads.
    """
    checks.whole("workers", workers, least=1)
    ranges = list(record_blocks(risks.records, risks.hypotheses))
    if workers == 1:
        yield from (function(first, last) for first, last in ranges)
        return
    # Consecutive blocks go to a thread together: one hand-over costs about as much as one block.
    size = max(1, math.ceil(len(ranges) / (16 * workers)))
    with ThreadPoolExecutor(workers) as pool:
        groups = [ranges[start : start + size] for start in range(0, len(ranges), size)]
        for results in pool.map(lambda group: [function(*ends) for ends in group], groups):
            yield from results
