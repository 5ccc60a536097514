r"""What clipping an example's Jacobian makes of the gradient that is pulled back through it.

Symbols: J Jacobian of an example's d outputs, G = J J^T = V diag(λ) V^T, c the gradient in the outputs, L the bound.
"""

from __future__ import annotations

import math
from typing import Literal

import torch
from jaxtyping import Bool, Float, Float64
from torch import Tensor

from wassdp import checks

Clipping = Literal["spectral", "rows"]
CLIPPINGS: tuple[Clipping, ...] = ("spectral", "rows")


def clipped(
    gram: Float64[Tensor, "n d d"], pull: Float[Tensor, "n d"], *, norm: float, clipping: Clipping
) -> tuple[Float[Tensor, "n d"], Bool[Tensor, " n"]]:
    r"""C' with :math:`J^\top c' = \tilde J^\top c`, where :math:`\tilde J` is the clipped Jacobian.

    - ``spectral``: every singular value of J is cut to L, the closest matrix of spectral norm L,
      :math:`c' = V \operatorname{diag}(\min(1, L / \sqrt{\lambda})) V^\top c`;
    - ``rows``: every row of J is cut to norm :math:`L / \sqrt d`, which bounds the spectral norm by L too, and is the
      paper's choice.

    They agree for d = 1. A Jacobian that is not finite counts as zero, and as clipped: stopping because of it would be
    an output that no noise covers.

    Args:
        gram: G of every example.
        pull: c of every example.
        norm: L > 0.
        clipping: which of the two.

    Returns:
        c' in the type of ``pull``, and whether the example's Jacobian was clipped at all.

    Raises:
        ValueError: another clipping, or L is not positive.

    Source: Rodríguez-Vítores, Lalanne and Loubes, Remarks 5.2 and A.2.
    """
    checks.positive("norm", norm)
    checks.one_of("clipping", clipping, CLIPPINGS)
    bad = ~torch.isfinite(gram).all(dim=(1, 2))
    if bool(bad.any()):
        rescaled, cut = clipped(gram.masked_fill(bad[:, None, None], 0), pull, norm=norm, clipping=clipping)
        return rescaled.masked_fill(bad[:, None], 0), cut | bad
    squares = gram.diagonal(dim1=1, dim2=2)
    if clipping == "rows":
        factors = _factors(squares, norm / math.sqrt(gram.shape[1]))
        return (factors * pull).to(pull.dtype), (factors < 1).any(dim=1)
    if gram.shape[1] == 1:
        factors = _factors(squares, norm)
        return (factors * pull).to(pull.dtype), factors[:, 0] < 1
    # The trace bounds every eigenvalue: most examples are often within the bound, and need no decomposition.
    doubtful = (squares.sum(dim=1) > norm**2).nonzero().flatten()
    rescaled, cut = pull.clone(), torch.zeros(len(pull), dtype=torch.bool, device=pull.device)
    values, vectors = _eigh(gram[doubtful])
    factors = _factors(values, norm)
    turned = factors * (vectors * pull[doubtful].double()[:, :, None]).sum(dim=1)
    rescaled[doubtful] = (vectors * turned[:, None, :]).sum(dim=2).to(pull.dtype)
    cut[doubtful] = (factors < 1).any(dim=1)
    return rescaled, cut


def shortened(
    reach: Float64[Tensor, " n"], *, norm: float, dtype: torch.dtype = torch.float32
) -> Float64[Tensor, " n"]:
    r"""What else an example's clipped gradient is multiplied with, so that rounding cannot show: 1 nearly always.

    Terms far larger than the bound may cancel, to a Jacobian that needs no clipping or along a direction that is left
    as it is. Their sum is then rounded by a share of the terms, which no clipping of the exact Jacobian bounds. And the
    Gram matrix, in double precision, is rounded by a share :math:`2^{-52}` of their squares: a Jacobian as long as
    :math:`2^{-26}` times its terms may be measured as nothing, and not be clipped. A factor of the example alone, at
    most 1, keeps both to a thousandth of the bound.

    Args:
        reach: size of the terms.
        norm: the bound.
        dtype: in which they are summed.
    """
    lost = max(torch.finfo(dtype).eps, math.sqrt(torch.finfo(torch.float64).eps))
    return (1e-3 / lost * norm / reach).nan_to_num(nan=0.0).clamp(max=1)


def _eigh(gram: Float64[Tensor, "n d d"]) -> tuple[Float64[Tensor, "n d"], Float64[Tensor, "n d d"]]:
    r"""Eigenvalues, and eigenvectors as columns; by a formula for d = 2, where a routine for each matrix is slow.

    One rotation by :math:`\tfrac12 \operatorname{atan2}(2b, a - c)` makes the matrix of a, b, b, c diagonal (Jacobi).
    """
    if gram.shape[1] != 2:
        decomposition = torch.linalg.eigh(gram)
        return decomposition.eigenvalues, decomposition.eigenvectors
    a, b, c = gram[:, 0, 0], gram[:, 0, 1], gram[:, 1, 1]
    angle = torch.atan2(2 * b, a - c) / 2
    cos, sin = angle.cos(), angle.sin()
    middle, radius = (a + c) / 2, torch.hypot((a - c) / 2, b)
    vectors = torch.stack([torch.stack([cos, -sin], dim=1), torch.stack([sin, cos], dim=1)], dim=1)
    return torch.stack([middle + radius, middle - radius], dim=1), vectors


def _factors(squares: Float64[Tensor, "n d"], norm: float) -> Float64[Tensor, "n d"]:
    return 1 / (squares.clamp(min=0).sqrt() / norm).clamp(min=1)
