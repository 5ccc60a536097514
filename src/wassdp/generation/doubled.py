"""Double the side of small images bilinearly and convolve, in one linear map without the larger images."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn


class DoubledConvolution(nn.Conv2d):
    """What `torch.nn.Upsample` (bilinear, corners aligned) to twice the side and `torch.nn.Conv2d` give together.

    Both are linear and the first acts on rows and columns apart. The kernel is folded into the interpolation of the
    columns, a small matrix for each of its rows; one product with it and one with the interpolation of the rows
    replace a convolution of large images with few maps, which libraries do at a fraction of a processor's speed. The
    cost grows with the cube of the side: meant for sides of tens of pixels.

    Initial parameters are those that `torch.nn.Conv2d` draws.

    Args:
        before: number of maps of an input.
        after: number of maps of an output.
        side: odd side of the kernel; zeros around the doubled image keep its size.
        size: height and width of an input.
    """

    rows: Tensor
    columns: Tensor

    def __init__(self, before: int, after: int, side: int, *, size: tuple[int, int]) -> None:
        super().__init__(before, after, side, padding=side // 2)
        height, width = size
        self.register_buffer("rows", _taps(height, side).permute(2, 1, 0).reshape(2 * height, -1), persistent=False)
        self.register_buffer("columns", _taps(width, side), persistent=False)

    def forward(self, input: Float[Tensor, "batch before height width"]) -> Float[Tensor, "batch after tall wide"]:
        """Images of twice the side, laid out row by row of all maps: as the next map of this kind reads them."""
        after, before, side, _ = self.weight.shape
        wide, width = self.columns.shape[2], self.columns.shape[1]
        tall, height = self.rows.shape[0], self.rows.shape[1] // side
        folded = torch.einsum("ocyx,xwq->cwyoq", self.weight, self.columns).reshape(before * width, -1)
        across = input.transpose(1, 2).reshape(-1, before * width) @ folded
        down = self.rows @ across.view(-1, height * side, after * wide)
        if self.bias is not None:
            down = down + self.bias.repeat_interleave(wide)
        return down.view(-1, tall, after, wide).transpose(1, 2)


def _taps(length: int, side: int) -> Float[Tensor, "side length doubled"]:
    """The interpolation of a line to twice its length, seen through each tap of the kernel; zeros beyond its ends."""
    basis = torch.eye(length, dtype=torch.float64)[None]
    doubled = nn.functional.interpolate(basis, size=2 * length, mode="linear", align_corners=True)[0]
    padded = nn.functional.pad(doubled, (side // 2, side // 2))
    return torch.stack([padded[:, tap : tap + 2 * length] for tap in range(side)]).to(torch.get_default_dtype())
