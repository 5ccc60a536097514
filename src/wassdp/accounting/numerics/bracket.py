r"""Where an increasing function passes a target: interpolation inside a bracket that provably shrinks.

A budget along noise, or along steps, may be 0, infinite, flat or jump, and may be refused at some values. Only computed
values move the bracket; whenever two interpolations in a row have not halved it, it is bisected. On an axis of length
W, down to pieces of length w, that takes at most

.. math:: 3 \log_2(W/w) + 12

evaluations, 12 of them to find a first bracket; where the function is smooth, about ten in all.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

_SHORTEST, _UP, _DOWN = 0.1, 2.0, 6.0
"""Least length of a first step outward, and the largest towards larger values, which cost more, and smaller ones."""
_LEAST_GROWTH, _GROWTH = 2.0, 1.5
"""By how much each of these grows with every further step."""
T = TypeVar("T", int, float)


def bisected(
    kept: Callable[[float], bool],
    high: float,
    *,
    close: float,
    growth: float = 2.0,
    most: float = math.inf,
    halvings: int = 10_000,
) -> tuple[float, float]:
    """Two ends around the least number from 0 on that is ``kept``; 0 twice where 0 is.

    Args:
        kept: whether a number is large enough; where one is, so is every larger one. A comparison with what is not a
            number is false, so ``kept`` should state what has to hold, not what must not.
        high: the first number that is tried beside 0.
        close: length of the interval, relative to its upper end, that is short enough.
        growth: by how much ``high`` is multiplied until it is large enough.
        most: where no number up to it is large enough the upper end is infinite.
        halvings: at most so many.

    >>> low, high = bisected(lambda value: value * value >= 2, 1.0, close=1e-9)
    >>> low < 2**0.5 <= high
    True
    """
    low = 0.0
    if kept(low):
        return low, low
    while not kept(high):
        low, high = high, growth * high
        if high > most:
            return low, math.inf
    for _ in range(halvings):
        middle = (low + high) / 2
        if high - low <= close * high or middle in (low, high):
            break
        low, high = (low, middle) if kept(middle) else (middle, high)
    return low, high


def crossed(height: Callable[[float], float], *, close: float) -> tuple[float, float]:
    """Two ends around the number from 0 on where a decreasing function passes 0; 0 twice where it is never above.

    The lower end's height was computed and is above 0, the upper end's is not, however the function's last digits move:
    these two alone are said of a function that is decreasing but for its rounding. Where it is smooth, a dozen heights
    are asked for; bisection asks for five times as many.

    Args:
        height: of a number; above 0 where the number is too small.
        close: length of the interval, relative to its upper end, that is short enough.

    Raises:
        ValueError: where a height is not a number: it says nothing of a side.

    >>> low, high = crossed(lambda value: 2 - value * value, close=1e-12)
    >>> low < 2**0.5 <= high
    True
    """
    low, high, heights = 0.0, math.inf, {}

    def ask(value: float) -> None:
        nonlocal low, high
        found = heights[value] = height(value)
        if math.isnan(found):
            raise ValueError(f"the height at {value!r} is not a number, so it is on neither side of 0")
        if found > 0:
            low = max(low, value)
        else:
            high = min(high, value)

    ask(0.0)
    if high == 0:
        return 0.0, 0.0
    value, factor = 1.0, 4.0
    ask(value)
    while low == value < math.inf:
        value, factor = value * factor, factor * factor
        ask(value)
    while low == 0 and value > sys.float_info.min:
        value, factor = max(value / factor, sys.float_info.min), factor * factor
        ask(value)
    while 0 < 4 * low < high < math.inf:
        ask(math.sqrt(low) * math.sqrt(high))
    failures = 0
    while high < math.inf and high - low > close * high:
        before, margin = high - low, close * high / 4
        middle = low + before / 2
        if middle in (low, high):
            break
        value = middle if failures == 2 else _zero(heights, low, high, longer=failures == 1)
        # As far from an end as is close enough: once the guesses agree, the next one lies just beyond the crossing.
        value = min(max(value, low + margin), high - margin)
        ask(value if low < value < high else middle)
        failures = failures + 1 if failures < 2 and high - low > before / 2 else 0
    return low, high


def _zero(heights: dict[float, float], low: float, high: float, *, longer: bool) -> float:
    """Where the inverse through both ends and the last other height passes 0; their middle where heights do not say.

    Args:
        heights: of the values asked for, in that order.
        low: lower end of the bracket.
        high: its upper end.
        longer: twice as far from the nearer end, to reach beyond a crossing that all guesses had on one side.
    """
    middle = low + (high - low) / 2
    ends = [(value, heights[value]) for value in (low, high)]
    if not all(math.isfinite(found) for _, found in ends):
        return middle
    others = [point for point in heights.items() if point not in ends and math.isfinite(point[1])]
    three = [*ends, *others[-1:]]
    for few in (three, ends):
        guess = _polynomial(few, 0.0)
        if low <= guess <= high:
            nearer = low if heights[low] < -heights[high] else high
            return guess + (guess - nearer if longer else 0.0)
    return middle


class UnfitError(ValueError):
    """A refusal that is not about one position: it ends a search at once."""


class Axis(Protocol[T]):
    """Positions, and the scale on which a function is smooth along them."""

    def number(self, position: T) -> float:
        """The number of a position on that scale, increasing."""

    def beyond(self, position: T, length: float) -> T:
        """Another position, ``length`` further on that scale, or before where it is negative."""

    def between(self, low: T, high: T, number: float) -> T | None:
        """A position strictly between two others, near such a number; None where they are as close as is asked for."""


@dataclass(frozen=True)
class Real:
    """Real numbers as they are, down to intervals of length ``step``."""

    step: float

    def number(self, position: float) -> float:
        return position

    def beyond(self, position: float, length: float) -> float:
        return position + length

    def between(self, low: float, high: float, number: float) -> float | None:
        margin = min(0.01 * (high - low), self.step / 4)
        return min(max(number, low + margin), high - margin) if high - low > self.step else None


class Whole:
    """Whole numbers from 1 on, by their logarithm."""

    def number(self, position: int) -> float:
        return math.log(position)

    def beyond(self, position: int, length: float) -> int:
        moved = round(position * math.exp(length))
        return max(moved, position + 1) if length > 0 else max(1, min(moved, position - 1))

    def between(self, low: int, high: int, number: float) -> int | None:
        return min(max(round(math.exp(number)), low + 1), high - 1) if high - low > 1 else None


@dataclass(frozen=True)
class Evaluated(Generic[T]):
    """A position, its value, and why there is none: a refused value counts as infinite."""

    position: T
    value: float
    refused: ValueError | None = None


@dataclass(frozen=True)
class SearchResult(Generic[T]):
    """How a search ended.

    Args:
        kept: the largest position found whose value is at most the target; None if there is none.
        broken: the smallest position found above ``kept`` whose value is above the target; None if there is none.
        close: whether the value of ``kept`` is as close to the target as was asked for.
    """

    kept: Evaluated[T] | None
    broken: Evaluated[T] | None
    close: bool


def largest_kept(
    function: Callable[[T], float], target: float, axis: Axis[T], *, start: T, least: T, most: T, close: float = 0.0
) -> SearchResult[T]:
    """The largest position in [``least``, ``most``] found whose value is at most ``target``.

    Args:
        function: increasing; a `ValueError` other than `UnfitError` counts as a value above the target.
        target: above 0.
        axis: what positions are.
        start: where to begin.
        least: lower end of the axis.
        most: upper end of the axis.
        close: stop at a value that lies below the target by at most this share of it; 0 for the closest position.

    Raises:
        UnfitError: from ``function``.
    """
    points: list[Evaluated[T]] = []
    kept: Evaluated[T] | None = None
    broken: Evaluated[T] | None = None

    def ask(position: T) -> bool:
        """Move the bracket; whether what is kept is now close."""
        nonlocal kept, broken
        point = _point(function, position)
        points.append(point)
        if point.value <= target:
            kept = point
            return close > 0 and point.value >= target * (1 - close)
        broken = point
        return False

    def width() -> float:
        assert kept is not None
        assert broken is not None
        return axis.number(broken.position) - axis.number(kept.position)

    done = ask(min(max(start, least), most))
    while not done and (kept is None or broken is None):
        last = points[-1].position
        if last == (least if kept is None else most):
            return SearchResult(kept, broken, close=False)
        done = ask(min(max(axis.beyond(last, _outward(points, axis, target)), least), most))
    failures = 0
    while not done:
        assert kept is not None
        assert broken is not None
        before = width()
        middle = axis.number(kept.position) + before / 2
        aim = math.log(target) + math.log1p(-close / 2)
        guess = middle if failures >= 2 else _interpolated(points, kept, broken, axis, aim, middle)
        position = axis.between(kept.position, broken.position, guess)
        if position is None:
            break
        done = ask(position)
        failures = failures + 1 if failures < 2 and width() > before / 2 else 0
    return SearchResult(kept, broken, close=done)


def _point(function: Callable[[T], float], position: T) -> Evaluated[T]:
    try:
        value = function(position)
    except UnfitError:
        raise
    except ValueError as error:
        return Evaluated(position, math.inf, error)
    return Evaluated(position, math.inf if math.isnan(value) else value)


def _height(point: Evaluated[T]) -> float:
    return math.log(point.value) if point.value > 0 else -math.inf


def _outward(points: list[Evaluated[T]], axis: Axis[T], target: float) -> float:
    """Signed length of the next step towards the target, a little more than it seems to need."""
    up, taken = points[-1].value <= target, len(points) - 1
    least, most = _SHORTEST * _LEAST_GROWTH**taken, (_UP if up else _DOWN) * _GROWTH**taken
    missing = abs(math.log(target) - _height(points[-1]))
    slope = 1.0
    if len(points) > 1 and math.isfinite(_height(points[-1]) - _height(points[-2])):
        run = axis.number(points[-1].position) - axis.number(points[-2].position)
        slope = max((_height(points[-1]) - _height(points[-2])) / run, 0.5)
    length = min(max(1.2 * missing / slope, least), most)
    return length if up else -length


def _interpolated(
    points: list[Evaluated[T]],
    kept: Evaluated[T],
    broken: Evaluated[T],
    axis: Axis[T],
    aim: float,
    middle: float,
) -> float:
    """Where the logarithm of the function should be ``aim``, by its inverse through two or three points."""
    if not all(math.isfinite(_height(point)) for point in (kept, broken)):
        return middle
    ends: list[tuple[float, float]] = [(axis.number(point.position), _height(point)) for point in (kept, broken)]
    others = {(axis.number(point.position), _height(point)) for point in points} - set(ends)
    near: list[tuple[float, float, float]] = sorted(
        (abs(number - middle), number, height) for number, height in others if math.isfinite(height)
    )
    three = [*ends, *((number, height) for _, number, height in near[:1])]
    for few in (three, three[:2]):
        guess = _polynomial(few, aim)
        if ends[0][0] < guess < ends[1][0]:
            return guess
    return middle


def _polynomial(points: list[tuple[float, float]], aim: float) -> float:
    """Lagrange's polynomial of the number over the height, at ``aim``; NaN where heights are equal or too far apart."""
    heights = [height for _, height in points]
    if len(set(heights)) < len(heights):
        return math.nan
    terms = [
        number * math.prod((aim - other) / (height - other) for other in heights if other != height)
        for number, height in points
    ]
    return math.fsum(terms) if all(abs(term) < sys.float_info.max / 4 for term in terms) else math.nan
