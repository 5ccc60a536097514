r"""ε(δ) and δ(ε) of an event between a lower and an upper value.

Every direction (THEORY 1) is composed twice, on a pessimistic and on an optimistic lattice; the
exact figure lies between the two answers. The spacing follows from the accuracy asked for: joining
the dots over one step at spacing h raises δ by at most (h²/8) times the density of the loss, so over T
steps ε by about T (h²/12) (1 + θ), θ the tilt at which δ is decided.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wassdp import checks
from wassdp.accounting import floor
from wassdp.accounting.composition import LARGEST, Composition, Summands
from wassdp.accounting.event import Event
from wassdp.accounting.lattice import optimistic, pessimistic
from wassdp.accounting.profiles.base import Loss, Profile
from wassdp.accounting.profiles.dominating import Direction, directions

ACCURACY = 2e-4
"""Default relative width of the bracket around ε."""
_WIDE = 1e-2
"""Relative width from which on a second lower value is asked for."""
_ATTEMPTS = 3
_MOVES = 60
_CELLS = 1 << 17
"""Lattice points of one release, at most."""


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
        event: what was released; `wassdp.accounting.profiles.dominating.refusal` must not refuse it.
        delta: in (0, 1).
        accuracy: wanted width of the bracket relative to ε, where memory allows.

    Raises:
        ValueError: bad arguments, or an event outside every range that can be computed.
    """
    checks.open_unit("delta", delta)
    checks.open_unit("accuracy", accuracy)
    found = directions(event)
    if found is None:
        return UNBOUNDED
    solvers = [_Solver(direction, delta, accuracy) for direction in found]
    uppers = [solver.solve(upper=True) for solver in solvers]
    # A lower value for the worst side is one for all of them.
    worst = int(np.argmax(uppers))
    bracket = _bracket(solvers[worst], uppers[worst])
    others = [upper for i, upper in enumerate(uppers) if i != worst]
    lower, upper = bracket.lower, max([bracket.upper, *others])
    if math.isfinite(upper) and upper - lower > _WIDE * upper:
        lower = min(upper, max([lower, *(solver.floor() for solver in solvers)]))
    return Bracket(lower, upper)


def upper_epsilon(event: Event, delta: float, *, accuracy: float = ACCURACY) -> float:
    """The upper value of `epsilon` alone, for half its price."""
    checks.open_unit("delta", delta)
    found = directions(event)
    if found is None:
        return math.inf
    return max(_Solver(direction, delta, accuracy).solve(upper=True) for direction in found)


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
    result = []
    for value in epsilons:
        pairs = [_delta(direction, value, accuracy) for direction in found]
        result.append(Bracket(max(b.lower for b in pairs), max(b.upper for b in pairs)))
    return tuple(result)


def _bracket(solver: _Solver, upper: float) -> Bracket:
    """The bracket around one direction's ε, refined until it is narrow enough or cannot be had narrower."""
    lower = 0.0
    for attempt in range(_ATTEMPTS):
        if attempt:
            upper = min(upper, solver.solve(upper=True))
        if upper in (0.0, math.inf):
            return Bracket(upper, upper)
        lower = max(lower, min(upper, solver.solve(upper=False)))
        if upper - lower <= solver.accuracy * upper or not solver.refine(upper - lower, upper):
            break
    return Bracket(lower, upper)


class _Solver:
    """One direction at one δ, at a resolution that can be refined."""

    def __init__(self, direction: Direction, delta: float, accuracy: float) -> None:
        self.direction, self.delta, self.accuracy = direction, delta, accuracy
        self.steps = sum(count for _, count in direction)
        self.detail = 1
        # So little is given up in each step that all steps together move δ by a relative 1e-8.
        self.tail = max(1e-9 * delta / max(self.steps, 1), 1e-250)
        self.spacing = self.tilt = self.least = 0.0
        self.approximated = any(part.approximated for part, _ in direction)

    def solve(self, *, upper: bool) -> float:
        if not self.direction:
            return 0.0
        profiles = self._profiles(upper)
        if self.steps == 1:
            return _single(profiles[0][0], self.delta)
        if not self.spacing:
            self.spacing = self._spacing(profiles)
        make = pessimistic if upper else optimistic
        tilt, moves = self.tilt, 0
        for _ in range(_MOVES):
            composition = Composition(tuple((make(profile, self.spacing, self.tail), n) for profile, n in profiles))
            size = composition.size(tilt)
            below, above = -math.inf, math.inf
            while size <= LARGEST:
                moves += 1
                found = composition.window(tilt).epsilon(self.delta, upper=upper)
                if found >= 0:
                    return found
                # The window does not hold the answer: move it, and start again if that makes it too large.
                if math.isnan(found):
                    below = tilt
                    moved = min(1.5 * tilt + 1e-3, (tilt + above) / 2)
                else:
                    above = tilt
                    moved = max(0.6 * tilt if tilt > 1e-3 else 0.0, (tilt + below) / 2)
                if moved == tilt or moves > _MOVES:
                    raise ValueError(f"delta = {self.delta!r}: outside the range that this composition is computed for")
                tilt, size = moved, composition.size(moved)
            self.spacing *= 1.05 * size / LARGEST
        raise ValueError(f"delta = {self.delta!r}: outside the range that this composition is computed for")

    def floor(self) -> float:
        """A lower value that no lattice enters: the best single attack on the releases of one kind."""
        return max((floor.epsilon(p, n, self.delta) for p, n in self._profiles(upper=False)), default=0.0)

    def refine(self, gap: float, value: float) -> bool:
        """Ask for more of everything; False where no more can be had."""
        if self.detail >= 8:
            return False
        self.detail *= 2
        if self.steps > 1:
            # Where the pair itself is approximated, that is what is left of the gap.
            needed = 0.7 * math.sqrt(self.accuracy * value / gap)
            finer = max(self.least, self.spacing * (0.7 if self.approximated else max(0.1, needed)))
            if finer > 0.95 * self.spacing and not self.approximated:
                return False
            self.spacing = finer
        return self.steps > 1 or self.approximated

    def _profiles(self, upper: bool) -> list[tuple[Profile, int]]:
        return [
            (part.profile(upper=upper, tail=self.tail, detail=self.detail), count) for part, count in self.direction
        ]

    def _spacing(self, profiles: list[tuple[Profile, int]]) -> float:
        """Spacing at which the bracket is about ``accuracy`` times ε."""
        exact = [(_quadrature(profile, self.tail), count) for profile, count in profiles]
        summands = _summands(exact)
        tilt = summands.tilt_for_delta(math.log(self.delta))
        self.tilt = tilt
        mean, variance = summands.moments(tilt)[1:]
        low, high = summands.reach(tilt)
        # ε lies near the tilted mean, a little below it.
        value = max(mean - 1 / max(tilt, 1 / math.sqrt(max(variance, 1e-300))), 0.05 * mean, 1e-3 * math.sqrt(variance))
        share = 2.0 if self.approximated else 4.0
        wanted = math.sqrt(share * self.accuracy * value / (self.steps * (1 + tilt)))
        scale = self.direction[0][0].scale if len(self.direction) == 1 else None
        ends = [profile.ends(self.tail) for profile, _ in profiles]
        # A loss that hardly varies keeps a lattice that indices can count.
        widest = max(max(end - start, 1e-9 * max(abs(start), abs(end))) for start, end in ends)
        # Where almost nothing varies the first term is rounding error; `solve` widens a spacing that is too small.
        least = max(min(1.05 * (high - low) / LARGEST, widest / 16), widest / _CELLS)
        self.least = least
        if scale is not None:
            cells = math.ceil(scale / max(wanted, least))
            return scale / cells
        deviation = math.sqrt(max(variance, 1e-300) / self.steps)
        return max(min(wanted, deviation, widest / 16), least)


