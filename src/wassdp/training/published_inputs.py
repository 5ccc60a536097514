"""Pixels normalised by the constants of the published code of *Wasserstein Differential Privacy*."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from wassdp.training.inputs import scaled


@dataclass(frozen=True)
class Constants:
    """Mean and standard deviation of a channel, pixels in [0, 1], and whether they are those of the private images."""

    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    private: bool


# ImageNet's statistics, which the authors use for CIFAR-10 and SVHN, tell nothing about these datasets.
_IMAGENET = Constants(mean=(0.485, 0.456, 0.406), deviation=(0.229, 0.224, 0.225), private=False)
CONSTANTS = {
    "mnist": Constants(mean=(0.1307,), deviation=(0.3081,), private=True),
    "fashion_mnist": Constants(mean=(0.2860,), deviation=(0.3530,), private=True),
    "cifar10": _IMAGENET,
    "svhn": _IMAGENET,
}


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
