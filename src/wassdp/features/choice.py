"""Features that stand in place of pixels: what a configuration chooses among, and how a run comes by them."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field
from torch import Tensor

from wassdp.data import held_out
from wassdp.data.held_out import JudgedOn
from wassdp.data.images import Image, image_of
from wassdp.features import cache, damping
from wassdp.features.fixed import FixedFeatures
from wassdp.features.moments import ReleasedNormalisation, Standardisation
from wassdp.features.patches import Patches
from wassdp.features.public_moments import PhotographsNormalisation
from wassdp.features.scattering import Scattering
from wassdp.noise import Bits


def _named(section: Any) -> Any:
    """A section without a name is one of scattering coefficients."""
    return {"name": "scattering", **section} if isinstance(section, dict) else section


Features = Annotated[Scattering | Patches, Field(discriminator="name"), BeforeValidator(_named)]


def of(
    name: str, recipe: FixedFeatures, *, noise: Bits, folder: Path, judged_on: JudgedOn = "test"
) -> tuple[NDArray[np.float32], ...]:
    """Features of the training and the test images of a dataset, normalised as chosen.

    They stay on the disk, in the cache's files or, if they are normalised by what is measured, in a nameless file in
    ``folder``: a step reads the rows that it needs.

    Args:
        name: the dataset.
        recipe: which features.
        noise: source of the noise, where moments are released; that is done here, from the training records.
        folder: where a file may be put.
        judged_on: validation: training records that are held out take the place of the test images.

    Returns:
        Two arrays of shape (examples, channels, rows, columns).

    Raises:
        DatasetUnavailable: the dataset cannot be had.
        OSError: there is no room for the features.
    """
    kept = cache.of(name, recipe)
    used = [(kept.train, np.arange(len(kept.train))), (kept.test, np.arange(len(kept.test)))]
    if judged_on == "validation":
        used = [(kept.train, places) for places in held_out.places(name, len(kept.train))]
    released = None
    if isinstance(recipe.normalisation, ReleasedNormalisation):
        features, places = used[0]
        released = recipe.normalisation.release(cache.blocks(features, places), records=len(places), generator=noise)
    normalise = _normalising(recipe, image_of(name), released)
    if normalise is None and judged_on == "test":
        return kept.train, kept.test
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(_written(cache.blocks(*part), normalise, (len(part[1]), *part[0].shape[1:]), folder) for part in used)


def _normalising(
    recipe: FixedFeatures, image: Image, released: Standardisation | None
) -> Callable[[Tensor], Tensor] | None:
    """What is done to blocks of features that come from the cache; None for nothing."""
    standardise, crops = released, None
    if isinstance(recipe.normalisation, PhotographsNormalisation):
        crops = recipe.of_photographs(image)
        standardise = recipe.normalisation.standardisation(crops)
    if standardise is None:
        return None
    steps: list[Callable[[Tensor], Tensor]] = [standardise]
    if recipe.damped:
        crops = recipe.of_photographs(image) if crops is None else crops
        steps.append(damping.measured(standardise(crops), directions=recipe.damped))
    factor = 1 / math.sqrt(math.prod(recipe.output_shape(image.shape))) if recipe.unit_norm else 1.0

    def normalise(block: Tensor) -> Tensor:
        for step in steps:
            block = step(block)
        return block * factor

    return normalise


def _written(
    blocks: Iterable[Tensor], normalise: Callable[[Tensor], Tensor] | None, shape: tuple[int, ...], folder: Path
) -> NDArray[np.float32]:
    """The features, normalised if they are to be, in a file that is gone when nobody holds it any more."""
    with tempfile.TemporaryFile(dir=folder, prefix=".features.") as file:
        for block in blocks:
            file.write((block if normalise is None else normalise(block)).numpy().data.cast("B"))
        file.flush()
        return np.memmap(file, dtype=np.float32, mode="c", shape=shape)
