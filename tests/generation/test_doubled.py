"""Doubling and convolving in one map, against the two layers that it replaces."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from wassdp.generation.doubled import DoubledConvolution


def plain(layer: DoubledConvolution, images: Tensor) -> Tensor:
    doubled = nn.functional.interpolate(images, scale_factor=2, mode="bilinear", align_corners=True)
    return nn.functional.conv2d(doubled, layer.weight, layer.bias, padding=layer.weight.shape[-1] // 2)


@pytest.mark.parametrize(
    ("before", "after", "side", "size"), [(16, 8, 5, (7, 7)), (8, 1, 5, (14, 14)), (2, 3, 3, (4, 6)), (1, 1, 1, (1, 2))]
)
def test_values_and_gradients_are_those_of_the_two_layers(
    before: int, after: int, side: int, size: tuple[int, int]
) -> None:
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    try:
        layer = DoubledConvolution(before, after, side, size=size)
        images = torch.randn(3, before, *size, requires_grad=True)
        ours, theirs = layer(images), plain(layer, images)
        towards = torch.randn_like(theirs)
    finally:
        torch.set_default_dtype(torch.float32)
    assert ours.shape == (3, after, 2 * size[0], 2 * size[1])
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)
    wanted = [images, *layer.parameters()]
    for got, expected in zip(
        torch.autograd.grad(ours, wanted, towards), torch.autograd.grad(theirs, wanted, towards), strict=True
    ):
        torch.testing.assert_close(got, expected, rtol=1e-12, atol=1e-12)


def test_parameters_start_as_those_of_the_convolution_that_it_stands_for() -> None:
    torch.manual_seed(3)
    layer = DoubledConvolution(4, 2, 5, size=(7, 7))
    torch.manual_seed(3)
    convolution = nn.Conv2d(4, 2, 5, padding=2)
    assert set(layer.state_dict()) == set(convolution.state_dict())
    for name, value in convolution.state_dict().items():
        assert torch.equal(layer.state_dict()[name], value)
