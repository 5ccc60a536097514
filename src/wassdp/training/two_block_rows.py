r"""Gradients of single examples through the two batch normalisations of models A and B, without a pass for each.

A batch normalisation turns the gradient d of one example j into one for every example i of the batch,

.. math:: \frac{\gamma}{s} \Bigl( d\,1[i = j] - \overline{d} - \hat x_i \overline{d \hat x} \Bigr),

the example's own part and, on each channel, a combination of two tensors that do not depend on j. So the
weight gradient of the convolution before it is that of the own part and a combination of two that are computed
once. Only the convolution's *input* gradient is needed for each j; what lies before that is linear again.

Map: s deviation of a channel over the batch, γ scale, x̂ normalised values; z values after ReLU; n examples.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.grad import conv2d_weight

from wassdp.models.parts.two_blocks import CHANNELS, KERNEL, TwoBlocks

WINDOW = KERNEL + 1  # pixels a side that a pooled value of the first block depends on
CHUNK = 128  # images of gradient in memory at a time: about what a processor's cache holds


@dataclass(frozen=True)
class _Norm:
    """A batch normalisation at one batch of values, shape (n, channels, height, width)."""

    values: Tensor  # before
    output: Tensor  # after, part of the graph
    mean: Tensor
    inverse: Tensor  # 1/s
    scale: Tensor  # γ/s

    @staticmethod
    def of(module: nn.Module, values: Tensor) -> _Norm:
        """The normalisation as in training mode, which keeps running statistics where there are any."""
        assert isinstance(module, nn.BatchNorm2d)
        momentum = module.momentum or 0.0
        output, mean, inverse = torch.native_batch_norm(
            values, module.weight, module.bias, module.running_mean, module.running_var, True, momentum, module.eps
        )
        if module.num_batches_tracked is not None:
            module.num_batches_tracked.add_(1)
        mean, inverse = mean.detach(), inverse.detach()
        return _Norm(values.detach(), output, mean, inverse, module.weight.detach() * inverse)

    @property
    def count(self) -> int:
        """Values in a channel."""
        return self.values.numel() // CHANNELS


def differentiate(model: TwoBlocks, inputs: Tensor, targets: Tensor, *, count: int) -> tuple[Tensor, Tensor, float]:
    """Mean gradient, gradients of the first ``count`` examples, and mean loss; the model is in training mode."""
    pooled, places = model.first(inputs)
    first = _Norm.of(model.norm1, pooled)
    second = _Norm.of(model.norm2, model.second(first.output))
    losses = functional.cross_entropy(model.last(second.output), targets, reduction="none")
    mean = torch.autograd.grad(losses.mean(), list(model.parameters()))
    to_second, head = _head(model, second.output.detach()[:count], targets[:count])
    with torch.no_grad():
        coupled, above = _second_block(model, to_second, second, first.output.detach())
        below = _first_block(model, coupled, second.values, first, inputs, places)
    parts = [*below, *above, *head]
    for part, parameter in zip(parts, model.parameters(), strict=True):
        assert part.shape[1:] == parameter.shape, "in the order of the model's parameters"
    rows = torch.cat([part.reshape(count, -1) for part in parts], dim=1)
    return torch.cat([tensor.flatten() for tensor in mean]), rows, float(losses.detach().mean())


def _head(model: TwoBlocks, normalised: Tensor, targets: Tensor) -> tuple[Tensor, list[Tensor]]:
    """Gradients with respect to each example's own normalised values, and to the dense layers."""
    normalised.requires_grad_()
    losses = functional.cross_entropy(model.last(normalised), targets, reduction="none")
    # Above the normalisation an example's loss depends on that example alone: one pass serves all.
    (to_second,) = torch.autograd.grad(losses.sum(), normalised, retain_graph=True)
    weights = list(model.head.parameters())
    by_example = [torch.autograd.grad(loss, weights, retain_graph=True) for loss in losses]
    return to_second, [torch.stack(part) for part in zip(*by_example, strict=True)]


@dataclass(frozen=True)
class _Coupled:
    """Gradients before the second ReLU: own for row j of example j, and constant [z > 0] + slope z for all rows."""

    own: Tensor  # (count, channels, height, width)
    constant: Tensor  # (count, channels)
    slope: Tensor  # (count, channels)

    def rows(self, values: Tensor, start: int) -> Tensor:
        """Rows ``start`` and following, for every example: (count, rows, height, width, channels)."""
        last = values.permute(0, 2, 3, 1)
        below = self.constant[:, None, None, None, :] * (last > 0) + self.slope[:, None, None, None, :] * last
        for example in range(start, min(len(self.own), start + len(values))):
            below[example, example - start] += self.own[example].permute(1, 2, 0)
        return below


