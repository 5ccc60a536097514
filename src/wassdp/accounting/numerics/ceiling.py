r"""An upper value of ε where one rare, large loss decides: there no tilt makes both it and the rest visible to an FFT.

Call a loss above c a jump, of probability p. Over T releases without one, with exactly one, and with more,

.. math:: δ(ε) ≤ P(S_T > ε) + T\, E \min\{δ_1(ε - S_{T-1}), p\} + (T p)^2 / 2,

S the sum of losses that are no jumps and δ_1 the profile of one release. The tails of S are Chernoff's, from the
moment generating function of the loss up to c, and the expectation is summed by layers, each rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wassdp.accounting.numerics.bracket import bisected
from wassdp.accounting.profiles.base import Loss, Profile, Vector

_CUTS, _LAYERS, _TILTS = 24, 60, 160
_ROUNDING, _ALL_ROUNDING = 1e-12, 1e-8
"""Relative error of a loss's probabilities by quadrature: of one release, and of all together in the tail."""


def rare_loss_epsilon(profile: Profile, loss: Loss, steps: int, delta: float, given_up: float) -> float:
    """An ε that the releases certainly keep at ``rare_loss_delta``; infinity where jumps do not decide.

    Args:
        profile: one release, exact or from above.
        loss: its loss under P on points, without infinite losses.
        steps: T, at least 1.
        delta: in (0, 1).
        given_up: probability of all losses, in all releases, that ``loss`` leaves out or that are infinite.
    """
    # Two jumps must be rarer than δ.
    low, high = math.log(1e-3 * delta / steps), math.log(math.sqrt(delta) / steps)
    left = delta * math.exp(-_ALL_ROUNDING) - given_up
    best = math.inf
    for cut in _cuts(loss, steps, given_up, low, high) if left > 0 else ():
        if math.isinf(best) or _delta(profile, best, steps, cut) < left:
            best = min(best, _root(profile, steps, cut, left, min(best, 2 * float(loss.loss.max()))))
    return best


def rare_loss_delta(profile: Profile, loss: Loss, steps: int, epsilon: float, given_up: float) -> float:
    """A δ that the releases certainly keep at ``rare_loss_epsilon``, at most 1.

    Args: as for `rare_loss_epsilon`.
    """
    cuts = _cuts(loss, steps, given_up, -700.0, -math.log(10 * steps))
    least = min((_delta(profile, epsilon, steps, cut) for cut in cuts), default=1.0)
    return min(1.0, least * math.exp(_ALL_ROUNDING) + given_up)


@dataclass(frozen=True, eq=False)
class _Cut:
    """The probability of a jump, and log E e^{θℓ} of the losses that are none, for several tilts θ."""

    jump: float
    tilts: Vector
    growth: Vector


def _cuts(loss: Loss, steps: int, given_up: float, low: float, high: float) -> Iterator[_Cut]:
    """Cuts at which the logarithm of a jump's probability is spread from ``low`` to ``high``."""
    order = np.argsort(loss.loss)
    points, mass = loss.loss[order], loss.mass[order] * (1 + _ROUNDING)
    beyond = np.cumsum(mass[::-1])[::-1]
    for level in np.linspace(low, max(low, high), _CUTS):
        cut = int(np.searchsorted(-beyond, -math.exp(level)))
        if 0 < cut < points.size and points[cut - 1] > 0:
            tilts = np.geomspace(1e-2, 1e3, _TILTS) / float(points[cut - 1])
            log_mass = np.log(np.maximum(mass[:cut], 1e-320))
            growth = np.array([np.logaddexp.reduce(log_mass + tilt * points[:cut]) for tilt in tilts])
            yield _Cut(float(beyond[cut]) + given_up / steps, tilts, growth)


def _root(profile: Profile, steps: int, cut: _Cut, delta: float, top: float) -> float:
    return bisected(lambda value: _delta(profile, value, steps, cut) <= delta, top, close=1e-6, most=top)[1]


def _delta(profile: Profile, epsilon: float, steps: int, cut: _Cut) -> float:
    """The bound on δ(ε) for one cut."""

    def exceeds(sums: Vector) -> Vector:
        """P(S > s) for each s."""
        log_bounds = (growth - np.multiply.outer(sums, cut.tilts)).min(axis=1)
        return np.asarray(np.exp(np.minimum(log_bounds, 0.0)))

    # For T and for T - 1 releases.
    growth = (steps - 1) * cut.growth + np.maximum(cut.growth, 0.0)
    layers = epsilon * np.linspace(0, 1, _LAYERS) ** 2
    heights = np.append(np.minimum(profile.delta(epsilon - layers), cut.jump), cut.jump)
    with np.errstate(under="ignore"):
        # S below the first layer has the first one's height; what lies above a layer, at most the next one's.
        single = heights[1] + float(np.diff(heights)[1:] @ exceeds(layers[1:]))
        none = float(exceeds(np.array([epsilon]))[0])
    return float(none + steps * single + (steps * cut.jump) ** 2 / 2)
