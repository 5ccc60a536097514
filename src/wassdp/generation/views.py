"""Public maps from images to the vectors whose distributions are compared. No private record enters one."""

from __future__ import annotations

import functools
import itertools
import math
from typing import Annotated, ClassVar, Literal

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn

from wassdp.sections import Section

Shape = tuple[int, int, int]
"""Channels, height and width of an image."""
WIDTHS = (64, 128, 256, 512)
"""Maps of each layer of the network of random features."""


class View(Section):
    """A map from images of any shape that is not `impossible` to vectors."""

    contraction: ClassVar[bool] = True
    """Whether the map is linear and moves no two images further apart than they are."""
    non_negative: ClassVar[bool] = False
    """Whether no coordinate is ever below 0: then no two vectors are at an obtuse angle."""

    name: str

    def describe(self) -> str:
        """The view in words; nothing, as what is usual."""
        return ""

    def impossible(self, shape: Shape) -> str | None:
        """Why images of this shape have no such vectors, or None."""
        return None

    def dimension(self, shape: Shape) -> int:
        """Length of the vector of an image of this shape."""
        raise NotImplementedError

    def grid(self, shape: Shape) -> Shape | None:
        """Channels, height and width, if the vectors are pictures; None otherwise."""
        return None

    def __call__(self, images: Float[Tensor, "count channels height width"]) -> Float[Tensor, "count dimension"]:
        """The vectors of ``images``, differentiable."""
        raise NotImplementedError


class Pixels(View):
    """The pixels themselves."""

    non_negative: ClassVar[bool] = True

    name: Literal["pixels"] = "pixels"

    def dimension(self, shape: Shape) -> int:
        return math.prod(shape)

    def grid(self, shape: Shape) -> Shape:
        return shape

    def __call__(self, images: Float[Tensor, "count channels height width"]) -> Float[Tensor, "count dimension"]:
        return images.flatten(start_dim=1)


class Pooled(View):
    """Sums over squares of pixels, divided by the side of a square: coordinates in an orthonormal basis of averages."""

    non_negative: ClassVar[bool] = True

    name: Literal["pooled"]
    factor: int = Field(ge=1, description="side of a square, a divisor of both sides of an image")

    def describe(self) -> str:
        return f"averages of {self.factor}×{self.factor}"

    def impossible(self, shape: Shape) -> str | None:
        if shape[1] % self.factor or shape[2] % self.factor:
            return f"factor = {self.factor}: must divide the sides of {shape}"
        return None

    def dimension(self, shape: Shape) -> int:
        return math.prod(self.grid(shape))

    def grid(self, shape: Shape) -> Shape:
        return shape[0], shape[1] // self.factor, shape[2] // self.factor

    def __call__(self, images: Float[Tensor, "count channels height width"]) -> Float[Tensor, "count dimension"]:
        return self.factor * nn.functional.avg_pool2d(images, self.factor).flatten(start_dim=1)


class Cosine(View):
    r"""The lowest ``side`` by ``side`` coefficients of the orthonormal two-dimensional cosine transform (type II).

    .. math:: C_{u i} = \sqrt{(2 - 1[u = 0]) / n} \, \cos(π (2 i + 1) u / 2 n), \quad X \mapsto C X C^T
    """

    name: Literal["cosine"]
    side: int = Field(ge=1, description="coefficients along each axis")

    def describe(self) -> str:
        return f"{self.side}×{self.side} cosines"

    def impossible(self, shape: Shape) -> str | None:
        return f"side = {self.side}: must be at most the sides of {shape}" if self.side > min(shape[1:]) else None

    def dimension(self, shape: Shape) -> int:
        return shape[0] * self.side**2

    def __call__(self, images: Float[Tensor, "count channels height width"]) -> Float[Tensor, "count dimension"]:
        down, across = (_cosines(size, self.side).to(images) for size in images.shape[2:])
        return (down @ images @ across.T).flatten(start_dim=1)


class ConvolutionalView(View):
    """Features of a network with fixed random weights: four times a convolution 4x4 of stride 2 and a leaky ReLU.

    For 64 x 64 it gives 512 maps of 4 x 4, the 8192 dimensions in which SWD compares images of CelebA. There the
    network is trained on private images beside the generator; that training reads them without noise and is in no
    account. Weights drawn once from a public seed keep the dimension and make the map public.
    """

    contraction: ClassVar[bool] = False

    name: Literal["convolutional"]
    seed: int = Field(default=0, ge=0, lt=2**63, description="of the weights, public")

    def describe(self) -> str:
        return "random features"

    def impossible(self, shape: Shape) -> str | None:
        step = 2 ** len(WIDTHS)
        if shape[1] % step or shape[2] % step:
            return f"shape = {shape!r}: height and width must be multiples of {step}"
        return None

    def dimension(self, shape: Shape) -> int:
        step: int = 2 ** len(WIDTHS)
        return WIDTHS[-1] * (shape[1] // step) * (shape[2] // step)

    def __call__(self, images: Float[Tensor, "count channels height width"]) -> Float[Tensor, "count dimension"]:
        features = 2 * images - 1
        for kernel in _kernels(self.seed, images.shape[1]):
            features = nn.functional.conv2d(features, kernel.to(features), stride=2, padding=1)
            features = nn.functional.leaky_relu(features, 0.2)
        return features.flatten(start_dim=1)


AnyView = Annotated[
    Pixels | Pooled | Cosine | ConvolutionalView,
    Field(discriminator="name", description="public map from images to what is compared; real and generated alike"),
]


@functools.lru_cache(maxsize=1)
def _kernels(seed: int, channels: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(seed)
    # He's scaling, for a leaky ReLU of slope 0.2: squared lengths are kept from layer to layer.
    return [
        torch.randn(after, before, 4, 4, generator=generator) * math.sqrt(2 / (1.04 * 16 * before))
        for before, after in itertools.pairwise((channels, *WIDTHS))
    ]


def _cosines(size: int, count: int) -> Float[Tensor, "count size"]:
    wave = torch.arange(count, dtype=torch.float64)[:, None]
    pixel = torch.arange(size, dtype=torch.float64)[None, :]
    height = torch.where(wave == 0, 1.0, 2.0).div(size).sqrt()
    return height * torch.cos(math.pi * (2 * pixel + 1) * wave / (2 * size))
