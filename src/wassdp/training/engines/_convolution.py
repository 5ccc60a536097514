"""Per-example gradients of convolutions' weights: as they are, or their norms from the Gram matrix of pixels.

Symbols: n examples, I and O channels, K taps of the kernel along one side; a and b are the input and
the output's gradient; t is a place in the output.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from wassdp.training.engines._per_example import Materialised, PerExample, norm_without_overflow, trusted

Convolution = nn.Conv1d | nn.Conv2d | nn.Conv3d

# Nanoseconds on one core, measured: a multiplication in a small matrix product, an addition of strided matrices,
# writing and reading one number of a gradient that is held, and starting one operation.
_PRODUCT, _ADDITION, _HELD, _START = 0.025, 0.5, 2.0, 10_000.0


def weight_gradients(layer: Convolution, calls: list[tuple[Tensor, Tensor]]) -> PerExample:
    """The form that is cheapest for this layer; by shapes alone, so that a run can be repeated bit by bit.

    Args:
        layer: the convolution.
        calls: of each call, the input (n, I, ...) and the output's gradient (n, O, ...).
    """
    geometry = Geometry.of(layer)
    padded = [(geometry.pad(inputs), outputs) for inputs, outputs in calls]
    if len(padded) == 1 and geometry.gram_is_cheaper(*padded[0]):
        return Windows(geometry, *padded[0])
    parts = [geometry.materialised(inputs, outputs) for inputs, outputs in padded]
    return Materialised(parts[0] if len(parts) == 1 else torch.stack(parts).sum(dim=0))


@dataclass(frozen=True)
class Geometry:
    """A convolution's arithmetic without its weights.

    Args:
        shape: of the weight, (O, I / groups, kernel...).
        stride: step between outputs.
        padding: zeros added at both ends, as far as the convolution itself adds them.
        dilation: step between the kernel's taps.
        groups: how many parts of the channels do not see each other.
        beforehand: padding that is added to the input first, in the order of `torch.nn.functional.pad`.
        mode: with what.
    """

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int
    beforehand: tuple[int, ...] = ()
    mode: str = "constant"

    @staticmethod
    def of(layer: Convolution) -> Geometry:
        """The geometry of ``layer``."""
        plain = layer.padding_mode == "zeros" and not isinstance(layer.padding, str)
        return Geometry(
            shape=tuple(layer.weight.shape),
            stride=tuple(layer.stride),
            padding=tuple(int(each) for each in layer.padding) if plain else (0,) * len(layer.stride),
            dilation=tuple(layer.dilation),
            groups=layer.groups,
            beforehand=() if plain else tuple(layer._reversed_padding_repeated_twice),
            mode="constant" if layer.padding_mode == "zeros" else layer.padding_mode,
        )

    def pad(self, inputs: Tensor) -> Tensor:
        """``inputs``, with the padding that the convolution cannot add itself."""
        return nn.functional.pad(inputs, self.beforehand, mode=self.mode) if self.beforehand else inputs

    def gram_is_cheaper(self, inputs: Float[Tensor, "n I *space"], outputs: Float[Tensor, "n O *places"]) -> bool:
        """Whether `Windows` takes less time than to hold every example's gradient."""
        if self.groups > 1 or inputs.ndim != 4:
            return False
        height, width = inputs.shape[2:]
        down, across = outputs.shape[2:]
        products = (height * width) ** 2 * inputs.shape[1] + (down * across) ** 2 * outputs.shape[1]
        additions = self.shape[2] * (down * width) ** 2 + self.shape[3] * (down * across) ** 2
        starts = sum(self.shape[2:]) / max(1, len(inputs))
        gram = _PRODUCT * products + _ADDITION * additions + _START * starts
        return gram < _HELD * math.prod(self.shape)

    def materialised(
        self, inputs: Float[Tensor, "n I *space"], outputs: Float[Tensor, "n O *places"]
    ) -> Float[Tensor, "n O I_per_group *kernel"]:
        """Every example's gradient."""
        n = len(inputs)
        if inputs.device.type == "cpu":
            # One convolution that has the examples as groups: on a processor much faster than products of windows.
            merged = (each.reshape(1, -1, *each.shape[2:]) for each in (outputs, inputs))
            return self._weight_gradient(*merged, groups=n * self.groups).reshape(n, *self.shape)
        return self.by_windows(inputs, outputs)

    def summed(
        self, inputs: Float[Tensor, "n I *space"], outputs: Float[Tensor, "n O *places"]
    ) -> Float[Tensor, "O I_per_group *kernel"]:
        """The sum of all examples' gradients: an ordinary weight gradient."""
        return self._weight_gradient(outputs, inputs, groups=self.groups)

    def _weight_gradient(self, outputs: Tensor, inputs: Tensor, *, groups: int) -> Tensor:
        rows = self.shape[0] * groups // self.groups
        found: Tensor = torch.ops.aten.convolution_backward(
            outputs,
            inputs,
            inputs.new_empty(()).expand(rows, *self.shape[1:]),  # only the weight's shape is read
            None,
            self.stride,
            self.padding,
            self.dilation,
            False,
            (0,) * len(self.stride),
            groups,
            (False, True, False),
        )[1]
        return found

    def by_windows(
        self, inputs: Float[Tensor, "n I *space"], outputs: Float[Tensor, "n O *places"]
    ) -> Float[Tensor, "n O I_per_group *kernel"]:
        """Every example's gradient, as one matrix product of each example's windows and output gradients."""
        n, places, kernel = len(inputs), outputs.shape[2:], self.shape[2:]
        padded = nn.functional.pad(inputs, [pad for pad in reversed(self.padding) for _ in range(2)]).contiguous()
        steps = padded.stride()[2:]
        windows = padded.as_strided(
            (n, *padded.shape[1:2], *kernel, *places),
            (
                *padded.stride()[:2],
                *(step * dilation for step, dilation in zip(steps, self.dilation, strict=True)),
                *(step * stride for step, stride in zip(steps, self.stride, strict=True)),
            ),
        ).reshape(n * self.groups, self.shape[1] * math.prod(kernel), -1)
        gradients = outputs.reshape(n * self.groups, -1, windows.shape[2]) @ windows.mT
        return gradients.view(n, *self.shape)


