r"""Composition of privacy losses by one tilted FFT.

The loss of a composition is a sum of independent losses. Plain FFT convolution has an absolute
error near 1e-16, useless for δ = 1e-30. So the summands are tilted first,

.. math:: p_θ(x) = p(x) e^{θx - K(θ)}, \qquad K(θ) = \log E e^{θℓ},

with θ such that the tilted sum is centred where the asked δ is decided; the T-fold composition is the
inverse transform of \prod φ_i^{T_i} on a window that holds all but e^{-40} of the tilted mass, and δ
is read off with the tilt undone:

.. math:: δ(ε) = e^{K(θ)} \sum_{x > ε} (1 - e^{ε - x}) e^{-θx} p_θ^{*T}(x) + P(ℓ = ∞).

What the window and rounding can add or lose is bounded and taken against the user.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import fft

from wassdp.accounting.lattice import Lattice
from wassdp.accounting.profiles.base import Vector

LARGEST = 1 << 22
"""Points of the largest transform: about 0.3 GiB at its peak."""
_EXPONENT = 40.0
_UNIT = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class Summands:
    """Logarithmic moment generating function of a sum of independent losses on points.

    Args:
        losses: points of each summand.
        log_masses: logarithms of their probabilities.
        counts: how often each summand enters.
    """

    losses: tuple[Vector, ...]
    log_masses: tuple[Vector, ...]
    counts: tuple[int, ...]

    def moments(self, tilt: float) -> tuple[float, float, float]:
        """K(θ), K'(θ), K''(θ): the logarithm of E e^{θℓ}, and mean and variance of the tilted sum."""
        value = mean = variance = 0.0
        for loss, log_mass, count in zip(self.losses, self.log_masses, self.counts, strict=True):
            exponent = log_mass + tilt * loss
            top = float(exponent.max())
            with np.errstate(under="ignore"):
                mass = np.exp(exponent - top)
            total = float(mass.sum())
            centre = float(mass @ loss) / total
            value += count * (top + math.log(total))
            mean += count * centre
            variance += count * float(mass @ (loss - centre) ** 2) / total
        return value, mean, variance

    def highest(self) -> float:
        """The largest sum."""
        return sum(float(loss.max()) * count for loss, count in zip(self.losses, self.counts, strict=True))

    def tilt_for_delta(self, log_delta: float) -> float:
        """A tilt that centres the sum near the ε at which δ(ε) has the logarithm ``log_delta``."""

        def log_delta_at(tilt: float) -> float:
            value, mean, variance = self.moments(tilt)
            return value - tilt * mean - math.log1p(math.sqrt(2 * math.pi * variance) * tilt * (1 + tilt))

        return self._rising(lambda tilt: -log_delta_at(tilt), -log_delta)

    def tilt_for_epsilon(self, epsilon: float) -> float:
        """A tilt that centres the sum just above ``epsilon``."""
        return self._rising(lambda tilt: self.moments(tilt)[1], epsilon)

    def _rising(self, function, target: float) -> float:  # type: ignore[no-untyped-def]
        if function(0.0) >= target:
            return 0.0
        # Beyond this tilt nothing but the highest losses is left.
        cap = 40.0 / max(min(float(np.ptp(loss)) for loss in self.losses), 1e-12) * 1e4
        low, high = 0.0, 1.0
        while function(high) < target:
            low, high = high, high * 4
            if high > cap:
                return low
        for _ in range(40):
            middle = math.sqrt(low * high) if low > 1e-3 * high else high / 8
            if function(middle) < target:
                low = middle
            else:
                high = middle
            if high - low < 0.01 * high:
                break
        return high

    def reach(self, tilt: float) -> tuple[float, float]:
        """Ends that the tilted sum leaves with probability at most e^{-40} each (Chernoff)."""
        value, mean, variance = self.moments(tilt)
        if variance <= 0:
            return mean, mean
        found = []
        for sign in (-1.0, 1.0):
            best = math.inf
            step = sign * 9.0 / math.sqrt(variance)
            for _ in range(24):
                distance = (self.moments(tilt + step)[0] - value + _EXPONENT) / step
                if sign * distance >= best:
                    break
                best, step = sign * distance, step * 0.8
            found.append(sign * best)
        return min(found[0], mean), max(found[1], mean)


