"""Noisy gradients of the sliced distance in generated rows, for all steps at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import torch
from jaxtyping import Float, Int64
from pydantic import Field
from torch import Tensor

from wassdp.accounting import expected
from wassdp.accounting.event import Event
from wassdp.accounting.reach import Reach
from wassdp.generation.method import GenerationMethod, GenerationSetting, Noise, ReleasePlan
from wassdp.generation.private import PrivateRows
from wassdp.generation.quantiles import MeansOfGroups, QuantilesAlongBases
from wassdp.generation.rows import Prepared, Recipe, Rows
from wassdp.generation.target import Target
from wassdp.generation.views import Shape
from wassdp.noise import Bits, integers


class OutputGradientMethod(Rows, GenerationMethod):
    """Noisy gradients of the sliced distance in generated rows, for all steps at once (`wassdp.generation.quantiles`).

    Private rows do not depend on the generator, so that what is released of them is needed once; noise falls with the
    number of rows.
    """

    name: Literal["output_gradient"]
    bases: int = Field(default=15, ge=1, description="orthonormal bases of directions, each with a gradient of its own")
    points: int = Field(
        default=10, ge=1, description="points that a gradient is released in, of each class where labels are public"
    )
    batch: int | None = Field(
        default=None, ge=1, description="private rows of a release, of each class where labels are public; null: all"
    )
    smooth: int | None = Field(
        default=None,
        ge=1,
        description="directions among so many lowest cosines along each axis, and among the rest; null: among all",
    )

    def describe(self) -> str:
        words = [
            "SW gradients",
            *self.words(),
            f"low {self.smooth}×{self.smooth}" if self.smooth else "",
            f"{self.bases} gradients in {self.points} points",
            f"{self.batch} rows" if self.batch else "",
        ]
        return ", ".join(filter(None, words))

    def releases(self, steps: int) -> int:
        return self.bases

    def expected_event(self) -> Event:
        return expected.drawn(expected.gaussian(self.relation))

    def reach(self, shape: Shape, classes: int) -> Reach:
        # Where all other rows are at one end of a line, a part of the sorted rows takes all that the record moves.
        return Recipe(self, shape, classes).neighbours("without-replacement")

    def released(
        self, metrics: Mapping[str, float], shape: Shape, classes: int, records: int, class_counts: tuple[int, ...]
    ) -> Event | None:
        groups = self.groups(records, class_counts)
        return self._release(Recipe(self, shape, classes), groups, metrics["noise"]).event() if groups else None

    def _release(self, recipe: Recipe, groups: tuple[int, ...], noise_multiplier: float) -> QuantilesAlongBases:
        return QuantilesAlongBases(
            recipe=recipe,
            groups=groups,
            noise_multiplier=noise_multiplier,
            bases=self.bases,
            parts=self.points,
            batch=self.batch,
            smooth=self.smooth,
        )

    def without_release(self, shape: Shape, classes: int, records: int, class_counts: tuple[int, ...]) -> str | None:
        # The mechanism refuses what it cannot do, whatever the noise.
        try:
            self._release(Recipe(self, shape, classes), self.groups(records, class_counts) or (records,), 1.0)
        except ValueError as error:
            return str(error)
        return None

    def without_canaries(self) -> str | None:
        if self.batch is None:
            return None
        return "who else is in a batch moves a mean by far more than one record: an attack needs all rows, batch null"

    def build(self, privacy: Noise | None, setting: GenerationSetting) -> ReleasePlan:
        private = PrivateRows.prepare(self, setting, "without-replacement")

        def mechanism(noise_multiplier: float) -> QuantilesAlongBases:
            return self._release(private.recipe, private.sizes, noise_multiplier)

        multiplier = 0.0 if privacy is None else privacy.calibrate(lambda multiplier: mechanism(multiplier).event())
        noisy = mechanism(multiplier)
        figures = private.figures(
            noise=multiplier,
            noise_std=noisy.noise_std,
            projections=self.bases * private.recipe.dimension,
            sampling="without-replacement",
        ) | {"noise_std": noisy.noise_std}
        event = None if privacy is None else noisy.event()
        return ReleasePlan(event, figures, target=OutputGradientTarget(noisy, private.groups))


@dataclass
class OutputGradientTarget(Target):
    r"""Sliced :math:`W_2^2` by its noisy gradients in generated rows, all released before the first step.

    Each step follows the gradient along one of the released bases, chosen at random, at its own generated rows. The
    way from rows back to the generator, through view and labels, is public. Generated rows are clipped as private ones
    are, so that equal images have equal rows; how bright an image is beyond the clipping norm is then seen on neither
    side, and a scale at which many rows are clipped lets generated images come out too bright.

    Args:
        mechanism: releases the private rows' part of the gradients.
        groups: prepared private rows of each group, on the device of the run.
    """

    mechanism: QuantilesAlongBases
    groups: list[Prepared]
    _releases: list[MeansOfGroups] = field(default_factory=list, init=False)

    def renew(self, generator: Bits) -> None:
        self._releases = self.mechanism.release(self.groups, generator=generator)

    @property
    def released(self) -> list[MeansOfGroups]:
        """All releases, one for each basis."""
        assert self._releases, "advance() comes first"
        return self._releases

    def loss(
        self,
        images: Float[Tensor, "count channels height width"],
        labels: Int64[Tensor, " count"] | None,
        generator: Bits,
    ) -> Float[Tensor, ""]:
        (basis,) = integers(len(self.released), 1, generator=generator)
        release = self.released[int(basis)]
        recipe = self.mechanism.recipe
        rows, _ = recipe.prepare(images, labels, sampling="without-replacement")
        projected = recipe.project(rows, release[0].directions)
        # Labels are balanced and in order, so that equal parts are the classes.
        parts = projected.chunk(len(release), dim=1)
        pulls = [means.objective(part) for means, part in zip(release, parts, strict=True)]
        return torch.stack(pulls).mean()
