"""Choices of fixed features that stand in place of pixels, and of their normalisation. Imports no torch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from wassdp.features import filters, patch_layout
from wassdp.sections import Section

if TYPE_CHECKING:
    from wassdp.features.cache import Recipe

REFERENCES = 3000
"""Crops of public photographs on which something is measured."""

Damped = Annotated[
    int,
    Field(
        ge=0,
        le=REFERENCES // 2,
        description="how many directions are damped after it: those in which crops of public photographs vary most",
    ),
]


class GroupNormalisation(Section):
    """Each example by itself, in groups of channels; costs no privacy."""

    name: Literal["group"]
    groups: int = Field(ge=1, description="a divisor of the number of channels")


class ReleasedNormalisation(Section):
    """By channel or by feature, with moments released once by the Gaussian mechanism: a part of the run's budget."""

    name: Literal["channel", "feature"]
    groups: int | None = Field(default=None, ge=1, description="group normalisation before; null for none")
    noise_multiplier: float = Field(ge=0, description="of the one release")
    clip_mean: float = Field(gt=0, description="L2 bound on what an example adds to the means")
    clip_square: float = Field(gt=0, description="L2 bound on what an example adds to the mean squares")
    floor: float = Field(default=0.1, ge=0, description="share of the mean variance that is added to each variance")
    damped: Damped = Field(default=0, exclude_if=lambda count: count == 0)


class PhotographsNormalisation(Section):
    """By channel, with moments of crops of public photographs; costs no privacy."""

    name: Literal["photographs"]
    groups: int | None = Field(default=None, ge=1, description="group normalisation before; null for none")
    floor: float = Field(default=0.01, ge=0, description="share of the mean variance that is added to each variance")
    damped: Damped = 0


Normalisation = Annotated[
    GroupNormalisation | ReleasedNormalisation | PhotographsNormalisation, Field(discriminator="name")
]


class _Kind(Section):
    normalisation: Normalisation | None = None
    unit_norm: bool = Field(
        default=True, description="divide by the root of their number, so that normalised ones have norm about one"
    )

    @property
    def groups(self) -> int | None:
        """Groups of channels in which each example is normalised by itself, if it is."""
        return None if self.normalisation is None else self.normalisation.groups

    @property
    def damped(self) -> int:
        """Directions that are damped."""
        return getattr(self.normalisation, "damped", 0)

    def _too_few(self, shape: tuple[int, int, int]) -> str | None:
        """Why features of that shape cannot be normalised as chosen, or None."""
        if self.groups is not None and shape[0] % self.groups:
            return f"normalisation.groups = {self.groups}: must divide the {shape[0]} channels"
        if self.damped >= math.prod(shape):
            return f"normalisation.damped = {self.damped}: must be below the {math.prod(shape)} features"
        return None


class Scattering(_Kind):
    """Scattering coefficients, computed once and kept in the data folder."""

    name: Literal["scattering"] = "scattering"
    scales: int = Field(default=2, ge=1, le=6, description="J of the scattering transform")
    angles: int = Field(default=8, ge=1, le=16, description="L of the scattering transform")
    deskew: bool = Field(
        default=False,
        exclude_if=lambda chosen: not chosen,
        description="take the slant out of each grey image first, by its own moments; costs no privacy",
    )

    def output_shape(self, image: tuple[int, int, int]) -> tuple[int, int, int]:
        """Channels, rows and columns of the features of an image."""
        rows, columns = (filters.output_side(side, self.scales) for side in image[1:])
        return image[0] * filters.channels(self.scales, self.angles), rows, columns

    def impossible(self, image: tuple[int, int, int]) -> str | None:
        """Why there are no such features of an image, or None."""
        if self.deskew and image[0] != 1:
            return f"deskew: is for grey images, these have {image[0]} channels"
        return filters.impossible(image, self.scales) or self._too_few(self.output_shape(image))

    def recipe(self, image: tuple[int, int, int], maximum: int) -> Recipe:
        """What computes them, but for what `normalisation` measures."""
        from wassdp.features.recipe import Recipe

        return Recipe(
            shape=image,
            maximum=maximum,
            scales=self.scales,
            angles=self.angles,
            groups=self.groups,
            unit_norm=self.unit_norm,
            deskew=self.deskew,
        )


class Patches(_Kind):
    """Responses to patches of public photographs, computed once and kept in the data folder."""

    name: Literal["patches"]
    filters: int = Field(default=1024, ge=1, le=65_536, description="patches that serve as filters")
    side: int = Field(default=6, ge=2, le=32, description="pixels of a patch's side")
    threshold: float = Field(default=0.5, ge=0, description="what an answer must pass, in standard deviations")
    power: float = Field(default=0.5, gt=0, le=1, description="of the averaged answers")

    def output_shape(self, image: tuple[int, int, int]) -> tuple[int, int, int]:
        """Channels, rows and columns of the features of an image."""
        return patch_layout.output_shape(self.filters)

    def impossible(self, image: tuple[int, int, int]) -> str | None:
        """Why there are no such features of an image, or None."""
        return patch_layout.impossible(image, self.side) or self._too_few(self.output_shape(image))

    def recipe(self, image: tuple[int, int, int], maximum: int) -> Recipe:
        """What computes them, but for what `normalisation` measures."""
        from wassdp.features.patches import Patches

        return Patches(
            shape=image,
            maximum=maximum,
            filters=self.filters,
            side=self.side,
            threshold=self.threshold,
            power=self.power,
            groups=self.groups,
            unit_norm=self.unit_norm,
        )


def _named(section: Any) -> Any:
    """A section without a name is one of scattering coefficients."""
    return {"name": "scattering", **section} if isinstance(section, dict) else section


Features = Annotated[Scattering | Patches, Field(discriminator="name"), BeforeValidator(_named)]
