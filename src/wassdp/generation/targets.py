"""What a generator is trained towards: losses against releases of private images. All after a release is free."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from wassdp import checks, noise
from wassdp.distances.directions import draw
from wassdp.distances.one_d import check_order, wasserstein_power
from wassdp.generation import pooled, quantiles
from wassdp.generation.bands import lowest
from wassdp.generation.rows import Prepared
from wassdp.generation.views import View
from wassdp.mechanisms import merf
from wassdp.noise import Bits


class Target(Protocol):
    """A loss whose private part is released before it is used."""

    def advance(self, step: int, generator: Bits) -> None:
        """Release what step ``step`` (from 0) needs, if the release at hand is not to be used again."""

    def loss(
        self,
        images: Float[Tensor, "count channels height width"],
        labels: Int64[Tensor, " count"] | None,
        generator: Bits,
    ) -> Float[Tensor, ""]:
        """The loss of generated images of balanced labels in order; post-processing of the release at hand."""

    def state_dict(self) -> dict[str, Any]:
        """Where the release at hand came from."""

    def load_state_dict(self, state: Mapping[str, Any], /) -> None:
        """Let the next `advance` make the release at hand again, bit by bit."""


@dataclass
class _Releasing:
    """Keeps where the stream stood before the release at hand, so that a resumed run makes the same one again."""

    before: Tensor | None = field(default=None, init=False)
    lost: bool = field(default=False, init=False)

    def advance(self, step: int, generator: Bits) -> None:
        if self.before is None or self.due(step):
            self.before = generator.get_state()
            self.renew(generator)
        elif self.lost:
            now = generator.get_state()
            generator.set_state(self.before)
            self.renew(generator)
            generator.set_state(now)
        self.lost = False

    def due(self, step: int) -> bool:
        """Whether ``step`` wants a release of its own; no step but the first does, unless a target says otherwise."""
        return False

    def renew(self, generator: Bits) -> None:
        """Release."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        return {"before": self.before}

    def load_state_dict(self, state: Mapping[str, Any], /) -> None:
        self.before, self.lost = state["before"], True