@dataclass(frozen=True, eq=False)
class Composition:
    """A composition of losses on one lattice.

    Args:
        parts: each loss and how often it is released; all on one spacing, at least one.
    """

    parts: tuple[tuple[Lattice, int], ...]

    @property
    def spacing(self) -> float:
        """Distance of lattice points."""
        return self.parts[0][0].spacing

    @cached_property
    def summands(self) -> Summands:
        """The finite losses."""
        return Summands(
            tuple(part.loss for part, _ in self.parts),
            tuple(part.log_mass for part, _ in self.parts),
            tuple(count for _, count in self.parts),
        )

    @cached_property
    def infinite(self) -> float:
        """Probability that any loss is infinite."""
        return -math.expm1(sum(count * math.log1p(-part.infinite) for part, count in self.parts))

    def size(self, tilt: float) -> int:
        """Points of the window at ``tilt``."""
        low, high = self.summands.reach(tilt)
        return fft.next_fast_len(max(16, math.ceil((high - low) / self.spacing) + 4), real=True)

    def window(self, tilt: float) -> Window:
        """The composed loss around its mean at ``tilt``.

        Raises:
            ValueError: the window has more than `LARGEST` points.
        """
        value = self.summands.moments(tilt)[0]
        low, high = self.summands.reach(tilt)
        size = fft.next_fast_len(max(16, math.ceil((high - low) / self.spacing) + 4), real=True)
        if size > LARGEST:
            raise ValueError(f"spacing = {self.spacing!r}: the composition needs {size} points, more than {LARGEST}")
        logarithm: np.ndarray = np.zeros(size // 2 + 1, dtype=complex)
        centre, slack = 0, 0.0
        for part, count in self.parts:
            exponent = part.log_mass + tilt * part.loss
            with np.errstate(under="ignore"):
                mass = np.exp(exponent - exponent.max())
            mass /= mass.sum()
            middle = round(float(mass @ np.arange(mass.size)))
            centre += count * (part.first + middle)
            circle = np.bincount((np.arange(mass.size) - middle) % size, mass, size)
            transform = fft.rfft(circle)
            # Every frequency has an absolute error of a few units; a power multiplies it.
            with np.errstate(divide="ignore"):
                logarithm += count * np.log(transform)
            slack += count
        with np.errstate(under="ignore", invalid="ignore"):
            power = np.where(np.isneginf(logarithm.real), 0.0, np.exp(logarithm))
            noise = 4 * _UNIT * (slack + math.log2(size) + 8) * float(np.abs(power).sum()) / size * 2
        density = fft.irfft(power, size)
        start = math.floor(low / self.spacing) - 1
        density = np.roll(density, -((start - centre) % size))
        return Window(self.spacing, start, tilt, value, density, noise, self.infinite)


@dataclass(frozen=True, eq=False)
class Window:
    """A composed privacy loss, tilted, on the lattice points where its tilted mass lies.

    Args:
        spacing: h.
        start: index of the first point.
        tilt: θ.
        log_scale: K(θ).
        density: p_θ on start, start + 1, ...
        noise: bound on the rounding error of each value.
        infinite: probability of an infinite loss.
    """

    spacing: float
    start: int
    tilt: float
    log_scale: float
    density: Vector
    noise: float
    infinite: float

    @cached_property
    def _sums(self) -> tuple[Vector, Vector, Vector, Vector, Vector]:
        """Losses, and sums over all points from each on: of weights, of weights e^{-x}, and of their error bounds."""
        loss = (self.start + np.arange(self.density.size)) * self.spacing
        relative = loss - self._anchor
        with np.errstate(over="ignore"):
            weight = np.exp(np.minimum(-self.tilt * relative, 600.0))
            falling = np.exp(np.clip(-relative, -600.0, 600.0))
        density = np.maximum(self.density, 0.0)
        outside = weight * math.exp(-_EXPONENT)
        return (
            loss,
            np.cumsum((weight * density)[::-1])[::-1],
            np.cumsum((weight * density * falling)[::-1])[::-1],
            np.cumsum((weight * self.noise)[::-1])[::-1] + outside,
            weight,
        )

    @property
    def _anchor(self) -> float:
        return (self.start + self.density.size // 2) * self.spacing

    def epsilon(self, delta: float, *, upper: bool) -> float:
        """The ε at which δ(ε) is ``delta``, errors taken upward (or downward for a lower value); at least 0.

        Infinity where an infinite loss alone has probability ``delta`` or more; NaN where the answer
        lies outside the window.
        """
        left = delta - self.infinite
        if left <= 0:
            return math.inf
        loss, mass, shrunk, error, _ = self._sums
        sign = 1.0 if upper else -1.0
        log_target = math.log(left) - self.log_scale + self.tilt * self._anchor
        if log_target > 600:
            return 0.0 if loss[0] <= 0 else math.nan
        target = math.exp(log_target)
        # δ at each lattice point: the sum over points from it on of (1 - e^{ε - x}) weight(x).
        at = mass - np.exp(np.clip(loss - self._anchor, -600.0, 600.0)) * shrunk + sign * error
        above = np.flatnonzero(at > target)
        if not above.size:
            # δ is below the target from the window's first point on.
            return self._between(0, target, sign) if loss[0] <= 0 or self.tilt == 0 else math.nan
        last = int(above[-1])
        if last + 1 >= loss.size:
            return math.nan
        return self._between(last + 1, target, sign)

    def _between(self, index: int, target: float, sign: float) -> float:
        """ε in the interval that ends at point ``index``, where δ is linear in e^ε."""
        loss, mass, shrunk, error, _ = self._sums
        room = mass[index] + sign * error[max(index - 1, 0)] - target
        if room <= 0 or shrunk[index] <= 0:
            return max(0.0, float(loss[index - 1])) if index else 0.0
        found = self._anchor + math.log(room / shrunk[index])
        previous = float(loss[index - 1]) if index else -math.inf
        return max(0.0, min(max(found, previous), float(loss[index])))

    def delta(self, epsilon: float, *, upper: bool) -> float:
        """δ(ε), errors taken upward (or downward); NaN where ε lies outside the window."""
        loss, mass, shrunk, error, _ = self._sums
        index = int(np.searchsorted(loss, epsilon, side="right"))
        if index >= loss.size or (index == 0 and self.tilt > 0):
            return math.nan
        sign = 1.0 if upper else -1.0
        total = mass[index] - math.exp(min(epsilon - self._anchor, 600.0)) * shrunk[index] + sign * error[index]
        if total <= 0:
            return self.infinite
        log_found = math.log(total) + self.log_scale - self.tilt * self._anchor
        return min(1.0, math.exp(min(log_found, 0.0)) + self.infinite)


def flattened(parts: Sequence[tuple[Lattice, int]]) -> Composition:
    """A composition of the parts that are released at all."""
    return Composition(tuple((part, count) for part, count in parts if count))
