"""Model A: the network of *Wasserstein Differential Privacy* for MNIST and Fashion-MNIST (573,834 parameters)."""

from __future__ import annotations

from typing import ClassVar

from wassdp.models.parts.layers import Activation
from wassdp.models.parts.two_blocks import TwoBlockModel


class ModelA(TwoBlockModel):
    """Conv 5x5 (64) - ReLU - pool - norm - conv 5x5 (64) - ReLU - norm - pool - dense 384 - dense 192 - dense, SELU.

    It has 573,834 parameters for 28x28 grey images, 10 classes and batch normalisation.

    Source: Triastcyn and Faltings (2020), Bayesian Differential Privacy for Machine Learning, ICML;
    used by Yang, Qi and Zhou (2024), Wasserstein Differential Privacy, AAAI, "Deep Learning".
    """

    hidden: ClassVar[tuple[int, ...]] = (384, 192)
    activation: ClassVar[Activation] = "selu"
