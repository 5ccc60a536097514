"""Public maps from images to the vectors whose distributions are compared. No private record enters one."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Float
from torch import Tensor, nn

from wassdp import checks

Shape = tuple[int, int, int]


@dataclass(frozen=True)
class View:
    """A map from images of a shape to vectors.

    Args:
        shape: channels, height and width of an image.
    """

    shape: Shape

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        raise NotImplementedError

    @property
    def contraction(self) -> bool:
        """Whether the map is linear and moves no two images further apart than they are."""
        return True

    @property
    def grid(self) -> Shape | None:
        """Channels, height and width, if the vectors are pictures; None otherwise."""
        return None

    @property
    def non_negative(self) -> bool:
        """Whether no coordinate is ever below 0: then no two vectors are at an obtuse angle."""
        return self.grid is not None

    def __call__(self, images: Float[Tensor, "count channels height width"]) -> Float[Tensor, "count dimension"]:
        """The vectors of ``images``, differentiable."""
        raise NotImplementedError


@dataclass(frozen=True)
class Pixels(View):
    """The pixels themselves."""

    @property
    def dimension(self) -> int:
        return math.prod(self.shape)

    @property
    def grid(self) -> Shape:
        return self.shape

    def __call__(self, images: Float[Tensor, "count channels height width"]) -> Float[Tensor, "count dimension"]:
        return images.flatten(start_dim=1)


@dataclass(frozen=True)
class Pooled(View):
    """Sums over squares of pixels, divided by the side of a square: coordinates in an orthonormal basis of averages.

    Args:
        factor: side of a square, a divisor of both sides of an image.

    Raises:
        ValueError: ``factor`` does not divide them.
    """

    factor: int

    def __post_init__(self) -> None:
        checks.whole("factor", self.factor, least=1)
        if self.shape[1] % self.factor or self.shape[2] % self.factor:
            raise ValueError(f"factor = {self.factor}: must divide the sides of {self.shape}")

    @property
    def dimension(self) -> int:
        return math.prod(self.shape) // self.factor**2

    @property
    def grid(self) -> Shape:
        return self.shape[0], self.shape[1] // self.factor, self.shape[2] // self.factor

    def __call__(self, images: Float[Tensor, "count channels height width"]) -> Float[Tensor, "count dimension"]:
        return self.factor * nn.functional.avg_pool2d(images, self.factor).flatten(start_dim=1)


@dataclass(frozen=True)
class Cosine(View):
    r"""The lowest ``side`` by ``side`` coefficients of the orthonormal two-dimensional cosine transform (type II).

    .. math:: C_{u i} = \sqrt{(2 - 1[u = 0]) / n} \, \cos(π (2 i + 1) u / 2 n), \quad X \mapsto C X C^T

    Args:
        side: coefficients along each axis, at most the sides of an image.

    Raises:
        ValueError: ``side`` is outside its range.
    """

    side: int

    def __post_init__(self) -> None:
        if checks.whole("side", self.side, least=1) > min(self.shape[1:]):
            raise ValueError(f"side = {self.side}: must be at most the sides of {self.shape}")

    @property
    def dimension(self) -> int:
        return self.shape[0] * self.side**2

    def __call__(self, images: Float[Tensor, "count channels height width"]) -> Float[Tensor, "count dimension"]:
        down, across = (_cosines(size, self.side).to(images) for size in self.shape[1:])
        return (down @ images @ across.T).flatten(start_dim=1)


@dataclass(frozen=True)
class Convolutional(View):
    """Features of a network with fixed random weights: four times a convolution 4x4 of stride 2 and a leaky ReLU.

    For 64 x 64 it gives 512 maps of 4 x 4, the 8192 dimensions in which SWD compares images of CelebA. There the
    network is trained on private images beside the generator; that training reads them without noise and is in no
    account. Weights drawn once from a public seed keep the dimension and make the map public.

    Args:
        seed: of the weights.
        widths: maps of each layer.

    Raises:
        ValueError: a side of an image is no multiple of 2 to the power of the number of layers.
    """

    seed: int = 0
    widths: tuple[int, ...] = (64, 128, 256, 512)

    def __post_init__(self) -> None:
        checks.whole("seed", self.seed)
        step = 2 ** len(self.widths)
        if self.shape[1] % step or self.shape[2] % step:
            raise ValueError(f"shape = {self.shape!r}: height and width must be multiples of {step}")

    @property
    def dimension(self) -> int:
        step: int = 2 ** len(self.widths)
        return self.widths[-1] * (self.shape[1] // step) * (self.shape[2] // step)

    @property
    def contraction(self) -> bool:
        return False

    @cached_property
    def _kernels(self) -> list[Tensor]:
        generator = torch.Generator().manual_seed(self.seed)
        widths = (self.shape[0], *self.widths)
        # He's scaling, for a leaky ReLU of slope 0.2: squared lengths are kept from layer to layer.
        return [
            torch.randn(after, before, 4, 4, generator=generator) * math.sqrt(2 / (1.04 * 16 * before))
            for before, after in itertools.pairwise(widths)
        ]

    def __call__(self, images: Float[Tensor, "count channels height width"]) -> Float[Tensor, "count dimension"]:
        found = 2 * images - 1
        for kernel in self._kernels:
            found = nn.functional.conv2d(found, kernel.to(found), stride=2, padding=1)
            found = nn.functional.leaky_relu(found, 0.2)
        return found.flatten(start_dim=1)


def _cosines(size: int, count: int) -> Float[Tensor, "count size"]:
    wave = torch.arange(count, dtype=torch.float64)[:, None]
    place = torch.arange(size, dtype=torch.float64)[None, :]
    height = torch.where(wave == 0, 1.0, 2.0).div(size).sqrt()
    return height * torch.cos(math.pi * (2 * place + 1) * wave / (2 * size))
