"""Grey images of any size as inputs of one size."""

from __future__ import annotations

import math
from typing import Any

import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from wassdp import checks
from wassdp.training.inputs import scaled


def brought(
    images: NDArray[Any], *, maximum: int, side: int, margin: int = 0, rotation: float = 0.0
) -> Float[Tensor, "examples 1 side side"]:
    """Images in [-1, 1], resized bilinearly to ``side`` pixels and turned about their centre.

    Args:
        images: as for `wassdp.training.inputs.scaled`, grey.
        maximum: the largest value that a pixel can have.
        side: pixels of a side, at least 1.
        margin: pixels of background, -1, left on every side of an image that is resized; below half of ``side``.
        rotation: degrees, counterclockwise; what enters from outside is background, -1.

    Raises:
        ValueError: the shape is another, a pixel is outside the range, or an argument is.
    """
    checks.whole("side", side, least=1)
    checks.finite("rotation", rotation)
    if 2 * checks.whole("margin", margin) >= side:
        raise ValueError(f"margin = {margin}: must be below half of side = {side}")
    inputs = scaled(images, maximum=maximum)
    if inputs.shape[1] != 1:
        raise ValueError(f"images has shape {images.shape}: must be grey")
    if inputs.shape[2:] != (side, side):
        inner = side - 2 * margin
        inputs = nn.functional.interpolate(inputs, size=(inner, inner), mode="bilinear", align_corners=False)
        inputs = nn.functional.pad(inputs, (margin,) * 4, value=-1.0)
    if rotation == 0:
        return inputs
    angle = math.radians(rotation)
    turn = torch.tensor([[math.cos(angle), -math.sin(angle), 0.0], [math.sin(angle), math.cos(angle), 0.0]])
    grid = nn.functional.affine_grid(turn.expand(len(inputs), 2, 3), list(inputs.shape), align_corners=False)
    # Sampling pads with 0, so the background is moved there and back.
    return nn.functional.grid_sample(inputs + 1, grid, align_corners=False) - 1
