"""Means of equal parts of a sample: against a sum over a fine grid, and their gradient."""

from __future__ import annotations

import pytest
import torch

from wassdp.distances.parts import means_of_parts


@pytest.mark.parametrize(("count", "parts"), [(12, 4), (12, 5), (5, 12), (7, 7), (1, 3), (9, 1)])
def test_they_are_means_of_the_quantile_function(count: int, parts: int) -> None:
    values = torch.randn(3, count, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    # Each value repeated as often as there are parts: every part then holds whole values.
    repeated = values.sort(dim=1).values.repeat_interleave(parts, dim=1)
    expected = repeated.view(3, parts, count).mean(dim=2)
    torch.testing.assert_close(means_of_parts(values, parts), expected)


def test_many_values_are_cut_where_they_should_be() -> None:
    """100,003 values in single precision, in 7 parts: the last part holds what the others do not."""
    values = torch.arange(100_003, dtype=torch.float32)
    found = means_of_parts(values, 7)
    length = 100_003 / 7
    # The quantile function is a staircase below the line by half a step on the mean.
    torch.testing.assert_close(found, (torch.arange(7) + 0.5) * length - 0.5, rtol=1e-5, atol=0.2)
    torch.testing.assert_close(found.mean(), values.double().mean().float())


@pytest.mark.parametrize("parts", [3, 4])
def test_the_gradient_is_that_of_finite_differences(parts: int) -> None:
    values = torch.randn(2, 8, generator=torch.Generator().manual_seed(1), dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda points: means_of_parts(points, parts), values)


def test_bad_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="values"):
        means_of_parts(torch.tensor([1.0, torch.nan]), 2)
    with pytest.raises(ValueError, match="values"):
        means_of_parts(torch.zeros(2, 0), 2)
    with pytest.raises(ValueError, match="parts"):
        means_of_parts(torch.zeros(3), 0)
