r"""Damping of the directions in which features vary most, measured on public images.

Better steps for clipped gradients: those of a linear model lie mostly along the few directions in which its inputs vary
most. Clipped, they leave little for the others, in which classes differ too, while the noise is the same in all. So the
largest variances are made equal.

Symbols: F features, r damped directions, λ variances in falling order, v directions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor

from wassdp import checks
from wassdp.features.photographs import REFERENCES

Damped = Annotated[
    int,
    Field(
        ge=0,
        le=REFERENCES // 2,
        description="how many directions are damped after it: those in which crops of public photographs vary most",
    ),
]

TINY = 1e-12
"""Least variance along a direction, as a share of the largest; and least of all, as a share of the squares."""


@dataclass(frozen=True)
class Damping:
    r"""Takes off the variance of the first r directions down to that of the next one, then sets the scale.

    .. math:: x \mapsto s \Bigl( x - \sum_{i \le r} \bigl(1 - \sqrt{λ_{r+1} / λ_i}\bigr) (v_i^\top x) v_i \Bigr)

    with s so that the images it was measured on have mean square 1.

    Args:
        directions: v, orthonormal columns, shape (features, directions).
        shares: what is taken off along each, in [0, 1).
        scale: s > 0.
    """

    directions: Float[Tensor, "features directions"]
    shares: Float[Tensor, " directions"]
    scale: float

    def __call__(
        self, features: Float[Tensor, "batch channels rows columns"]
    ) -> Float[Tensor, "batch channels rows columns"]:
        """The damped features, in the same shape."""
        flat = features.flatten(1)
        taken = (flat @ self.directions) * self.shares
        return (self.scale * (flat - taken @ self.directions.T)).view_as(features)


def measured(features: Float[Tensor, "images channels rows columns"], *, directions: int) -> Damping:
    """What to damp, from the features of public images.

    Args:
        features: standardised as those will be that are to be damped.
        directions: r, at least 1 and at most images - 2, so that there is a next variance.

    Raises:
        ValueError: too few images or features for so many directions, or all images have the same features.
    """
    flat = features.flatten(1)
    most = min(len(flat) - 2, flat.shape[1] - 1)
    if checks.whole("directions", directions, least=1) > most:
        raise ValueError(
            f"directions = {directions}: must be at most {most} with features of shape {tuple(flat.shape)}"
        )
    centred = (flat - flat.mean(dim=0)).double()
    # The smaller of the two Gram matrices has the same eigenvalues but for zeros.
    by_image = len(centred) <= centred.shape[1]
    gram = centred @ centred.T if by_image else centred.T @ centred
    values, vectors = torch.linalg.eigh(gram)
    values, vectors = values.flip(0)[: directions + 1], vectors.flip(1)[:, : directions + 1]
    if float(values[0]) <= TINY * float(flat.double().square().sum()):
        raise ValueError("features: all images have the same; nothing to measure")
    values = values.clamp(min=TINY * float(values[0]))
    axes = torch.nn.functional.normalize(centred.T @ vectors, dim=0) if by_image else vectors
    damping = Damping(
        directions=axes[:, :directions].float().contiguous(),
        shares=(1 - (values[directions] / values[:directions]).sqrt()).float(),
        scale=1.0,
    )
    return Damping(damping.directions, damping.shares, float(damping(features).square().mean().rsqrt()))
