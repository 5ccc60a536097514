"""Two convolutional blocks and a dense head: the network that models A and B share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn

from wassdp.models.parts import layers
from wassdp.models.parts.layers import ACTIVATIONS, Activation, OfImages

Normalisation = Literal["batch", "batch-running", "group", "none"]
CHANNELS, KERNEL = 64, 5


class TwoBlockModel(OfImages):
    """Choices of models A and B, which differ in the dense layers.

    Batch normalisation mixes the examples of a batch, so that no gradient belongs to one example alone: it is not for
    clipping per example.
    """

    least: ClassVar[int] = 16  # two convolutions of 5 and two poolings leave one pixel
    hidden: ClassVar[tuple[int, ...]]
    activation: ClassVar[Activation]

    normalisation: Normalisation = Field(
        default="batch",
        description="batch (as published): statistics of the batch at hand, in evaluation too; batch-running: the "
        "usual one, whose running statistics are part of the model; group: each example by itself; none",
    )

    def mixing(self) -> str | None:
        if not self.normalisation.startswith("batch"):
            return None
        return (
            f"normalisation {self.normalisation!r} mixes the examples of a batch, so that no gradient belongs to one "
            "example; must be group or none"
        )

    def network(self, input_shape: tuple[int, ...], classes: int) -> nn.Module:
        channels, height, width = input_shape
        return TwoBlocks(
            (channels, height, width),
            widths=(*self.hidden, classes),
            activation=self.activation,
            normalisation=self.normalisation,
        )


class TwoBlocks(nn.Module):
    """conv - ReLU - pool - normalisation, conv - ReLU - normalisation - pool, dense layers.

    The order within the two blocks differs, as in the published code.

    Args:
        input_shape: (channels, height, width).
        widths: outputs of the dense layers, the last one being the number of classes.
        activation: between dense layers.
        normalisation: of the two convolutional blocks.
    """

    def __init__(
        self,
        input_shape: tuple[int, int, int],
        *,
        widths: Sequence[int],
        activation: Activation,
        normalisation: Normalisation,
    ) -> None:
        super().__init__()
        channels, height, width = input_shape
        self.conv1, self.norm1 = nn.Conv2d(channels, CHANNELS, KERNEL), _norm(normalisation)
        self.conv2, self.norm2 = nn.Conv2d(CHANNELS, CHANNELS, KERNEL), _norm(normalisation)
        inputs = CHANNELS * pooled(pooled(height)) * pooled(pooled(width))
        dense: list[nn.Module] = [nn.Flatten()]
        for layer, outputs in enumerate(widths):
            dense += [ACTIVATIONS[activation]()] if layer else []
            dense.append(nn.Linear(inputs, outputs))
            inputs = outputs
        self.head = nn.Sequential(*dense)

    def forward(self, inputs: Float[Tensor, "batch channels height width"]) -> Float[Tensor, "batch classes"]:
        return self.last(self.norm2(self.second(self.norm1(self.first(inputs)[0]))))

    def first(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """What the first normalisation sees, and the position that each of its values had before pooling."""
        values, places = nn.functional.max_pool2d(nn.functional.relu(self.conv1(inputs)), 2, return_indices=True)
        return values, places

    def second(self, normalised: Tensor) -> Tensor:
        """From the first normalisation to what the second one sees."""
        return nn.functional.relu(self.conv2(normalised))

    def last(self, normalised: Tensor) -> Tensor:
        """From the second normalisation to the logits."""
        logits: Tensor = self.head(nn.functional.max_pool2d(normalised, 2))
        return logits


def pooled(pixels: int) -> int:
    """Pixels a side after one convolution and one pooling.

    >>> pooled(28), pooled(pooled(28))
    (12, 4)
    """
    return (pixels - KERNEL + 1) // 2


def _norm(name: Normalisation) -> nn.Module:
    if name == "batch":
        # The published code never leaves training mode: an evaluated example is normalised with the test batch that
        # it is in, and running statistics are never read. Keeping none also means that none can be released.
        return nn.BatchNorm2d(CHANNELS, track_running_stats=False)
    if name == "batch-running":
        return nn.BatchNorm2d(CHANNELS)
    return nn.Sequential(*layers.normalisation(name, CHANNELS))