@dataclass(frozen=True)
class Windows:
    r"""Gradients of a convolution in two dimensions, whose norms need neither windows nor gradients.

    .. math:: \Bigl\lVert \sum_t b_t a_{w(t)}^\top \Bigr\rVert^2
        = \sum_{t,t'} \langle b_t, b_{t'} \rangle \sum_{k} \langle a_{t+k}, a_{t'+k} \rangle

    The inner sum runs over the taps k of the kernel. It is taken over shifted copies of the pixels' Gram
    matrix, first down, then across: K + K additions of matrices instead of products of windows, which
    hold every pixel up to K^2 times.

    Args:
        geometry: of the convolution, one group.
        inputs: a, shape (n, I, height, width).
        outputs: b, shape (n, O, down, across).
    """

    geometry: Geometry
    inputs: Float[Tensor, "n I height width"]
    outputs: Float[Tensor, "n O down across"]

    def squared_norms(self) -> Tensor:
        n, places = len(self.inputs), math.prod(self.outputs.shape[2:])
        outputs = self.outputs.flatten(start_dim=2)
        products = outputs.mT @ outputs
        windows = self._gram_of_windows()
        squared = (windows.view(n, 1, -1) @ products.view(n, -1, 1)).view(n)
        inner, outer = (
            each.view(n, places, places).diagonal(dim1=1, dim2=2).sum(dim=1) for each in (windows, products)
        )
        return trusted(squared, inner * outer)

    def _gram_of_windows(self) -> Float[Tensor, "n down across down across"]:
        n, _, height, width = self.inputs.shape
        down, across = self.outputs.shape[2:]
        pixels = self.inputs.flatten(start_dim=2)
        gram = (pixels.mT @ pixels).view(n, height, width, height, width)
        for axis, shape in enumerate(((n, down, width, down, width), (n, down, across, down, across))):
            total = gram.new_zeros(shape)
            for tap in range(self.geometry.shape[2 + axis]):
                places, pixel = self._overlap(axis, tap)
                if axis == 0:
                    total[:, places, :, places] += gram[:, pixel, :, pixel]
                else:
                    total[:, :, places, :, places] += gram[:, :, pixel, :, pixel]
            gram = total
        return gram

    def _overlap(self, axis: int, tap: int) -> tuple[slice, slice]:
        """Places at which a tap of the kernel meets a pixel and not the padding, and those pixels."""
        geometry, side, count = self.geometry, self.inputs.shape[2 + axis], self.outputs.shape[2 + axis]
        offset, step = tap * geometry.dilation[axis] - geometry.padding[axis], geometry.stride[axis]
        first = max(0, -(offset // step))  # the first place whose pixel is not before the first one
        last = min(count - 1, (side - 1 - offset) // step)
        if last < first:
            return slice(0, 0), slice(0, 0)
        return slice(first, last + 1), slice(first * step + offset, last * step + offset + 1, step)

    def add_weighted(self, factors: Tensor, total: Tensor) -> None:
        scaled = self.outputs * factors[:, None, None, None]
        total.view(self.geometry.shape).add_(self.geometry.summed(self.inputs, scaled))

    def exact_norms(self, chosen: Tensor) -> Tensor:
        each = [
            self.geometry.materialised(self.inputs[one].double(), self.outputs[one].double()) for one in chosen.split(1)
        ]
        return torch.cat([norm_without_overflow(one.flatten(start_dim=1)) for one in each])

    def scratch(self) -> int:
        return len(self.inputs) * math.prod(self.inputs.shape[2:]) ** 2
