"""Damping against a plain eigendecomposition, and what a run with it says and costs."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from wassdp.data.images import Image
from wassdp.features import damping
from wassdp.features.fixed import FixedFeatures
from wassdp.features.patches import Patches
from wassdp.features.public_moments import PhotographsNormalisation
from wassdp.features.scattering import Scattering


def features(count: int, shape: tuple[int, int, int] = (4, 2, 3)) -> Tensor:
    """Features whose variances along hidden directions fall by half from one to the next."""
    generator = torch.Generator().manual_seed(0)
    size = int(np.prod(shape))
    axes = torch.linalg.qr(torch.randn(size, size, generator=generator)).Q
    spread = 2.0 ** -torch.arange(size)
    return ((torch.randn(count, size, generator=generator) * spread.sqrt()) @ axes.T + 3.0).view(count, *shape)


@pytest.mark.parametrize("count", [15, 400])  # fewer images than features, and more
def test_the_largest_variances_become_equal_and_the_others_stay(count: int) -> None:
    given = features(count)
    found = damping.measured(given, directions=5)
    before, after = (
        np.linalg.eigvalsh(np.cov(each.flatten(1).double().numpy().T, bias=True))[::-1]
        for each in (given, found(given) / found.scale)
    )
    np.testing.assert_allclose(after[:6], before[5], rtol=1e-3)
    np.testing.assert_allclose(after[6:10], before[6:10], rtol=1e-3)
    assert float(found(given).square().mean()) == pytest.approx(1.0, rel=1e-4)


def test_other_directions_are_left_alone() -> None:
    given = features(400)
    found = damping.measured(given, directions=3)
    flat = given.flatten(1)
    rest = flat - flat @ found.directions @ found.directions.T
    changed = found(rest.view_as(given)).flatten(1) / found.scale
    torch.testing.assert_close(changed, rest, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("directions", [0, 14, 23])
def test_too_many_directions_are_refused(directions: int) -> None:
    with pytest.raises(ValueError, match=f"directions = {directions}"):
        damping.measured(features(15), directions=directions)


def test_equal_images_are_refused() -> None:
    with pytest.raises(ValueError, match="all images have the same"):
        damping.measured(features(1).repeat(9, 1, 1, 1), directions=2)


@pytest.mark.parametrize("recipe", [Scattering(unit_norm=False), Patches(name="patches", filters=9, unit_norm=False)])
def test_the_photographs_are_standardised_by_themselves(recipe: FixedFeatures) -> None:
    given = recipe.of_photographs(Image((1, 8, 8), 16), count=90)
    assert given.shape == (90, *recipe.output_shape((1, 8, 8)))
    found = (
        PhotographsNormalisation(name="photographs", floor=0.0)
        .standardisation(given)(given)
        .transpose(0, 1)
        .flatten(1)
        .double()
    )
    np.testing.assert_allclose(found.mean(dim=1), 0, atol=1e-3)
    varying = given.transpose(0, 1).flatten(1).std(dim=1) > 1e-4
    np.testing.assert_allclose(found.std(dim=1, correction=0)[varying], 1, atol=1e-2)


def test_the_range_of_pixels_is_that_of_the_dataset() -> None:
    small, large = (Scattering().of_photographs(Image((1, 8, 8), most), count=12) for most in (16, 255))
    torch.testing.assert_close(small, large, atol=1e-4, rtol=1e-4)
