"""One side of a neighbouring relation at one δ: how fine a lattice, where its window, and how to refine both.

The spacing follows from the accuracy asked for: joining the dots over one step at spacing h raises δ by at
most (h²/8) times the density of the loss, so over T steps ε by about T (h²/12) (1 + θ), θ the tilt at which
δ is decided.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator

import numpy as np

from wassdp import checks
from wassdp.accounting.numerics import ceiling, chernoff, floor
from wassdp.accounting.numerics.bracket import crossed
from wassdp.accounting.numerics.composition import LARGEST, LatticeComposition, Summands, Window
from wassdp.accounting.numerics.lattice import optimistic, pessimistic
from wassdp.accounting.numerics.revealed import Revealed, has_large_losses
from wassdp.accounting.profiles.base import ROUNDING, Loss, Profile, Vector
from wassdp.accounting.profiles.dominating import Direction

_MOVES = 60
_WORK = 1 << 24
"""Points of all transforms that one answer may take: some seconds."""
_MANY_STEPS, _MOST_STEPS = 10**8, 10**9
"""Releases from which on the rounding of a transform, multiplied as often, can be felt, and can be all there is."""
_CANCELS = 1e10
"""Budget of one release from which on rounding can be felt in its seventh digit."""
_LEAST, _SHIFT = 1e-300, 1e-15
"""What a profile in double precision may be wrong by far in its tail, absolute, and relative to its ε."""
_CELLS, _MOST_CELLS = 1 << 17, 1 << 20
"""Lattice points of one release at first, and at most."""
_OUTSIDE = "outside the range that this composition is computed for"


class Solver:
    """One direction at one δ, at a resolution that can be refined.

    Args:
        direction: the pairs to be composed.
        delta: δ, or about what δ(ε) will be.
        accuracy: wanted width of a bracket around ε, relative to it.
    """

    def __init__(self, direction: Direction, delta: float, accuracy: float) -> None:
        self.direction, self.delta, self.accuracy = direction, delta, accuracy
        self.steps = sum(count for _, count in direction)
        self.detail = 1
        # So little is given up in each step that all steps together move δ by a relative 1e-8.
        self.tail = max(1e-9 * delta / max(self.steps, 1), 1e-250)
        self.spacing = self.tilt = self.least = 0.0
        self.approximated = any(part.event.approximated for part, _ in direction)
        self.large, self.exhausted = has_large_losses(direction), self.steps > _MOST_STEPS
        # No lattice holds such losses, and no single profile is exact.
        self.beyond = self.large and (self.steps > 1 or self.approximated)

    def solve(self, *, upper: bool) -> float:
        """ε at this resolution, from above or from below, or, where no lattice serves, in closed form."""
        if not self.direction:
            return 0.0
        solved = self._solved(upper)
        # What is given up in the tails is no smaller than 1e-250: at a smaller δ it would be all there is.
        return Revealed(self.direction).epsilon(self.delta) if upper and solved == math.inf else solved

    def _solved(self, upper: bool) -> float:
        if self.beyond:
            return Revealed(self.direction).epsilon(self.delta) if upper else self.floor()
        profiles = self._profiles(upper)
        if self.steps == 1:
            return _single(profiles[0][0], self.delta, upper=upper)
        # Total variations add up: to at most δ, it is kept at ε = 0.
        if sum(count * float(profile.delta(np.zeros(1))[0]) for profile, count in profiles) <= self.delta * (1 - 1e-9):
            return 0.0
        if self.steps <= _MOST_STEPS:
            try:
                solved = self._on_lattices(profiles, upper)
                return min(solved, self._chernoff(profiles)) if upper and self.steps > _MANY_STEPS else solved
            except ValueError:
                # No window of a size that memory allows holds the answer.
                self.exhausted = True
        if not upper:
            return self.floor()
        return min(Revealed(self.direction).epsilon(self.delta), self._chernoff(profiles))

    def _on_lattices(self, profiles: list[tuple[Profile, int]], upper: bool) -> float:
        moves = work = 0
        tilt = None
        for _ in range(_MOVES):
            composition = self._composed(profiles, upper)
            tilt = self.tilt if tilt is None else tilt
            size = composition.size(tilt)
            below, above = -math.inf, math.inf
            work += sum(part.mass.size for part, _ in composition.parts)
            while size <= LARGEST:
                moves, work = moves + 1, work + size
                value = composition.window(tilt).epsilon(self.delta, upper=upper)
                if value >= 0:
                    return value
                # The window does not hold the answer: move it, and start again if that makes it too large.
                if math.isnan(value):
                    below = tilt
                    moved = min(1.5 * tilt + 1e-3, (tilt + above) / 2)
                else:
                    above = tilt
                    moved = max(0.6 * tilt if tilt > 1e-3 else 0.0, (tilt + below) / 2)
                if moved == tilt or moves > _MOVES or work > _WORK:
                    raise ValueError(f"delta = {self.delta!r}: {_OUTSIDE}")
                tilt, size = moved, composition.size(moved)
            if work > _WORK:
                break
            self.spacing *= 1.05 * size / LARGEST
        raise ValueError(f"delta = {self.delta!r}: {_OUTSIDE}")

    def _composed(self, profiles: list[tuple[Profile, int]], upper: bool) -> LatticeComposition:
        """The profiles on lattices of the spacing that is now thought fine enough."""
        if not self.spacing:
            self.spacing = self._spacing(profiles)
        make = pessimistic if upper else optimistic
        return LatticeComposition(tuple((make(profile, self.spacing, self.tail), count) for profile, count in profiles))

    def delta_at(self, epsilon: float, *, upper: bool) -> float:
        """δ(ε) at this resolution, from above or from below.

        Where no lattice serves, in closed form.
        """
        if self.beyond:
            return Revealed(self.direction).delta(epsilon) if upper else self.delta_floor(epsilon)
        profiles = self._profiles(upper)
        if self.steps == 1:
            return float(_deltas(profiles[0][0], np.array([epsilon]), upper=upper)[0])
        if self.steps <= _MOST_STEPS:
            try:
                return self._delta_on_lattices(profiles, epsilon, upper)
            except ValueError:
                self.exhausted = True
        if not upper:
            return self.delta_floor(epsilon)
        chernoffs = math.exp(chernoff.chernoff_log_delta(self._losses(profiles), epsilon, self._given_up(profiles)))
        return min(1.0, Revealed(self.direction).delta(epsilon), chernoffs)

    def upper_deltas(self, epsilons: Vector, index_of: int) -> tuple[Vector, np.ndarray]:
        """Upper values of δ at all of ``epsilons``, from what one of them, at ``index_of``, needs.

        Returns:
            The values, 1 where nothing is known, and which of them are as narrow as the accuracy asks.
        """
        values, sure = np.ones(epsilons.size), np.zeros(epsilons.size, dtype=bool)
        if self.beyond:
            revealed = Revealed(self.direction)
            return np.array([revealed.delta(float(value)) for value in epsilons]), ~sure
        profiles = self._profiles(upper=True)
        if self.steps == 1:
            return _deltas(profiles[0][0], epsilons, upper=True), ~sure
        around = None
        if self.steps <= _MOST_STEPS:
            with contextlib.suppress(ValueError):
                around = self._window(profiles, float(epsilons[index_of]))
        if around is None:
            values[index_of] = self.delta_at(float(epsilons[index_of]), upper=True)
            return values, sure
        composition, window = around
        beyond = epsilons >= composition.summands.highest()
        values[beyond], sure[beyond] = composition.infinite, True
        tolerance = self.accuracy + 3 * window.relative
        for index in np.flatnonzero(~beyond):
            value = window.delta(float(epsilons[index]), upper=True)
            if not math.isnan(value):
                values[index] = value
                narrow = window.delta(float(epsilons[index]), upper=False) >= (1 - tolerance) * value
                # What all releases give up may be no part of the answer either.
                sure[index] = narrow and window.infinite <= max(self.accuracy * value, 1e-300)
        return values, sure

    def _window(self, profiles: list[tuple[Profile, int]], epsilon: float) -> tuple[LatticeComposition, Window] | None:
        """The composition around ``epsilon``; None where it would take more points than memory allows."""
        for _ in range(4):
            composition = self._composed(profiles, upper=True)
            tilt = composition.summands.tilt_for_epsilon(min(epsilon, 0.999 * composition.summands.highest()))
            if (size := composition.size(tilt)) <= LARGEST:
                return composition, composition.window(tilt)
            self.spacing *= 1.05 * size / LARGEST
        return None

    def _chernoff(self, profiles: list[tuple[Profile, int]]) -> float:
        return chernoff.chernoff_epsilon(self._losses(profiles), self.delta, self._given_up(profiles))

    def _delta_on_lattices(self, profiles: list[tuple[Profile, int]], epsilon: float, upper: bool) -> float:
        work = 0
        for _ in range(_MOVES):
            composition = self._composed(profiles, upper)
            value, size = _delta_at(composition, epsilon, upper)
            if size <= LARGEST:
                return value
            work += sum(part.mass.size for part, _ in composition.parts)
            if work > _WORK:
                break
            self.spacing *= 1.05 * size / LARGEST
        raise ValueError(f"epsilon = {epsilon!r}: {_OUTSIDE}")

    def most(self) -> float:
        """What ε cannot exceed: the sum of the largest losses, leaving out what ``tail`` allows."""
        total = 0.0
        for profile, count in self._profiles(upper=True):
            if profile.unbounded() * self.steps >= 0.5 * self.delta:
                return math.inf
            total += count * profile.finite_end(self.tail)
        return total

    def floor(self) -> float:
        """A lower value of ε that no lattice enters: the best single attack on the releases of one kind."""
        return max((floor.attacked_epsilon(p, n, self.delta) for p, n in self._attacked()), default=0.0)

    def delta_floor(self, epsilon: float) -> float:
        """The same attack's lower value of δ(ε)."""
        return max((floor.attacked_delta(p, n, epsilon) for p, n in self._attacked()), default=0.0)

    def ceiling(self) -> float:
        """An upper value of ε that no lattice enters: good where one rare, large loss decides."""
        for profile, loss, count, lost in self._rare():
            return ceiling.rare_loss_epsilon(profile, loss, count, self.delta, lost)
        return math.inf

    def delta_ceiling(self, epsilon: float) -> float:
        """The same upper value of δ(ε)."""
        for profile, loss, count, lost in self._rare():
            return ceiling.rare_loss_delta(profile, loss, count, epsilon, lost)
        return 1.0

    def _attacked(self) -> list[tuple[Profile, int]]:
        """The releases, from below, where one attack on those of one kind says more than nothing."""
        return [] if self.large and self.approximated else self._profiles(upper=False)

    def _rare(self) -> Iterator[tuple[Profile, Loss, int, float]]:
        """The one kind of release of which a rare loss may decide, its loss, how often, and what that leaves out."""
        if len(self.direction) == 1 and self.steps > 1 and not self.large:
            ((profile, count),) = profiles = self._profiles(upper=True)
            yield profile, Loss.of(profile, self.tail), count, self._given_up(profiles)

    def _losses(self, profiles: list[tuple[Profile, int]]) -> Summands:
        return Summands.of((Loss.of(profile, self.tail), count) for profile, count in profiles)

    def _given_up(self, profiles: list[tuple[Profile, int]]) -> float:
        return sum(count * (2 * self.tail + profile.unbounded()) for profile, count in profiles)

    def refine(self, gap: float, value: float) -> bool:
        """Ask for what narrows ``gap`` to the accuracy times ``value``; False where no more can be had."""
        if self.detail >= 8 or self.large or self.exhausted:
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
        total = self._losses(profiles)
        tilt = total.tilt_for_delta(math.log(self.delta))
        self.tilt = tilt
        mean, variance = total.moments(tilt)[1:]
        low, high = total.reach(tilt)
        # ε lies near the tilted mean, a little below it.
        value = max(mean - 1 / max(tilt, 1 / math.sqrt(max(variance, 1e-300))), 0.05 * mean, 1e-3 * math.sqrt(variance))
        share = 2.0 if self.approximated else 4.0
        wanted = math.sqrt(share * self.accuracy * value / (self.steps * (1 + tilt)))
        scale = self.direction[0][0].scale if len(self.direction) == 1 else None
        ends = [profile.ends(self.tail) for profile, _ in profiles]
        # A loss that hardly varies keeps a lattice that indices can count.
        widest = max(max(end - start, 1e-9 * max(abs(start), abs(end))) for start, end in ends)
        # Where almost nothing varies the first term is rounding error; `solve` widens a spacing that is too small.
        least = max(min(1.05 * (high - low) / LARGEST, widest / 16), widest / _MOST_CELLS)
        self.least, least = least, max(least, widest / _CELLS)
        if scale is not None:
            return scale / math.ceil(scale / max(wanted, least))
        deviation = math.sqrt(max(variance, 1e-300) / self.steps)
        return max(min(wanted, deviation, widest / 16), least)


