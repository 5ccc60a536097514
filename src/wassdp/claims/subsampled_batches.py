"""Mechanisms on batches drawn without replacement from classes of fixed sizes: records are 0 or 1.

A batch's mechanism sees the number of ones of every class. Claims search with the hypergeometric law of these numbers;
what confirms them draws every batch there is, one after the other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy import stats

from wassdp.claims import shrinking

Table = Float[np.ndarray, "..."]


@dataclass(frozen=True)
class Sampled:
    """Sizes (n_j, n'_j) of the classes, odds of the outputs for each batch (ones of the last class run fastest), ε."""

    sizes: tuple[tuple[int, int], ...]
    odds: tuple[tuple[float, ...], ...]
    epsilon: float

    def __str__(self) -> str:
        sizes = ", ".join(f"{batch} of {records}" for records, batch in self.sizes)
        odds = "; ".join(" ".join(f"{value:.6g}" for value in row) for row in self.odds)
        return f"classes {sizes}; odds of outputs by ones in the batch ({odds}); ε = {self.epsilon:.6g}"

    @property
    def rates(self) -> tuple[float, ...]:
        """n'_j / n_j."""
        return tuple(batch / records for records, batch in self.sizes)


def draw(generator: np.random.Generator) -> Sampled:
    """One or two classes; mechanisms that tell most of a batch's ones, or little."""
    sizes = []
    for _ in range(int(generator.integers(1, 3))):
        records = int(generator.integers(1, 6))
        sizes.append((records, int(generator.integers(1, records + 1))))
    batches = math.prod(batch + 1 for _, batch in sizes)
    odds = generator.dirichlet(np.full(int(generator.integers(2, 4)), 10 ** generator.uniform(-1.5, 1)), size=batches)
    if generator.random() < 0.5:  # only whether the first class has a one
        odds = odds[(np.arange(batches) >= batches // (sizes[0][1] + 1)).astype(int)]
    rows = tuple(tuple(row) for row in (odds + 1e-6).tolist())
    return Sampled(tuple(sizes), rows, float(generator.choice((0.0, generator.uniform(0, 3)))))


def simpler(case: Sampled) -> Iterator[Sampled]:
    """Rounder numbers."""
    for other in shrinking.rounder(case, "epsilon", "odds"):
        if all(sum(row) > 0 for row in other.odds):
            yield other


def deltas(case: Sampled, rate: float) -> tuple[float, float]:
    """δ of the whole mechanism at ε', and what is stated: ``rate`` times the batch mechanism's δ at ε."""
    outputs = _outputs(case)
    amplified = math.log1p(rate * math.expm1(case.epsilon))
    for axis, (records, batch) in enumerate(case.sizes):
        ones = np.arange(batch + 1)
        law = np.array([stats.hypergeom.pmf(ones, records, total, batch) for total in range(records + 1)])
        outputs = np.moveaxis(np.tensordot(law, outputs, axes=(1, axis)), 0, axis)
    return _largest(outputs, amplified), rate * _largest(_outputs(case), case.epsilon)


def _outputs(case: Sampled) -> Table:
    odds = np.array(case.odds)
    return np.asarray((odds / odds.sum(axis=1, keepdims=True)).reshape(*(batch + 1 for _, batch in case.sizes), -1))


def _largest(outputs: Table, epsilon: float) -> float:
    """Largest δ over neighbours: one more one in one class, both ways."""
    worst = 0.0
    for axis in range(outputs.ndim - 1):
        rows = np.moveaxis(outputs, axis, 0)
        for p, q in ((rows[1:], rows[:-1]), (rows[:-1], rows[1:])):
            if p.size:
                worst = max(worst, float(np.maximum(p - math.exp(epsilon) * q, 0).sum(axis=-1).max()))
    return worst


def plain_deltas(case: Sampled, rate: float) -> tuple[float, float]:
    """The same by drawing every batch of every data set."""
    places = list(itertools.product(*(range(batch + 1) for _, batch in case.sizes)))
    table = {place: [value / sum(row) for value in row] for place, row in zip(places, case.odds, strict=True)}
    mixed = {}
    for totals in itertools.product(*(range(records + 1) for records, _ in case.sizes)):
        sets = [[1] * total + [0] * (size[0] - total) for total, size in zip(totals, case.sizes, strict=True)]
        drawn = [list(itertools.combinations(one, size[1])) for one, size in zip(sets, case.sizes, strict=True)]
        chosen = list(itertools.product(*drawn))
        rows = [table[tuple(sum(part) for part in batch)] for batch in chosen]
        mixed[totals] = [sum(column) / len(chosen) for column in zip(*rows, strict=True)]
    factor = 1 + rate * (math.exp(case.epsilon) - 1)
    return _worst(mixed, factor), rate * _worst(table, math.exp(case.epsilon))


def _worst(table: dict[tuple[int, ...], list[float]], factor: float) -> float:
    worst = 0.0
    for one, p in table.items():
        for other, q in table.items():
            if sum(abs(a - b) for a, b in zip(one, other, strict=True)) == 1:
                worst = max(worst, sum(max(0.0, a - factor * b) for a, b in zip(p, q, strict=True)))
    return worst
