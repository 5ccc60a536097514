"""Features that stand in place of pixels: what a configuration chooses among, and how a run comes by them."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field
from torch import Tensor

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


def of(name: str, chosen: FixedFeatures, *, noise: Bits, folder: Path) -> tuple[NDArray[np.float32], ...]:
    """Features of the training and the test images of a dataset, normalised as chosen.

    They stay on the disk, in the cache's files or, if they are normalised by what is measured, in a nameless file in
    ``folder``: a step reads the rows that it needs.

    Args:
        name: the dataset.
        chosen: which features.
        noise: source of the noise, where moments are released; that is done here, from the training records.
        folder: where a file may be put.

    Returns:
        Two arrays of shape (examples, channels, rows, columns).

    Raises:
        DatasetUnavailable: the dataset cannot be had.
        OSError: there is no room for the features.
    """
    kept = cache.of(name, chosen)
    released = None
    if isinstance(chosen.normalisation, ReleasedNormalisation):
        released = chosen.normalisation.release(cache.blocks(kept.train), records=len(kept.train), generator=noise)
    normalise = _normalising(chosen, image_of(name), released)
    if normalise is None:
        return kept.train, kept.test
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(_normalised(features, normalise, folder) for features in (kept.train, kept.test))


def _normalising(
    chosen: FixedFeatures, image: Image, released: Standardisation | None
) -> Callable[[Tensor], Tensor] | None:
    """What is done to blocks of features that come from the cache; None for nothing."""
    standardise, crops = released, None
    if isinstance(chosen.normalisation, PhotographsNormalisation):
        crops = chosen.of_photographs(image)
        standardise = chosen.normalisation.standardisation(crops)
    if standardise is None:
        return None
    steps: list[Callable[[Tensor], Tensor]] = [standardise]
    if chosen.damped:
        crops = chosen.of_photographs(image) if crops is None else crops
        steps.append(damping.measured(standardise(crops), directions=chosen.damped))
    factor = 1 / math.sqrt(math.prod(chosen.output_shape(image.shape))) if chosen.unit_norm else 1.0

    def normalise(block: Tensor) -> Tensor:
        for step in steps:
            block = step(block)
        return block * factor

    return normalise


def _normalised(
    features: NDArray[np.float32], normalise: Callable[[Tensor], Tensor], folder: Path
) -> NDArray[np.float32]:
    """The normalised features, in a file that is gone when nobody holds it any more."""
    with tempfile.TemporaryFile(dir=folder, prefix=".features.") as file:
        for block in cache.blocks(features):
            file.write(normalise(block).numpy().data.cast("B"))
        file.flush()
        return np.memmap(file, dtype=np.float32, mode="c", shape=features.shape)
