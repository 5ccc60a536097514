"""Releases of private images, each made of the ones before, and the statistics that images are drawn from."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Float, Int64
from pydantic import Field
from torch import Tensor
from torch.nn import functional

from wassdp.accounting.events.composed import Composed
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.generation import parts, shrinkage
from wassdp.generation.censored_images import CensoredImages
from wassdp.generation.method import GenerationSetting
from wassdp.generation.parts import Parts
from wassdp.generation.released_moments import Covariance, FirstMoments
from wassdp.generation.views import Cosine, Shape
from wassdp.mechanisms.clip_norm import ClipNorm
from wassdp.mechanisms.moments import ClassGrams, ClassSums
from wassdp.noise import Bits
from wassdp.sections import Section

SQUARE_WEIGHT = 0.5
"""Of the pixels' second moments in the first release."""
COUNT_WEIGHT = 1 / 3
"""Of a record in its class's count, over the clip norm."""
LEAST_SHARE = 0.1
"""Least share of a class in the records, over that of equal classes: noise must not make one vanish."""


class Moments(Section):
    """What is released of images, and how they are drawn from it."""

    radius: ClipNorm = Field(description="clip norm of an image, pixels in [0, 1]")
    gram_radius: ClipNorm = Field(description="clip norm of an image's weighted cosines around its class's mean")
    whitened_radius: ClipNorm = Field(
        default=1.0, description="clip norm along the leading directions, over the root of their number"
    )
    side: int = Field(ge=1, description="lowest cosines along each axis in the pooled Gram matrix")
    directions: int = Field(ge=1, description="leading directions in the classes' Gram matrices")
    shares: tuple[float, float, float] = Field(
        description="of the budget (of 1 / noise²): sums, pooled Gram matrix, Gram matrices of the classes; sum 1"
    )
    tilt: float = Field(default=0.25, ge=0, description="cosines are weighted with this power of 1 + frequency")
    envelope: float = Field(default=1.0, ge=0, le=1, description="how far pixels' variances differ between classes")
    spread: float = Field(default=0.3, ge=0, le=1, description="of the logarithm of a picture's contrast")
    dark: float = Field(
        default=32.0,
        ge=0,
        exclude_if=lambda value: value == 32,
        description="of the noise's deviations: pixels whose mean square is below are 0, "
        "unless half of all pixels' mean is less",
    )
    rest: float = Field(
        default=1.0,
        ge=0,
        le=1,
        exclude_if=lambda value: value == 1,
        description="of the variance that cosines do not show, how much a pixel has for itself: "
        "0 makes it correlate with others as they say",
    )
    halvings: int = Field(
        default=0,
        ge=0,
        le=3,
        exclude_if=lambda value: value == 0,
        description="binary logarithm of the number of a class's parts, each with a mean of its own",
    )
    part_share: float = Field(
        default=0.06,
        gt=0,
        lt=1,
        exclude_if=lambda value: value == 0.06,
        description="of the budget, for the parts where there are several; the other shares are of the rest",
    )

    @property
    def rounds(self) -> int:
        """Releases of parts of classes."""
        return parts.ROUNDS if self.halvings else 0

    @property
    def left(self) -> float:
        """Share of the budget that the sums and both Gram matrices divide."""
        return 1 - self.part_share if self.halvings else 1.0

    def multipliers(self, noise: float) -> tuple[float, float, float]:
        """Noise multipliers of the sums, the pooled Gram matrix and those of the classes.

        Together, and with the releases of parts, they are one of multiplier ``noise``.
        """
        first, second, third = (noise / math.sqrt(share * self.left) for share in self.shares)
        return first, second, third

    def part_multiplier(self, noise: float) -> float:
        """Noise multiplier of each release of parts."""
        return noise / math.sqrt(self.part_share / parts.ROUNDS)

    def events(self, noise: float) -> Composed:
        """All releases, in their order."""
        first, second, third = self.multipliers(noise)
        multipliers = [first, second, self.part_multiplier(noise), third] if self.rounds else [first, second, third]
        gaussians = tuple(Gaussian(noise_multiplier=each, adjacency="replace-one") for each in multipliers)
        return Composed(events=gaussians, counts=(1, 1, self.rounds, 1) if self.rounds else (1, 1, 1))

    def sums(self, shape: Shape, classes: int, *, records: int, noise: float) -> ClassSums:
        """The first release."""
        return ClassSums(
            noise_multiplier=self.multipliers(noise)[0],
            classes=classes,
            dimension=math.prod(shape),
            records=records,
            radius=self.radius,
            square_weight=SQUARE_WEIGHT,
            count_weight=COUNT_WEIGHT * self.radius,
        )


