"""What a classifier is trained on: scaled pixels, or features of them that are mapped from the disk."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from wassdp import data
from wassdp.experiments._feature_choices import REFERENCES, Features, PhotographsNormalisation

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import torch
    from numpy.typing import NDArray

    from wassdp.features.cache import Recipe
    from wassdp.features.moments import Moments, Standardisation
    from wassdp.noise import Bits
    from wassdp.training.inputs import Examples


def image_shape(name: str) -> tuple[int, int, int]:
    """Channels, height and width of a dataset's images; a grey image has one channel."""
    shape = data.descriptor(name).shape
    channels, height, width = (1, *shape) if len(shape) == 2 else shape
    return channels, height, width


def pixels(name: str, device: torch.device) -> tuple[Examples, Examples]:
    """Training and test images of a dataset, scaled by public constants, on the device.

    Raises:
        ValueError: the dataset has another number of records than its descriptor says.
        DatasetUnavailable: the dataset cannot be had.
    """
    from wassdp.training.inputs import Examples, scaled

    maximum = data.descriptor(name).maximum
    assert maximum is not None, "Parameters allows only images"
    splits = data.load(name)
    train, test = (
        Examples(inputs=scaled(split.inputs, maximum=maximum).to(device), targets=_targets(split.labels, device))
        for split in (splits.train, splits.test)
    )
    return _checked(name, train), test


def features(
    name: str,
    chosen: Features,
    device: torch.device,
    *,
    moments: Moments | None,
    noise: Bits,
    folder: Path,
) -> tuple[Examples, Examples]:
    """Features of the training and the test images, normalised as chosen.

    On a processor they stay on the disk, in the cache's files or, if normalised by released moments, in a nameless
    file in ``folder``: a step reads the rows that it needs. On another device they are copied there.

    Args:
        name: the dataset.
        chosen: which features.
        device: where they are wanted.
        moments: the release that normalisation needs, if any; it is made here, from the training records.
        noise: source of that release's noise.
        folder: where a file may be put.

    Raises:
        ValueError: the dataset has another number of records than its descriptor says.
        DatasetUnavailable: the dataset cannot be had.
        OSError: there is no room for the features.
    """
    import torch

    from wassdp.features import cache
    from wassdp.training.inputs import Examples

    maximum = data.descriptor(name).maximum
    assert maximum is not None, "Parameters allows only images"
    recipe = chosen.recipe(image_shape(name), maximum)
    found = cache.of(name, recipe)
    arrays = [found.train, found.test]
    released = None if moments is None else moments.release(cache.blocks(found.train), generator=noise)
    if (normalise := _normalising(chosen, recipe, released)) is not None:
        folder.mkdir(parents=True, exist_ok=True)
        arrays = [_normalised(each, normalise, folder) for each in arrays]
    splits = data.load(name)
    train, test = (
        Examples(inputs=torch.from_numpy(array).to(device), targets=_targets(split.labels, device))
        for array, split in zip(arrays, (splits.train, splits.test), strict=True)
    )
    return _checked(name, train), test


def _normalising(
    chosen: Features, recipe: Recipe, released: Standardisation | None
) -> Callable[[torch.Tensor], torch.Tensor] | None:
    """What is done to blocks of features that come from the cache; None for nothing."""
    from wassdp.features import damping, references

    public = isinstance(chosen.normalisation, PhotographsNormalisation)
    crops = references.features(recipe, count=REFERENCES) if public or chosen.damped else None
    standardise = released
    if isinstance(chosen.normalisation, PhotographsNormalisation):
        assert crops is not None, "they were wanted"
        standardise = references.standardisation(crops, floor=chosen.normalisation.floor)
    if standardise is None:
        return None
    steps: list[Callable[[torch.Tensor], torch.Tensor]] = [standardise]
    if chosen.damped:
        assert crops is not None, "they were wanted"
        steps.append(damping.measured(standardise(crops), directions=chosen.damped))
    factor = 1 / math.sqrt(math.prod(recipe.output_shape)) if chosen.unit_norm else 1.0

    def normalise(block: torch.Tensor) -> torch.Tensor:
        for step in steps:
            block = step(block)
        return block * factor

    return normalise


def _normalised(
    array: NDArray[np.float32], normalise: Callable[[torch.Tensor], torch.Tensor], folder: Path
) -> NDArray[np.float32]:
    """The normalised array, in a file that is gone when nobody holds it any more."""
    import numpy as np

    from wassdp.features import cache

    with tempfile.TemporaryFile(dir=folder, prefix=".features.") as file:
        for block in cache.blocks(array):
            file.write(normalise(block).numpy().data.cast("B"))
        file.flush()
        return np.memmap(file, dtype=np.float32, mode="c", shape=array.shape)


def _targets(labels: NDArray[np.int64], device: torch.device) -> torch.Tensor:
    import torch

    return torch.from_numpy(labels).to(device)


def _checked(name: str, train: Examples) -> Examples:
    expected = data.descriptor(name).counts["train"]
    if len(train.targets) != expected or len(train.inputs) != expected:
        raise ValueError(f"dataset {name} has {len(train.targets)} records, not {expected}")
    return train