def _deltas(profile: Profile, epsilons: Vector, *, upper: bool) -> Vector:
    """δ of one release at each ε, from its profile, rounded up (or down) by what double precision may have lost.

    Nothing but a loss that cannot be exceeded gives an upper δ of 0: what is too small for all digits of a number is
    said to be at most `_LEAST`. The exponents of a profile are of the size of ε and cancel to about its root.
    """
    # A parameter of the profile may be off by a rounding or two, which a shift of ε makes up for.
    values = checks.numbers("delta", profile.delta(epsilons * (1 - _SHIFT if upper else 1 + _SHIFT)))
    error = ROUNDING * (1 + 0.01 * np.sqrt(np.maximum(epsilons, 0.0)))
    if not upper:
        return np.where(values < _LEAST, 0.0, values * (1 - error))
    largest = checks.numbers("largest", np.array([profile.largest()]))
    return np.where(epsilons < largest, np.clip(values * (1 + error), _LEAST, 1.0), 0.0)


def _single(profile: Profile, delta: float, *, upper: bool) -> float:
    """ε(δ) of one release, from its profile, rounded up (or down) in the last digits.

    The profile itself is a difference of terms whose exponents, of the size of ε, cancel: where that is large, so are
    the digits that are lost, about √(ε u) of √ε, u the unit roundoff.
    """
    if profile.unbounded() >= delta:
        return math.inf

    def height(value: float) -> float:
        found = float(_deltas(profile, np.array([value]), upper=upper)[0])
        if delta / 2 <= found <= 2 * delta:  # logarithms of numbers that differ may be the same
            return math.log1p((found - delta) / delta)
        return math.log(max(found, math.ulp(0.0))) - math.log(delta)

    low, high = crossed(height, close=1e-13)
    if high > _CANCELS:
        return high * (1 + 1e-7) if upper else low * (1 - 1e-7)
    return high if upper else low


def _delta_at(composition: LatticeComposition, epsilon: float, upper: bool) -> tuple[float, int]:
    """δ(ε) from the window at a tilt that brings ε into it, and the size of that window if it is too large."""
    if epsilon >= composition.summands.highest():
        return composition.infinite, 0
    tilt = composition.summands.tilt_for_epsilon(epsilon)
    for _ in range(_MOVES):
        size = composition.size(tilt)
        if size > LARGEST:
            return math.nan, size
        window = composition.window(tilt)
        value = window.delta(epsilon, upper=upper)
        if not math.isnan(value):
            return value, 0
        right = epsilon >= window.loss[-1]
        tilt = 1.5 * tilt + 1e-3 if right else (0.6 * tilt if tilt > 1e-3 else 0.0)
    raise ValueError(f"epsilon = {epsilon!r}: {_OUTSIDE}")
