"""Sorting along the last axis, against torch's stable sort."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from wassdp.distances import sorting


def ties(*shape: int) -> Tensor:
    """Values with many ties, both zeros among them, and far apart in size."""
    generator = torch.Generator().manual_seed(0)
    small = torch.randint(-3, 4, shape, generator=generator).float()
    small = torch.where(torch.rand(shape, generator=generator) < 0.5, small, -small)
    return torch.where(torch.rand(shape, generator=generator) < 0.1, 1e30 * small, small)


# More than a block of values, rows that do not fill one, one row longer than a block, one axis, three axes.
SHAPES = [(70, 1000), (3, sorting.BLOCK + 7), (sorting.WORTH,), (5, 11, 321), (2, 5)]


def apart(*shape: int) -> Tensor:
    """Values without ties but for one in each row, of its ends."""
    values = torch.rand(shape, generator=torch.Generator().manual_seed(1)) - 0.5
    values[..., -1] = values[..., 0]
    return values


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("made", [ties, apart])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_order_is_that_of_a_stable_sort(
    shape: tuple[int, ...], made: Callable[..., Tensor], dtype: torch.dtype
) -> None:
    values = made(*shape).to(dtype)
    found, order = sorting.sort(values)
    expected = torch.sort(values, dim=-1, stable=True)
    assert torch.equal(found, expected.values)
    assert torch.equal(found.signbit(), expected.values.signbit()) or dtype == torch.float32
    assert torch.equal(order, expected.indices)
    assert torch.equal(sorting.values_alone(values), expected.values)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_gradient_goes_back_to_where_each_value_came_from(dtype: torch.dtype) -> None:
    values = ties(70, 1000).to(dtype).requires_grad_()
    towards = torch.arange(values.numel(), dtype=dtype).view(values.shape)
    (expected,) = torch.autograd.grad(torch.sort(values, dim=-1, stable=True).values, values, towards)
    for found in (sorting.differentiable(values)[0], sorting.differentiable_values(values)):
        assert torch.equal(torch.autograd.grad(found, values, towards)[0], expected)
    with torch.no_grad():
        assert not sorting.differentiable_values(values).requires_grad


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_samples_stay_as_they_are(dtype: torch.dtype) -> None:
    values = ties(70, 1000).to(dtype)
    before = values.clone()
    sorting.sort(values)
    sorting.values_alone(values)
    assert torch.equal(values, before)
