r"""DP-MERF's release: the mean of random Fourier features times one-hot labels, once, with Gaussian noise.

Symbols: x vector of an image, y class, φ features, m their number, ω frequencies, h bandwidth, N records.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Float64, Int64
from torch import Tensor, nn

from wassdp import checks, noise
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.reach import Reach
from wassdp.full_precision import full_precision
from wassdp.mechanisms.ball import in_ball
from wassdp.mechanisms.base import Example, Mechanism
from wassdp.mechanisms.exact_sums import SHRINK, bits, toward_zero
from wassdp.noise import Bits, seeded

_APART = 2.0
"""How far apart the features of two records are at most."""
_AT_ONCE = 500
"""Records whose features are in memory at a time: 10,000 features take 40 MB in double precision."""


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
        with full_precision(vectors.device):
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
    classes. So the L2 sensitivity is 2/N, and the labels are as private as the images. The sum is exact
    (`wassdp.mechanisms.exact_sums`), gets its noise, and is divided by N afterwards.
    Source: Harder, Adamczewski and Park (2021), DP-MERF, arXiv:2002.11603, section 4 (class-conditional embedding).

    Args:
        noise_multiplier: noise standard deviation over the sensitivity.
        features: φ.
        classes: number of classes.
        records: N >= 1, public.

    Raises:
        ValueError: an argument is outside its range.
    """

    reach: ClassVar[Reach] = Reach(math.sqrt(0.5) * (1 - 2**-20), "images of two classes, less what rounding takes off")
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
        return _APART / self.records

    @property
    def noise_std(self) -> float:
        """Standard deviation of the noise on each coordinate, rounded up."""
        return noise.scaled(self.noise_multiplier, self.sensitivity)

    def embedding(
        self, vectors: Float[Tensor, "rows d"], labels: Int64[Tensor, " rows"], *, chunk: int = 2000
    ) -> Float[Tensor, "m classes"]:
        """The mean over the given rows, without noise; differentiable. Nothing private may leave through it."""
        total = torch.zeros(self.features.count, self.classes, dtype=vectors.dtype, device=vectors.device)
        for some, classes in zip(vectors.split(chunk), labels.split(chunk), strict=True):
            hot = nn.functional.one_hot(classes, self.classes).to(some.dtype)
            total = total + self.features(some).T @ hot
        return total / len(vectors)

    def exact(
        self, vectors: Float[Tensor, "records d"], labels: Int64[Tensor, " records"]
    ) -> Float64[Tensor, "m classes"]:
        """The sum over all records without noise, each of norm 1 at most. Nothing private may leave through it."""
        total = torch.zeros(self.classes, self.features.count, dtype=torch.float64, device=vectors.device)
        for some, classes in zip(vectors.split(_AT_ONCE), labels.split(_AT_ONCE), strict=True):
            # Rounding may have made a norm a little more than 1.
            features = in_ball(self.features(some).double(), norm=SHRINK)
            total = total.index_add(0, classes, toward_zero(features, bits(self.records)))
        return total.T

    def release(
        self, vectors: Float[Tensor, "records d"], labels: Int64[Tensor, " records"], *, generator: Bits
    ) -> NoisyEmbedding:
        """The noisy mean over all records. One whose features are not finite counts as zero, 1/N from any other.

        Features are computed in the precision of ``vectors``, which the mean has too, and are added up in double.

        Raises:
            ValueError: there are not N records, or a label is no class. Nothing is released then.
        """
        if len(vectors) != self.records or labels.shape != (self.records,):
            raise ValueError(f"vectors: must be of {self.records} records with a label each, not {len(vectors)}")
        if not bool(((labels >= 0) & (labels < self.classes)).all()):
            raise ValueError(f"labels: must be classes from 0 to {self.classes - 1}")
        std = noise.scaled(self.noise_multiplier, _APART)
        noisy = noise.rounded(self.exact(vectors, labels), std=std, generator=generator)
        return NoisyEmbedding((noisy / self.records).to(vectors.dtype), self.event())

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