@dataclass(frozen=True)
class Releases:
    """The releases of a run, made when they are first asked for.

    Args:
        choice: what is released.
        setting: the run, with its records.
        noise: multiplier of all of them together; 0 for none.
        generator: source of the noise.
    """

    choice: Moments
    setting: GenerationSetting
    noise: float
    generator: Bits

    def images(self) -> CensoredImages:
        """What draws images."""
        choice, covariance = self.choice, self.covariance
        means = shrinkage.means(self.first.means, covariance.pixels(), self.first.shares, self.first.variances)
        lit = self.first.lit(choice.dark)
        means = means.clamp(0, 1) * lit
        split = self.parts(means)
        own, common = covariance.own(self.classes(means, split)), covariance.common()
        apart = split.centres @ covariance.leading_back.T
        means = ((means[:, None] + apart).clamp(0, 1) * lit).flatten(0, 1)
        variances = self.first.pixel_variances(
            means, (self.first.shares[:, None] * split.weights).flatten(), choice.envelope
        )
        return CensoredImages(
            self.setting.shape,
            means=means,
            covariances=self._covariances(own @ own.mT + common @ common.T, variances),
            spread=choice.spread,
            weights=split.weights,
        )

    def _covariances(
        self, matrices: Float[Tensor, "classes n n"], variances: Float[Tensor, "groups n"]
    ) -> Iterator[Float[Tensor, "n n"]]:
        """Of each part, one at a time: what its class's matrix says, with the pixels' variances."""
        parts_of_class = len(variances) // len(matrices)
        for number, wanted in enumerate(variances):
            found = matrices[number // parts_of_class]
            implied = found.diagonal()
            # Pixels that vary more than the cosines say, which see low frequencies and clipped records, have the rest
            # for themselves or, with ``rest`` = 0, vary more in all that they share.
            seen = implied.maximum(wanted) ** self.choice.rest * implied ** (1 - self.choice.rest)
            scales = (wanted / seen.clamp(min=1e-12)).sqrt()
            scaled = found * scales[:, None] * scales
            scaled.diagonal().copy_(wanted)
            yield scaled

    @cached_property
    def first(self) -> FirstMoments:
        """Means, shares of classes and second moments of pixels."""
        mechanism = self.choice.sums(self.setting.shape, self.setting.classes, records=self.count, noise=self.noise)
        found = mechanism.release(self._images(), generator=self.generator)
        least = LEAST_SHARE * self.count / mechanism.classes
        counts = found.counts.clamp(min=least)
        counts = counts * (self.count / counts.sum())
        return FirstMoments(
            means=found.sums / counts[:, None],
            shares=counts / self.count,
            squares=found.squares / self.count,
            variances=(found.noise_std / counts).square(),
            noise=found.noise_std / mechanism.square_weight / self.count,
        )

    @cached_property
    def covariance(self) -> Covariance:
        """Covariance of records around their class's mean, by low cosines."""
        mechanism = ClassGrams(
            noise_multiplier=self.choice.multipliers(self.noise)[1],
            classes=1,
            dimension=self.weighted.shape[1],
            records=self.count,
            radius=self.choice.gram_radius,
        )
        centres = self.first.means @ self.weighted
        vectors = ((rows, torch.zeros_like(labels)) for rows, labels in self._around(centres, self.weighted))
        gram = mechanism.release(vectors, generator=self.generator)[0] / self.count
        noise = mechanism.noise_std / math.sqrt(2) / self.count
        values, directions = shrinkage.spectrum(gram, noise=noise)
        tail = shrinkage.banded(gram.diagonal() - directions.square() @ values, self.frequencies)
        count = self.choice.directions
        # Directions within the noise have what the rest has along them.
        values[:count] = values[:count].maximum(directions[:, :count].square().T @ tail)
        return Covariance(values, directions, count, tail, self.weighted, self.weights)

    def parts(self, means: Float[Tensor, "classes n"]) -> Parts:
        """Parts of each class along the leading directions."""
        choice, covariance = self.choice, self.covariance
        values, directions = covariance.leading
        found = parts.start(len(means), choice.halvings, values)
        columns = self.weighted @ directions
        last = choice.gram_radius
        mechanism = ClassGrams(
            noise_multiplier=choice.part_multiplier(self.noise),
            classes=found.weights.numel(),
            dimension=len(values) + 1,
            records=self.count,
            radius=math.sqrt(2) * last,
        )
        for _ in range(choice.rounds):
            blocks = (
                (functional.pad(rows, (0, 1), value=last), found.nearest(rows, labels))
                for rows, labels in self._around(means @ columns, columns)
            )
            found = parts.moved(
                mechanism.release(blocks, generator=self.generator),
                self.first.shares * self.count,
                values,
                last=last,
                noise_std=mechanism.noise_std,
            )
        return found

    def classes(self, means: Float[Tensor, "classes n"], split: Parts) -> Float[Tensor, "classes d d"]:
        """Second moments of each class along the leading directions, whitened, around the means of its parts."""
        size = self.choice.directions
        mechanism = ClassGrams(
            noise_multiplier=self.choice.multipliers(self.noise)[2],
            classes=self.setting.classes,
            dimension=size,
            records=self.count,
            radius=self.choice.whitened_radius * math.sqrt(size),
        )
        values, directions = self.covariance.leading
        roots = values.clamp(min=1e-12).sqrt()
        whitening = self.weighted @ (directions / roots)
        released = mechanism.release(
            self._in_parts(means @ whitening, whitening, split, roots), generator=self.generator
        )
        counts = self.first.shares * self.count
        grams = released / counts[:, None, None]
        found = shrinkage.by_class(grams, self.first.shares, (mechanism.noise_std / counts).square() / 2)
        inside = 1 - float((self.first.shares @ split.between / roots.square()).mean())
        return found * max(inside, shrinkage.LEAST_EIGENVALUE)

    def _in_parts(
        self,
        centres: Float[Tensor, "classes d"],
        columns: Float[Tensor, "n d"],
        split: Parts,
        roots: Float[Tensor, " d"],
    ) -> Iterator[tuple[Float[Tensor, "count d"], Int64[Tensor, " count"]]]:
        """Whitened images around what is released of their part."""
        apart = split.centres.flatten(0, 1) / roots
        for rows, labels in self._around(centres, columns):
            yield rows - apart[split.nearest(rows * roots, labels)], labels

    @property
    def count(self) -> int:
        """N."""
        return len(self.setting.train)

    @cached_property
    def cosines(self) -> Float[Tensor, "n d"]:
        """The lowest cosines as unit columns."""
        size = math.prod(self.setting.shape)
        return Cosine(name="cosine", side=self.choice.side)(torch.eye(size).view(-1, *self.setting.shape)).double()

    @cached_property
    def frequencies(self) -> Float[Tensor, " d"]:
        """Of each cosine, in half waves along a side."""
        axis = torch.arange(self.choice.side, dtype=torch.float64)
        return torch.hypot(axis[:, None], axis).flatten().repeat(self.setting.shape[0])

    @cached_property
    def weights(self) -> Float[Tensor, " d"]:
        """Of each cosine."""
        return (1 + self.frequencies) ** self.choice.tilt

    @cached_property
    def weighted(self) -> Float[Tensor, "n d"]:
        """The cosines times their weights."""
        return self.cosines * self.weights

    def _images(self) -> Iterator[tuple[Float[Tensor, "count n"], Int64[Tensor, " count"]]]:
        for images, labels in self.setting.chunks():
            assert labels is not None, "the method is told the classes"
            yield images.flatten(start_dim=1).double(), labels

    def _around(
        self, centres: Float[Tensor, "classes d"], columns: Float[Tensor, "n d"]
    ) -> Iterator[tuple[Float[Tensor, "count d"], Int64[Tensor, " count"]]]:
        """Images along ``columns``, around what is released of their class."""
        for images, labels in self._images():
            yield images @ columns - centres[labels], labels
