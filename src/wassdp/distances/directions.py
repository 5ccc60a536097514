"""Random directions on the unit sphere: independent ones, and columns of random orthonormal bases."""

from __future__ import annotations

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp import checks, noise
from wassdp.noise import Bits

Kind = Literal["iid", "orthogonal"]
KINDS: tuple[Kind, ...] = ("iid", "orthogonal")

# Largest gap between a direction's norm and 1 that rounding explains.
ROUNDING = 1e-4


def draw(
    kind: Kind,
    *,
    dimension: int,
    count: int,
    generator: Bits,
    dtype: torch.dtype = torch.float32,
    device: torch.device | None = None,
) -> Float[Tensor, "dimension count"]:
    """``count`` directions as unit columns.

    Args:
        kind: ``iid``: independent and uniform on the sphere. ``orthogonal``: columns of independent Haar-random
            orthonormal bases, of one basis if ``count`` is at most ``dimension``.
        dimension: d >= 1.
        count: k >= 1; for ``orthogonal`` at most d, or a multiple of d.
        generator: source of randomness.
        dtype: of the result. Independent directions are drawn and normalised in it, which leaves their norms within
            1e-6 of 1 in single precision; bases are computed in double precision.
        device: of the result, the processor by default.

    Raises:
        ValueError: an argument is outside its range, or orthogonal directions cannot number ``count``.

    Source: Bonneel et al. (2015), section 3 (iid); Rowland et al. (2019), Orthogonal Estimation of
    Wasserstein Distances, section 3 (orthogonal); Mezzadri (2007) for the Haar measure by QR.

    >>> from wassdp.noise import seeded
    >>> columns = draw("orthogonal", dimension=3, count=6, generator=seeded(0))
    >>> torch.linalg.matrix_norm(columns[:, :3].T @ columns[:, :3] - torch.eye(3)) < 1e-6
    tensor(True)
    """
    checks.one_of("kind", kind, KINDS)
    checks.whole("dimension", dimension, least=1)
    checks.whole("count", count, least=1)
    if kind == "iid":
        # One direction after the other in memory: norms and products read each of them once.
        normal = noise.normal(count, dimension, generator=generator, dtype=dtype, device=device)
        independent: Tensor = normal.div_(torch.linalg.vector_norm(normal, dim=1, keepdim=True)).T
        return independent
    if count > dimension and count % dimension:
        raise ValueError(
            f"count = {count}: orthogonal directions must number at most dimension = {dimension}, or a multiple of it"
        )
    bases = -(-count // dimension)
    normal = noise.normal(bases, dimension, min(count, dimension), generator=generator, device=device)
    basis = torch.linalg.qr(normal)
    # QR fixes the signs of R's diagonal by convention; the random signs make Q Haar-distributed.
    signs = torch.diagonal(basis.R, dim1=-2, dim2=-1).sign()
    columns = basis.Q * torch.where(signs == 0, 1.0, signs)[:, None, :]
    several: Tensor = columns.permute(1, 0, 2).reshape(dimension, count).to(dtype)
    return several


def unit_columns(directions: Float[Tensor, "dimension count"]) -> Float[Tensor, "dimension count"]:
    """``directions``, if its columns are unit vectors.

    Raises:
        ValueError: there is no column, or one has another norm than 1.
    """
    if directions.ndim != 2 or 0 in directions.shape:
        raise ValueError(
            f"directions has shape {tuple(directions.shape)}: must be (dimension, count), with at least one column"
        )
    norms = directions.detach().norm(dim=0)
    worst = norms[(norms - 1).abs().nan_to_num(torch.inf).argmax()]
    if not abs(float(worst) - 1) <= ROUNDING:
        raise ValueError(f"directions: each column must have norm 1, one has {float(worst):.6g}")
    return directions
