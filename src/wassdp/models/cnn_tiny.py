"""A convolutional network for images of eight pixels a side."""

from __future__ import annotations

from typing import ClassVar

from torch import nn

from wassdp.models.parts.layers import Convolutional


class TinyCNN(Convolutional):
    """Conv 3x3 (16) - pool - dense.

    Few parameters, since the noise of DP-SGD grows with the root of their number: 2,730 for 8x8 grey images, 10 classes
    and no normalisation.
    """

    least: ClassVar[int] = 4

    def network(self, input_shape: tuple[int, ...], classes: int) -> nn.Module:
        channels, height, width = input_shape
        return nn.Sequential(
            nn.Conv2d(channels, 16, 3, padding=1),
            *self.normalised(16),
            self.activated(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(16 * (height // 2) * (width // 2), classes),
        )
