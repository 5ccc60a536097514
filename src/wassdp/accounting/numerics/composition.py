r"""Composition of privacy losses by one tilted FFT.

The loss of a composition is a sum of independent losses. Plain FFT convolution has an absolute
error near 1e-16, useless for δ = 1e-30. So the summands are tilted first,

.. math:: p_θ(x) = p(x) e^{θx - K(θ)}, \qquad K(θ) = \log E e^{θℓ},

with θ such that the tilted sum is centred where the asked δ is decided; the T-fold composition is the
inverse transform of \prod φ_i^{T_i} on a window that holds all but e^{-40} of the tilted mass, and δ
is read off with the tilt undone:

.. math:: δ(ε) = e^{K(θ)} \sum_{x > ε} (1 - e^{ε - x}) e^{-θx} p_θ^{*T}(x) + P(ℓ = ∞).

What the window and rounding can add or lose is bounded and taken against the user. With unit roundoff u, a
transform of length n has a relative error of at most ε = 8u log₂n in the 2-norm (Higham 2002, Theorem 24.2: the
factor is 6.7 for radix 2 and exact twiddle factors, and per bit no more than 7 for radices 3, 4 and 5). Since
|a^T - b^T| ≤ T |a - b| max(|a|, |b|)^{T-1}, Cauchy and Schwarz bound the error of every value of the composition by

.. math:: \sum_i T_i \, ε \, ‖p_i‖_2 \Big(\tfrac1n \sum_k A_k^{2 - 2/T_i}\Big)^{1/2} + ε ‖p_θ^{*T}‖_2
    + \tfrac1n \sum_k |\hat p_k| r_k, \qquad A = \prod_i |φ_i|^{T_i},

r the relative rounding error of a power taken by logarithm and exponential. Errors that are relative to the
summands' probabilities, such as those of their quadrature, multiply δ by at most their T-th power.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import fft
from scipy.linalg import lapack

from wassdp import checks
from wassdp.accounting.numerics.lattice import Lattice
from wassdp.accounting.profiles.base import Loss, Vector

LARGEST = 1 << 22
"""Points of the largest transform: about 0.3 GiB at its peak."""
_EXPONENT = 40.0
_PIECE = 1 << 12
_UNIT = float(np.finfo(float).eps) / 2
_MASS, _TAIL = 1e-12, 1e-8
"""Relative error of a lattice's probabilities by quadrature: of one release on average over its tilted loss, and for
all releases together where few of them reach far into a tail; tests compare both with higher precision."""


def tilted(loss: Vector, log_mass: Vector, tilt: float) -> tuple[Vector, float, Vector]:
    """Exponents log p(x) + θx, the largest of them, and e to the power of what each lies below that."""
    exponent = log_mass + tilt * loss
    top = float(exponent.max())
    with np.errstate(under="ignore"):
        return exponent, top, np.exp(exponent - top)


@dataclass(frozen=True, eq=False)
class Summands:
    """Logarithmic moment generating function of a sum of independent losses on points.

    Args:
        parts: points of each summand, logarithms of their probabilities, and how often it enters.
    """

    parts: tuple[tuple[Vector, Vector, int], ...]

    @classmethod
    def of(cls, losses: Iterable[tuple[Loss, int]]) -> Summands:
        """Of losses, each released so many times."""
        seen = ((loss, loss.mass > 0, count) for loss, count in losses)
        return cls(tuple((loss.loss[some], np.log(loss.mass[some]), count) for loss, some, count in seen))

    def moments(self, tilt: float) -> tuple[float, float, float]:
        """K(θ), K'(θ), K''(θ): the logarithm of E e^{θℓ}, and mean and variance of the tilted sum."""
        value = mean = variance = 0.0
        for loss, log_mass, count in self.parts:
            _, top, mass = tilted(loss, log_mass, tilt)
            total = float(mass.sum())
            centre = float(mass @ loss) / total
            value += count * (top + math.log(total))
            mean += count * centre
            variance += count * float(mass @ (loss - centre) ** 2) / total
        return value, mean, variance

    def highest(self) -> float:
        """The largest sum."""
        return sum(float(loss.max()) * count for loss, _, count in self.parts)

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
        cap = 40.0 / max(min(float(np.ptp(loss)) for loss, _, _ in self.parts), 1e-12) * 1e4
        low, high = 0.0, 1.0
        while function(high) < target:
            low, high = high, high * 4
            if high > cap:
                return low
        for _ in range(40):
            middle = math.sqrt(low * high) if low > 1e-3 * high else high / 8
            low, high = (middle, high) if function(middle) < target else (low, middle)
            if high - low < 0.01 * high:
                break
        return high

    def reach(self, tilt: float) -> tuple[float, float]:
        """Ends that the tilted sum leaves with probability at most e^{-40} each (Chernoff)."""
        value, mean, variance = self.moments(tilt)
        if variance <= 0:
            return mean, mean
        ends = []
        for sign in (-1.0, 1.0):
            best, step = math.inf, sign * 9.0 / math.sqrt(variance)
            for _ in range(24):
                distance = (self.moments(tilt + step)[0] - value + _EXPONENT) / step
                if sign * distance >= best:
                    break
                best, step = sign * distance, step * 0.8
            ends.append(sign * best)
        lowest = sum(float(loss.min()) * count for loss, _, count in self.parts)
        return max(min(ends[0], mean), lowest), min(max(ends[1], mean), self.highest())


