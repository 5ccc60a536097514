"""From stored images to a model's inputs, by constants that no data set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int64
from numpy.typing import NDArray
from torch import Tensor

from wassdp import checks
from wassdp.data.base import Splits
from wassdp.data.images import image_of


@dataclass(frozen=True)
class Examples:
    """Inputs, shape (examples, ...), and class numbers, shape (examples,), on the device of the run."""

    inputs: Float[Tensor, " examples *shape"]
    targets: Int64[Tensor, " examples"]

    def rows(self, places: Int64[Tensor, " batch"]) -> tuple[Tensor, Int64[Tensor, " batch"]]:
        """Inputs and class numbers of the examples with these numbers, which ascend."""
        return self.inputs[places], self.targets[places]


def labelled(
    dataset: str, splits: Splits, inputs: Iterable[Tensor], device: torch.device, *, records: int
) -> tuple[Examples, Examples]:
    """Training and test examples on the device.

    Args:
        dataset: its name.
        splits: its records, whose labels are used.
        inputs: those made of the training records, and those made of the test records.
        device: where they are wanted.
        records: how many training records the account takes there to be.

    Raises:
        ValueError: there are not as many.
    """
    train, test = (
        Examples(inputs=part.to(device), targets=torch.from_numpy(split.labels).to(device))
        for part, split in zip(inputs, (splits.train, splits.test), strict=True)
    )
    if len(train.targets) != records or len(train.inputs) != records:
        raise ValueError(f"dataset {dataset} has {len(train.targets)} records, not {records}")
    return train, test


def scaled(images: NDArray[Any], *, maximum: int) -> Float[Tensor, "examples channels height width"]:
    r"""Pixels to [-1, 1]: :math:`(x / \text{maximum} - 0.5) / 0.5`.

    The mean and deviation with which these datasets are usually normalised are statistics of the
    private training images. Using them would be a release that no budget here covers, so the
    range of a pixel, which is public, is used instead.

    Args:
        images: whole numbers from 0 to ``maximum``, shape (examples, height, width) or (examples, channels, height,
            width).
        maximum: the largest value that a pixel can have (not: that it has here).

    Returns:
        Single precision, shape (examples, channels, height, width).

    Raises:
        ValueError: the shape is another, or a pixel is outside the range.

    >>> scaled(np.array([[[0, 8, 16]]]), maximum=16).flatten().tolist()
    [-1.0, 0.0, 1.0]
    """
    checks.whole("maximum", maximum, least=1)
    if images.ndim not in (3, 4):
        raise ValueError(f"images has shape {images.shape}: must be (examples, height, width) or have channels too")
    if images.size and not (images.min() >= 0 and images.max() <= maximum):
        raise ValueError(f"images reach from {images.min()} to {images.max()}: must lie between 0 and {maximum}")
    grey = images[:, None] if images.ndim == 3 else images
    return torch.from_numpy(grey.astype(np.float32)) / (0.5 * maximum) - 1


def unit(images: NDArray[Any], dataset: str) -> Float[Tensor, "examples channels height width"]:
    """Stored images of a dataset with pixels in [0, 1].

    Raises:
        ValueError: as `scaled`.
    """
    return (scaled(images, maximum=image_of(dataset).maximum) + 1) / 2
