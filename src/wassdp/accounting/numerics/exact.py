r"""ε(δ) and δ(ε) of an event between a lower and an upper value.

Every direction (THEORY 1) is composed twice, on a pessimistic and on an optimistic lattice; the
exact figure lies between the two answers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wassdp import checks
from wassdp.accounting import inexact, limits
from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import ContradictionError
from wassdp.accounting.numerics.revealed import large
from wassdp.accounting.numerics.solver import Solver, quadrature, summands
from wassdp.accounting.profiles.base import Vector
from wassdp.accounting.profiles.dominating import Direction, directions

ACCURACY = 2e-4
"""Default relative width of the bracket around ε."""
_WIDE = 1e-2
"""Relative width from which on values are asked for that no lattice enters."""
_ATTEMPTS = 3
_WINDOWS = 24
_ROUNDING, _LEAST = 1e-6, 1e-9
"""By how much, relative and for ε also absolute, rounding may put a lower value above an upper one."""


@dataclass(frozen=True)
class Bracket:
    """The exact value lies in [``lower``, ``upper``]."""

    lower: float
    upper: float


NOTHING = Bracket(0.0, 0.0)
UNBOUNDED = Bracket(math.inf, math.inf)


def epsilon(event: Event, delta: float, *, accuracy: float = ACCURACY) -> Bracket:
    """Smallest ε ≥ 0 for which ``event`` is (ε, δ)-DP, bracketed.

    Args:
        event: what was released; its ``refusal`` must be None.
        delta: in (0, 1).
        accuracy: wanted width of the bracket relative to ε, where memory allows.

    Raises:
        ValueError: bad arguments, or an event outside every range that can be computed.
    """
    limits.delta(delta)
    checks.open_unit("accuracy", accuracy)
    variation = event.variation()
    ideal = _ideal(event, delta, accuracy)
    if variation == 0 or ideal == UNBOUNDED:
        return ideal
    upper = inexact.raised(lambda left: _ideal(event, left, accuracy).upper, delta, variation)
    # The lower value is that of the ideal releases: what is drawn may be as good.
    return Bracket(ideal.lower, upper)


def _ideal(event: Event, delta: float, accuracy: float) -> Bracket:
    """As `epsilon`, of the releases' own law."""
    found = directions(event)
    if found is None:
        return UNBOUNDED
    solvers = [Solver(direction, delta, accuracy) for direction in found]
    uppers = _uppers(solvers)
    # A lower value for the worst side is one for all of them.
    worst = int(np.argmax(uppers))
    bracket = _bracket(solvers[worst], uppers[worst])
    uppers[worst] = bracket.upper
    lower, upper = bracket.lower, max(uppers)
    if math.isfinite(upper) and upper - lower > _WIDE * upper:
        upper = max(min(value, solver.ceiling()) for value, solver in zip(uppers, solvers, strict=True))
        lower = min(upper, max([lower, *(solver.floor() for solver in solvers)]))
    return Bracket(lower, upper)


def upper_epsilon(event: Event, delta: float, *, accuracy: float = ACCURACY) -> float:
    """The upper value of `epsilon` alone, for half its price."""
    limits.delta(delta)
    found = directions(event)
    if found is None:
        return math.inf

    def ideal(left: float) -> float:
        return max(_uppers([Solver(direction, left, accuracy) for direction in found]))

    return inexact.raised(ideal, delta, event.variation())


def delta(event: Event, epsilon: float, *, accuracy: float = ACCURACY) -> Bracket:
    """δ(ε) of ``event``, bracketed; ``epsilon`` at least 0."""
    return deltas(event, [epsilon], accuracy=accuracy)[0]


def deltas(event: Event, epsilons: Sequence[float], *, accuracy: float = ACCURACY) -> tuple[Bracket, ...]:
    """δ(ε) of ``event`` for each ε of ``epsilons``, bracketed.

    Raises:
        ValueError: an ε is negative or not finite.
    """
    for value in epsilons:
        checks.non_negative("epsilon", value)
    found = directions(event)
    if found is None:
        return tuple(Bracket(1.0, 1.0) for _ in epsilons)
    variation = event.variation()
    return tuple(_drawn(_delta(found, value, accuracy), value, variation) for value in epsilons)


def _drawn(ideal: Bracket, epsilon: float, variation: float) -> Bracket:
    return Bracket(ideal.lower, min(1.0, ideal.upper + inexact.added(epsilon, variation)))


def upper_deltas(event: Event, epsilons: Sequence[float], *, accuracy: float = ACCURACY) -> tuple[float, ...]:
    """Upper values of δ(ε) for each ε of ``epsilons``, ascending: many for the price of a few.

    One composition gives δ at every ε of its window. It is done anew, finer, only where rounding or what is given up
    in the tails would show, and at most `_WINDOWS` times a side; what is then still left takes the value of the
    next smaller ε, which is never too small.

    Raises:
        ValueError: an ε is negative, not finite, or below the one before it.
    """
    for value in epsilons:
        checks.non_negative("epsilon", value)
    points = np.array(epsilons, dtype=float)
    if (np.diff(points) < 0).any():
        raise ValueError("epsilons: must ascend")
    sides = directions(event)
    if sides is None:
        return (1.0,) * points.size
    found = np.zeros(points.size)
    for direction in sides:
        if direction:
            found = np.maximum(found, np.minimum.accumulate(_upper_deltas(direction, points, accuracy)))
    variation = event.variation()
    added = np.array([inexact.added(float(point), variation) for point in points])
    return tuple(np.minimum(1.0, found + added).tolist())


