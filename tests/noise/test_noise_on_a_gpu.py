"""Noise that protects something is the same on a GPU, to the last bit: its proof is of the arithmetic alone."""

from __future__ import annotations

import pytest
import torch

from wassdp.noise import gaussian, seeded


@pytest.mark.parametrize("device", ["pretended", pytest.param("real", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("std", [0.7, 3.1])
def test_rounded_noise_is_the_processors(device: str, std: float, request: pytest.FixtureRequest) -> None:
    x = torch.linspace(-5, 5, 100_000, dtype=torch.float64)
    expected = gaussian.rounded(x, std=std, generator=seeded(0))
    if device == "pretended":
        request.getfixturevalue("pretended_gpu")
    found = gaussian.rounded(x.to("cuda"), std=std, generator=seeded(0))
    assert found.device.type == "cuda"
    assert torch.equal(found.cpu(), expected)
