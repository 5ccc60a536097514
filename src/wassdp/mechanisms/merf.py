r"""DP-MERF's release: the mean of random Fourier features times one-hot labels, once, with Gaussian noise.

Symbols: x vector of an image, y class, φ features, m their number, ω frequencies, h bandwidth, N records.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from wassdp import checks, noise
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.reach import Reach
from wassdp.mechanisms.base import Example, Mechanism
from wassdp.noise import Bits, seeded


@dataclass(frozen=True)
class FourierFeatures:
    r"""Features whose inner products approximate a Gaussian kernel.

    .. math:: φ(x) = \sqrt{2 / m} \, (\cos(ω_1 x), …, \cos(ω_{m/2} x), \sin(ω_1 x), …, \sin(ω_{m/2} x)),
        \quad ω_i ~ N(0, I / h^2)

    Every vector of features has norm exactly 1. Frequencies do not depend on any record.

    Args:
        frequencies: ω, shape (d, m/2).

    Source: Rahimi and Recht (2007), Random Features for Large-Scale Kernel Machines, Algorithm 1 (both waves).
    """

    frequencies: Float[Tensor, "d half"]

    @staticmethod
    def draw(
        *, dimension: int, count: int, bandwidth: float, generator: Bits, device: torch.device | None = None
    ) -> FourierFeatures:
        """``count`` features, an even number, of vectors of ``dimension``.

        Raises:
            ValueError: an argument is outside its range.
        """
        checks.whole("dimension", dimension, least=1)
        if checks.whole("count", count, least=2) % 2:
            raise ValueError(f"count = {count}: must be even, a cosine and a sine for each frequency")
        checks.positive("bandwidth", bandwidth)
        normal = noise.normal(dimension, count // 2, generator=generator, dtype=torch.float32, device=device)
        return FourierFeatures(normal / bandwidth)

    @property
    def count(self) -> int:
        """M."""
        return 2 * self.frequencies.shape[1]

    def __call__(self, vectors: Float[Tensor, "rows d"]) -> Float[Tensor, "rows m"]:
        """Features of ``vectors``, differentiable."""
        angles = vectors @ self.frequencies
        return torch.cat([angles.cos(), angles.sin()], dim=1) * math.sqrt(2 / self.count)


@dataclass(frozen=True)
class NoisyEmbedding:
    """A noisy mean embedding and what it cost.

    Args:
        embedding: shape (m, classes).
        event: what an accountant reads.
    """

    embedding: Float[Tensor, "m classes"]
    event: Composed


@dataclass(frozen=True, kw_only=True)
class MERF(Mechanism):
    r"""Releases :math:`\frac1N \sum_i φ(x_i) ⊗ e_{y_i}` with Gaussian noise on every coordinate.

    Privacy: relation *replace-one*, all records, one release. A replaced record moves the mean by
    ‖φ(x) ⊗ e_y - φ(x') ⊗ e_{y'}‖ / N: at most 2/N inside a class, since both features have norm 1, and √2/N between
    classes. So the L2 sensitivity is 2/N, and the labels are as private as the images.
    Source: Harder, Adamczewski and Park (2021), DP-MERF, arXiv:2002.11603, section 4 (class-conditional embedding).

    Args:
        noise_multiplier: noise standard deviation over the sensitivity.
        features: φ.
        classes: number of classes.
        records: N >= 1, public.

    Raises:
        ValueError: an argument is outside its range.
    """

    reach: ClassVar[Reach] = Reach(math.sqrt(0.5) * (1 - 2**-20), "images of two classes, in single precision")
    noise_multiplier: float
    features: FourierFeatures
    classes: int
    records: int

    def __post_init__(self) -> None:
        checks.whole("classes", self.classes, least=1)
        checks.whole("records", self.records, least=1)
        self.event()  # checks the rest

    @property
    def sensitivity(self) -> float:
        """2/N."""
        return 2 / self.records

    @property
    def noise_std(self) -> float:
        """Standard deviation of the noise on each coordinate, rounded up."""
        return noise.scaled(self.noise_multiplier, self.sensitivity)

    def embedding(
        self, vectors: Float[Tensor, "rows d"], labels: Int64[Tensor, " rows"], *, chunk: int = 2000
    ) -> Float[Tensor, "m classes"]:
        """The mean over the given rows, without noise; differentiable. Nothing private may leave through it."""
        return self._mean(vectors, labels, lambda features: features, chunk)

    def _mean(self, vectors: Tensor, labels: Tensor, kept: Callable[[Tensor], Tensor], chunk: int) -> Tensor:
        total = torch.zeros(self.features.count, self.classes, dtype=vectors.dtype, device=vectors.device)
        for some, classes in zip(vectors.split(chunk), labels.split(chunk), strict=True):
            hot = nn.functional.one_hot(classes, self.classes).to(some.dtype)
            total = total + kept(self.features(some)).T @ hot
        return total / len(vectors)

    def release(
        self, vectors: Float[Tensor, "records d"], labels: Int64[Tensor, " records"], *, generator: Bits
    ) -> NoisyEmbedding:
        """The noisy mean over all records. One whose features are not finite counts as zero, 1/N from any other.

        Raises:
            ValueError: there are not N records, or a label is no class. Nothing is released then.
        """
        if len(vectors) != self.records or labels.shape != (self.records,):
            raise ValueError(f"vectors: must be of {self.records} records with a label each, not {len(vectors)}")
        if not bool(((labels >= 0) & (labels < self.classes)).all()):
            raise ValueError(f"labels: must be classes from 0 to {self.classes - 1}")
        mean = self._mean(vectors, labels, _finite, 2000)
        return NoisyEmbedding(noise.rounded(mean, std=self.noise_std, generator=generator), self.event())

    def event(self, steps: int = 1) -> Composed:
        return self.event_at(self.noise_multiplier, steps)

    @staticmethod
    def event_at(noise_multiplier: float, steps: int = 1) -> Composed:
        """What ``steps`` releases at this noise are for an accountant, whatever is embedded."""
        return repeated(Gaussian(noise_multiplier=noise_multiplier, adjacency="replace-one"), steps)

    @classmethod
    def examples(cls, noise: float) -> tuple[Example, ...]:
        features = FourierFeatures.draw(dimension=3, count=6, bandwidth=1.0, generator=seeded(0))
        once = cls(noise_multiplier=noise, features=features, classes=2, records=5)

        def released(rows: Tensor, bits: Bits) -> Tensor:
            """The last number of a record says its class."""
            return once.release(rows[:, :-1].float(), (rows[:, -1] > 0).long(), generator=bits).embedding

        return (
            Example(
                mechanism=once,
                rows=once.records,
                width=4,
                shape=(features.count, once.classes),
                sensitivity=once.sensitivity,
                noise_std=once.noise_std,
                released=released,
            ),
        )


def _finite(features: Float[Tensor, "rows m"]) -> Float[Tensor, "rows m"]:
    """Zeros in the place of rows that are not finite: stopping because of one would say that its record is there."""
    kept = torch.isfinite(features).all(dim=1, keepdim=True)
    return torch.where(kept, features, torch.zeros_like(features))
