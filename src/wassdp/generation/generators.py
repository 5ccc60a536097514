"""The papers' generators: from a Gaussian code, and a class where there are classes, to images in [0, 1]."""

from __future__ import annotations

import itertools
from typing import Literal

import torch
from jaxtyping import Float, Int64
from pydantic import Field
from torch import Tensor, nn

from wassdp import checks
from wassdp.generation.doubled import DoubledConvolution
from wassdp.generation.views import Shape
from wassdp.sections import Section


class Generator(nn.Module):
    """A map from a Gaussian code, and a class where there are classes, to images in [0, 1].

    Args:
        shape: channels, height and width of an image.
        code: length of the Gaussian code.
        classes: number of classes; 0 for none.

    Raises:
        ValueError: an argument is outside its range, or the network does not give images of this shape.
    """

    def __init__(self, shape: Shape, *, code: int, classes: int) -> None:
        super().__init__()
        if reason := self.impossible(shape):
            raise ValueError(reason)
        self.code = checks.whole("code", code, least=1)
        self.classes = checks.whole("classes", classes)

    @staticmethod
    def impossible(shape: Shape) -> str | None:
        """Why it gives no images of this shape, or None."""
        raise NotImplementedError


class Upsampling(Generator):
    """Dense layers, then twice: double the side, convolve. For grey images (SWD, Table 3).

    Code and one-hot class - dense 200 - batch normalisation - ReLU - dense 16·(h/4)·(w/4) - batch normalisation -
    double - convolution 5x5 (8), ReLU - double - convolution 5x5, sigmoid.

    Batch normalisation mixes generated images only, which are public. Table 3 reshapes 784 values to "28 x 28" before
    it doubles twice; 16 maps of 7 x 7 are the reading that ends at 28 x 28, and the one of the code that it points to.
    """

    def __init__(self, shape: Shape, *, code: int, classes: int) -> None:
        super().__init__(shape, code=code, classes=classes)
        channels, height, width = shape
        low = (16, height // 4, width // 4)
        size = low[0] * low[1] * low[2]
        self.layers = nn.Sequential(
            nn.Linear(code + classes, 200),
            nn.BatchNorm1d(200),
            nn.ReLU(),
            nn.Linear(200, size),
            nn.BatchNorm1d(size),
            nn.Unflatten(1, low),
            DoubledConvolution(16, 8, 5, size=low[1:]),
            nn.ReLU(),
            DoubledConvolution(8, channels, 5, size=(height // 2, width // 2)),
            nn.Sigmoid(),
        )

    @staticmethod
    def impossible(shape: Shape) -> str | None:
        if shape[1] % 4 or shape[2] % 4 or min(shape) < 1:
            return f"generator upsampling: the sides of {shape} are no multiples of 4"
        return None

    def forward(self, inputs: Float[Tensor, "batch inputs"]) -> Float[Tensor, "batch channels height width"]:
        images: Tensor = self.layers(inputs)
        return images


class Transposed(Generator):
    """Transposed convolutions with batch normalisation, for colour images of 64 x 64 (SWD, Table 5).

    Table 5 prints stride 1 for all five layers, which would end at 16 x 16; stride 2 after the first is the reading
    that ends at the 64 x 64 of its text. The last layer's tanh is moved from [-1, 1] to [0, 1].
    """

    def __init__(self, shape: Shape, *, code: int, classes: int) -> None:
        super().__init__(shape, code=code, classes=classes)
        widths = (code + classes, 512, 256, 128, 64)
        layers: list[nn.Module] = [nn.Unflatten(1, (widths[0], 1, 1))]
        for number, (before, after) in enumerate(itertools.pairwise(widths)):
            stride, padding = (1, 0) if number == 0 else (2, 1)
            layers += [
                nn.ConvTranspose2d(before, after, 4, stride=stride, padding=padding, bias=False),
                nn.BatchNorm2d(after),
                nn.ReLU(),
            ]
        self.layers = nn.Sequential(*layers, nn.ConvTranspose2d(64, shape[0], 4, stride=2, padding=1), nn.Tanh())

    @staticmethod
    def impossible(shape: Shape) -> str | None:
        if shape[1:] != (64, 64) or shape[0] < 1:
            return f"generator transposed: gives 64 x 64, not {shape[1]} x {shape[2]}"
        return None

    def forward(self, inputs: Float[Tensor, "batch inputs"]) -> Float[Tensor, "batch channels height width"]:
        images: Tensor = 0.5 + 0.5 * self.layers(inputs)
        return images


BY_NAME = {"upsampling": Upsampling, "transposed": Transposed}


class Network(Section):
    """A generator (`wassdp.generation.generators`)."""

    name: Literal["upsampling", "transposed"] = Field(
        default="upsampling", description="SWD's Table 3 (grey images), or its Table 5 (64 x 64)"
    )
    code: int = Field(default=10, ge=1, description="length of the Gaussian code; the one-hot class comes on top")

    def impossible(self, shape: Shape) -> str | None:
        """Why it gives no images of this shape, or None."""
        return BY_NAME[self.name].impossible(shape)

    def build(self, shape: Shape, classes: int) -> Generator:
        """The network, initialised from torch's global generator.

        Args:
            shape: channels, height and width of an image.
            classes: that it is told; 0 for none.

        Raises:
            ValueError: it gives no images of this shape.
        """
        return BY_NAME[self.name](shape, code=self.code, classes=classes)


def balanced(count: int, classes: int, device: torch.device) -> Int64[Tensor, " count"] | None:
    """Labels of ``count`` generated images, in order, as many of each class; None where there are no classes.

    Raises:
        ValueError: ``count`` is no multiple of the number of classes.

    >>> balanced(6, 3, torch.device("cpu")).tolist()
    [0, 0, 1, 1, 2, 2]
    """
    if classes == 0:
        return None
    if count % classes or count < 1:
        raise ValueError(f"count = {count}: must be a multiple of the {classes} classes")
    return torch.arange(classes, device=device).repeat_interleave(count // classes)


def generate(
    generator: Generator, labels: Int64[Tensor, " count"] | None, *, count: int, device: torch.device
) -> Float[Tensor, "count channels height width"]:
    """``count`` images of the given classes; codes come from torch's global generator.

    Raises:
        ValueError: labels are missing or not wanted, or are not ``count``.
    """
    if (labels is None) != (generator.classes == 0) or (labels is not None and len(labels) != count):
        raise ValueError(f"labels: must be {count} for a generator of {generator.classes} classes, None for none")
    codes = torch.randn(count, generator.code).to(device)
    if labels is not None:
        codes = torch.cat([codes, nn.functional.one_hot(labels, generator.classes).to(codes.dtype)], dim=1)
    images: Tensor = generator(codes)
    return images


def sample(
    generator: Generator, *, count: int, device: torch.device, chunk: int = 1000
) -> tuple[Float[Tensor, "count channels height width"], Int64[Tensor, " count"] | None]:
    """``count`` images in evaluation mode with their balanced labels, on the processor; the mode is put back."""
    labels = balanced(count, generator.classes, device)
    training = generator.training
    generator.eval()
    parts = []
    with torch.no_grad():
        for first in range(0, count, chunk):
            some = None if labels is None else labels[first : first + chunk]
            parts.append(generate(generator, some, count=min(chunk, count - first), device=device).cpu())
    generator.train(training)
    return torch.cat(parts), None if labels is None else labels.cpu()
