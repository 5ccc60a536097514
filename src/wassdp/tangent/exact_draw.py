r"""A draw from the Gibbs posterior of a finite W whose budget holds of the numbers that are computed.

One record changes the sum of N risks by their range; in double precision it also changes how the sum is rounded, and
where the range is far below the risks, that is more. So risks are put on a grid of the range before they are added:

.. math:: k(w, x) = \mathrm{round}\bigl(2^g\,(r(w, x) - \mathrm{least}) / \mathrm{range}\bigr) \in \{0, ..., 2^g\},
    \quad \log q(w) = -\frac{ε}{2} \sum_x k(w, x) / 2^g + \mathrm{const}

with g so small that sums are whole numbers below 2^53, which doubles hold exactly. Replacing a record then moves
log q(w) by ε/2 at most, and by the one rounding of the product, which :func:`weights` takes off ε beforehand.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from jaxtyping import Float

from wassdp import checks
from wassdp.tangent.risks import Risks, mapped

_WHOLE = 53  # bits of a double
_SLACK = 2.0**-50  # of ε, for every record


class BoundedRisks(Risks, Protocol):
    """Risks with a least one, known without the data."""

    @property
    def least(self) -> float:
        """Smallest risk that a record can have, whatever the records are."""


def weights(risks: BoundedRisks, epsilon: float, *, workers: int = 1) -> Float[np.ndarray, " hypotheses"]:
    r"""Logarithms of q up to a constant, -β mean_x r(w, x) with β = ε N / (2 range), of risks on the grid.

    Drawn from exactly (`wassdp.noise.categorical`), the hypothesis is pure ε-DP for the replacement of a record.

    Args:
        risks: r.
        epsilon: ε > 0.
        workers: threads.

    Raises:
        ValueError: ε or the range is not positive and finite.

    >>> from wassdp.tangent.risks import MatrixRisks
    >>> weights(MatrixRisks(np.array([[0.0, 0.5], [1.0, 1.0]])), 2.0).round(12)
    array([-0.5, -2. ])
    """
    checks.positive("epsilon", epsilon)
    least, span = checks.finite("least", risks.least), checks.positive("range", risks.range)
    unit = 2.0 ** (_WHOLE - risks.records.bit_length())

    def whole(first: int, last: int) -> Float[np.ndarray, " hypotheses"]:
        block = (risks.block(first, last) - least) / span
        # A risk that is no number would tell of its record by stopping; it counts as the largest.
        np.nan_to_num(block, copy=False, nan=1.0, posinf=1.0, neginf=0.0)
        np.clip(block, 0.0, 1.0, out=block)
        block *= unit
        return np.asarray(np.rint(block, out=block).sum(axis=0))

    total = np.zeros(risks.hypotheses)
    for part in mapped(whole, risks, workers=workers):
        total += part
    return np.asarray(-(epsilon * (1 - _SLACK * risks.records) / 2) * (total / unit))
