"""Points moved into a ball, so that what is released of them is bounded."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from wassdp.mechanisms.dpsgd import cleared, clip_factors
from wassdp.mechanisms.norms import norms


def in_ball(points: Float[Tensor, "n d"], *, norm: float) -> Float[Tensor, "n d"]:
    """``points``, those outside moved to the nearest point of the ball of radius ``norm`` around 0.

    A point that is not finite, or whose norm is not, is moved to 0: stopping because of it would say that it is there.

    Raises:
        ValueError: ``norm`` is not positive and finite.

    >>> import torch
    >>> in_ball(torch.tensor([[3.0, 4.0], [0.0, 0.5]]), norm=1.0)
    tensor([[0.6000, 0.8000],
            [0.0000, 0.5000]])
    """
    factors = clip_factors(norms(points), clip_norm=norm)
    return cleared(points, factors) * factors[:, None]
