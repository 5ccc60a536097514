r"""ε(δ) and δ(ε) of an event between a lower and an upper value.

Every direction, a side of the neighbouring relation, is composed twice, on a pessimistic and on an optimistic lattice;
the exact figure lies between the two answers.
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
from wassdp.accounting.numerics.composition import Summands
from wassdp.accounting.numerics.revealed import has_large_losses
from wassdp.accounting.numerics.solver import Solver
from wassdp.accounting.profiles.base import Loss, Vector
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
    limits.computable_delta(delta)
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
    sides = directions(event)
    if sides is None:
        return UNBOUNDED
    solvers = [Solver(direction, delta, accuracy) for direction in sides]
    uppers = _uppers(solvers)
    # A lower value for the worst side is one for all of them.
    worst = int(np.argmax(uppers))
    bracket = _bracket(solvers[worst], uppers[worst])
    lower, uppers[worst] = bracket.lower, bracket.upper
    upper = max(uppers)
    if math.isfinite(upper) and upper - lower > _WIDE * upper:
        upper = max(min(value, solver.ceiling()) for value, solver in zip(uppers, solvers, strict=True))
        lower = min(upper, max([lower, *(solver.floor() for solver in solvers)]))
    return Bracket(lower, upper)


def upper_epsilon(event: Event, delta: float, *, accuracy: float = ACCURACY) -> float:
    """The upper value of `epsilon` alone, for half its price."""
    limits.computable_delta(delta)
    sides = directions(event)
    if sides is None:
        return math.inf

    def ideal(left: float) -> float:
        return max(_uppers([Solver(direction, left, accuracy) for direction in sides]))

    return inexact.raised(ideal, delta, event.variation())


def delta(event: Event, epsilon: float, *, accuracy: float = ACCURACY) -> Bracket:
    """δ(ε) of ``event``, bracketed.

    Raises:
        ValueError: ``epsilon`` is negative or not finite.
    """
    checks.non_negative("epsilon", epsilon)
    sides = directions(event)
    if sides is None:
        return Bracket(1.0, 1.0)
    lower = upper = 0.0
    for direction in sides:
        bracket = _one_delta(direction, epsilon, accuracy, upper)
        lower, upper = max(lower, bracket.lower), max(upper, bracket.upper)
    return Bracket(min(lower, upper), min(1.0, upper + inexact.added(epsilon, event.variation())))


def upper_deltas(event: Event, epsilons: Sequence[float], *, accuracy: float = ACCURACY) -> tuple[float, ...]:
    """Upper values of δ(ε) for each ε of ``epsilons``, ascending: many for the price of a few.

    One composition gives δ at every ε of its window. It is done anew, finer, only where rounding or what is given up
    in the tails would show, and at most `_WINDOWS` times a side; what is then still left takes the value of the
    next smaller ε, which is never too small.

    Raises:
        ValueError: an ε is negative, not finite, or below the one before it.
    """
    return tuple(np.maximum(*sided_upper_deltas(event, epsilons, accuracy=accuracy)).tolist())


def sided_upper_deltas(event: Event, epsilons: Sequence[float], *, accuracy: float = ACCURACY) -> tuple[Vector, Vector]:
    """`upper_deltas` of either side: of the records with the one in question against those without it, and reversed.

    Where the two are not told apart, as under a relation that is symmetric, both are the same.

    Raises:
        ValueError: as there.
    """
    for value in epsilons:
        checks.non_negative("epsilon", value)
    points = np.array(epsilons, dtype=float)
    if (np.diff(points) < 0).any():
        raise ValueError("epsilons: must ascend")
    sides = directions(event)
    if sides is None:
        return np.ones(points.size), np.ones(points.size)
    added = np.array([inexact.added(float(point), event.variation()) for point in points])
    values = [np.zeros(points.size)] if not sides else []
    for direction in sides:
        ideal = _upper_deltas(direction, points, accuracy) if direction else np.zeros(points.size)
        values.append(np.minimum(1.0, np.minimum.accumulate(ideal) + added))
    return values[0], values[-1]


def _upper_deltas(direction: Direction, points: Vector, accuracy: float) -> Vector:
    least, left = np.ones(points.size), np.ones(points.size, dtype=bool)
    for _ in range(_WINDOWS):
        if not left.any():
            break
        # From the right: what is fine enough for a small δ is fine enough for the larger ones that it holds.
        last = int(np.flatnonzero(left)[-1])
        solver = Solver(direction, _guess(direction, float(points[last])), accuracy)
        values, sure = solver.upper_deltas(points, last)
        least = np.minimum(least, values)
        left &= ~sure
        left[last] = False
    return least


def _uppers(solvers: Sequence[Solver]) -> list[float]:
    """Upper values of every direction; of one that cannot matter beside the others, any."""
    uppers: list[float] = []
    for solver in solvers:
        most = solver.most() if uppers else math.inf
        uppers.append(most if uppers and most <= max(uppers) else solver.solve(upper=True))
    checks.numbers("epsilon", np.array(uppers))
    return uppers


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
    if sum(count for _, count in direction) == 1 or has_large_losses(direction):
        return 1e-51
    parts = [(part.profile(upper=True, tail=1e-60, detail=1), count) for part, count in direction]
    total = Summands.of((Loss.of(profile, 1e-60), count) for profile, count in parts)
    tilt = total.tilt_for_epsilon(epsilon)
    bound = total.moments(tilt)[0] - tilt * epsilon
    return math.exp(max(min(bound, -1e-3) - 5, -500.0))
