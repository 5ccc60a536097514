"""Pixels normalised by the constants of the published code of *Wasserstein Differential Privacy*."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from wassdp.training.inputs import scaled
from wassdp.training.published_constants import CONSTANTS


def normalised(name: str, images: NDArray[Any], *, maximum: int) -> Float[Tensor, "examples channels height width"]:
    r"""Pixels minus mean over deviation, :math:`(x / \text{maximum} - m_c) / s_c`, for each channel c.

    Args:
        name: the dataset, which must be one of the paper's.
        images: as for `wassdp.training.inputs.scaled`.
        maximum: the largest value that a pixel can have.

    Raises:
        ValueError: there are no constants for the dataset, the shape is another, or a pixel is outside the range.
    """
    if name not in CONSTANTS:
        raise ValueError(
            f"dataset = {name!r}: has no published constants; must be one of {', '.join(sorted(CONSTANTS))}"
        )
    constants = CONSTANTS[name]
    unit = (scaled(images, maximum=maximum) + 1) / 2
    return (unit - torch.tensor(constants.mean)[:, None, None]) / torch.tensor(constants.deviation)[:, None, None]
