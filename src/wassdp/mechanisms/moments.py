r"""Noisy moments of labelled vectors, each released once: sums by class with squares and counts, and Gram matrices.

Symbols: x vector with numbers in [0, 1], y its class, e_y one-hot, r clip norm, β and t weights of squares and counts,
a a vector of any sign, N records, z noise multiplier, Δ sensitivity.

Sums are exact (`wassdp.mechanisms.exact_sums`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from wassdp import checks, noise
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.mechanisms.ball import in_ball
from wassdp.mechanisms.base import Example, Mechanism
from wassdp.mechanisms.exact_sums import SHRINK, bits, toward_zero
from wassdp.noise import Bits

Labelled = Iterable[tuple[Float[Tensor, "count d"], Int64[Tensor, " count"]]]
"""Vectors with their classes, some at a time."""


@dataclass(frozen=True, kw_only=True)
class Released(Mechanism):
    """What both kinds of moments are told.

    Args:
        noise_multiplier: z >= 0, noise standard deviation over the sensitivity; 0 protects nothing.
        classes: number of classes.
        dimension: numbers of a vector.
        records: N >= 1, public.
        radius: r > 0.

    Raises:
        ValueError: an argument is outside its range.
    """

    noise_multiplier: float
    classes: int
    dimension: int
    records: int
    radius: float

    def __post_init__(self) -> None:
        checks.non_negative("noise_multiplier", self.noise_multiplier)
        for name in ("classes", "dimension", "records"):
            checks.whole(name, getattr(self, name), least=1)
        checks.positive("radius", self.radius)

    def event(self, steps: int = 1) -> Composed:
        return repeated(Gaussian(noise_multiplier=self.noise_multiplier, adjacency="replace-one"), steps)

    def _blocks(self, blocks: Labelled) -> Labelled:
        """The same, in double precision and with every label looked at; and, at the end, that there were N."""
        count = 0
        for vectors, labels in blocks:
            if labels.shape != (len(vectors),) or not bool(((labels >= 0) & (labels < self.classes)).all()):
                raise ValueError(f"labels: must be a class from 0 to {self.classes - 1} for each vector")
            count += len(vectors)
            yield vectors.double(), labels
        if count != self.records:
            raise ValueError(f"vectors: must be {self.records}, not {count}")


@dataclass(frozen=True)
class NoisySums:
    """Noisy sums over all records.

    Args:
        sums: of the clipped vectors of each class, shape (classes, d).
        squares: of the squares of their numbers, over all classes, shape (d,).
        counts: records of each class, shape (classes,).
        noise_std: of the noise on each number of ``sums``; on ``squares`` and ``counts`` it is this over β and over t.
    """

    sums: Float[Tensor, "classes d"]
    squares: Float[Tensor, " d"]
    counts: Float[Tensor, " classes"]
    noise_std: float


@dataclass(frozen=True, kw_only=True)
class ClassSums(Released):
    r"""Releases :math:`\sum_i (e_{y_i} ⊗ x̂_i, β x̂_i ∘ x̂_i, t e_{y_i})` with Gaussian noise; x̂ is x clipped to norm r.

    .. math:: Δ = \sqrt{2 \bigl( (1 + β^2) r^2 + t^2 \bigr)}

    Privacy: relation *replace one*, labels private, all records, one release. What a record adds, φ, has no number
    below 0, so that φ · φ' >= 0 and ‖φ - φ'‖² <= ‖φ‖² + ‖φ'‖²; and ‖x̂ ∘ x̂‖ <= ‖x̂‖ <= r, since no number of x̂ is above
    1. Two disjoint vectors of r² ones in two classes are that far apart.
    Source: own derivation, after the Gaussian mechanism (Dwork and Roth 2014, Theorem A.1).

    Args:
        square_weight: β > 0.
        count_weight: t > 0.
    """

    square_weight: float
    count_weight: float

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.positive("square_weight", self.square_weight)
        checks.positive("count_weight", self.count_weight)

    @property
    def sensitivity(self) -> float:
        """Δ, to within rounding, which `noise_std` is above."""
        return math.sqrt(2 * ((1 + self.square_weight**2) * self.radius**2 + self.count_weight**2))

    @property
    def noise_std(self) -> float:
        """Standard deviation of the noise on each number, z Δ, rounded up."""
        # The last factor covers what the root's own argument can lose.
        return noise.scaled(self.noise_multiplier, self.sensitivity, 1 + 2**-48)

    def reach(self) -> float:
        """How far two records really are, over Δ: as many white pixels as make r, or as fit, in two classes."""
        ones = min(math.ceil(self.radius**2), self.dimension // 2)
        if ones == 0:
            return 0.0
        square = min(self.radius**2, ones)
        apart = 2 * (square + (self.square_weight * square) ** 2 / ones + self.count_weight**2)
        return math.sqrt(apart) / self.sensitivity * (1 - 2**-10)  # what the grid takes off

    def release(self, blocks: Labelled, *, generator: Bits) -> NoisySums:
        """The noisy sums. Numbers outside [0, 1] are clipped, a vector with one that is no number counts as zero.

        Args:
            blocks: all records once, some at a time.
            generator: source of the noise.

        Raises:
            ValueError: there are not N records, or a label is no class. Nothing is released then.
        """
        sums, squares, counts = self.exact(blocks)
        noisy = noise.rounded(
            torch.cat([sums.flatten(), squares, counts]), std=self.noise_std, generator=generator
        ).split([sums.numel(), self.dimension, self.classes])
        return NoisySums(
            noisy[0].view(sums.shape), noisy[1] / self.square_weight, noisy[2] / self.count_weight, self.noise_std
        )

    def exact(self, blocks: Labelled) -> tuple[Tensor, Tensor, Tensor]:
        """The weighted sums without noise. Nothing private may leave through it."""
        sums = squares = counts = torch.zeros(())
        for number, (vectors, labels) in enumerate(self._blocks(blocks)):
            if number == 0:
                sums = torch.zeros(self.classes, self.dimension, dtype=torch.float64, device=vectors.device)
                squares, counts = torch.zeros_like(sums[0]), torch.zeros_like(sums[:, 0])
            clipped = self._clipped(vectors)
            sums = sums.index_add(0, labels, clipped)
            squares = squares + self._grid(self.square_weight * clipped.square()).sum(dim=0)
            counts = counts + torch.bincount(labels, minlength=self.classes)
        return sums, squares, self._grid(torch.full_like(counts, self.count_weight)) * counts

    def _clipped(self, vectors: Tensor) -> Tensor:
        inside = torch.where(torch.isfinite(vectors).all(dim=1, keepdim=True), vectors, torch.zeros_like(vectors))
        return self._grid(in_ball(inside.clamp(0, 1), norm=self.radius * SHRINK))

    def _grid(self, values: Tensor) -> Tensor:
        return toward_zero(values, bits(self.records, max(self.square_weight, self.count_weight)))

    @classmethod
    def examples(cls, noise: float) -> tuple[Example, ...]:
        """The last number of a record says its class."""
        once = cls(
            noise_multiplier=noise, classes=2, dimension=4, records=5, radius=1.3, square_weight=0.5, count_weight=0.4
        )

        def released(rows: Tensor, bits: Bits) -> Tensor:
            found = once.release([(rows[:, :-1], (rows[:, -1] > 0).long())], generator=bits)
            weighted = once.square_weight * found.squares, once.count_weight * found.counts
            return torch.cat([found.sums.flatten(), *weighted])

        return (
            Example(
                mechanism=once,
                rows=once.records,
                width=5,
                shape=(14,),
                sensitivity=once.sensitivity,
                noise_std=once.noise_std,
                released=released,
            ),
        )


@dataclass(frozen=True, kw_only=True)
class ClassGrams(Released):
    r"""Releases :math:`\sum_{i: y_i = c} â_i â_i^\top` of each class c with Gaussian noise; â is a clipped to norm r.

    .. math:: Δ = \sqrt 2 \, r^2

    Privacy: relation *replace one*, labels private, all records, one release. Inside a class,
    :math:`\lVert â â^\top - b̂ b̂^\top \rVert_F^2 = \lVert â \rVert^4 + \lVert b̂ \rVert^4 - 2 (â · b̂)^2 \le 2 r^4`;
    records of two classes change one matrix each, by r² at most. So matrices by class cost what one pooled matrix does
    (``classes`` = 1, all labels 0). A symmetric matrix lies isometrically in d(d+1)/2 numbers, those off the diagonal
    times √2: the noise has deviation z Δ on the diagonal and z r² off it.
    Source: own derivation; for one matrix Dwork, Talwar, Thakurta and Zhang (2014), "Analyze Gauss", Theorem 4, there
    with noise of one deviation on all entries and the relation *add or remove one*.
    """

    @property
    def sensitivity(self) -> float:
        """Δ, to within rounding, which `noise_std` is above."""
        return math.sqrt(2) * self.radius**2

    @property
    def noise_std(self) -> float:
        """Standard deviation of the noise on each number of a diagonal, z Δ, rounded up."""
        return noise.scaled(self.noise_multiplier, self.radius, self.radius, math.sqrt(2), 1 + 2**-50)

    def release(self, blocks: Labelled, *, generator: Bits) -> Float[Tensor, "classes d d"]:
        """The noisy matrices, each symmetric. A vector that is not finite, or whose norm is not, counts as zero.

        Args:
            blocks: all records once, some at a time.
            generator: source of the noise.

        Raises:
            ValueError: there are not N records, or a label is no class. Nothing is released then.
        """
        exact = self.exact(blocks)
        above = torch.triu_indices(self.dimension, self.dimension, 1, device=exact.device)
        diagonal = noise.rounded(exact.diagonal(dim1=1, dim2=2), std=self.noise_std, generator=generator)
        off = noise.scaled(self.noise_multiplier, self.radius, self.radius)
        others = noise.rounded(exact[:, above[0], above[1]], std=off, generator=generator)
        noisy = torch.diag_embed(diagonal)
        noisy[:, above[0], above[1]] = others
        noisy[:, above[1], above[0]] = others
        return noisy

    def exact(self, blocks: Labelled) -> Float[Tensor, "classes d d"]:
        """The matrices without noise. Nothing private may leave through it."""
        total: Tensor | None = None
        # Products of two numbers on a grid lie on its square.
        digits = bits(self.records, self.radius**2) / 2
        for vectors, labels in self._blocks(blocks):
            clipped = toward_zero(in_ball(vectors, norm=self.radius * SHRINK), digits)
            if total is None:
                total = clipped.new_zeros(self.classes, self.dimension, self.dimension)
            kinds, counts = labels.unique(return_counts=True)
            for kind, part in zip(kinds.tolist(), clipped[labels.argsort()].split(counts.tolist()), strict=True):
                total[kind] += part.T @ part
        assert total is not None, "there is a record"
        return total

    @classmethod
    def examples(cls, noise: float) -> tuple[Example, ...]:
        """Matrices of two classes, as their isometric numbers; the last number of a record says its class."""
        once = cls(noise_multiplier=noise, classes=2, dimension=3, records=5, radius=1.5)
        above = torch.triu_indices(3, 3, 1)

        def released(rows: Tensor, bits: Bits) -> Tensor:
            found = once.release([(rows[:, :-1], (rows[:, -1] > 0).long())], generator=bits)
            others = math.sqrt(2) * found[:, above[0], above[1]]
            return torch.cat([found.diagonal(dim1=1, dim2=2), others], dim=1)

        return (
            Example(
                mechanism=once,
                rows=once.records,
                width=4,
                shape=(2, 6),
                sensitivity=once.sensitivity,
                noise_std=once.noise_std,
                released=released,
            ),
        )