@dataclass(frozen=True, eq=False)
class LatticeComposition:
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
        return Summands(tuple((part.loss, part.log_mass, count) for part, count in self.parts))

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
        # Logarithm of A; and of each power the absolute error, in units of roundoff.
        log_bound, log_error = np.zeros(size // 2 + 1), np.full(size // 2 + 1, 4.0)
        transformed = 8 * _UNIT * math.log2(size)
        centre, norms, relative = 0, [], _TAIL + 8 * size * _UNIT
        for part, count in self.parts:
            exponent, top, mass = tilted(part.loss, part.log_mass, tilt)
            mass /= mass.sum()
            middle = round(float(mass @ np.arange(mass.size)))
            centre += count * (part.first + middle)
            circle = np.bincount((np.arange(mass.size) - middle) % size, mass, size)
            norm = float(np.linalg.norm(circle))
            norms.append((count, norm))
            transform = fft.rfft(circle)
            # A frequency that is lost in rounding contributes nothing; its logarithm must stay finite.
            log_transform = np.log(np.where(transform == 0, 1e-300, transform))
            logarithm += count * log_transform
            log_error += 4 * count * (np.abs(log_transform.real) + np.abs(log_transform.imag))
            log_bound += count * np.log(np.minimum(np.abs(transform) + math.sqrt(size) * transformed * norm, 1.0))
            # Rounding of exponents, here and in K(θ), and what the probabilities came with.
            some = mass > 0
            spread = float(mass[some] @ np.abs(exponent[some]))
            relative += count * (_MASS + 8 * _UNIT * (spread + abs(top) + 20))
        with np.errstate(under="ignore"):
            power = np.exp(logarithm)
            noise = float((np.abs(power) * log_error).sum()) * _UNIT
            for count, norm in norms:
                mean = 2 / size * float(np.exp((2 - 2 / count) * log_bound).sum())
                noise += count * transformed * norm * math.sqrt(mean) * size / 2
        density = fft.irfft(power, size)
        noise = noise * 2 / size + transformed * float(np.linalg.norm(density))
        start = math.floor(low / self.spacing) - 1
        density = np.roll(density, -((start - centre) % size))
        return Window(self.spacing, start, tilt, value, density, noise, self.infinite, offset, relative)


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
        relative: logarithm of the factor by which δ can be wrong otherwise.

    Raises:
        ValueError: one of them is not a number, or infinite where it scales or moves the others.
    """

    spacing: float
    start: int
    tilt: float
    log_scale: float
    density: Vector
    noise: float
    infinite: float
    offset: float = 0.0
    relative: float = 0.0

    def __post_init__(self) -> None:
        checks.numbers("density", self.density)
        for name in ("noise", "infinite", "relative"):
            checks.numbers(name, np.array([getattr(self, name)]))
        for name in ("spacing", "tilt", "log_scale", "offset"):
            checks.finite(name, getattr(self, name))

    @cached_property
    def loss(self) -> Vector:
        """The losses that ``density`` belongs to."""
        return (self.start + np.arange(self.density.size)) * self.spacing + self.offset

    @cached_property
    def _sums(self) -> tuple[Vector, Vector, float]:
        r"""For each point x, over all points y ≥ x.

        b = \sum e^{-(1+θ)(y-x)} p(y), d = \sum (e^{-θ(y-x)} - e^{-(1+θ)(y-x)}) p(y), without cancellation, and a
        bound on the error of d up to a point before x. Then δ(x) = e^{K(θ) - θx} d. Each is a recursion from
        the right, in which nothing can overflow.
        """
        h, n, density = self.spacing, self.density.size, np.maximum(self.density, 0.0)
        b = _from_right(density, math.exp(-(1 + self.tilt) * h))
        steps = -math.expm1(-h) * math.exp(-self.tilt * h) * np.append(b[1:], 0.0)
        d = _from_right(steps, math.exp(-self.tilt * h))
        # A value's weight is at most e^{-θ(y-x)}, and at most that times the distance.
        fade = -math.expm1(-self.tilt * h)
        many = min(n, 1 / fade) if fade > 0 else n
        return b, d, self.noise * min(many, h * many * many) + 2 * math.exp(-_EXPONENT)

    def epsilon(self, delta: float, *, upper: bool) -> float:
        """The ε at which δ(ε) is ``delta``, errors taken upward (or downward for a lower value); at least 0.

        Infinity where an infinite loss alone has probability ``delta`` or more; minus infinity where the
        answer lies left of the window, NaN where it lies right of it.
        """
        left, sign = delta - self.infinite, 1.0 if upper else -1.0
        if left <= 0:
            return math.inf
        b, d, error = self._sums
        with np.errstate(over="ignore"):
            level = math.log(left) - self.log_scale - sign * self.relative
            target = np.exp(np.minimum(level + self.tilt * self.loss, 700.0))
        above = np.flatnonzero(d + sign * error > target)
        index = int(above[-1]) + 1 if above.size else 0
        if index == self.density.size:
            return math.nan
        if not above.size and self.tilt > 0 and self.loss[0] > 0:
            return -math.inf
        # Between the previous point and this one, x, δ is linear in e^ε: d + (1 - e^{ε-x}) b.
        missing = float(target[index] - d[index] - sign * error)
        previous = float(self.loss[index - 1]) if index else -math.inf
        point = float(self.loss[index])
        crossing = point + (math.log1p(-missing / b[index]) if missing < b[index] else -math.inf)
        return max(0.0, min(max(crossing, previous), point))

    def delta(self, epsilon: float, *, upper: bool) -> float:
        """δ(ε), errors taken upward (or downward); NaN where ε lies outside the window."""
        index = int(np.searchsorted(self.loss, epsilon, side="right"))
        if index >= self.density.size or (index == 0 and self.tilt > 0):
            return math.nan
        b, d, error = self._sums
        distance = float(self.loss[index]) - epsilon
        sign = 1.0 if upper else -1.0
        total = d[index] - math.expm1(-distance) * b[index] + sign * error
        if total <= 0:
            return self.infinite
        log_delta = math.log(total) + self.log_scale - self.tilt * self.loss[index] + sign * self.relative
        return min(1.0, math.exp(min(log_delta, 0.0)) + self.infinite)


def _from_right(values: Vector, factor: float) -> Vector:
    """s_i = values_i + factor s_{i+1}, each rounded as it stands there.

    By LAPACK's substitution in a matrix with 1 on its diagonal and -factor below: a filter of scipy.signal does the
    same, and takes half a second to import. In pieces that stay in the processor's cache, the last filled up with 0.
    """
    size = min(max(values.size, 3), _PIECE)
    below, diagonal, above = np.full(size - 1, -factor), np.ones(size), np.zeros(size)
    order = np.arange(1, size + 1, dtype=np.int32)
    sums = np.zeros(-(-values.size // size) * size)
    sums[: values.size] = values[::-1]
    last = 0.0
    for piece in sums.reshape(-1, size):
        piece[0] += factor * last
        piece[:], _ = lapack.dgttrs(below, diagonal, above[1:], above[2:], order, piece)
        last = piece[-1]
    return sums[: values.size][::-1]
