"""Digits of several sizes as inputs of one."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from wassdp.adaptation.images import brought


def drawn(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)


def test_images_of_the_right_size_are_only_scaled() -> None:
    images = drawn(3, 28, 28)
    found = brought(images, maximum=255, side=28)
    assert found.shape == (3, 1, 28, 28)
    np.testing.assert_allclose(found[:, 0], images / 127.5 - 1, rtol=1e-5, atol=1e-6)


def test_resizing_keeps_constants_and_the_range() -> None:
    white = brought(np.full((2, 16, 16), 255), maximum=255, side=28)
    torch.testing.assert_close(white, torch.ones(2, 1, 28, 28))
    found = brought(drawn(4, 16, 16), maximum=255, side=28)
    assert -1 - 1e-6 <= float(found.min()) <= float(found.max()) <= 1 + 1e-6


def test_a_margin_is_background_around_what_is_resized_and_around_nothing_else() -> None:
    found = brought(np.full((1, 16, 16), 255), maximum=255, side=28, margin=4)
    expected = -torch.ones(1, 1, 28, 28)
    expected[..., 4:-4, 4:-4] = 1
    torch.testing.assert_close(found, expected)
    images = drawn(2, 28, 28)
    assert torch.equal(brought(images, maximum=255, side=28, margin=4), brought(images, maximum=255, side=28))


def test_a_quarter_turn_is_counterclockwise_and_four_are_none() -> None:
    images = drawn(2, 28, 28)
    straight, turned = (brought(images, maximum=255, side=28, rotation=angle) for angle in (0.0, 90.0))
    torch.testing.assert_close(turned, torch.rot90(straight, dims=(2, 3)), atol=1e-4, rtol=0)
    half = brought(images, maximum=255, side=28, rotation=180.0)
    torch.testing.assert_close(half, straight.flip(2, 3), atol=1e-4, rtol=0)


def test_what_a_rotation_brings_in_is_background() -> None:
    found = brought(np.full((1, 28, 28), 255), maximum=255, side=28, rotation=45.0)
    assert float(found[0, 0, 0, 0]) == pytest.approx(-1, abs=1e-5)
    assert float(found[0, 0, 14, 14]) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("images", "options", "named"),
    [
        (drawn(2, 3, 8, 8), {"side": 28}, "images has shape"),
        (drawn(2, 8, 8), {"side": 0}, "side = 0"),
        (drawn(2, 8, 8), {"side": 28, "margin": 14}, "margin = 14"),
        (drawn(2, 8, 8), {"side": 28, "rotation": float("nan")}, "rotation = nan"),
    ],
)
def test_bad_arguments_are_named(images: np.ndarray, options: dict[str, float], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        brought(images, maximum=255, **options)  # type: ignore[arg-type]
