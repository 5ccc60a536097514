"""The published input constants, without torch: a configuration is checked against them."""

from __future__ import annotations

from dataclasses import dataclass


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