def _quadrature(profile: Profile, tail: float) -> Loss:
    return profile.continuous(np.empty(0), tail) + profile.atoms()


def _summands(parts: Sequence[tuple[Loss, int]]) -> Summands:
    kept = [(part.loss[part.mass > 0], np.log(part.mass[part.mass > 0]), count) for part, count in parts]
    return Summands(tuple(p[0] for p in kept), tuple(p[1] for p in kept), tuple(p[2] for p in kept))


def _single(profile: Profile, delta: float) -> float:
    """ε(δ) of one release, from its profile, rounded up in the last digits."""

    def above(value: float) -> bool:
        return bool(profile.delta(np.array([value]))[0] > delta)

    if profile.unbounded() >= delta:
        return math.inf
    if not above(0.0):
        return 0.0
    low, high = 0.0, 1e-6
    while above(high):
        low, high = high, 2 * high
    for _ in range(200):
        middle = (low + high) / 2
        if high - low <= 1e-13 * high or middle in (low, high):
            break
        low, high = (middle, high) if above(middle) else (low, middle)
    return high


def _delta(direction: Direction, epsilon: float, accuracy: float) -> Bracket:
    if not direction:
        return NOTHING
    steps = sum(count for _, count in direction)
    found = []
    guess = 1e-6
    for upper in (True, False):
        if steps == 1:
            profile = direction[0][0].profile(upper=upper, tail=1e-60, detail=1)
            found.append(float(profile.delta(np.array([epsilon]))[0]))
            continue
        # δ is not known yet, and with it the tail that may be given up: start from Chernoff's bound.
        rough = [(part.profile(upper=True, tail=1e-60, detail=1), count) for part, count in direction]
        summands = _summands([(_quadrature(profile, 1e-60), count) for profile, count in rough])
        tilt = summands.tilt_for_epsilon(epsilon)
        bound = summands.moments(tilt)[0] - tilt * epsilon
        guess = math.exp(max(min(bound, -1e-3) - 5, -500.0))
        solver = _Solver(direction, guess, accuracy)
        profiles = solver._profiles(upper)
        spacing = solver._spacing(profiles)
        make = pessimistic if upper else optimistic
        for _ in range(_MOVES):
            composition = Composition(tuple((make(p, spacing, solver.tail), count) for p, count in profiles))
            value, size = _delta_at(composition, epsilon, upper)
            if size <= LARGEST:
                break
            spacing *= 1.05 * size / LARGEST
        found.append(value)
    return Bracket(min(found), max(found))


def _delta_at(composition: Composition, epsilon: float, upper: bool) -> tuple[float, int]:
    """δ(ε) from the window at a tilt that brings ε into it, and the size of that window if it is too large."""
    trivial = 1.0 if upper else 0.0
    if epsilon >= composition.summands.highest():
        return composition.infinite, 0
    tilt = composition.summands.tilt_for_epsilon(epsilon)
    for _ in range(_MOVES):
        size = composition.size(tilt)
        if size > LARGEST:
            return trivial, size
        window = composition.window(tilt)
        value = window.delta(epsilon, upper=upper)
        if not math.isnan(value):
            return value, 0
        right = epsilon >= window.loss[-1]
        tilt = 1.5 * tilt + 1e-3 if right else (0.6 * tilt if tilt > 1e-3 else 0.0)
    return trivial, 0
