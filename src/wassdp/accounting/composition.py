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
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import fft, signal

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
        spread = self.moments(0.0)[2]

        def log_delta_at(tilt: float) -> float:
            value, mean, variance = self.moments(tilt)
            if variance <= 1e-9 * spread:
                # Nothing but the highest losses is left: no larger tilt would move the sum.
                return -math.inf
            return value - tilt * mean - math.log1p(math.sqrt(2 * math.pi * variance) * tilt * (1 + tilt))

        return self._rising(lambda tilt: -log_delta_at(tilt), -log_delta)

    def tilt_for_epsilon(self, epsilon: float) -> float:
        """A tilt that centres the sum just above ``epsilon``."""
        return self._rising(lambda tilt: self.moments(tilt)[1], epsilon)

    def _rising(self, function: Callable[[float], float], target: float) -> float:
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
        lowest = sum(float(loss.min()) * count for loss, count in zip(self.losses, self.counts, strict=True))
        return max(min(found[0], mean), lowest), min(max(found[1], mean), self.highest())


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
        offset = sum(part.offset * count for part, count in self.parts)
        low, high = (end - offset for end in self.summands.reach(tilt))
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
            # A frequency that is lost in rounding contributes nothing; its logarithm must stay finite.
            logarithm += count * np.log(np.where(transform == 0, 1e-300, transform))
            slack += count
        with np.errstate(under="ignore"):
            power = np.exp(logarithm)
            noise = 4 * _UNIT * (slack + math.log2(size) + 8) * float(np.abs(power).sum()) / size * 2
        density = fft.irfft(power, size)
        start = math.floor(low / self.spacing) - 1
        density = np.roll(density, -((start - centre) % size))
        return Window(self.spacing, start, tilt, value, density, noise, self.infinite, offset)


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
        offset: added to every loss.
    """

    spacing: float
    start: int
    tilt: float
    log_scale: float
    density: Vector
    noise: float
    infinite: float
    offset: float = 0.0

    @cached_property
    def loss(self) -> Vector:
        """The losses that ``density`` belongs to."""
        return (self.start + np.arange(self.density.size)) * self.spacing + self.offset

    @cached_property
    def _sums(self) -> tuple[Vector, Vector, Vector, Vector]:
        r"""For each point x, over all points y ≥ x.

        a = \sum e^{-θ(y-x)} p(y), b = \sum e^{-(1+θ)(y-x)} p(y), d = a - b without cancellation, and a
        bound on the error of d. Then δ(x) = e^{K(θ) - θx} d. Each is a recursion from the right, in
        which nothing can overflow.
        """
        h, density = self.spacing, np.maximum(self.density, 0.0)
        a = _from_right(density, math.exp(-self.tilt * h))
        b = _from_right(density, math.exp(-(1 + self.tilt) * h))
        steps = -math.expm1(-h) * math.exp(-self.tilt * h) * np.append(b[1:], 0.0)
        d = _from_right(steps, math.exp(-self.tilt * h))
        error = _from_right(np.full(density.size, self.noise), math.exp(-self.tilt * h)) + math.exp(-_EXPONENT)
        return a, b, d, error

    def epsilon(self, delta: float, *, upper: bool) -> float:
        """The ε at which δ(ε) is ``delta``, errors taken upward (or downward for a lower value); at least 0.

        Infinity where an infinite loss alone has probability ``delta`` or more; minus infinity where the
        answer lies left of the window, NaN where it lies right of it.
        """
        left = delta - self.infinite
        if left <= 0:
            return math.inf
        a, b, d, error = self._sums
        sign = 1.0 if upper else -1.0
        with np.errstate(over="ignore"):
            target = np.exp(np.minimum(math.log(left) - self.log_scale + self.tilt * self.loss, 700.0))
        above = np.flatnonzero(d + sign * error > target)
        index = int(above[-1]) + 1 if above.size else 0
        if index == self.density.size:
            return math.nan
        if not above.size and self.tilt > 0 and self.loss[0] > 0:
            return -math.inf
        # Between the previous point and this one δ is linear in e^ε.
        room = float(a[index] + sign * error[index] - target[index])
        previous = float(self.loss[index - 1]) if index else -math.inf
        found = float(self.loss[index]) + math.log(room / b[index]) if room > 0 and b[index] > 0 else previous
        return max(0.0, min(max(found, previous), float(self.loss[index])))

    def delta(self, epsilon: float, *, upper: bool) -> float:
        """δ(ε), errors taken upward (or downward); NaN where ε lies outside the window."""
        index = int(np.searchsorted(self.loss, epsilon, side="right"))
        if index >= self.density.size or (index == 0 and self.tilt > 0):
            return math.nan
        _, b, d, error = self._sums
        distance = float(self.loss[index]) - epsilon
        total = d[index] - math.expm1(-distance) * b[index] + (1.0 if upper else -1.0) * error[index]
        if total <= 0:
            return self.infinite
        return min(
            1.0, math.exp(min(math.log(total) + self.log_scale - self.tilt * self.loss[index], 0.0)) + self.infinite
        )


def _from_right(values: Vector, factor: float) -> Vector:
    """s_i = values_i + factor s_{i+1}."""
    found: Vector = signal.lfilter([1.0], [1.0, -factor], values[::-1])[::-1]
    return found