@dataclass
class Sliced(_Releasing):
    r"""Sliced :math:`W_p^p` between noisy projections of private rows and projections of generated ones.

    Args:
        mechanism: releases the private rows.
        groups: prepared private rows of each group, on the device of the run.
        p: order of the distance.
        public_noise: add noise of the same deviation on the generated side too, as DP-SWD prints it.
        reuse: steps that use one release; None for all, the release made once ("one-shot").
        directions: directions of a release that one step compares along; None for all.
        rows: rows of a release (of each group) that one step compares with; None for all.
        smooth: compare along random orthonormal directions within the lowest ``smooth`` by ``smooth`` cosines of the
            view's grid. Rows are released along a whole basis then, so that their noisy selves are known, and any
            direction is at hand; the noise along unit directions has the same deviation.

    Raises:
        ValueError: an argument is outside its range, or ``smooth`` does not go with the release.
    """

    mechanism: pooled.PooledProjections
    groups: list[Prepared]
    p: float = 2.0
    public_noise: bool = True
    reuse: int | None = 1
    directions: int | None = None
    rows: int | None = None
    smooth: int | None = None
    _release: pooled.PooledRelease | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if check_order(self.p) == float("inf"):
            raise ValueError("p = inf: a sliced distance needs a finite order")
        if self.smooth is not None:
            self._low = self._lowest(self.smooth)
        for name in ("reuse", "directions", "rows"):
            if (value := getattr(self, name)) is not None:
                checks.whole(name, value, least=1)

    def due(self, step: int) -> bool:
        return self.reuse is not None and step % self.reuse == 0

    def renew(self, generator: Bits) -> None:
        self._release = self.mechanism.release(self.groups, generator=generator)

    def loss(
        self,
        images: Float[Tensor, "count channels height width"],
        labels: Int64[Tensor, " count"] | None,
        generator: Bits,
    ) -> Float[Tensor, ""]:
        assert self._release is not None, "advance() comes first"
        unit, released = self._chosen(self._release, generator)
        generated = self.mechanism.recipe.project(self.mechanism.prepare(images, labels)[0], unit)
        groups = released.shape[0]
        # Labels are balanced and in order, so that equal parts are the classes.
        points = generated.view(len(generated), groups, -1).transpose(0, 1)
        if self.public_noise:
            # Noise is cheap, images are not: each stands with several draws of noise where that evens out the numbers.
            points = points.repeat(1, 1, max(1, released.shape[2] // points.shape[2]))
            drawn = noise.normal(*points.shape, generator=generator, dtype=points.dtype, device=points.device)
            points = points + self.mechanism.sigma * drawn
        return wasserstein_power(points, released, p=self.p).mean()

    def _lowest(self, side: int) -> Float[Tensor, "dimension count"]:
        """The lowest cosines of the view's grid, as unit columns."""
        recipe = self.mechanism.recipe
        basis = self.mechanism.directions == "orthogonal" and self.mechanism.projections == recipe.dimension
        if recipe.entry != "image" or not basis:
            raise ValueError(f"smooth = {side}: needs labels outside the row, and one whole orthogonal basis")
        return lowest(recipe, side)

    def _chosen(self, release: pooled.PooledRelease, generator: Bits) -> tuple[Tensor, Tensor]:
        """The directions and the released projections that a step looks at."""
        unit, released = release.directions, release.projections
        if self.smooth is not None:
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
        if self.directions is not None and self.directions < unit.shape[1]:
            some = noise.subset(unit.shape[1], self.directions, generator=generator).to(unit.device)
            unit, released = unit[:, some], released[:, some]
        if self.rows is not None and self.rows < released.shape[2]:
            some = noise.subset(released.shape[2], self.rows, generator=generator).to(unit.device)
            released = released[:, :, some]
        return unit, released


@dataclass
class OutputGradient(_Releasing):
    r"""Sliced :math:`W_2^2` by its noisy gradients in generated rows, all released before the first step.

    Each step follows the gradient along one of the released bases, chosen at random, at its own generated rows. The
    way from rows back to the generator, through view and labels, is public. Generated rows are clipped as private ones
    are, so that equal images have equal rows; how bright an image is beyond the clipping norm is then seen on neither
    side, and a scale at which many rows are clipped lets generated images come out too bright.

    Args:
        mechanism: releases the private rows' part of the gradients.
        groups: prepared private rows of each group, on the device of the run.
    """

    mechanism: quantiles.QuantilesAlongBases
    groups: list[Prepared]
    _releases: list[quantiles.MeansOfGroups] = field(default_factory=list, init=False)

    def renew(self, generator: Bits) -> None:
        self._releases = self.mechanism.release(self.groups, generator=generator)

    def loss(
        self,
        images: Float[Tensor, "count channels height width"],
        labels: Int64[Tensor, " count"] | None,
        generator: Bits,
    ) -> Float[Tensor, ""]:
        assert self._releases, "advance() comes first"
        (chosen,) = noise.integers(len(self._releases), 1, generator=generator)
        release = self._releases[int(chosen)]
        recipe = self.mechanism.recipe
        rows, _ = recipe.prepare(images, labels, sampling="without-replacement")
        projected = recipe.project(rows, release[0].directions)
        # Labels are balanced and in order, so that equal parts are the classes.
        parts = projected.chunk(len(release), dim=1)
        pulls = [each.objective(part) for each, part in zip(release, parts, strict=True)]
        return torch.stack(pulls).mean()


@dataclass
class MeanEmbedding(_Releasing):
    """Squared distance of mean embeddings, that of the private records released once (DP-MERF).

    Args:
        mechanism: releases the private mean.
        view: public map from images to the vectors that are embedded.
        vectors: those of the private records.
        labels: their classes.
    """

    mechanism: merf.MERF
    view: View
    vectors: Float[Tensor, "records d"]
    labels: Int64[Tensor, " records"]
    _release: merf.NoisyEmbedding | None = field(default=None, init=False)

    def renew(self, generator: Bits) -> None:
        self._release = self.mechanism.release(self.vectors, self.labels, generator=generator)

    def loss(
        self,
        images: Float[Tensor, "count channels height width"],
        labels: Int64[Tensor, " count"] | None,
        generator: Bits,
    ) -> Float[Tensor, ""]:
        assert self._release is not None, "advance() comes first"
        if labels is None:
            raise ValueError("labels = None: an embedding of labelled images needs them")
        found = self.mechanism.embedding(self.view(images), labels)
        return (found - self._release.embedding).square().sum()
