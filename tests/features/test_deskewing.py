"""Deskewing against moments computed one image at a time, and its properties."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from wassdp.features.deskewing import LARGEST, deskewed
from wassdp.features.scattering import Scattering


def moments(image):
    """Centre (row, column) and slant of one image, by sums over its pixels."""
    rows, columns = np.indices(image.shape)
    mass = image.sum()
    row, column = (rows * image).sum() / mass, (columns * image).sum() / mass
    together = ((rows - row) * (columns - column) * image).sum()
    return row, column, together / ((rows - row) ** 2 * image).sum()


def bar(slant, *, row=13.0, column=13.0):
    """A smooth bar, 28 x 28, whose centre moves by ``slant`` columns a row."""
    rows, columns = torch.meshgrid(torch.arange(28.0), torch.arange(28.0), indexing="ij")
    off = columns - column - slant * (rows - row)
    return torch.exp(-(off**2) / 3 - ((rows - row) / 5) ** 4)


@given(
    slant=st.floats(-0.8, 0.8), row=st.floats(11.5, 15.5), column=st.floats(11.5, 15.5), scale=st.sampled_from([1, 255])
)
def test_a_slanted_bar_stands_upright_in_the_middle(slant, row, column, scale):
    image = scale * bar(slant, row=row, column=column)
    found = deskewed(image[None])[0]
    assert moments(image.numpy())[2] == pytest.approx(slant, abs=0.03)
    assert moments(found.numpy()) == pytest.approx((13.5, 13.5, 0), abs=0.03)
    assert float(found.sum()) == pytest.approx(float(image.sum()), rel=0.01)
    assert float(found.max()) <= float(image.max()) * (1 + 1e-6)


def test_what_is_upright_in_the_middle_stays():
    image = bar(0.0, row=13.5, column=13.5)[None]
    torch.testing.assert_close(deskewed(image), image, atol=1e-4, rtol=0)


def test_each_image_by_itself():
    images = torch.rand(5, 12, 17, generator=torch.Generator().manual_seed(0))
    one_by_one = torch.cat([deskewed(image[None]) for image in images])
    torch.testing.assert_close(deskewed(images), one_by_one)


def test_a_black_image_stays_black_and_a_level_line_is_not_torn():
    images = torch.zeros(2, 28, 28)
    images[1, 13, 4:20] = 1
    found = deskewed(images)
    assert not found[0].any()
    assert torch.isfinite(found).all()
    assert float(found[1].sum()) == pytest.approx(16, rel=1e-4)


def test_a_shear_beyond_the_largest_is_held_back():
    image = bar(1.6, row=13.5, column=13.5)[None]
    slant = moments(image[0].numpy())[2]
    assert slant > LARGEST + 0.3
    assert moments(deskewed(image)[0].numpy())[2] == pytest.approx(slant - LARGEST, abs=0.05)


def test_features_of_a_deskewed_image_are_those_of_the_image_deskewed():
    images = (255 * torch.stack([bar(0.5), bar(-0.3, row=11)])).round().to(torch.uint8).numpy()
    slanted = Scattering(deskew=True, unit_norm=False)(images, maximum=255)
    upright = deskewed(torch.from_numpy(images / np.float32(255))).numpy()
    plain = Scattering(unit_norm=False)(upright, maximum=1)
    np.testing.assert_allclose(slanted, plain, atol=1e-6)
    assert np.abs(slanted - Scattering(unit_norm=False)(images, maximum=255)).max() > 0.01


def test_colours_are_refused():
    with pytest.raises(ValueError, match="deskew: is for grey images, these have 3 channels"):
        Scattering(deskew=True)(np.zeros((2, 3, 32, 32), dtype=np.uint8), maximum=255)
