"""The usual small convolutional network of the differentially private MNIST literature (26,010 parameters)."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import nn

from wassdp.models.parts.layers import Convolutional


class SmallCNN(Convolutional):
    """Conv 8x8 (16, stride 2) - pool - conv 4x4 (32, stride 2) - pool - dense 32 - dense.

    It has 26,010 parameters for 28x28 grey images, 10 classes and no normalisation.

    Source: Papernot et al. (2021), Tempered Sigmoid Activations for Deep Learning with Differential
    Privacy, arXiv:2007.14191, Table 1.
    """

    least: ClassVar[int] = 16

    def network(self, input_shape: tuple[int, ...], classes: int) -> nn.Module:
        features = nn.Sequential(
            nn.Conv2d(input_shape[0], 16, 8, stride=2, padding=3),
            *self.normalised(16),
            self.activated(),
            nn.MaxPool2d(2, 1),
            nn.Conv2d(16, 32, 4, stride=2),
            *self.normalised(32),
            self.activated(),
            nn.MaxPool2d(2, 1),
            nn.Flatten(),
        )
        with torch.no_grad():
            width = features(torch.zeros(1, *input_shape)).shape[1]
        return nn.Sequential(*features, nn.Linear(width, 32), self.activated(), nn.Linear(32, classes))
