"""What the files of models A and B share. Imports no torch until a model is built."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from wassdp import checks
from wassdp.models.parts import layers

if TYPE_CHECKING:
    from torch import nn

Normalisation = Literal["batch", "batch-running", "group", "none"]
CHANNELS, KERNEL = 64, 5
LEAST = 16  # pixels a side: two convolutions of 5 and two poolings leave one


class Options(layers.Options):
    """Choices of models A and B."""

    normalisation: Normalisation = Field(
        default="batch",
        description="batch (as published): statistics of the batch at hand, in evaluation too; batch-running: the "
        "usual one, whose running statistics are part of the model; group: each example by itself; none",
    )


def pooled(pixels: int) -> int:
    """Pixels a side after one convolution and one pooling.

    >>> pooled(28), pooled(pooled(28))
    (12, 4)
    """
    return (pixels - KERNEL + 1) // 2


def impossible(input_shape: tuple[int, ...], options: Options) -> str | None:
    """Why the model cannot be built for this shape, or None."""
    return layers.no_image(input_shape, least=LEAST)


def build(
    input_shape: tuple[int, ...],
    classes: int,
    options: Options,
    *,
    hidden: Sequence[int],
    activation: layers.Activation,
) -> nn.Module:
    """A network of two blocks, with dense layers of ``hidden`` outputs between the blocks and the logits.

    Raises:
        ValueError: the shape is not an image's, or there are fewer than two classes.
    """
    from wassdp.models.parts.two_block_network import TwoBlocks

    shape = layers.image_shape(input_shape, least=LEAST)
    checks.whole("classes", classes, least=2)
    return TwoBlocks(shape, widths=(*hidden, classes), activation=activation, normalisation=options.normalisation)