def _second_block(model: TwoBlocks, above: Tensor, norm: _Norm, below: Tensor) -> tuple[_Coupled, list[Tensor]]:
    """The gradient before the second ReLU; gradients of the second convolution's and normalisation's parameters."""
    count, values = len(above), norm.values
    first = values[:count]
    shift = above.sum(dim=(2, 3))
    stretch = (above * (first - norm.mean[:, None, None])).sum(dim=(2, 3)) * norm.inverse
    slope = -norm.scale / norm.count * stretch * norm.inverse
    constant = -norm.scale / norm.count * shift - slope * norm.mean
    coupled = _Coupled(above * norm.scale[:, None, None] * (first > 0), constant, slope)
    positive = (values > 0).to(values.dtype)
    shape = model.conv2.weight.shape
    weight = constant[..., None, None, None] * conv2d_weight(below, shape, positive)
    weight += slope[..., None, None, None] * conv2d_weight(below, shape, values)
    for example in range(count):
        weight[example] += conv2d_weight(below[example : example + 1], shape, coupled.own[example : example + 1])
    bias = coupled.own.sum(dim=(2, 3)) + constant * positive.sum(dim=(0, 2, 3)) + slope * values.sum(dim=(0, 2, 3))
    return coupled, [weight, bias, stretch, shift]


def _first_block(
    model: TwoBlocks, coupled: _Coupled, values: Tensor, norm: _Norm, inputs: Tensor, places: Tensor
) -> list[Tensor]:
    """Gradients of the first convolution's and normalisation's parameters."""
    count = len(coupled.own)
    kernel = model.conv2.weight.contiguous(memory_format=torch.channels_last)
    # The gradients of the examples, then a constant and the normalised values, into which they enter by coefficients.
    products = inputs.new_zeros(count + 2, inputs.shape[1] * WINDOW**2 + 1, 4 * CHANNELS)
    shift, stretch = inputs.new_zeros(count, CHANNELS), inputs.new_zeros(count, CHANNELS)
    width = inputs.shape[3] - KERNEL + 1
    rows = max(1, CHUNK // count)
    for start in range(0, len(inputs), rows):
        part = slice(start, start + rows)
        above = coupled.rows(values[part], start).flatten(0, 1).permute(0, 3, 1, 2)
        gradient = functional.conv_transpose2d(above, kernel).permute(0, 2, 3, 1).reshape(count, -1, CHANNELS)
        before = norm.values[part].permute(0, 2, 3, 1).reshape(-1, CHANNELS)
        normalised = (before - norm.mean) * norm.inverse
        shift += gradient.sum(dim=1)
        stretch += (gradient * normalised).sum(dim=1)
        taken = _chosen(places[part], before, width)
        windows = _windows(inputs[part]).t()
        for row, entering in enumerate((*gradient, torch.ones_like(normalised), normalised)):
            products[row].addmm_(windows, (entering[:, None, :] * taken).flatten(1))
    constant, slope = -shift / norm.count, -stretch / norm.count
    products = products.view(count + 2, -1, 4, CHANNELS).permute(0, 2, 3, 1)
    combined = products[:count] + constant[:, None, :, None] * products[-2] + slope[:, None, :, None] * products[-1]
    weight, bias = _to_kernel(combined * norm.scale[:, None], inputs.shape[1])
    return [weight, bias, stretch, shift]


def _chosen(places: Tensor, before: Tensor, width: int) -> Tensor:
    """Which of its four values a pooled value is, if that is above zero: (values, 4, channels), 0 or 1."""
    last = places.permute(0, 2, 3, 1).reshape(-1, CHANNELS).to(torch.int32)
    row = last // width
    corner = 2 * (row & 1) + ((last - row * width) & 1)
    # A pooled value of 0 passes nothing on.
    corner = torch.where(before > 0, corner, -1)
    return (corner[:, None, :] == torch.arange(4, device=places.device)[:, None]).to(before.dtype)


def _windows(inputs: Tensor) -> Tensor:
    """The pixels that each pooled value depends on, and a one for the bias: (values, channels * 36 + 1)."""
    found = inputs.unfold(2, WINDOW, 2).unfold(3, WINDOW, 2).permute(0, 2, 3, 1, 4, 5)
    flat = found.reshape(-1, inputs.shape[1] * WINDOW**2)
    return torch.cat((flat, torch.ones_like(flat[:, :1])), dim=1)


def _to_kernel(products: Tensor, channels: int) -> tuple[Tensor, Tensor]:
    """From products with windows, (count, 4, outputs, channels * 36 + 1), to gradients of weight and bias."""
    windows = products[..., :-1].unflatten(3, (channels, WINDOW, WINDOW))
    weight = sum(
        windows[:, 2 * row + column, :, :, row : row + KERNEL, column : column + KERNEL]
        for row in range(2)
        for column in range(2)
    )
    assert isinstance(weight, Tensor)
    return weight, products[..., -1].sum(dim=1)
