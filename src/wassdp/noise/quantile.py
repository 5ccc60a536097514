r"""The normal distribution's upper quantile in double precision, with an error that is proved.

Symbols: u tail probability in (0, 1/2], Q(u) = -Φ⁻¹(u), φ normal density.

Every octave [2⁻ᵉ, 2¹⁻ᵉ) of u is cut into equal cells, and Q is its Taylor polynomial about the middle of each. With
z = Q(u),

.. math:: Q^{(n)}(u) = (-1/φ(z))^n P_n(z), \quad P_1 = 1, \quad P_{n+1} = P_n' + n z P_n,

and every P_n has no negative coefficient, so that each derivative is largest at the lower end of a cell: that bounds
the remainder. The degree is 4 here, and 2 in single precision (`wassdp.noise.single`). The middles' own quantiles are
checked against mpmath's error function to 40 digits.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import mpmath
import numpy as np
import torch
from jaxtyping import Float
from numpy.polynomial import Polynomial
from scipy.special import ndtri
from torch import Tensor

OCTAVES = 23
"""Tail probabilities from 2⁻²⁴ on are in the table; of 8.4 million draws, one lies below."""
BITS = 7
PROCESSOR = torch.device("cpu")
CELLS = 1 << BITS
HALF = 0.5 / CELLS
"""Half a cell, in units of its octave's lower end."""
DEGREE = 4
MANTISSA, BIAS = 52, 1023
"""Of a number in double precision: bits of the mantissa, and what its exponent is raised by."""
_ULP = 2.0**-52
_NODE = 2.0**-47
"""Allowed error of the quantile at a cell's middle, checked in 40 digits."""


@dataclass(frozen=True)
class QuantileTable:
    """Coefficients by cell, and what the polynomials may be wrong by.

    Args:
        coefficients: one row for each power of the distance from the cell's middle, in units of the octave's lower
            end; shape (5, cells). The last cell holds u = 1/2 alone.
        error: largest distance of what `quantile` returns from Q, rounding included.
    """

    coefficients: Float[Tensor, "powers cells"]
    error: float

    def to(self, device: torch.device) -> QuantileTable:
        """The table on a device."""
        return QuantileTable(self.coefficients.to(device), self.error)


def _derivatives(z: Float[np.ndarray, " cells"]) -> list[Float[np.ndarray, " cells"]]:
    """P_1(z) … P_5(z)."""
    values, polynomial = [], Polynomial([1.0])
    for order in range(1, 6):
        values.append(polynomial(z))
        polynomial = polynomial.deriv() + order * Polynomial([0.0, 1.0]) * polynomial
    return values


def _density(z: Float[np.ndarray, " cells"]) -> Float[np.ndarray, " cells"]:
    return np.asarray(np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi))


def _check_nodes(tails: Float[np.ndarray, " cells"], quantiles: Float[np.ndarray, " cells"]) -> None:
    """By the mean value theorem: |Q(u) - z| = |P(Z > z) - u| / φ(ξ), with ξ between the two."""
    with mpmath.workdps(40):
        root = mpmath.sqrt(2)
        for tail, quantile in zip(tails.tolist(), quantiles.tolist(), strict=True):
            z = mpmath.mpf(quantile)
            if abs(mpmath.erfc(z / root) / 2 - mpmath.mpf(tail)) > _NODE * mpmath.npdf(abs(z) + _NODE):
                raise ArithmeticError(f"normal quantile at {tail!r}: further than {_NODE:g} from {quantile!r}")


@dataclass(frozen=True)
class Taylor:
    """Q's Taylor polynomials about the middles of cells, in double precision.

    Args:
        rows: coefficients, one row for each power of the distance from the cell's middle, in units of the octave's
            lower end; shape (degree + 1, cells). The last cell holds u = 1/2 alone.
        unit: lower end of each cell's octave.
        slope: largest -Q' in each cell, at its lower end.
        remainder: largest distance of each cell's polynomial from Q, without rounding.
    """

    rows: Float[np.ndarray, "powers cells"]
    unit: Float[np.ndarray, " cells"]
    slope: Float[np.ndarray, " cells"]
    remainder: Float[np.ndarray, " cells"]


