r"""Neighbouring batches between which the gradient of a (sliced) squared Wasserstein distance moves far.

The model has one parameter θ: an output u_i + a_i θ, a_i its Jacobian, for each record of the side in which one record
is replaced, and v_j + b_j θ for each of the other side. Any outputs in the ball of radius M and any Jacobians of norm L
or less are possible, so that nothing is lost by one parameter: the worst Jacobians all turn into one direction. The
record is replaced in its place in the list, and equal outputs are taken in the list's order, as the proofs have it
(`wassdp.claims.equal_outputs`: what happens otherwise).

Claims search with the formula as WG prints it (`gradient`: the matrix R, rank permutations). What confirms them sums
over a common refinement of both sides' quantile functions (`plain_gradient`).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from wassdp.claims import shrinking
from wassdp.claims.words import in_words

Row = tuple[float, ...]
Rows = tuple[Row, ...]
Points = Float[np.ndarray, "n d"]
Others = Float[np.ndarray, "m d"]
Axes = Float[np.ndarray, "directions d"]


@dataclass(frozen=True)
class Neighbours:
    """A batch of two sides, and what replaces the first record of the left side.

    Args:
        left: outputs of the side in which a record is replaced, at most ``bound`` long.
        other: output of the record that replaces the first one.
        right: outputs of the side that stays.
        slopes: Jacobians of the left side, at most ``norms[0]`` long.
        other_slope: Jacobian of the record that replaces the first one.
        right_slopes: Jacobians of the right side, at most ``norms[1]`` long.
        directions: unit rows that the outputs are projected on.
        bound: M.
        norms: L of the left and of the right side.
    """

    left: Rows
    other: Row
    right: Rows
    slopes: Rows
    other_slope: Row
    right_slopes: Rows
    directions: Rows
    bound: float
    norms: tuple[float, float]

    def __str__(self) -> str:
        names = ("left", "other", "right", "slopes", "other_slope", "right_slopes", "directions")
        told = [in_words(np.array(getattr(self, name))) for name in names]
        return (
            f"M = {self.bound:g}, L = {self.norms[0]:g} and {self.norms[1]:g}; outputs {told[0]}, first to become "
            f"{told[1]}, against {told[2]}; Jacobians {told[3]}, {told[4]}, {told[5]}; directions {told[6]}"
        )

    @property
    def after(self) -> Neighbours:
        """The other batch, as the first of its pair."""
        return replace(self, left=(self.other, *self.left[1:]), slopes=(self.other_slope, *self.slopes[1:]))


def draw(generator: np.random.Generator, *, dimensions: Sequence[int], equal: bool = False) -> Neighbours:
    """Up to five points a side, at the ball's poles or anywhere, with the worst Jacobians; L alike if ``equal``."""
    n, m, d = *(int(size) for size in generator.integers(1, 6, size=2)), int(generator.choice(dimensions))
    bound, one = (float(generator.choice((0.5, 1.0, 2.0))) for _ in range(2))
    norms = (one, one) if equal else tuple(float(generator.choice((0.0, 0.5, 1.0, 2.0))) for _ in range(2))
    if norms == (0.0, 0.0):
        norms = (0.0, 1.0)
    axes = generator.normal(size=(int(generator.integers(1, 4)) if d > 1 else 1, d))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    if generator.random() < 0.5:
        points = generator.choice((-bound, bound), size=(n + 1 + m, 1)) * axes[0]
    else:
        points = bound * _in_ball(generator, n + 1 + m, d)
    return _with_worst_jacobians(points, n, axes if d > 1 else np.ones((1, 1)), bound, (norms[0], norms[1]))


def nearby(generator: np.random.Generator, case: Neighbours) -> Neighbours:
    """One point moved: anywhere, onto another one, to the other end, or a little; the worst Jacobians."""
    points = np.array((*case.left, case.other, *case.right))
    place, kind, taken = int(generator.integers(len(points))), generator.integers(4), generator.integers(len(points))
    fresh = case.bound * _in_ball(generator, 1, points.shape[1])[0]
    points[place] = (fresh, points[taken], -points[place], points[place] + 0.2 * fresh)[kind]
    points[place] /= max(1.0, float(np.linalg.norm(points[place])) / case.bound)
    return _with_worst_jacobians(points, len(case.left), np.array(case.directions), case.bound, case.norms)


def simpler(case: Neighbours) -> Iterator[Neighbours]:
    """A point or a direction less, rounder numbers; all stays within the bounds."""
    for place in range(1, len(case.left)):
        kept = slice(0, place), slice(place + 1, None)
        yield replace(
            case,
            left=case.left[kept[0]] + case.left[kept[1]],
            slopes=case.slopes[kept[0]] + case.slopes[kept[1]],
        )
    for place in range(len(case.right) if len(case.right) > 1 else 0):
        kept = slice(0, place), slice(place + 1, None)
        yield replace(
            case,
            right=case.right[kept[0]] + case.right[kept[1]],
            right_slopes=case.right_slopes[kept[0]] + case.right_slopes[kept[1]],
        )
    yield from shrinking.fewer(case, "directions")
    names = ("left", "other", "right", "slopes", "other_slope", "right_slopes")
    yield from (other for other in shrinking.rounder(case, *names) if _allowed(other))


