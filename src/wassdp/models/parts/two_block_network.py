"""Two convolutional blocks and a dense head: the network that models A and B share. Imports torch."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float
from torch import Tensor, nn

from wassdp.models.parts import layers as _layers
from wassdp.models.parts.two_blocks import CHANNELS, KERNEL, Normalisation, pooled


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
        activation: _layers.Activation,
        normalisation: Normalisation,
    ) -> None:
        super().__init__()
        channels, height, width = input_shape
        self.conv1, self.norm1 = nn.Conv2d(channels, CHANNELS, KERNEL), _norm(normalisation)
        self.conv2, self.norm2 = nn.Conv2d(CHANNELS, CHANNELS, KERNEL), _norm(normalisation)
        inputs = CHANNELS * pooled(pooled(height)) * pooled(pooled(width))
        layers: list[nn.Module] = [nn.Flatten()]
        for place, outputs in enumerate(widths):
            layers += [_layers.activation(activation)] if place else []
            layers.append(nn.Linear(inputs, outputs))
            inputs = outputs
        self.head = nn.Sequential(*layers)

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


def _norm(name: Normalisation) -> nn.Module:
    if name == "batch":
        # The published code never leaves training mode: an evaluated example is normalised with the test batch that
        # it is in, and running statistics are never read. Keeping none also means that none can be released.
        return nn.BatchNorm2d(CHANNELS, track_running_stats=False)
    if name == "batch-running":
        return nn.BatchNorm2d(CHANNELS)
    return nn.Sequential(*_layers.normalisation(name, CHANNELS))
