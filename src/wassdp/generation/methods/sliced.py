"""Sliced Wasserstein distance to noisy projections of private rows: DP-SWD for generators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from jaxtyping import Float, Int64
from pydantic import Field
from torch import Tensor

from wassdp import noise
from wassdp.accounting import expected
from wassdp.accounting.event import Event
from wassdp.accounting.reach import Reach
from wassdp.distances.directions import draw
from wassdp.distances.one_d import wasserstein_power
from wassdp.generation.bands import lowest
from wassdp.generation.method import GenerationMethod, GenerationSetting, Noise, ReleasePlan
from wassdp.generation.pooled import PooledProjections, PooledRelease
from wassdp.generation.private import PrivateRows
from wassdp.generation.rows import Prepared, Recipe, Rows
from wassdp.generation.target import Target
from wassdp.generation.views import Shape
from wassdp.noise import Bits


class SlicedMethod(Rows, GenerationMethod):
    """Sliced Wasserstein distance to noisy projections of private rows (`wassdp.generation.pooled`)."""

    name: Literal["sliced"]
    projections: int | None = Field(default=None, ge=1, description="k; null: the dimension of a row")
    directions: Literal["iid", "orthogonal"] = "iid"
    order: float = Field(default=2.0, ge=1, description="p of the distance")
    batch: float | None = Field(
        default=100,
        gt=0,
        description="rows of a draw, of each class where batches are; null: all (of the rarest class)",
    )
    draws: int = Field(default=1, ge=1, description="batches drawn independently for one release")
    sampling: Literal["without-replacement", "poisson"] = "without-replacement"
    public_noise: bool = Field(default=True, description="noise on the generated side too; free, and proves nothing")
    reuse: int | None = Field(default=1, ge=1, description="steps that use one release; null: all, released once")
    step_directions: int | None = Field(default=None, ge=1, description="directions that a step looks at; null: all")
    step_rows: int | None = Field(default=None, ge=1, description="released rows that a step looks at; null: all")
    smooth: int | None = Field(
        default=None,
        ge=1,
        exclude_if=lambda side: side is None,
        description="compare along random directions within so many lowest cosines along each axis; null: along the "
        "released directions",
    )

    def describe(self) -> str:
        size = "all rows" if self.batch is None else f"{self.batch:g} rows"
        words = [
            "SWD",
            *self.words(),
            "orthogonal" if self.directions == "orthogonal" else "",
            f"low {self.smooth}×{self.smooth}" if self.smooth else "",
            size if self.draws == 1 else f"{self.draws}×{size}",
            "released once" if self.reuse is None else "",
        ]
        return ", ".join(filter(None, words))

    def releases(self, steps: int) -> int:
        return 1 if self.reuse is None else -(-steps // self.reuse)

    def elementary(self, steps: int) -> int | None:
        return None if self.reuse is None else self.draws * self.releases(steps)

    def expected_event(self) -> Event:
        if self.sampling == "poisson":
            return expected.poisson(expected.projections(self.directions, "zero-out"))
        return expected.drawn(expected.projections(self.directions, self.relation))

    def reach(self, shape: Shape, classes: int) -> Reach:
        return Recipe(self, shape, classes).neighbours(self.sampling)

    def released(
        self, metrics: Mapping[str, float], shape: Shape, classes: int, records: int, class_counts: tuple[int, ...]
    ) -> Event | None:
        groups = self.groups(records, class_counts)
        if not groups:
            return None
        return self._release(Recipe(self, shape, classes), groups, metrics["noise"]).event(int(metrics["releases"]))

    def _release(self, recipe: Recipe, groups: tuple[int, ...], sigma: float) -> PooledProjections:
        return PooledProjections(
            recipe=recipe,
            groups=groups,
            sigma=sigma,
            projections=self.projections or recipe.dimension,
            batch=min(groups) if self.batch is None else self.batch,
            draws=self.draws,
            directions=self.directions,
            sampling=self.sampling,
        )

    def impossible(self, shape: Shape) -> str | None:
        if self.labels == "per_class" and self.sampling == "poisson":
            return "labels per_class with Poisson sampling: fixed class sizes need sampling without replacement"
        return super().impossible(shape)

    def without_release(self, shape: Shape, classes: int, records: int, class_counts: tuple[int, ...]) -> str | None:
        # Both refuse what they cannot do, whatever the noise.
        try:
            mechanism = self._release(
                Recipe(self, shape, classes), self.groups(records, class_counts) or (records,), 1.0
            )
            SlicedTarget(self, mechanism, [])
        except ValueError as error:
            return str(error)
        return None

    def without_canaries(self) -> str | None:
        if self.sampling == "poisson":
            return "under Poisson sampling a neighbour has a row of zeros, which no crafted image has"
        return None

    def build(self, privacy: Noise | None, setting: GenerationSetting) -> ReleasePlan:
        private = PrivateRows.prepare(self, setting, self.sampling)
        releases = self.releases(setting.steps)

        def mechanism(sigma: float) -> PooledProjections:
            return self._release(private.recipe, private.sizes, sigma)

        sigma = 0.0 if privacy is None else privacy.calibrate(lambda sigma: mechanism(sigma).event(releases))
        noisy = mechanism(sigma)
        figures = private.figures(
            noise=sigma, noise_std=sigma, projections=noisy.projections, sampling=self.sampling
        ) | {"rows_released": float(releases * noisy.rows)}
        event = None if privacy is None else noisy.event(releases)
        return ReleasePlan(event, figures, target=SlicedTarget(self, noisy, private.groups))


@dataclass
class SlicedTarget(Target):
    r"""Sliced :math:`W_p^p` between noisy projections of private rows and projections of generated ones.

    With ``smooth``, the two are compared along random orthonormal directions within the lowest ``smooth`` by ``smooth``
    cosines of the view's grid. Rows are released along a whole basis then, so that their noisy selves are known, and
    any direction is at hand; the noise along unit directions has the same deviation.

    Args:
        choice: what the method leaves open.
        mechanism: releases the private rows.
        groups: prepared private rows of each group, on the device of the run.

    Raises:
        ValueError: ``smooth`` does not go with the release.
    """

    choice: SlicedMethod
    mechanism: PooledProjections
    groups: list[Prepared]
    _release: PooledRelease | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.choice.smooth is not None:
            self._low = self._lowest(self.choice.smooth)

    def due(self, step: int) -> bool:
        return self.choice.reuse is not None and step % self.choice.reuse == 0

    def renew(self, generator: Bits) -> None:
        self._release = self.mechanism.release(self.groups, generator=generator)

    @property
    def released(self) -> PooledRelease:
        """The release at hand."""
        assert self._release is not None, "advance() comes first"
        return self._release

    def loss(
        self,
        images: Float[Tensor, "count channels height width"],
        labels: Int64[Tensor, " count"] | None,
        generator: Bits,
    ) -> Float[Tensor, ""]:
        unit, released = self._compared(self.released, generator)
        generated = self.mechanism.recipe.project(self.mechanism.prepare(images, labels)[0], unit)
        groups = released.shape[0]
        # Labels are balanced and in order, so that equal parts are the classes.
        points = generated.view(len(generated), groups, -1).transpose(0, 1)
        if self.choice.public_noise and self.mechanism.sigma > 0:
            # Noise is cheap, images are not: each stands with several draws of noise where that evens out the numbers.
            points = points.repeat(1, 1, max(1, released.shape[2] // points.shape[2]))
            drawn = noise.normal(*points.shape, generator=generator, dtype=points.dtype, device=points.device)
            points = points + self.mechanism.sigma * drawn
        return wasserstein_power(points, released, p=self.choice.order).mean()

    def _lowest(self, side: int) -> Float[Tensor, "dimension count"]:
        """The lowest cosines of the view's grid, as unit columns."""
        recipe = self.mechanism.recipe
        basis = self.mechanism.directions == "orthogonal" and self.mechanism.projections == recipe.dimension
        if recipe.entry != "image" or not basis:
            raise ValueError(f"smooth = {side}: needs labels outside the row, and one whole orthogonal basis")
        return lowest(recipe, side)

    def _compared(self, release: PooledRelease, generator: Bits) -> tuple[Tensor, Tensor]:
        """The directions and the released projections that a step looks at."""
        unit, released = release.directions, release.projections
        if self.choice.smooth is not None:
            low = self._low.to(unit)
            turned = low @ draw(
                "orthogonal",
                dimension=low.shape[1],
                count=low.shape[1],
                generator=generator,
                dtype=low.dtype,
                device=low.device,
            )
            unit, released = turned, (turned.T @ unit) @ released
        directions, rows = self.choice.step_directions, self.choice.step_rows
        if directions is not None and directions < unit.shape[1]:
            some = noise.subset(unit.shape[1], directions, generator=generator).to(unit.device)
            unit, released = unit[:, some], released[:, some]
        if rows is not None and rows < released.shape[2]:
            some = noise.subset(released.shape[2], rows, generator=generator).to(unit.device)
            released = released[:, :, some]
        return unit, released