def _upper_deltas(direction: Direction, points: Vector, accuracy: float) -> Vector:
    found = np.ones(points.size)
    left = np.ones(points.size, dtype=bool)
    for _ in range(_WINDOWS):
        if not left.any():
            break
        # From the right: what is fine enough for a small δ is fine enough for the larger ones that it holds.
        last = int(np.flatnonzero(left)[-1])
        solver = Solver(direction, _guess(direction, float(points[last])), accuracy)
        values, sure = solver.upper_deltas(points, last)
        found = np.minimum(found, values)
        left &= ~sure
        left[last] = False
    return found


def _uppers(solvers: Sequence[Solver]) -> list[float]:
    """Upper values of every direction; of one that cannot matter beside the others, any."""
    found: list[float] = []
    for solver in solvers:
        most = solver.most() if found else math.inf
        found.append(most if found and most <= max(found) else solver.solve(upper=True))
    return found


def _bracket(solver: Solver, upper: float) -> Bracket:
    """The bracket around one direction's ε, refined until it is narrow enough or cannot be had narrower."""
    lower = 0.0
    for attempt in range(_ATTEMPTS):
        if attempt:
            upper = min(upper, solver.solve(upper=True))
        if upper == 0:
            return NOTHING
        if upper == math.inf:
            return Bracket(solver.floor(), math.inf)
        lower = max(lower, _below(solver.solve(upper=False), upper, slack=_LEAST))
        if upper - lower <= solver.accuracy * upper or not solver.refine(upper - lower, upper):
            break
    return Bracket(lower, upper)


def highest_equal(upper: float, *, slack: float = _LEAST) -> float:
    """The largest lower value that rounding, and not an error, may put above ``upper``."""
    return upper * (1 + _ROUNDING) + slack


def _below(lower: float, upper: float, *, slack: float) -> float:
    """``lower``, at most ``upper``.

    Raises:
        ContradictionError: it lies above ``upper`` by more than rounding, so that one of two proven values is wrong.
    """
    if lower > highest_equal(upper, slack=slack):
        raise ContradictionError(
            f"accounting contradicts itself: a lower value, {lower!r}, lies above an upper value, {upper!r}; "
            "neither is given out: please report the event"
        )
    return min(lower, upper)


def _delta(found: Sequence[Direction], epsilon: float, accuracy: float) -> Bracket:
    """The bracket around δ(ε): every direction's upper value, and the largest lower one."""
    lower, upper = 0.0, 0.0
    for direction in found:
        bracket = _one_delta(direction, epsilon, accuracy, upper)
        lower, upper = max(lower, bracket.lower), max(upper, bracket.upper)
    return Bracket(min(lower, upper), upper)


def _one_delta(direction: Direction, epsilon: float, accuracy: float, known: float) -> Bracket:
    if not direction:
        return NOTHING
    solver = Solver(direction, _guess(direction, epsilon), accuracy)
    given_up = solver.steps * solver.tail
    if solver.steps > 1 and solver.most() <= epsilon and given_up <= known:
        return Bracket(0.0, given_up)
    lower, upper = 0.0, 1.0
    for _ in range(_ATTEMPTS):
        upper = min(upper, solver.delta_at(epsilon, upper=True))
        lower = max(lower, _below(solver.delta_at(epsilon, upper=False), upper, slack=0.0))
        # log δ falls by about θ for each unit of ε: the accuracy is that of ε, or of δ itself at the least.
        gap, value = (math.log(upper / lower) if lower > 0 else 1e3), 1 + solver.tilt * epsilon
        if upper == 0 or gap <= accuracy * value or not solver.refine(gap, value):
            break
    if lower < math.exp(-_WIDE * value) * upper:
        upper = min(upper, solver.delta_ceiling(epsilon))
        lower = min(upper, max(lower, solver.delta_floor(epsilon)))
    return Bracket(lower, upper)


def _guess(direction: Direction, epsilon: float) -> float:
    """About what δ(ε) will be, rather below: what may be given up follows from it."""
    if sum(count for _, count in direction) == 1 or large(direction):
        return 1e-51
    parts = [(part.profile(upper=True, tail=1e-60, detail=1), count) for part, count in direction]
    total = summands([(quadrature(profile, 1e-60), count) for profile, count in parts])
    tilt = total.tilt_for_epsilon(epsilon)
    bound = total.moments(tilt)[0] - tilt * epsilon
    return math.exp(max(min(bound, -1e-3) - 5, -500.0))
