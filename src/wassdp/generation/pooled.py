r"""Noisy projections of private images: one or many small batches, of each class or of all, on shared directions.

Symbols: U directions, V noise, σ its standard deviation, k directions, b rows of a batch, N records.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor

from wassdp import checks, noise
from wassdp.accounting.events.composed import Composed
from wassdp.distances import directions as unit
from wassdp.generation.grouped import GroupedRelease
from wassdp.generation.rows import Prepared, concatenated
from wassdp.mechanisms import dpswd
from wassdp.noise import Bits


@dataclass(frozen=True)
class PooledRelease:
    """What one release gives.

    Args:
        directions: U, unit columns, shape (dimension, k).
        projections: noisy projections, shape (groups, k, rows).
    """

    directions: Float[Tensor, "dimension k"]
    projections: Float[Tensor, "groups k rows"]


@dataclass(frozen=True, kw_only=True)
class PooledProjections(GroupedRelease):
    r"""Releases :math:`(U, X_1 U + V_1, …, X_m U + V_m)`: m batches drawn independently, on directions drawn once.

    Every batch consists of b rows of each group.

    Privacy. One draw (m = 1) is `wassdp.mechanisms.dpswd.DPSWD`, on rows that lie within ``recipe.distance``. For
    m > 1 the directions are shared by m releases, so that their squared sensitivities H are one random variable, not m
    independent ones; the product of their profiles would be no bound. Hence m > 1 needs orthogonal directions, k a
    multiple of the dimension d: then H = k/d whatever the basis, and given U the m releases are m
    sampled Gaussian mechanisms, composed adaptively. Smaller batches are amplified more: at a given budget the number
    of rows that can be released in all grows as 1/b.
    Poisson sampling: batches are padded with zero rows to a fixed size and stand in random order, as in dpswd.
    Source: profiles of random projections, docs/theory.md, section 8.

    Args:
        sigma: σ >= 0, in the unit of the rows.
        projections: k.
        batch: b, rows of each group in a draw; the expected number for Poisson sampling.
        draws: m.
        directions: ``iid`` or ``orthogonal``.
        sampling: how rows are drawn.

    Raises:
        ValueError: an argument is outside its range, or the combination has no account.
    """

    sigma: float
    projections: int
    batch: float
    draws: int
    directions: unit.Kind
    sampling: dpswd.Sampling

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.whole("draws", self.draws, least=1)
        orthonormal = self.directions == "orthogonal" and self.projections % self.recipe.dimension == 0
        if self.draws > 1 and not orthonormal:
            raise ValueError(
                f"draws = {self.draws}: draws that share directions need orthogonal ones, in a multiple of the "
                f"dimension {self.recipe.dimension}, not {self.projections} {self.directions} ones"
            )
        self._draw()  # checks the rest

    @property
    def rows(self) -> int:
        """Rows of one release, of all groups, padding included."""
        return len(self.groups) * self.draws * self._draw().capacity

    def prepare(
        self, images: Float[Tensor, "count channels height width"], labels: Int64[Tensor, " count"] | None
    ) -> tuple[Prepared, int]:
        """Rows of images, private or generated, within the public set, and how many were clipped."""
        return self.recipe.prepare(images, labels, sampling=self.sampling)

    def release(self, groups: list[Prepared], *, generator: Bits) -> PooledRelease:
        """Draw batches and directions, project and add noise.

        Args:
            groups: prepared rows of all records of each group.
            generator: source of who is drawn, of directions and of noise.

        Raises:
            ValueError: the groups have other numbers of records.
        """
        self.check(groups)
        first = groups[0].parts
        drawn = unit.draw(
            self.directions,
            dimension=self.recipe.dimension,
            count=self.projections,
            generator=generator,
            dtype=first.dtype,
            device=first.device,
        )
        rows = concatenated([self._sampled(group, generator) for group in groups])
        # One product for all groups: many small ones would each read the directions again.
        projected = self.recipe.project(rows, drawn).view(self.projections, len(groups), -1).transpose(0, 1)
        return PooledRelease(drawn, noise.rounded(projected, std=self.sigma, generator=generator))

    def event(self, steps: int) -> Composed:
        return self.qualified(self._draw().event(self.draws * steps))

    def _draw(self) -> dpswd.DPSWD:
        """One draw from the smallest group, whose records are drawn most often."""
        return dpswd.DPSWD(
            sigma=self.sigma,
            projections=self.projections,
            dimension=self.recipe.dimension,
            records=min(self.groups),
            batch=self.batch,
            directions=self.directions,
            sampling=self.sampling,
            labels_public=self.labels_public,
            distance=self.recipe.distance(self.sampling),
        )

    def _sampled(self, rows: Prepared, generator: Bits) -> Prepared:
        """Rows of all draws of a group; padding is rows of 0."""
        if self.sampling == "without-replacement":
            indices = without_replacement(len(rows), int(self.batch), self.draws, generator=generator)
            return rows.take(indices.flatten().to(rows.parts.device))
        capacity = self._draw().capacity
        indices = torch.zeros(self.draws * capacity, dtype=torch.int64)
        filled = torch.zeros(self.draws * capacity, dtype=torch.bool)
        for first in range(0, self.draws * capacity, capacity):
            drawn = noise.poisson_sample(len(rows), rate=self.batch / len(rows), generator=generator)
            # A draw beyond the capacity is dropped whole.
            drawn = drawn[: 0 if len(drawn) > capacity else None]
            slots = first + noise.subset(capacity, len(drawn), generator=generator)
            indices[slots], filled[slots] = drawn, True
        taken = rows.take(indices.to(rows.parts.device))
        return replace(taken, parts=taken.parts * filled.to(taken.parts.device)[:, None])


def without_replacement(records: int, batch: int, draws: int, *, generator: Bits) -> Int64[Tensor, "draws batch"]:
    """``draws`` independent batches of ``batch`` different ones of ``records`` records, each in random order.

    Small batches are drawn with replacement, and those with a repetition again: what remains is uniform.

    Raises:
        ValueError: ``batch`` is more than ``records``.

    >>> batches = without_replacement(5, 3, 100, generator=noise.seeded(0))
    >>> all(len(set(row)) == 3 for row in batches.tolist())
    True
    """
    if checks.whole("batch", batch, least=1) > records:
        raise ValueError(f"batch = {batch}: must be at most records = {records}")
    if batch * batch > 2 * records:
        return torch.stack([noise.subset(records, batch, generator=generator) for _ in range(draws)])
    batches = noise.integers(records, draws * batch, generator=generator).reshape(draws, batch)
    while (again := (np.diff(np.sort(batches, axis=1), axis=1) == 0).any(axis=1)).any():
        batches[again] = noise.integers(records, int(again.sum()) * batch, generator=generator).reshape(-1, batch)
    return torch.from_numpy(batches)
