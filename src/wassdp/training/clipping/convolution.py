"""Per-example gradients of convolutions' weights, in the cheapest of three forms; one needs only Gram matrices.

Symbols: n examples, I and O channels, K taps of the kernel along one side; a and b are the input and
the output's gradient; t is a place in the output.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from wassdp.mechanisms.double_sums import weighted
from wassdp.training.clipping.per_example import Materialised, PerExample, trusted, vanished

Convolution = nn.Conv1d | nn.Conv2d | nn.Conv3d
Form = Literal["groups", "windows", "gram"]

HELD = {True: 2**18, False: 2**26}
"""Numbers of windows that are held at a time: on a processor (True) as many as its caches hold."""


def weight_gradients(layer: Convolution, calls: list[tuple[Tensor, Tensor]]) -> PerExample:
    """The form that is cheapest for this layer; by shapes alone, so that a run can be repeated bit by bit.

    Args:
        layer: the convolution.
        calls: of each call, the input (n, I, ...) and the output's gradient (n, O, ...).
    """
    geometry = Geometry.of(layer)
    padded = [(geometry.pad(inputs), outputs) for inputs, outputs in calls]
    form = geometry.cheapest(*padded[0], once=len(padded) == 1)
    if form == "gram":
        return PixelGram(geometry, *padded[0])
    if form == "windows":
        return ChannelsLast(total([geometry.by_windows(*call) for call in padded]))
    return Materialised(total([geometry.by_groups(*call) for call in padded]))


def total(parts: list[Tensor]) -> Tensor:
    """The sum of what several calls of a layer give; one alone is not copied."""
    return parts[0] if len(parts) == 1 else torch.stack(parts).sum(dim=0)


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
            padding=tuple(int(size) for size in layer.padding) if plain else (0,) * len(layer.stride),
            dilation=tuple(layer.dilation),
            groups=layer.groups,
            beforehand=() if plain else tuple(layer._reversed_padding_repeated_twice),
            mode="constant" if layer.padding_mode == "zeros" else layer.padding_mode,
        )

    def pad(self, inputs: Tensor) -> Tensor:
        """``inputs``, with the padding that the convolution cannot add itself."""
        return nn.functional.pad(inputs, self.beforehand, mode=self.mode) if self.beforehand else inputs

    def cheapest(
        self, inputs: Float[Tensor, "n I *space"], outputs: Float[Tensor, "n O *places"], *, once: bool
    ) -> Form:
        """The form that is expected to take the least time, in nanoseconds for each example on one core.

        The constants were fitted to measurements on a processor, of the layers of this project's models and of a
        hundred others, each with its norms and its sum in double precision.
        """
        size, window = math.prod(self.shape), math.prod(self.shape[1:])
        pixels, places = math.prod(inputs.shape[2:]), math.prod(outputs.shape[2:])
        # Numbers that lie together in a window: those of a group's channels, along its last side where there is one.
        piece = self.shape[1] * (self.shape[-1] if self.groups == 1 else 1)
        copied = self.groups * places * window * (0.33 + 2.7 / piece)
        costs: dict[Form, float] = {
            "windows": 0.021 * places * size + 0.77 * places * self.shape[0] + copied + 0.77 * size + 1_500
        }
        # Convolutions of so few channels are slow, by how much differs from one to the next.
        if inputs.device.type == "cpu" and inputs.shape[1] >= 4:
            moved = inputs[0].numel() + outputs[0].numel()
            ordinary = (0.023 + 0.02 / self.shape[1]) * places * size
            costs["groups"] = ordinary + 0.94 * moved + 1.5 * size + 2_400
        if once and self.groups == 1 and inputs.ndim == 4:
            products = pixels**2 * inputs.shape[1] + places**2 * outputs.shape[1]
            down, width = outputs.shape[2], inputs.shape[3]
            additions = self.shape[2] * (down * width) ** 2 + self.shape[3] * places**2
            starts = 3_300 * (1 + sum(self.shape[2:]) / max(1, len(inputs)))
            added = 0.037 * places * size + 0.65 * places * window + 0.17 * size
            costs["gram"] = 0.036 * products + 1.03 * additions + added + starts
        return min(costs, key=lambda form: costs[form])

    def gram_is_cheaper(
        self, inputs: Float[Tensor, "n I *space"], outputs: Float[Tensor, "n O *places"], *, count: int
    ) -> bool:
        """Whether inner products between the gradients of ``count`` outputs are cheaper by the windows' Gram matrix.

        It is computed once for all outputs, in double precision; otherwise their gradients are, once for each.
        """
        size, window = math.prod(self.shape), math.prod(self.shape[1:])
        pixels, places = math.prod(inputs.shape[2:]), math.prod(outputs.shape[2:])
        down, width = outputs.shape[2], inputs.shape[3]
        additions = self.shape[2] * (down * width) ** 2 + self.shape[3] * places**2
        starts = 10_000 * (1 + sum(self.shape[2:]) / max(1, len(inputs)))
        shared = 0.07 * pixels**2 * inputs.shape[1] + 1.2 * additions + starts
        gram = shared + 0.07 * count * places**2 * outputs.shape[1]
        windows = count * (0.04 * places + 1.4) * size + 0.55 * places * window
        return gram < windows

    def by_groups(
        self, inputs: Float[Tensor, "n I *space"], outputs: Float[Tensor, "n O *places"]
    ) -> Float[Tensor, "n O I_per_group *kernel"]:
        """Every example's gradient: the weight gradient of one convolution that has the examples as groups."""
        n = len(inputs)
        outputs, inputs = (tensor.reshape(1, -1, *tensor.shape[2:]) for tensor in (outputs, inputs))
        gradients: Tensor = torch.ops.aten.convolution_backward(
            outputs,
            inputs,
            inputs.new_empty(()).expand(n * self.shape[0], *self.shape[1:]),  # only the weight's shape is read
            None,
            self.stride,
            self.padding,
            self.dilation,
            False,
            (0,) * len(self.stride),
            n * self.groups,
            (False, True, False),
        )[1]
        return gradients.reshape(n, *self.shape)

    def by_windows(
        self, inputs: Float[Tensor, "n I *space"], outputs: Float[Tensor, "n O *places"]
    ) -> Float[Tensor, "n O *kernel I_per_group"]:
        """Every example's gradient, channels last: a product of its output gradients and its windows."""
        n, rows, places = len(inputs), self.shape[0] // self.groups, math.prod(outputs.shape[2:])
        last = outputs.movedim(1, -1).reshape(n, places, self.groups, rows).transpose(1, 2)
        windows, width = self.windows(inputs, outputs.shape[2:]), math.prod(self.shape[1:])
        gradients = outputs.new_empty(n, self.groups, rows, width)
        for some in at_once(windows):
            held = windows[some].reshape(-1, self.groups, places, width)
            torch.matmul(last[some].mT, held, out=gradients[some])
        return gradients.view(n, self.shape[0], *self.shape[2:], self.shape[1])

    def windows(
        self, inputs: Float[Tensor, "n I *space"], places: Sequence[int]
    ) -> Float[Tensor, "n groups *places_and_kernel I_per_group"]:
        """What each of the output's places sees of its group's channels: a view of the padded input.

        With the channels last a row of a window is one piece of memory.

        Args:
            inputs: of the convolution.
            places: how many the output has along each side.
        """
        pad = [0, 0] + [size for side in reversed(self.padding) for size in (side, side)]
        padded = nn.functional.pad(inputs.movedim(1, -1), pad).contiguous()
        example, *steps, _ = padded.stride()
        across = [stride * step for stride, step in zip(self.stride, steps, strict=True)]
        within = [dilation * step for dilation, step in zip(self.dilation, steps, strict=True)]
        return padded.as_strided(
            (len(inputs), self.groups, *places, *self.shape[2:], self.shape[1]),
            (example, self.shape[1], *across, *within, 1),
        )


