"""Losses of a classification margin, with their ranges: which of them bound a Gibbs draw's budget."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float
from scipy.special import expit

from wassdp import checks

Array = Float[np.ndarray, "..."]
LossName = Literal["savage", "tangent", "zero_one", "logistic", "squared"]
TITLES: dict[str, str] = {
    "savage": "Savage",
    "tangent": "tangent",
    "zero_one": "0/1",
    "logistic": "logistic",
    "squared": "squared",
}
"""What people call them."""


@dataclass(frozen=True)
class MarginLoss:
    """A loss φ of the margin m = label · score, label -1 or 1.

    Args:
        value: φ, elementwise.
        slope: φ', elementwise; None where φ has jumps.
        least_at: the margin at which φ is least; infinity where it falls everywhere.
    """

    value: Callable[[Array], Array]
    slope: Callable[[Array], Array] | None
    least_at: float = math.inf

    def range(self, reach: float) -> float:
        """Largest minus smallest loss over margins in [-reach, reach]; infinity where that is not bounded.

        Args:
            reach: above 0; infinity for all margins.

        >>> LOSSES["savage"].range(math.inf), LOSSES["logistic"].range(math.inf)
        (1.0, inf)
        """
        if not reach > 0:
            raise ValueError(f"reach = {reach!r}: must be above 0")
        ends = np.array([-reach, min(reach, self.least_at)])
        worst, best = self.value(ends).tolist()
        return float(worst - best)


def named(name: str) -> MarginLoss:
    """The loss of that name.

    Raises:
        ValueError: there is none.
    """
    return LOSSES[checks.one_of("loss", name, LOSSES.keys())]


# Each value below works in place on its first temporary: the risks of 1e9 pairs are computed block by block.


def _savage(margin: Array) -> Array:
    values = np.multiply(margin, 2.0)
    with np.errstate(over="ignore"):  # exp(m) = inf gives the right limit, 0
        np.exp(values, out=values)
        values += 1.0
        np.multiply(values, values, out=values)
    return np.asarray(np.reciprocal(values, out=values))


def _savage_slope(margin: Array) -> Array:
    return np.asarray(-4 * expit(-2 * margin) ** 2 * expit(2 * margin))


def _tangent(margin: Array) -> Array:
    values = np.arctan(margin)
    values *= 2.0
    values -= 1.0
    return np.asarray(np.multiply(values, values, out=values))


def _tangent_slope(margin: Array) -> Array:
    return np.asarray(4 * (2 * np.arctan(margin) - 1) / (1 + margin**2))


def _zero_one(margin: Array) -> Array:
    return np.asarray(margin <= 0).astype(np.float64)


def _logistic(margin: Array) -> Array:
    return np.asarray(np.logaddexp(0.0, -margin))


def _logistic_slope(margin: Array) -> Array:
    return np.asarray(-expit(-margin))


def _squared(margin: Array) -> Array:
    return np.asarray((1 - margin) ** 2)


def _squared_slope(margin: Array) -> Array:
    return np.asarray(2 * (margin - 1))


LOSSES: dict[str, MarginLoss] = {
    # Masnadi-Shirazi, Vasconcelos (2008): φ(m) = 1 / (1 + e^{2m})², in (0, 1).
    "savage": MarginLoss(_savage, _savage_slope),
    # Masnadi-Shirazi, Mahadevan, Vasconcelos (2010): φ(m) = (2 arctan m - 1)², below (π + 1)².
    "tangent": MarginLoss(_tangent, _tangent_slope, least_at=math.tan(0.5)),
    "zero_one": MarginLoss(_zero_one, None),
    "logistic": MarginLoss(_logistic, _logistic_slope),
    "squared": MarginLoss(_squared, _squared_slope, least_at=1.0),
}
