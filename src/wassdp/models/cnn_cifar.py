"""The convolutional network of the differentially private CIFAR-10 literature (550,570 parameters)."""

from __future__ import annotations

from typing import ClassVar

from torch import nn

from wassdp.models.parts.layers import Convolutional


class CIFARCNN(Convolutional):
    """Three times two 3x3 convolutions and a pool (32, 64 and 128 channels) - dense 128 - dense.

    It has 550,570 parameters for 32x32 colour images, 10 classes and no normalisation.

    Source: Papernot et al. (2021), arXiv:2007.14191, Table 2; as in Tramèr and Boneh (2021), arXiv:2011.11660.
    """

    least: ClassVar[int] = 8

    def network(self, input_shape: tuple[int, ...], classes: int) -> nn.Module:
        channels, height, width = input_shape
        layers: list[nn.Module] = []
        for wide in (32, 64, 128):
            for before in (channels, wide):
                layers += [nn.Conv2d(before, wide, 3, padding=1), *self.normalised(wide), self.activated()]
            layers.append(nn.MaxPool2d(2))
            channels = wide
        dense = nn.Linear(128 * (height // 8) * (width // 8), 128)
        return nn.Sequential(*layers, nn.Flatten(), dense, self.activated(), nn.Linear(128, classes))
