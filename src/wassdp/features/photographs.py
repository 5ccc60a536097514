"""Crops of two photographs that come with scikit-learn: public images, in place of private ones.

Whatever is measured on them (filters, means, principal directions) costs no privacy: they are the same for everybody
and hold none of the records.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from sklearn.datasets import load_sample_images
from torch import Tensor

from wassdp import checks

MAXIMUM = 255
REFERENCES = 3000
"""Crops on which something is measured."""
REDUCTIONS = (1, 2, 3, 4, 6, 8)
"""By how much a photograph is made smaller before it is cropped: a crop shows details, parts or nearly all of it."""


def crops(shape: tuple[int, int, int], *, count: int, seed: int = 0) -> Float[Tensor, "count channels height width"]:
    """Crops at random places, an equal number from each photograph and size, as far as ``count`` allows.

    Args:
        shape: channels (3, or 1 for grey: the mean of the colours), height and width of a crop.
        count: number of crops.
        seed: of the places.

    Returns:
        Values from 0 to `MAXIMUM`, single precision.

    Raises:
        ValueError: another number of channels, fewer than one crop, or a crop larger than the photographs.
    """
    channels, height, width = shape
    checks.one_of("channels", channels, (1, 3))
    checks.whole("count", count, least=1)
    sources = [small for small in _pyramid(channels) if small.shape[1] >= height and small.shape[2] >= width]
    if not sources:
        raise ValueError(
            f"shape = {shape}: the photographs have {' x '.join(map(str, _pyramid(1)[0].shape[1:]))} pixels"
        )
    generator = torch.Generator().manual_seed(seed)
    cut = torch.empty(count, *shape)
    for number in range(count):
        source = sources[number % len(sources)]
        top, left = (
            int(torch.randint(most - side + 1, (), generator=generator))
            for most, side in zip(source.shape[1:], (height, width), strict=True)
        )
        cut[number] = source[:, top : top + height, left : left + width]
    return cut


def _pyramid(channels: int) -> list[Float[Tensor, "channels height width"]]:
    colour = [torch.tensor(image, dtype=torch.float32).permute(2, 0, 1) for image in load_sample_images().images]
    images = colour if channels == 3 else [image.mean(dim=0, keepdim=True) for image in colour]
    return [torch.nn.functional.avg_pool2d(image, reduction) for image in images for reduction in REDUCTIONS]
