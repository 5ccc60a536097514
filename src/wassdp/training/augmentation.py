"""Augmentation multiplicity: one example is several views of its image, and its loss their mean.

The gradient of the mean loss is the mean gradient over the views, taken before clipping: an example counts once,
whatever the number of its views, so privacy is accounted as without them.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int64
from pydantic import Field
from torch import Tensor, nn

from wassdp import checks, noise
from wassdp.noise import Bits
from wassdp.sections import Section


class Augmentation(Section):
    """Several random views of each image in a step; an example's loss is their mean, so it still counts once.

    A view is a random crop of the image, padded by its reflection, and perhaps a mirror image.

    Source: De et al. (2022), arXiv:2204.13650, Section 3 ("augmentation multiplicity").
    """

    copies: int = Field(ge=1, le=64, description="views of each example in a step")
    crop: int = Field(default=4, ge=0, description="pixels by which a view may be moved in each direction")
    flip: bool = Field(default=True, description="mirror half of the views, left and right")

    def impossible(self, image: tuple[int, int, int]) -> str | None:
        """Why there are no such views of images of that shape (channels, height, width), or None."""
        if self.crop >= min(image[1:]):
            return f"augmentation.crop = {self.crop}: must be below the {min(image[1:])} pixels of a side"
        return None

    def __call__(
        self, images: Float[Tensor, "batch channels height width"], *, generator: Bits
    ) -> Float[Tensor, "batch copies channels height width"]:
        """Views of every image, each drawn independently.

        Args:
            images: shape (batch, channels, height, width), sides above ``crop``.
            generator: source of the moves and mirrorings.
        """
        batch, _, height, width = images.shape
        drawn = torch.from_numpy(noise.uniform(3 * batch * self.copies, generator=generator)).to(images.device)
        drawn = drawn.view(3, batch, self.copies)
        reach = 2 * self.crop + 1
        down, right = ((shares * reach).long() for shares in drawn[:2])
        mirrored = drawn[2] < (0.5 if self.flip else 0.0)
        if batch == 0:
            return images.new_zeros(0, self.copies, *images.shape[1:])
        padded = nn.functional.pad(images, (self.crop,) * 4, mode="reflect")
        rows = down[..., None] + torch.arange(height, device=images.device)
        straight = torch.arange(width, device=images.device)
        columns = right[..., None] + torch.where(mirrored[..., None], straight.flip(0), straight)
        which = torch.arange(batch, device=images.device)[:, None, None, None]
        # Advanced indices first, then what is sliced: (batch, copies, height, width, channels).
        views = padded.permute(0, 2, 3, 1)[which, rows[..., None], columns[:, :, None, :]]
        channels_first: Tensor = views.permute(0, 1, 4, 2, 3)
        return channels_first.contiguous()


class OfViews(nn.Module):
    """A model of single images as a model of examples: (batch, views, ...) to (batch, views, classes).

    Images without an axis of views go through as they are, so that evaluation sees each once.

    Args:
        model: of single images; its parameters are this module's.
        image: number of axes of one image.
    """

    def __init__(self, model: nn.Module, *, image: int = 3) -> None:
        super().__init__()
        self.model = model
        self.image = checks.whole("image", image, least=1)

    def forward(self, inputs: Tensor) -> Tensor:
        if inputs.dim() == self.image + 1:
            outputs: Tensor = self.model(inputs)
            return outputs
        logits: Tensor = self.model(inputs.flatten(end_dim=1))
        return logits.reshape(*inputs.shape[:2], *logits.shape[1:])


def cross_entropy(
    logits: Float[Tensor, "batch *views classes"], targets: Int64[Tensor, " batch"]
) -> Float[Tensor, " batch"]:
    """One loss per example: the mean over its views, if it has any."""
    if logits.dim() == 2:
        return nn.functional.cross_entropy(logits, targets, reduction="none")
    views = logits.shape[1]
    losses = nn.functional.cross_entropy(logits.flatten(end_dim=1), targets.repeat_interleave(views), reduction="none")
    return losses.reshape(-1, views).mean(dim=1)
