"""`all_finite` against `torch.isfinite`, wherever the odd value stands."""

from __future__ import annotations

import math

import pytest
import torch

from wassdp.finite import all_finite

SHAPES = [(1,), (7,), (3, 5), (2, 3, 4), (33_333,)]


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
@pytest.mark.parametrize("odd", [math.nan, -math.nan, math.inf, -math.inf])
def test_one_odd_value_is_seen_anywhere(odd: float, dtype: torch.dtype, device: str) -> None:
    random = torch.Generator().manual_seed(0)
    for shape in SHAPES:
        values = torch.randn(shape, generator=random).to(device=device, dtype=dtype)
        assert all_finite(values)
        assert all_finite(values, values.T if values.ndim == 2 else values)
        count = values.numel()
        for place in {0, count - 1, count // 2, int(torch.randint(count, (), generator=random))}:
            other = values.clone()
            other.view(-1)[place] = odd
            assert not all_finite(other)
            assert not all_finite(values, other)
            assert not all_finite(other, values)


def test_the_largest_numbers_are_finite_and_nothing_is_too() -> None:
    for dtype in (torch.float32, torch.float64):
        assert all_finite(torch.tensor([torch.finfo(dtype).max, torch.finfo(dtype).min], dtype=dtype))
    assert all_finite()
    assert all_finite(torch.zeros(0), torch.zeros(2, 0))
    assert not all_finite(torch.zeros(0), torch.tensor([math.inf]))


def test_what_carries_a_gradient_is_looked_at_alone() -> None:
    weight = torch.ones(3, requires_grad=True)
    assert all_finite(weight)
    assert weight.grad_fn is None