def moved(case: Neighbours) -> float:
    """How far the gradient moves from one batch to the other."""
    return abs(gradient(case) - gradient(case.after))


def gradient(case: Neighbours) -> float:
    r"""The derivative in θ at 0, as WG prints it, averaged over the directions.

    .. math:: 2 \sum_{i,j} R_{\sigma(i), \tau(j)} (U_i - V_j) (\nabla U_i - \nabla V_j)
    """
    pulls = _pulls(np.array(case.left), np.array(case.right), np.array(case.directions))
    slopes = np.array(case.slopes), np.array(case.right_slopes)
    return float(sum((pull * slope).sum() for pull, slope in zip(pulls, slopes, strict=True)))


def shares(n: int, m: int) -> Float[np.ndarray, "n m"]:
    """R: length of the overlap of ((i-1)/n, i/n] and ((j-1)/m, j/m]."""
    i, j = np.arange(n)[:, None], np.arange(m)
    return np.asarray(np.maximum(0.0, np.minimum((i + 1) / n, (j + 1) / m) - np.maximum(i / n, j / m)))


def plain_moved(case: Neighbours) -> float:
    """How far the gradient moves, by `plain_gradient`."""
    left, slopes = [case.other, *case.left[1:]], [case.other_slope, *case.slopes[1:]]
    return abs(
        plain_gradient(case.left, case.slopes, case.right, case.right_slopes, case.directions)
        - plain_gradient(left, slopes, case.right, case.right_slopes, case.directions)
    )


def plain_gradient(
    left: Sequence[Row], slopes: Sequence[Row], right: Sequence[Row], right_slopes: Sequence[Row], directions: Rows
) -> float:
    """The same over 1/lcm(n, m) slices of [0, 1], one after the other; equal outputs are taken in their order."""
    total, slices = 0.0, math.lcm(len(left), len(right))
    for direction in directions:
        lines = []
        for points, steps in ((left, slopes), (right, right_slopes)):
            along = [
                (_product(point, direction), _product(step, direction))
                for point, step in zip(points, steps, strict=True)
            ]
            lines.append(sorted(along, key=operator.itemgetter(0)))
        for index in range(slices):
            (u, a), (v, b) = (line[index * len(line) // slices] for line in lines)
            total += 2 * (u - v) * (a - b) / slices
    return total / len(directions)


def _product(one: Row, other: Row) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _pulls(left: Points, right: Others, directions: Axes) -> tuple[Points, Others]:
    """Gradients in the outputs of both sides, by the printed formula."""
    pulls = np.zeros_like(left), np.zeros_like(right)
    for direction in directions:
        u, v = left @ direction, right @ direction
        ranks = [np.argsort(np.argsort(values, kind="stable"), kind="stable") for values in (u, v)]
        weighted = shares(len(u), len(v))[np.ix_(*ranks)] * (u[:, None] - v)
        pulls[0][:] += 2 / len(directions) * weighted.sum(axis=1)[:, None] * direction
        pulls[1][:] -= 2 / len(directions) * weighted.sum(axis=0)[:, None] * direction
    return pulls


def _with_worst_jacobians(
    points: Points, n: int, directions: Axes, bound: float, norms: tuple[float, float]
) -> Neighbours:
    """All Jacobians as long as they may be, and turned so that all changes add up."""
    left, other, right = points[:n], points[n], points[n + 1 :]
    before, after = (_pulls(side, right, directions) for side in (left, np.vstack([other, left[1:]])))
    changes = np.vstack([before[0][:1], (before[0] - after[0])[1:]])
    return Neighbours(
        left=_rows(left),
        other=_rows(other[None])[0],
        right=_rows(right),
        slopes=_rows(norms[0] * _unit(changes)),
        other_slope=_rows(-norms[0] * _unit(after[0][:1]))[0],
        right_slopes=_rows(norms[1] * _unit(before[1] - after[1])),
        directions=_rows(directions),
        bound=bound,
        norms=norms,
    )


def _unit(rows: Points) -> Points:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.where(norms > 1e-300, rows / np.maximum(norms, 1e-300), 0.0)


def _in_ball(generator: np.random.Generator, count: int, d: int) -> Points:
    points = generator.normal(size=(count, d))
    points *= generator.random((count, 1)) ** (1 / d) / np.linalg.norm(points, axis=1, keepdims=True)
    return points


def _rows(points: Points) -> Rows:
    return tuple(tuple(float(value) for value in row) for row in points)


def _allowed(case: Neighbours) -> bool:
    bounds = (
        ((*case.left, case.other, *case.right), case.bound),
        ((*case.slopes, case.other_slope), case.norms[0]),
        (case.right_slopes, case.norms[1]),
    )
    return all(math.hypot(*row) <= most + 1e-12 for rows, most in bounds for row in rows)
