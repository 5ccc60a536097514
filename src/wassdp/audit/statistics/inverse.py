"""Quantiles that a library's inverse proposes and the function itself confirms: nothing here rests on an inverse.

Inverses err: in SciPy 1.17 `scipy.special.betaincinv` and `scipy.special.betainccinv` are off by a factor of two and
more where the first parameter is exactly 1,000 and the second one is large. The functions that they invert are not.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from wassdp.accounting.numerics.bracket import crossed

Numbers = Float[np.ndarray, "..."]
Vector = Float[np.ndarray, " _"]
Height = Callable[..., Numbers]
"""Of values, one for each, and then of parameters of theirs: falls with the value, and passes 0."""
_CLOSE = 1e-12
"""Relative width of what a quantile is searched down to."""


def around(height: Height, guess: Numbers, *parameters: Numbers, margin: float, most: float) -> tuple[Numbers, Numbers]:
    """Two ends around where each height passes 0: it is above 0 at the lower end, and is not at the upper one.

    They lie ``margin`` on either side of the guess where that is so there, and are searched for where it is not.

    Args:
        height: elementwise.
        guess: from an inverse, of any shape; a wrong one costs time alone.
        parameters: of the heights, each of that shape.
        margin: relative, above the height's own rounding.
        most: no value is larger.

    Raises:
        ValueError: a height is not a number.

    >>> low, high = around(lambda value, square: square - value * value, np.array([1.4142136, 7.0]),
    ...                    np.array([2.0, 9.0]), margin=1e-6, most=10.0)
    >>> bool((low**2 < [2, 9]).all() and ([2, 9] <= high**2).all() and (high - low < 1e-5).all())
    True
    """
    # Where the place is below every float the lower end is 0.
    low = np.asarray(guess * (1 - margin))
    high = np.asarray(np.minimum(guess * (1 + margin) + sys.float_info.min, most))
    confirmed = (height(low, *parameters) > 0) & (height(high, *parameters) <= 0)
    for place in map(tuple, np.argwhere(~confirmed)):
        own = [np.asarray(each[place]) for each in parameters]
        low[place], high[place] = crossed(functools.partial(_one, height, own), close=margin)
    return low, high


def _one(height: Height, parameters: list[Numbers], value: float) -> float:
    return float(height(np.asarray(value), *parameters))


def in_cells(cdf: Callable[[Numbers], Numbers], guess: Vector, edges: Vector) -> Vector:
    """A quantile out of every cell of probability, for a sum over these cells: ``guess`` where it lies in its own.

    Where it does not it is searched for in the middle of the cell.

    Args:
        cdf: elementwise.
        guess: from an inverse, shape (cells,); a wrong one costs time alone.
        edges: of the cells, ascending, shape (cells + 1,).

    Raises:
        ValueError: a probability is not a number.

    >>> in_cells(lambda value: value * value, np.array([0.5, 7.0]), np.array([0.0, 0.25, 0.75])).round(6).tolist()
    [0.5, 0.707107]
    """
    found, reached = guess.copy(), cdf(guess)
    for cell in np.flatnonzero(~((edges[:-1] <= reached) & (reached <= edges[1:]))):
        middle = (edges[cell] + edges[cell + 1]) / 2
        found[cell] = crossed(functools.partial(_below, cdf, middle), close=_CLOSE)[1]
    return found


def _below(cdf: Callable[[Numbers], Numbers], level: float, value: float) -> float:
    return float(level - cdf(np.asarray(value)))
