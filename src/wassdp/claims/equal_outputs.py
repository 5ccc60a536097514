r"""Neighbouring batches with equal outputs, in another order, and the gradients that rank permutations give there.

WG's Definition 2.1 lets neighbours "coincide up to a permutation". Where outputs are equal the rank permutation is not
unique, and one that follows the order of the list is another one for the same records in another order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from wassdp.claims import moved_gradients
from wassdp.claims.moved_gradients import Neighbours, Row, Rows

_SIZES = range(1, 9)
_Listing = Callable[[list[tuple[Row, Row]]], list[tuple[Row, Row]]]


@dataclass(frozen=True)
class Relisted:
    """A pair whose second batch is listed backwards.

    Args:
        pair: the first batch, and what replaces its first record; the record may stay.
    """

    pair: Neighbours

    def __str__(self) -> str:
        return f"the other batch listed backwards; {self.pair}"


def draw(generator: np.random.Generator, *, dimensions: tuple[int, ...]) -> Relisted:
    """Outputs at few places, so that many are equal; Jacobians as long as they may be, either way."""
    n, m, d = *(int(generator.choice(_SIZES)) for _ in range(2)), int(generator.choice(dimensions))
    bound, norms = float(generator.choice((0.5, 1.0, 2.0))), (1.0, float(generator.choice((0.0, 0.5, 1.0, 2.0))))
    axis = np.eye(d)[0]
    left = bound * generator.choice((0.0, float(generator.choice((0.0, 1.0)))), size=n)
    right = bound * generator.choice((-1.0, 0.0, 1.0), size=m)
    slopes, right_slopes = (
        most * generator.choice((-1.0, 1.0), size=count) for most, count in zip(norms, (n, m), strict=True)
    )
    staying = generator.random() < 0.5
    return Relisted(
        Neighbours(
            left=_rows(left, axis),
            other=_rows(left[:1] if staying else -left[:1], axis)[0],
            right=_rows(right, axis),
            slopes=_rows(slopes, axis),
            other_slope=_rows(slopes[:1] if staying else -slopes[:1], axis)[0],
            right_slopes=_rows(right_slopes, axis),
            directions=_rows(np.ones(1), axis),
            bound=bound,
            norms=norms,
        )
    )


def moved(case: Relisted) -> float:
    """How far the gradient moves if equal outputs are taken as they are listed."""
    other = case.pair.after
    backwards = replace(other, left=other.left[::-1], slopes=other.slopes[::-1])
    return abs(moved_gradients.gradient(case.pair) - moved_gradients.gradient(backwards))


def moved_by_records(case: Relisted) -> float:
    """How far it moves if equal outputs are taken in the order of their Jacobians, however they are listed."""
    other = case.pair.after
    backwards = replace(other, left=other.left[::-1], slopes=other.slopes[::-1])
    return abs(moved_gradients.gradient(_sorted(case.pair)) - moved_gradients.gradient(_sorted(backwards)))


def plain_moved(case: Relisted) -> float:
    """`moved`, by the sum over slices of [0, 1]."""
    return _plain(case, list, lambda pairs: pairs[::-1])


def plain_moved_by_records(case: Relisted) -> float:
    """`moved_by_records`, by the sum over slices of [0, 1]."""
    return _plain(case, sorted, sorted)


def stated(case: Relisted) -> float:
    """Theorem 4.1(a)'s 4M (3L₁ + L₂)/n."""
    pair = case.pair
    return 4 * pair.bound * (3 * pair.norms[0] + pair.norms[1]) / len(pair.left)


def plain_stated(case: Relisted) -> float:
    """The same, term by term."""
    (one, other), bound, n = case.pair.norms, case.pair.bound, len(case.pair.left)
    return 12 * bound * one / n + 4 * bound * other / n


def simpler(case: Relisted) -> Iterator[Relisted]:
    """No record replaced, fewer points, rounder numbers."""
    pair = case.pair
    if (pair.other, pair.other_slope) != (pair.left[0], pair.slopes[0]):
        yield Relisted(replace(pair, other=pair.left[0], other_slope=pair.slopes[0]))
    yield from map(Relisted, moved_gradients.simpler(pair))


def _sorted(batch: Neighbours) -> Neighbours:
    order = sorted(range(len(batch.left)), key=lambda place: (batch.left[place], batch.slopes[place]))
    return replace(
        batch,
        left=tuple(batch.left[place] for place in order),
        slopes=tuple(batch.slopes[place] for place in order),
    )


def _plain(case: Relisted, first: _Listing, second: _Listing) -> float:
    pair = case.pair
    before = first(list(zip(pair.left, pair.slopes, strict=True)))
    after = second([(pair.other, pair.other_slope), *zip(pair.left[1:], pair.slopes[1:], strict=True)])
    one, two = (
        moved_gradients.plain_gradient(
            [output for output, _ in side], [slope for _, slope in side], pair.right, pair.right_slopes, pair.directions
        )
        for side in (before, after)
    )
    return abs(one - two)


def _rows(values: np.ndarray, axis: np.ndarray) -> Rows:
    return tuple(_row(value * axis) for value in values)


def _row(values: np.ndarray) -> Row:
    return tuple(float(value) for value in values)