def taylor(*, octaves: int, degree: int) -> Taylor:
    """The polynomials of ``degree``, at most 4, on [2^-(octaves + 1), 1/2]."""
    exponents = np.repeat(np.arange(octaves + 1, 1, -1), CELLS)
    unit = np.append(2.0**-exponents, 0.5)
    parts = np.append(np.tile(np.arange(CELLS), octaves), 0)
    middle = unit * (1 + (parts + 0.5) / CELLS)
    # Beyond 1/2 the tail is the other side's: Q(u) = -Q(1-u); 1 - u is exact there.
    centre = np.where(middle <= 0.5, -ndtri(np.minimum(middle, 0.5)), ndtri(1 - np.maximum(middle, 0.5)))
    _check_nodes(middle, centre)
    density = _density(centre)
    rows = [centre]
    for order, polynomial in enumerate(_derivatives(centre)[:degree], start=1):
        rows.append((-unit / density) ** order * polynomial / math.factorial(order))
    # The cell's lower end has the larger |z|; a little more covers its own rounding and the last cell.
    lowest = unit * (1 + parts / CELLS)
    far = np.where(lowest < 0.5, -ndtri(np.minimum(lowest, 0.5)), np.abs(centre)) + 1e-9
    next_derivative = _derivatives(far)[degree] / math.factorial(degree + 1)
    remainder = (HALF * unit / _density(far)) ** (degree + 1) * next_derivative
    return Taylor(np.stack(rows), unit, 1 / _density(far), remainder)


@functools.cache
def table(device: torch.device = PROCESSOR) -> QuantileTable:
    """The table on ``device``, computed and checked once a process (about a fifth of a second)."""
    if device.type != "cpu":
        return table().to(device)
    exact = taylor(octaves=OCTAVES, degree=DEGREE)
    # u itself: the word's interval (2^-64 wide) and its conversion to double, in units of the quantile.
    argument = (2.0**-64 + _ULP * 2 * exact.unit) * exact.slope
    # A few units in the last place of every term of the sum, far more than Horner's rule can lose.
    rounding = 16 * _ULP * sum(np.abs(row) * HALF**power for power, row in enumerate(exact.rows)) + 1e-300
    error = float(np.max(exact.remainder + argument + rounding) + _NODE)
    return QuantileTable(torch.from_numpy(exact.rows), error)


def first_cell(unit: int) -> int:
    """What exponent and first `BITS` of the mantissa of u 2^unit exceed the number of u's cell by."""
    return (BIAS + unit - OCTAVES - 1) << BITS


class QuantileEvaluation:
    """Q of many tail probabilities, with room for ``size`` of them; reused from block to block."""

    def __init__(self, size: int, device: torch.device) -> None:
        self.table = table(device)
        self._cell = torch.empty(size, dtype=torch.int64, device=device)
        self._bits = torch.empty(size, dtype=torch.int64, device=device)
        self._coefficient = torch.empty(size, dtype=torch.float64, device=device)
        self._other = torch.empty(size, dtype=torch.float64, device=device)

    def quantile(self, tails: Float[Tensor, " count"], *, unit: int = 0) -> Float[Tensor, " count"]:
        """Q(u) for u = ``tails`` 2^-unit in [2⁻²⁴, 1/2]. Valid until the next call.

        Raises:
            IndexError: a tail probability is outside that range (on a processor; on CUDA an assertion).
        """
        count = len(tails)
        cell, bits = self._cell[:count], self._bits[:count]
        value, other = self._coefficient[:count], self._other[:count]
        raw = tails.view(torch.int64)
        # The exponent and the first bits of the mantissa number the cell.
        torch.bitwise_right_shift(raw, MANTISSA - BITS, out=cell)
        cell.sub_(first_cell(unit))
        # The rest of the mantissa, as a number in [1, 1 + 1/CELLS): exact, and the distance from the middle too.
        torch.bitwise_and(raw, (1 << (MANTISSA - BITS)) - 1, out=bits)
        bits.bitwise_or_(BIAS << MANTISSA)
        distance = bits.view(torch.float64).sub_(1 + HALF)
        rows = self.table.coefficients
        torch.index_select(rows[DEGREE], 0, cell, out=value)
        for power in range(DEGREE - 1, -1, -1):
            torch.index_select(rows[power], 0, cell, out=other)
            torch.addcmul(other, value, distance, out=value)
        return value
