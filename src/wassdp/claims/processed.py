"""Outputs that are processed further: by a fixed map, or by a later step that reads them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from wassdp.claims import laws
from wassdp.claims.words import in_words


@dataclass(frozen=True, eq=False)
class Processed:
    """Two outputs on the line, and what a randomised map makes of them: x ↦ slope · x + one of the added numbers.

    Args:
        points: uniform laws of the outputs on two neighbours, shape (2, points).
        slope: of the map.
        added: noise of the map's own, uniform on these numbers, shape (draws,).
        moved: by how much the map itself differs between the two neighbours, where it reads the data again.
        order: μ.
    """

    points: Float[np.ndarray, "two points"]
    slope: float
    added: Float[np.ndarray, " draws"]
    moved: float
    order: float

    def __str__(self) -> str:
        outputs = f"μ = {self.order:.12g}, outputs uniform on {in_words(self.points)}"
        again = f", on the other data set {self.moved:.12g} more" if self.moved else ""
        noise = f" + noise uniform on {in_words(self.added)}" if np.any(self.added) else ""
        return f"{outputs}, then x ↦ {self.slope:.12g} x{noise}{again}"

    def before(self) -> float:
        """W_μ of the outputs."""
        return laws.distance(self.points[0, :, None], self.points[1, :, None], self.order)

    def results(self, which: int) -> Float[np.ndarray, "results two"]:
        """Output and result, all pairs."""
        place = self.moved if which else 0.0
        return np.array([(x, self.slope * x + z + place) for x, z in itertools.product(self.points[which], self.added)])

    def after(self) -> float:
        """W_μ of the results alone."""
        return laws.distance(self.results(0)[:, 1:], self.results(1)[:, 1:], self.order)

    def together(self) -> float:
        """W_μ of outputs with their results."""
        return laws.distance(self.results(0), self.results(1), self.order)


def draw(generator: np.random.Generator) -> Processed:
    """A random map of two outputs; slopes from a hundredth to a hundred, either sign."""
    drawn = laws.draw(generator, laws=2, points=4, dimension=1)
    return Processed(
        points=drawn.points[:, :, 0],
        slope=float(generator.choice([-1, 1]) * 10 ** generator.uniform(-2, 2)),
        added=generator.normal(size=int(generator.integers(1, 4))) * 10 ** generator.uniform(-2, 1),
        moved=0.0,
        order=drawn.order,
    )


def draw_again(generator: np.random.Generator) -> Processed:
    """Likewise, where the map reads the data again."""
    return replace(draw(generator), moved=float(generator.normal() * 10 ** generator.uniform(-2, 1)))


def simpler(found: Processed) -> Iterator[Processed]:
    """With fewer points or draws, and with rounder numbers."""
    for place in range(found.points.shape[1] if found.points.shape[1] > 1 else 0):
        yield replace(found, points=np.delete(found.points, place, axis=1))
    if len(found.added) > 1 or found.added[0] != 0:
        yield replace(found, added=np.zeros(1))
    for order in laws.orders(found.order):
        yield replace(found, order=order)
    for values in laws.rounder(found.points):
        yield replace(found, points=values)
    for name in ("slope", "moved"):
        for plain in (0.0, 2.0, float(f"{getattr(found, name):.1g}")):
            if abs(plain) < abs(getattr(found, name)):
                changed: dict[str, Any] = {name: plain}
                yield replace(found, **changed)


def plainly(found: Processed, which: int) -> list[list[float]]:
    """Output and result, all pairs, for code that shares nothing with `Processed.results`."""
    pairs = []
    for x in found.points[which]:
        for z in found.added:
            pairs.append([float(x), float(found.slope) * float(x) + float(z) + (found.moved if which == 1 else 0.0)])
    return pairs
