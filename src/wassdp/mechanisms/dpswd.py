r"""DP-SWD's release: clipped rows projected on fresh random directions, with Gaussian noise on every projection.

Symbols: X rows, U directions, V noise, σ its standard deviation, k directions, d dimension, b rows of a batch,
N records.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from wassdp import checks, noise
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.events.sliced_projections import SlicedProjections
from wassdp.distances import directions as unit
from wassdp.distances.one_d import check_order, wasserstein_power
from wassdp.finite import all_finite
from wassdp.full_precision import full_precision
from wassdp.mechanisms.base import Example, Mechanism
from wassdp.mechanisms.norms import added_up
from wassdp.noise import Bits

Sampling = Literal["without-replacement", "poisson"]
# Distance of two neighbouring rows that the paper's noise is stated for.
DISTANCE = 1.0


@dataclass(frozen=True)
class NoisyProjections:
    """One noisy projection of a batch, together with the directions it was made with and what it cost.

    Args:
        directions: U, unit columns, shape (d, k). Released.
        projections: X U + V as rows by direction, shape (k, rows). Released.
        clipped: how many rows were longer than the clipping norm, or not finite. *Not* released: for progress only.
        event: what an accountant reads; it covers directions and projections and all that follows from them.
    """

    directions: Float[Tensor, "d k"]
    projections: Float[Tensor, "k rows"]
    clipped: int
    event: Event

    def distance_power(
        self,
        public: Float[Tensor, "points d"],
        *,
        p: float = 2.0,
        sigma: float = 0.0,
        generator: Bits | None = None,
    ) -> Float[Tensor, ""]:
        r"""Sliced :math:`W_p^p` between the release and public points: post-processing, free of charge.

        Args:
            public: points that do not depend on private records, shape (points, d); the gradient flows to them.
            p: order, at least 1 and finite.
            sigma: noise on the public side too, as DP-SWD prints it; it costs nothing and proves nothing.
            generator: its source; needed where ``sigma`` is above 0.

        Raises:
            ValueError: the dimension differs, an order below 1 or infinite, noise without a generator.
        """
        if check_order(p) == float("inf"):
            raise ValueError("p = inf: a sliced distance needs a finite order")
        checks.non_negative("sigma", sigma)
        if public.ndim != 2 or public.shape[1] != len(self.directions):
            raise ValueError(f"public has shape {tuple(public.shape)}: must be (points, {len(self.directions)})")
        projected = self.directions.T @ public.T
        if sigma > 0:
            if generator is None:
                raise ValueError("generator = None: noise on the public side needs one")
            projected = projected + sigma * noise.normal(
                *projected.shape, generator=generator, dtype=projected.dtype, device=projected.device
            )
        return wasserstein_power(projected, self.projections, p=p).mean()


@dataclass(frozen=True, kw_only=True)
class DPSWD(Mechanism):
    r"""Releases :math:`(U, \operatorname{clip}(X) U + V)` for a batch, U fresh and independent of the data.

    Two neighbouring batches differ in one row, by at most ``distance``, 1 unless another is asked for:

    - sampling ``without-replacement``, relation *replace-one*: rows are clipped to half of it, every batch has exactly
      ``batch`` of ``records`` rows;
    - sampling ``poisson``, relation *zero-out*: rows are clipped to all of it and every batch is padded with zero rows
      to ``capacity`` rows, all noised, in random order, so that neither the number of rows nor their places say who
      was drawn. A draw beyond the capacity is dropped whole, and noise alone is released. Who is drawn does not depend
      on what the rows hold, so, given the other records drawn, a record is either in an ordinary Poisson step or in
      one that its row cannot reach: the account at the full rate stays an upper bound.

    Private labels belong *into* the row, before it is clipped. Grouping a batch by label reveals class counts:
    then labels are public (relation *replace one inside its class*), and the caller says so.

    Privacy: exact profile of `wassdp.accounting.events.sliced_projections.SlicedProjections`, any number of adaptive
    releases.
    Source: Rakotomamonjy and Ralaivola (2021), Algorithm 1; for clipping and account docs/theory.md, profiles.

    Args:
        sigma: σ >= 0, noise standard deviation on every projected value, in units of clipped rows.
        projections: k >= 1, directions of one release.
        dimension: d >= 1, length of a row.
        records: N >= 1, public.
        batch: expected number of rows drawn; exact without replacement, then a whole number.
        directions: ``iid`` or ``orthogonal``.
        sampling: how rows are drawn.
        labels_public: relation *replace one inside its class*: class sizes are fixed.
        distance: largest distance of two neighbouring rows; rows are clipped to what it allows.

    Raises:
        ValueError: an argument is outside its range, or the combination has no account.
    """

    sigma: float
    projections: int
    dimension: int
    records: int
    batch: float
    directions: unit.Kind = "iid"
    sampling: Sampling = "without-replacement"
    labels_public: bool = False
    distance: float = DISTANCE

    def __post_init__(self) -> None:
        checks.whole("records", self.records, least=1)
        checks.one_of("sampling", self.sampling, ("without-replacement", "poisson"))
        checks.positive("batch", self.batch)
        if self.batch > self.records:
            raise ValueError(f"batch = {self.batch:g}: must be at most records = {self.records}")
        if self.sampling == "without-replacement" and self.batch != int(self.batch):
            raise ValueError(f"batch = {self.batch:g}: must be a whole number without replacement")
        if self.sampling == "poisson" and self.labels_public:
            raise ValueError("labels_public = True: fixed class sizes need sampling without-replacement, not poisson")
        self._projections()  # checks the rest

    @property
    def clip_norm(self) -> float:
        """Largest norm of a row: half the distance where a row is replaced, all of it where it is set to zero."""
        return self.distance if self.sampling == "poisson" else self.distance / 2

    @property
    def capacity(self) -> int:
        """Rows of every release: the batch, or for Poisson sampling its mean plus six standard deviations."""
        if self.sampling == "without-replacement":
            return int(self.batch)
        spread = math.sqrt(self.batch * (1 - self.batch / self.records))
        return min(self.records, round(self.batch + 6 * spread) + 1)

    def sample(self, *, generator: Bits) -> Int64[Tensor, " batch"]:
        """Indices of one batch, as the event says they are drawn; none where a Poisson draw passes the capacity."""
        if self.sampling == "without-replacement":
            return noise.subset(self.records, int(self.batch), generator=generator)
        drawn = noise.poisson_sample(self.records, rate=self.batch / self.records, generator=generator)
        return drawn if len(drawn) <= self.capacity else drawn[:0]

    def clip(self, rows: Float[Tensor, "rows d"]) -> tuple[Float[Tensor, "rows d"], int]:
        """Rows scaled to norm at most ``clip_norm``, 0 where one is not finite, and how many were changed.

        Raises:
            ValueError: the shape is not (rows, d).
        """
        if rows.ndim != 2 or rows.shape[1] != self.dimension:
            raise ValueError(f"rows has shape {tuple(rows.shape)}: must be (rows, {self.dimension})")
        return clip(rows, self.clip_norm)

    def release(self, rows: Float[Tensor, "rows d"], *, generator: Bits) -> NoisyProjections:
        """Project, pad and add noise; directions, places and noise come from ``generator``.

        Args:
            rows: the batch that `sample` chose, shape (rows, d): exactly ``batch`` rows without replacement, at most
                ``capacity`` with Poisson sampling.
            generator: source of randomness.

        Raises:
            ValueError: the number of rows is another, or the dimension differs. Nothing is released then.
        """
        fits = len(rows) == self.capacity if self.sampling == "without-replacement" else len(rows) <= self.capacity
        if not fits:
            allowed = f"exactly {self.capacity}" if self.sampling == "without-replacement" else f"up to {self.capacity}"
            raise ValueError(f"rows = {len(rows)}: must be {allowed} under sampling {self.sampling}")
        kept, clipped = self.clip(rows)
        drawn = unit.draw(
            self.directions,
            dimension=self.dimension,
            count=self.projections,
            generator=generator,
            dtype=rows.dtype,
            device=rows.device,
        )
        projected = torch.zeros(self.projections, self.capacity, dtype=rows.dtype, device=rows.device)
        places = torch.arange(len(rows), device=rows.device)
        if self.sampling == "poisson":
            places = noise.subset(self.capacity, len(rows), generator=generator).to(rows.device)
        with full_precision(rows.device):
            projected[:, places] = drawn.T @ kept.T
        return NoisyProjections(
            directions=drawn,
            projections=noise.rounded(projected, std=self.sigma, generator=generator),
            clipped=clipped,
            event=self.event(1),
        )

    def event(self, steps: int) -> Composed:
        return repeated(self._sampled(self._projections()), steps)

    def _sampled(self, event: Event) -> Event:
        if self.sampling == "poisson":
            return PoissonSampled(event=event, rate=self.batch / self.records)
        return SampledWithoutReplacement(event=event, records=self.records, batch=int(self.batch))

    def _projections(self) -> SlicedProjections:
        poisson = self.sampling == "poisson"
        return SlicedProjections(
            noise_std=self.sigma,
            projections=self.projections,
            dimension=self.dimension,
            directions=self.directions,
            adjacency="zero-out" if poisson else "replace-one-inside-class" if self.labels_public else "replace-one",
            distance=self.distance,
            padded=True,
        )

    @classmethod
    def examples(cls, noise: float) -> tuple[Example, ...]:
        """Along one orthonormal basis, which keeps distances; by every way of sampling."""

        def example(sampling: Sampling) -> Example:
            release = cls(
                sigma=noise,
                projections=3,
                dimension=3,
                records=9,
                batch=4,
                directions="orthogonal",
                sampling=sampling,
            )
            return Example(
                mechanism=release,
                rows=release.capacity,
                width=release.dimension,
                shape=(release.projections, release.capacity),
                sensitivity=release.distance,
                noise_std=release.sigma,
                released=lambda rows, bits: release.release(rows, generator=bits).projections,
            )

        return tuple(map(example, get_args(Sampling)))


def clip(rows: Float[Tensor, "rows d"], norm: float) -> tuple[Float[Tensor, "rows d"], int]:
    """Rows scaled to norm at most ``norm``, and how many were changed.

    A row that is not finite counts as 0: stopping because of it would say that its record is there.

    >>> clip(torch.tensor([[3.0, 4.0], [0.0, 0.5], [torch.nan, 0.0]]), 1.0)
    (tensor([[0.6000, 0.8000],
            [0.0000, 0.5000],
            [0.0000, 0.0000]]), 2)
    """
    lost = 0
    if not all_finite(rows):
        kept = torch.isfinite(rows).all(dim=1, keepdim=True)
        rows, lost = torch.where(kept, rows, torch.zeros_like(rows)), int((~kept).sum())
    # Scaled by the largest entry first: the squares of finite values may overflow.
    largest = rows.abs().amax(dim=1, keepdim=True)
    scaled = rows / torch.where(largest > 0, largest, 1.0)
    norms = added_up(scaled)[:, None]
    longer = largest * norms > norm
    clipped = scaled * (norm / torch.where(norms > 0, norms, 1.0))
    # A row that was not finite is 0 by now, which is not longer.
    return torch.where(longer, clipped, rows), lost + int(longer.sum())
