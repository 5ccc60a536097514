r"""Release of how private points lie along public directions: noisy means of equal parts of sorted projections.

Symbols: u_i private points, n of them in a batch, v_j public points, d dimension, U = [ϑ_1 ... ϑ_k] unit directions,
m parts, Q means of parts, Δ distance of neighbouring points, z noise multiplier.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp import checks, noise
from wassdp.accounting.events.composed import Composed
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.distances import directions as unit
from wassdp.distances.parts import means_of_parts
from wassdp.full_precision import full_precision, refuse_few_digits
from wassdp.mechanisms.ball import in_ball
from wassdp.mechanisms.base import Example, FixedBatches
from wassdp.noise import Bits

# Projected values that are sorted at a time: 2^24 are some 500 MiB with their permutations.
CHUNK = 1 << 24


@dataclass(frozen=True)
class NoisyMeans:
    """Noisy means of parts along some directions.

    Args:
        directions: U, shape (d, k). Released.
        means: Q with noise, shape (k, m). Released.
        noise_std: of the noise on each of its numbers.
        event: what an accountant reads; it covers everything that follows from directions and means.
    """

    directions: Float[Tensor, "d k"]
    means: Float[Tensor, "k m"]
    noise_std: float
    event: Composed

    def objective(self, projected: Float[Tensor, "k points"]) -> Float[Tensor, ""]:
        r"""A number whose gradient in m public points is the noisy gradient of the sliced :math:`W_2^2` in them.

        .. math:: \frac1{k m} \sum_{l, r} \bigl( Q_r(V \vartheta_l) - \tilde Q_{l r} \bigr)^2

        More points than m share the pull on their part. Any points will do, as often as one likes: post-processing.

        Args:
            projected: public points along the directions, by direction: Uᵀ Vᵀ.
        """
        return (means_of_parts(projected, self.means.shape[1]) - self.means).square().mean()


@dataclass(frozen=True, kw_only=True)
class SlicedQuantiles(FixedBatches):
    r"""Releases :math:`(U, \tilde Q), \tilde Q_{l r} = Q_r(X \vartheta_l) + z Δ(U) g_{l r}`, g standard Gaussian.

    .. math:: \Delta(U) = \frac{m}{n} \lVert U \rVert_2 Δ, \qquad Δ(U) = \frac m n Δ
        \text{ for directions that are orthonormal}

    Replacing u by ũ, z = u - ũ, moves the sorted projections along ϑ_l by amounts of one sign that sum to
    :math:`|\vartheta_l^\top z|` (WG's proof of Theorem 4.1, equations 10 to 12). A mean of a part weighs each with
    m/n at most, with m/n in all parts together, hence :math:`\sum_r |ΔQ_{l r}| \le \frac m n |\vartheta_l^\top z|`
    and :math:`\lVert ΔQ \rVert_F \le \frac m n \lVert U^\top z \rVert`.

    **It is the release of an output gradient, for all public points at once.** In m points v_j, of rank τ_l(j) along
    ϑ_l, the gradient of SW_2^2 that `wassdp.mechanisms.wasserstein_output_gradient` releases is

    .. math:: C_j = \frac{2}{m k} \sum_l \bigl( \vartheta_l^\top v_j - Q_{\tau_l(j)}(X \vartheta_l) \bigr) \vartheta_l ,

    which depends on private points through Q alone. For an orthonormal basis, k = d, the map from Q to C is 2/(m d)
    times an isometry that is public, so that noise of deviation s on Q is noise of deviation 2 s/(m d) on C, and the
    two sensitivities, m Δ/n and 2 Δ/(n d), stand in the same proportion: the releases are one and the same. Hence a
    released gradient serves in any later step, at other points, for nothing; only new directions cost anew. Directions
    are public and may be fixed beforehand.

    Privacy: relation *replace-one* (*replace one inside its class* where the
    records are those of one class of public labels), fixed batches
    without replacement; the batch may be all records. That all points are within Δ of each other and of 0 is the
    caller's part.
    Source: as derived above, by equations 10 to 12 of Rodríguez-Vítores, Lalanne and Loubes.

    Args:
        noise_multiplier: z >= 0; 0 protects nothing.
        distance: Δ > 0, how far apart a record's point and its replacement can be.
        records: how many private points there are, public.
        batch: n, how many enter a release.
        parts: m.
        labels_public: records are those of one class, and a neighbour has one replaced inside it.

    Raises:
        ValueError: an argument is outside its range.
    """

    noise_multiplier: float
    distance: float
    parts: int
    labels_public: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.non_negative("noise_multiplier", self.noise_multiplier)
        checks.positive("distance", self.distance)
        checks.whole("parts", self.parts, least=1)

    @property
    def orthonormal_sensitivity(self) -> float:
        """Δ(U) of any orthonormal directions, m Δ/n."""
        return self.parts / self.batch * self.distance

    def sensitivity(self, directions: Float[Tensor, "d k"]) -> float:
        """Δ(U): largest Frobenius norm by which the means move when one private point is replaced."""
        unit.unit_columns(directions)
        spectral = float(torch.linalg.matrix_norm(directions.double(), ord=2))
        return self.orthonormal_sensitivity * spectral

    def release(
        self,
        projected: Float[Tensor, "k n"],
        directions: Float[Tensor, "d k"],
        *,
        generator: Bits,
    ) -> NoisyMeans:
        """Means of parts of a batch, with noise from ``generator``.

        Args:
            projected: the batch that `sample` chose along the directions, by direction, multiplied within
                `wassdp.full_precision.full_precision`: of points of which no two are further apart than Δ, nor one and
                0. A point that is not finite along some direction counts as 0, since stopping because of it would say
                that it is there.
            directions: unit columns that depend on private records through earlier releases at most.
            generator: source of the noise.

        Raises:
            ValueError: the number of points is another, they have few digits, or a column is no unit vector. Nothing is
                released then.
        """
        if projected.shape != (directions.shape[1], self.batch):
            raise ValueError(
                f"projected has shape {tuple(projected.shape)}: must be ({directions.shape[1]}, {self.batch})"
            )
        refuse_few_digits("projected: is", projected.dtype)
        noise_std = noise.scaled(self.noise_multiplier, self.sensitivity(directions))
        finite = torch.isfinite(projected).all(dim=0)
        if not bool(finite.all()):
            projected = torch.where(finite, projected, torch.zeros_like(projected))
        at_once = max(1, CHUNK // self.batch)
        # Sums of points in their own precision move by more than a point does (`wassdp.mechanisms.double_sums`).
        means = torch.cat([means_of_parts(some.double(), self.parts) for some in projected.split(at_once)])
        noisy = noise.rounded(means, std=noise_std, generator=generator).to(projected.dtype)
        return NoisyMeans(directions, noisy, noise_std, self.event(1))

    def step(self) -> Gaussian:
        return Gaussian(
            noise_multiplier=self.noise_multiplier,
            adjacency="replace-one-inside-class" if self.labels_public else "replace-one",
        )

    @classmethod
    def examples(cls, noise: float) -> tuple[Example, ...]:
        """Points of a ball along an orthonormal basis: Δ is its diameter."""
        once = cls(noise_multiplier=noise, distance=1.0, records=9, batch=5, parts=2)
        basis = torch.eye(3, dtype=torch.float64)

        def released(rows: Tensor, bits: Bits) -> Tensor:
            # What is not finite is the mechanism's own part.
            finite = torch.isfinite(rows).all(dim=1, keepdim=True)
            points = torch.where(finite, in_ball(rows, norm=once.distance / 2), rows)
            axes = basis.to(rows)
            with full_precision(rows.device):
                along = axes.T @ points.T
            return once.release(along, axes, generator=bits).means

        return (
            Example(
                mechanism=once,
                rows=once.batch,
                width=3,
                shape=(3, once.parts),
                sensitivity=once.orthonormal_sensitivity,
                noise_std=once.noise_multiplier * once.orthonormal_sensitivity,
                released=released,
            ),
        )
