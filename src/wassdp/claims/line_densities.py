r"""A density on the line that changes a little, and how far its mass then moves (TDP Example 2.2).

Densities are constant on cells, above 0 on one interval. Then distribution functions are made of lines, W₂ is a sum of
integrals of squared lines, and so is the norm: on the line f p is determined, for it vanishes at the ends,

.. math:: \|\epsilon\|_{\dot H^{-1}(p)}^2 = \int \frac{F^2}{p} dx, \quad F(x) = \int_{-\infty}^x \epsilon.

"o(1)" is put to the test as: where a density changes by at most η of its smallest value anywhere, both sides agree up
to a factor 1 + 4ηc, c the largest density over the smallest. Masses move further than the cells' ends by less than
that, where a density jumps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp.claims import shrinking


@dataclass(frozen=True)
class Line:
    """Widths of the cells, masses on them and directions of their change, to be centred; and η."""

    widths: tuple[float, ...]
    masses: tuple[float, ...]
    changes: tuple[float, ...]
    relative: float

    def __str__(self) -> str:
        parts = (self.widths, self.masses, self.changes)
        cells = "; ".join(" ".join(f"{value:.6g}" for value in part) for part in parts)
        return f"cells' widths; masses ∝; changes before centring ({cells}), η = {self.relative:.3g}"

    @property
    def widths_of_cells(self) -> Float[np.ndarray, " cells"]:
        """Lengths of the cells."""
        return np.array(self.widths)

    @property
    def mass(self) -> Float[np.ndarray, " cells"]:
        """Masses of p on the cells, of sum 1."""
        return np.asarray(np.array(self.masses) / np.sum(self.masses))

    @property
    def change(self) -> Float[np.ndarray, " cells"]:
        """Masses of hε on the cells, of sum 0; nowhere a density more than η of the smallest density of p."""
        change = np.array(self.changes) - np.mean(self.changes)
        largest = np.abs(change / self.widths_of_cells).max()
        return np.asarray(change * (self.relative * (self.mass / self.widths_of_cells).min() / largest))

    @property
    def slack(self) -> float:
        """1 + o(1)."""
        density = self.mass / self.widths_of_cells
        return float(1 + self.relative * density.max() / density.min())

    @property
    def possible(self) -> bool:
        """Whether there are masses and a change."""
        return min(*self.widths, *self.masses) > 0 and len(set(self.changes)) > 1


def draw(generator: np.random.Generator) -> Line:
    """2 to 8 cells of different widths and masses."""
    cells = int(generator.integers(2, 9))
    widths = 10 ** generator.uniform(-0.5, 0.5, size=cells)
    masses = 10 ** generator.uniform(-0.5, 0.5, size=cells)
    return Line(
        tuple(widths.tolist()),
        tuple(masses.tolist()),
        tuple(generator.normal(size=cells).tolist()),
        float(10 ** generator.uniform(-5, -3)),
    )


def simpler(case: Line) -> Iterator[Line]:
    """Rounder numbers."""
    for other in shrinking.rounder(case, "widths", "masses", "changes"):
        if other.possible:
            yield other


def distance(case: Line) -> float:
    """W₂ of p and p + hε, by the squared gap of their quantile functions, exactly."""
    ends = np.concatenate([[0.0], np.cumsum(case.widths_of_cells)])
    levels = [np.concatenate([[0.0], np.cumsum(mass)]) for mass in (case.mass, case.mass + case.change)]
    for level in levels:
        level[-1] = 1.0
    cuts = np.unique(np.concatenate(levels))
    one, other = (np.interp(cuts, level, ends) for level in levels)
    left, right = (one - other)[:-1], (one - other)[1:]
    return float(np.sqrt((np.diff(cuts) * (left**2 + left * right + right**2)).sum() / 3))


def norm(case: Line) -> float:
    """The norm of hε in Ḣ⁻¹(p)."""
    return float(np.sqrt(_squares(case) @ (case.widths_of_cells**2 / case.mass)))


def norm_without_weight(case: Line) -> float:
    """The norm without p: of Ḣ⁻¹, by the mean density."""
    length = case.widths_of_cells.sum()
    return float(np.sqrt(_squares(case) @ case.widths_of_cells * length))


def _squares(case: Line) -> Float[np.ndarray, " cells"]:
    """Means of F² over the cells."""
    sums = np.concatenate([[0.0], np.cumsum(case.change)])
    sums[-1] = 0.0
    left, right = sums[:-1], sums[1:]
    return np.asarray((left**2 + left * right + right**2) / 3)
