"""Features of patches: filters, responses and averages against plain arithmetic; what they may not depend on."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wassdp.features import photographs
from wassdp.features.grouped import GroupNormalisation
from wassdp.features.patches import CONTRAST, Patches, bank, candidates

SHAPE = (3, 9, 8)


def patches(**changes: Any) -> Patches:
    return Patches(**({"name": "patches", "filters": 5, "side": 4, "unit_norm": False} | changes))


def images(count: int = 6, seed: int = 0) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, size=(count, *SHAPE), dtype=np.uint8)


def naively(recipe: Patches, image: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Every patch by itself, in double precision; shape (channels, 2, 2)."""
    weights, offsets = (each.double().numpy() for each in bank(SHAPE[0], recipe.side, recipe.filters))
    side, (rows, columns) = recipe.side, (extent - recipe.side + 1 for extent in SHAPE[1:])
    answers = np.zeros((rows, columns, 2 * recipe.filters))
    for row in range(rows):
        for column in range(columns):
            patch = image[:, row : row + side, column : column + side].astype(float).ravel()
            patch = (patch - patch.mean()) / np.sqrt(patch.var(ddof=1) + CONTRAST)
            response = patch @ weights - offsets
            answers[row, column] = np.maximum(0, np.concatenate([response, -response]) - recipe.threshold)
    halves = [(slice(0, -(-extent // 2)), slice(-(-extent // 2), extent)) for extent in (rows, columns)]
    found = [[answers[down, across].mean(axis=(0, 1)) for across in halves[1]] for down in halves[0]]
    return np.moveaxis(np.array(found), 2, 0) ** recipe.power


@pytest.mark.parametrize("power", [0.5, 1.0])
def test_agrees_with_every_patch_by_itself(power: float) -> None:
    recipe = patches(power=power, threshold=0.3)
    given = images()
    expected = np.stack([naively(recipe, image) for image in given])
    np.testing.assert_allclose(recipe(given, maximum=255), expected, atol=1e-4)
    assert recipe(given, maximum=255).shape[1:] == recipe.output_shape(SHAPE) == (10, 2, 2)


def test_more_filters_than_a_block_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = patches(filters=7)(images(), maximum=255)
    monkeypatch.setattr("wassdp.features.patches.FILTERS", 3)
    np.testing.assert_allclose(patches(filters=7)(images(), maximum=255), whole, atol=1e-5)


def test_an_example_has_the_same_features_in_any_company() -> None:
    recipe, given = patches(normalisation=GroupNormalisation(name="group", groups=2), unit_norm=True), images()
    np.testing.assert_allclose(recipe(given, maximum=255)[3:4], recipe(given[3:4], maximum=255), atol=1e-6)


def test_neither_brightness_nor_the_range_of_pixels_matters() -> None:
    given = images() // 2
    np.testing.assert_allclose(patches()(given + 100, maximum=255), patches()(given, maximum=255), atol=1e-4)
    fractions = given.astype(np.float32) / 255
    np.testing.assert_allclose(patches()(fractions, maximum=1), patches()(given, maximum=255), atol=1e-4)


def test_whitened_patches_of_the_photographs_are_uncorrelated() -> None:
    """Answers of filters that span all patches: their whitening makes the photographs' patches nearly white."""
    weights, _ = bank(SHAPE[0], 4, 300)
    raw = candidates(SHAPE[0], 4, 300)
    centred = raw - raw.mean(dim=1, keepdim=True)
    normalised = (centred / (raw.var(dim=1, keepdim=True) + CONTRAST).sqrt()).double().numpy()
    answers = np.cov((normalised @ weights.double().numpy()).T)
    # White patches give each filter of unit norm the same variance; those before whitening differ by thousands.
    assert answers.diagonal().max() < 1.05
    assert np.median(answers.diagonal()) > 0.5


def test_filters_are_the_same_for_everybody() -> None:
    np.testing.assert_array_equal(bank(3, 4, 5)[0], bank.__wrapped__(3, 4, 5)[0])
    np.testing.assert_allclose(bank(3, 4, 3)[0], bank(3, 4, 5)[0][:, :3], atol=1e-6)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"filters": 0}, "filters\n.*greater than or equal to 1"),
        ({"side": 1}, "side\n.*greater than or equal to 2"),
        ({"threshold": -1.0}, "threshold\n.*greater than or equal to 0"),
        ({"power": 0.0}, "power\n.*greater than 0"),
        ({"power": 2.0}, "power\n.*less than or equal to 1"),
    ],
)
def test_bad_choices_are_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        patches(**changes)


@pytest.mark.parametrize(
    ("changes", "shape", "message"),
    [
        ({"side": 8}, SHAPE, "side = 8: needs images of at least 9 pixels a side, these have 9 x 8"),
        (
            {"normalisation": GroupNormalisation(name="group", groups=3)},
            SHAPE,
            "groups = 3: must divide the 10 channels",
        ),
        ({}, (2, 9, 9), "1 or 3 channels"),
    ],
)
def test_images_that_they_are_not_for_are_refused(
    changes: dict[str, Any], shape: tuple[int, int, int], message: str
) -> None:
    recipe = patches(**changes)
    assert re.search(message, recipe.impossible(shape) or "")
    with pytest.raises(ValueError, match=message):
        recipe(np.zeros((1, *shape), dtype=np.uint8), maximum=255)


def test_shapes_are_known_without_computing() -> None:
    assert patches().output_shape((1, 28, 28)) == (10, 2, 2)
    assert patches(side=6).impossible((1, 28, 28)) is None


def test_crops_are_parts_of_the_photographs() -> None:
    found = photographs.crops((3, 20, 30), count=24)
    assert found.shape == (24, 3, 20, 30)
    assert 0 <= float(found.min()) < float(found.max()) <= photographs.MAXIMUM
    whole = photographs._pyramid(3)[0]
    windows = whole.unfold(1, 20, 1).unfold(2, 30, 1).movedim(0, 2)
    assert bool((windows == found[0]).all(dim=(2, 3, 4)).any())


@pytest.mark.parametrize(
    ("shape", "count", "message"),
    [((2, 8, 8), 1, "channels = 2"), ((3, 8, 8), 0, "count = 0"), ((1, 500, 8), 1, r"shape = .*427 x 640")],
)
def test_impossible_crops_are_named(shape: tuple[int, int, int], count: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        photographs.crops(shape, count=count)
