r"""Release of the gradient of a sliced Wasserstein distance in *public* points that are drawn to private ones.

Symbols: u_i private points, n of them in a batch, v_j public points, m of them, d dimension, U = [ϑ_1 ... ϑ_k] unit
directions, M bound on the norm of private points, z noise multiplier.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Float64
from torch import Tensor

from wassdp import checks, noise
from wassdp.accounting.events.composed import Composed
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.distances import directions as unit
from wassdp.distances import sliced
from wassdp.full_precision import refuse_few_digits
from wassdp.mechanisms.ball import in_ball
from wassdp.mechanisms.base import Example, FixedBatches
from wassdp.noise import Bits


@dataclass(frozen=True)
class NoisyGradient:
    """One noisy gradient, together with the directions it was made with and what it cost.

    From public points the way back to a model's parameters is public, so ``public.backward(gradient)`` is
    post-processing.

    Args:
        directions: U, shape (d, k). Released.
        gradient: of SW_2^2 in the public points, shape (m, d). Released.
        noise_std: of the noise on each of its numbers.
        event: what an accountant reads; it covers everything that follows from directions and gradient.
    """

    directions: Float[Tensor, "d k"]
    gradient: Float[Tensor, "m d"]
    noise_std: float
    event: Composed


@dataclass(frozen=True, kw_only=True)
class WassersteinOutputGradient(FixedBatches):
    r"""Releases :math:`C = \nabla_V SW_2^2(P_u, P_v)` plus Gaussian noise of standard deviation z Δ(U).

    .. math:: \Delta(U) = \frac{2}{n} \cdot \frac{\lVert U \rVert_2^2}{k} \cdot 2 M, \qquad
        \Delta(U) = \frac{4 M}{n d} \text{ for orthogonal directions}

    Replacing one private point moves the coefficients :math:`s_{l,j}` of direction l by amounts of one sign that sum to
    :math:`\frac2n |\vartheta_l^\top (u - \tilde u)|`, and :math:`\Delta C = \frac1k S^\top U^\top`, so that
    :math:`\lVert \Delta C \rVert_F \le \frac1k \lVert U \rVert_2 \lVert S \rVert_F`. The directions do not depend on
    the data, so Δ(U) is evaluated for those that were drawn. No Jacobian of a model is bounded or clipped, and the
    public points may lie anywhere. Along one orthonormal basis, `wassdp.mechanisms.sliced_quantiles` releases the same
    for all public points at once.

    Privacy: replace one record, fixed batches without replacement. A private label belongs *into* the point,
    before it is clipped.
    Source: as derived above, by equations 10 to 12 of Rodríguez-Vítores, Lalanne and Loubes.

    Args:
        noise_multiplier: z >= 0; 0 protects nothing.
        output_norm: M > 0, norm that private points are clipped to.
        records: how many private points there are, public.
        batch: n, how many enter a step.
        dimension: d.
        projections: k.
        directions: ``orthogonal`` (the tighter bound) or ``iid``.

    Raises:
        ValueError: an argument is outside its range.
    """

    noise_multiplier: float
    output_norm: float
    dimension: int
    projections: int
    directions: unit.Kind = "orthogonal"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.non_negative("noise_multiplier", self.noise_multiplier)
        checks.positive("output_norm", self.output_norm)
        checks.whole("dimension", self.dimension, least=1)
        checks.whole("projections", self.projections, least=1)
        checks.one_of("directions", self.directions, unit.KINDS)
        if self.directions == "orthogonal" and self.projections > self.dimension and self.projections % self.dimension:
            raise ValueError(
                f"projections = {self.projections}: orthogonal ones must number at most dimension = {self.dimension}, "
                "or a multiple of it"
            )

    def sensitivity(self, directions: Float[Tensor, "d k"]) -> float:
        """Δ(U): largest Frobenius norm by which the gradient moves when one private point is replaced."""
        unit.unit_columns(directions)
        spectral = float(torch.linalg.matrix_norm(directions.double(), ord=2))
        return 4 * self.output_norm / self.batch * spectral**2 / directions.shape[1]

    def gradient(
        self, private: Float[Tensor, "n d"], public: Float[Tensor, "m d"], directions: Float[Tensor, "d k"]
    ) -> Float64[Tensor, "m d"]:
        """The gradient C, without noise, of private points clipped to norm M, 0 where one is not finite: *not private*.

        Raises:
            ValueError: a number of points or a dimension is another than stated, or a public point is not finite.
        """
        for name, points in (("private", private), ("public", public)):
            refuse_few_digits(f"{name}: is", points.dtype)
        if private.shape != (self.batch, self.dimension):
            raise ValueError(f"private has shape {tuple(private.shape)}: must be ({self.batch}, {self.dimension})")
        # In double precision, as sums of records are (`wassdp.mechanisms.double_sums`).
        points, clipped = public.detach().double().requires_grad_(), in_ball(private, norm=self.output_norm).double()
        value = sliced.sliced_wasserstein_power(clipped, points, directions.double(), p=2.0)
        (gradient,) = torch.autograd.grad(value, [points])
        return gradient

    def release(self, private: Float[Tensor, "n d"], public: Float[Tensor, "m d"], *, generator: Bits) -> NoisyGradient:
        """Draw directions and noise from ``generator``.

        Args:
            private: the batch that `sample` chose.
            public: points that depend on private records only through earlier releases.
            generator: source of randomness.

        Raises:
            ValueError: as `gradient`; nothing is released then.
        """
        drawn = unit.draw(
            self.directions,
            dimension=self.dimension,
            count=self.projections,
            generator=generator,
            dtype=public.dtype,
            device=public.device,
        )
        gradient = self.gradient(private, public, drawn)
        noise_std = noise.scaled(self.noise_multiplier, self.sensitivity(drawn))
        noisy = noise.rounded(gradient, std=noise_std, generator=generator).to(public.dtype)
        return NoisyGradient(directions=drawn, gradient=noisy, noise_std=noise_std, event=self.event(1))

    def step(self) -> Gaussian:
        return Gaussian(noise_multiplier=self.noise_multiplier, adjacency="replace-one")

    @classmethod
    def examples(cls, noise: float) -> tuple[Example, ...]:
        """In three public points, along one orthonormal basis."""
        step = cls(noise_multiplier=noise, output_norm=0.5, records=9, batch=4, dimension=3, projections=3)
        sensitivity = step.sensitivity(torch.eye(3))
        public = torch.linspace(-1, 1, 9, dtype=torch.float64).reshape(3, 3)
        return (
            Example(
                mechanism=step,
                rows=step.batch,
                width=step.dimension,
                shape=(3, step.dimension),
                sensitivity=sensitivity,
                noise_std=step.noise_multiplier * sensitivity,
                released=lambda rows, bits: step.release(rows, public.to(rows), generator=bits).gradient,
            ),
        )
