r"""What a noisy sum says of many canaries at once, whose parts are no coordinates of their own.

After all that is known is subtracted, a release is :math:`y = \sum_i c_i z_i + σ \mathcal{N}(0, I)` with coins
:math:`c_i = ±\tfrac12` and canaries' parts :math:`z_i`, of inner products G. The linear estimate of least mean square,

.. math:: \hat c = A r, \quad A = (G + 4 σ^2 I)^{-1}, \quad r_i = \langle z_i, y \rangle, \quad h_i = (A G)_{ii},

has mean :math:`h_i c_i` and variance :math:`h_i (1 - h_i) / 4` given a canary's own coin: what other canaries bring is
noise to it, of which as much is removed as pays. Taken as normal, the logarithm of the two worlds' densities' ratio is
:math:`4 \hat c_i / (1 - h_i)`.
"""

from __future__ import annotations

import torch
from jaxtyping import Float64
from torch import Tensor


def coin_log_ratios(
    gram: Float64[Tensor, "canaries canaries"], matched: Float64[Tensor, " canaries"], *, std: float = 1.0
) -> Float64[Tensor, " canaries"]:
    """The score of every canary.

    Args:
        gram: G.
        matched: r.
        std: σ > 0.

    >>> one = torch.ones(1, 1, dtype=torch.float64)
    >>> round(float(coin_log_ratios(4 * one, 3 * one[0], std=2.0)), 9)  # r / σ²
    0.75
    """
    size = len(matched)
    inverse = torch.linalg.inv(gram + 4 * std**2 * torch.eye(size, dtype=gram.dtype))
    # 1 - h = 4 σ² A_ii, which loses no digits.
    ratios: Tensor = inverse @ matched / (std**2 * inverse.diagonal())
    return ratios
