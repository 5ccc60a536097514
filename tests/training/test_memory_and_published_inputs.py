"""Kept memory changes no result; the published input constants do what they say."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from wassdp.training import memory
from wassdp.training.published_inputs import CONSTANTS, normalised


def test_keeping_memory_changes_no_result() -> None:
    values = torch.randn(500, 500, generator=torch.Generator().manual_seed(0))
    before = values @ values
    assert memory.keep_freed_memory() in (True, False)
    assert torch.equal(values @ values, before)


@pytest.mark.parametrize("name", sorted(CONSTANTS))
def test_pixels_are_normalised_by_channel(name: str) -> None:
    channels = len(CONSTANTS[name].mean)
    shape = (5, 6, 7) if channels == 1 else (5, channels, 6, 7)
    images = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    found = normalised(name, images, maximum=255)
    assert found.shape == (5, channels, 6, 7)
    for channel in range(channels):
        pixels = (images if channels == 1 else images[:, channel]) / 255
        expected = (pixels - CONSTANTS[name].mean[channel]) / CONSTANTS[name].deviation[channel]
        np.testing.assert_allclose(found[:, channel].numpy(), expected, atol=1e-5)


def test_other_datasets_have_none() -> None:
    with pytest.raises(ValueError, match="dataset = 'usps': has no published constants; must be one of cifar10"):
        normalised("usps", np.zeros((1, 16, 16), dtype=np.uint8), maximum=255)


@pytest.mark.mirror
@pytest.mark.parametrize("name", ["mnist", "fashion_mnist"])
def test_those_of_mnist_are_statistics_of_the_private_training_images(name: str) -> None:
    import importlib

    inputs = importlib.import_module(f"wassdp.data.sets.{name}").load().train.inputs / 255
    assert CONSTANTS[name].private
    # The constants have four digits; pixels were averaged in single precision by their authors.
    assert float(inputs.mean()) == pytest.approx(CONSTANTS[name].mean[0], abs=1e-4)
    assert float(inputs.std()) == pytest.approx(CONSTANTS[name].deviation[0], abs=1e-4)
