"""Slant and place taken out of images of single signs, each image by its own moments."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

LARGEST = 1.0
"""Columns per row by which an image is sheared at most: beyond, it is no slant but the sign itself."""


def deskewed(images: Float[Tensor, "batch height width"]) -> Float[Tensor, "batch height width"]:
    r"""Each image with its centre of mass in the middle, sheared so that its rows' centres lie above each other.

    With brightness as mass, :math:`\mu_{xy}` and :math:`\mu_{yy}` its central second moments, the row that is y below
    the centre moves by :math:`-y \, \mu_{xy} / \mu_{yy}`, at most `LARGEST` columns per row; pixels between four others
    are interpolated. An image depends on nothing but itself, so that deskewing costs no privacy.

    Source: LeCun, Bottou, Bengio and Haffner (1998), Gradient-Based Learning Applied to Document Recognition, III.A.

    Args:
        images: brightness, at least 0; a black image stays black.
    """
    height, width = images.shape[1:]
    rows, columns = (torch.arange(side, dtype=images.dtype, device=images.device) for side in (height, width))
    # The brightness of a black image is divided by something, whatever it is.
    mass = images.sum(dim=(1, 2)).clamp(min=torch.finfo(images.dtype).tiny)[:, None]
    weights = images / mass[:, :, None]
    below = rows - torch.einsum("nyx,y->n", weights, rows)[:, None]
    right = columns - torch.einsum("nyx,x->n", weights, columns)[:, None]
    together = torch.einsum("nyx,ny,nx->n", weights, below, right)
    alone = torch.einsum("nyx,ny->n", weights, below.square())
    slant = (together / alone.clamp(min=torch.finfo(images.dtype).eps)).clamp(-LARGEST, LARGEST)
    # Where each pixel of the new image is taken from: `below` and `right` are zero at the centre of mass.
    down, across = rows - (height - 1) / 2, columns - (width - 1) / 2
    source_row = down - below[:, :1]
    source_column = across + slant[:, None, None] * down[:, None] - right[:, :1, None]
    grid = torch.stack(
        (
            2 * source_column / (width - 1) - 1,
            (2 * source_row / (height - 1) - 1)[:, :, None].expand(-1, -1, width),
        ),
        dim=-1,
    )
    return torch.nn.functional.grid_sample(images[:, None], grid, align_corners=True)[:, 0]