def at_once(windows: Float[Tensor, " n *shape"]) -> list[slice]:
    """Examples, some at a time, whose windows a cache holds: they hold every pixel as often as the kernel has taps."""
    size = max(1, HELD[windows.device.type == "cpu"] // max(1, math.prod(windows.shape[1:])))
    return [slice(first, first + size) for first in range(0, len(windows), size)]


@dataclass(frozen=True)
class ChannelsLast(Materialised):
    """Each gradient as it is, with the weight's second dimension last: shape (n, O, kernel..., I / groups)."""

    def row(self, example: int) -> Tensor:
        return self.gradients[example].double().movedim(-1, 1).flatten()

    def add_weighted(self, factors: Tensor, total: Tensor) -> None:
        summed = weighted(self.gradients.flatten(start_dim=1), factors)
        total += summed.view(self.gradients.shape[1:]).movedim(-1, 1).flatten()


@dataclass(frozen=True)
class PixelGram:
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
        windows = self.gram_of_windows()
        squared = (windows.view(n, 1, -1) @ products.view(n, -1, 1)).view(n)
        inner, outer = (
            grams.view(n, places, places).diagonal(dim1=1, dim2=2).sum(dim=1) for grams in (windows, products)
        )
        taps = math.prod(self.geometry.shape[2:])
        # A pixel is in as many windows as there are taps, at most.
        held = self.inputs[:, None].expand(-1, taps, *self.inputs.shape[1:])
        return trusted(squared, inner * outer) + vanished(held, self.outputs, inner, outer)

    def gram_of_windows(self) -> Float[Tensor, "n down across down across"]:
        """Inner products of the windows at all pairs of places."""
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
        shape, windows = self.geometry.shape, self.geometry.windows(self.inputs, self.outputs.shape[2:])
        summed = total.new_zeros(shape[0], math.prod(shape[1:]))
        for some in at_once(windows):
            scaled = self.outputs[some].double() * factors[some].double()[:, None, None, None]
            held = windows[some].to(summed.dtype, memory_format=torch.contiguous_format)
            summed.addmm_(scaled.movedim(1, -1).reshape(-1, shape[0]).T, held.reshape(-1, summed.shape[1]))
        total += summed.view(shape[0], *shape[2:], shape[1]).movedim(-1, 1).flatten()

    def row(self, example: int) -> Tensor:
        one = slice(example, example + 1)
        gradient = self.geometry.by_windows(self.inputs[one].double(), self.outputs[one].double())
        return gradient[0].movedim(-1, 1).flatten()

    def scratch(self) -> int:
        return len(self.inputs) * math.prod(self.inputs.shape[2:]) ** 2
