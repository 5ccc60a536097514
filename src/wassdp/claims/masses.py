"""Discrete laws on common places of the line with weights of their own: mechanisms with a likelihood ratio."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from wassdp.claims.laws import orders
from wassdp.claims.words import in_words
from wassdp.distances import kantorovich


@dataclass(frozen=True, eq=False)
class Masses:
    """Laws of one mechanism's output on several data sets.

    Args:
        weights: probabilities above 0, shape (laws, places).
        places: where they lie, shape (places,).
        order: μ.
        renyi_order: α > 1, where a statement has one.
    """

    weights: Float[np.ndarray, "laws places"]
    places: Float[np.ndarray, " places"]
    order: float
    renyi_order: float = 2.0

    def __str__(self) -> str:
        what = f"probabilities {in_words(self.weights)} of the places {in_words(self.places)}"
        return f"μ = {self.order:.12g}, α = {self.renyi_order:.12g}, {what}"

    @property
    def diameter(self) -> float:
        """R, the largest distance of two outputs."""
        return float(np.ptp(self.places))

    def distance(self) -> float:
        """W_μ between the first two laws."""
        at = self.places[:, None]
        first, second = self.weights[:2]
        return kantorovich.transport(at, at, order=self.order, x_weights=first, y_weights=second)

    def pure_epsilon(self) -> float:
        """Largest log-ratio of the first two laws, either way."""
        return float(np.abs(np.log(self.weights[0] / self.weights[1])).max())

    def renyi(self) -> float:
        """Rényi divergence of order α of the first law from the second."""
        p, q = self.weights[:2]
        return float(np.log(np.sum(q * (p / q) ** self.renyi_order)) / (self.renyi_order - 1))


def draw(generator: np.random.Generator, *, laws: int = 2) -> Masses:
    """Random laws on 2 to 5 places at all scales; some hardly differ, some are randomised response."""
    places = int(generator.integers(2, 6))
    weights = generator.dirichlet(np.full(places, 10 ** generator.uniform(-0.5, 2)), size=laws)
    if generator.random() < 0.4:  # one of two values
        places, odds = 2, 1 / (1 + math.exp(-(10 ** generator.uniform(-2, 0.7))))
        weights = np.array([[odds, 1 - odds] if law % 2 == 0 else [1 - odds, odds] for law in range(laws)])
    weights = (weights + 1e-9) / (weights + 1e-9).sum(axis=1, keepdims=True)
    order = float(generator.choice([1.0, 2.0, 1 + 9 * generator.random()]))
    at = generator.normal(size=places) * 10 ** generator.uniform(-1, 1)
    return Masses(weights, at, order, float(generator.choice([1.5, 2.0, 8.0])))


def simpler(found: Masses) -> Iterator[Masses]:
    """With two places joined, or with rounder numbers."""
    count = len(found.places)
    for place in range(count if count > 2 else 0):
        kept = np.delete(found.weights, place, axis=1)
        yield replace(found, weights=kept / kept.sum(axis=1, keepdims=True), places=np.delete(found.places, place))
    for order in orders(found.order):
        yield replace(found, order=order)
    even = np.arange(count, dtype=float)
    if not np.array_equal(found.places, even):
        yield replace(found, places=even)
    for digits in (1, 2):
        plain = np.round(found.weights, digits)
        if (plain > 0).all() and np.allclose(plain.sum(axis=1), 1) and not np.array_equal(plain, found.weights):
            yield replace(found, weights=plain)


def by_quantiles(found: Masses) -> float:
    """W_μ of the first two laws by another way: both quantile functions on their merged grid, in plain sums."""
    order = sorted(range(len(found.places)), key=lambda place: found.places[place])
    left = [[float(law[place]), float(found.places[place])] for law in found.weights[:1] for place in order]
    right = [[float(law[place]), float(found.places[place])] for law in found.weights[1:2] for place in order]
    total, i, j = 0.0, 0, 0
    while i < len(left) and j < len(right):
        share = min(left[i][0], right[j][0])
        total += share * abs(left[i][1] - right[j][1]) ** found.order
        left[i][0] -= share
        right[j][0] -= share
        i, j = i + (left[i][0] <= 1e-15), j + (right[j][0] <= 1e-15)
    return float(total ** (1 / found.order))
