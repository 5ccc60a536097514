"""Running sums as CUDA takes them, on a device that is pretended."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from wassdp.distances.running_sums import running_sums

LENGTHS = [1, 2, 3, 4, 5, 63, 64, 65, 1000]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.usefixtures("pretended_gpu")
def test_they_are_numpy_s(length: int, device: str) -> None:
    values = torch.randn(3, length, generator=torch.Generator().manual_seed(length), dtype=torch.float64)
    found = running_sums(values.to(device))
    assert found.device.type == device
    np.testing.assert_allclose(found.cpu().numpy(), values.numpy().cumsum(axis=-1), rtol=0, atol=1e-12)


@pytest.mark.usefixtures("pretended_gpu")
def test_a_summand_counts_in_its_own_sum_and_all_that_follow() -> None:
    values = torch.zeros(1, 37, dtype=torch.float64, device="cuda", requires_grad=True)
    (slopes,) = torch.autograd.grad(running_sums(values).sum(), values)
    assert slopes.tolist() == [[float(left) for left in range(37, 0, -1)]]


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.usefixtures("pretended_gpu")
def test_sums_of_weights_never_fall_whatever_the_rounding(device: str) -> None:
    weights = torch.rand(200, 500, generator=torch.Generator().manual_seed(0)) ** 20
    found = running_sums(weights.to(device), increasing=True)
    assert bool((found.diff(dim=-1) >= 0).all())
