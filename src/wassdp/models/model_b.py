"""Model B: the network of *Wasserstein Differential Privacy* for CIFAR-10 and SVHN."""

from __future__ import annotations

from typing import ClassVar

from wassdp.models.parts.layers import Activation
from wassdp.models.parts.two_blocks import TwoBlockModel


class ModelB(TwoBlockModel):
    """Conv 5x5 (64) - ReLU - pool - norm - conv 5x5 (64) - ReLU - norm - pool - dense 384 - dense 384 - dense, ReLU.

    It has 874,058 parameters for 32x32 colour images, 10 classes and batch normalisation.

    Source: Yang, Qi and Zhou (2024), Wasserstein Differential Privacy, AAAI, "Deep Learning", as coded.
    """

    hidden: ClassVar[tuple[int, ...]] = (384, 384)
    activation: ClassVar[Activation] = "relu"
