r"""DP-SGD's release: a Poisson sample of per-example gradients, clipped, summed, noised, over the *expected* batch.

Symbols: C clip norm, z noise multiplier, q sampling rate, N records, g_i gradient of example i.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Float64, Int64
from torch import Tensor

from wassdp import checks, noise
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.reach import GRADIENT_SPACE, Reach
from wassdp.mechanisms.base import Example, Mechanism
from wassdp.mechanisms.double_sums import weighted
from wassdp.mechanisms.norms import norms
from wassdp.noise import Bits


def clip_factors(norms: Float[Tensor, " batch"], *, clip_norm: float) -> Float[Tensor, " batch"]:
    r"""What each gradient is multiplied with so that its norm is at most ``clip_norm``.

    .. math:: 1 / \max(1, \lVert g_i \rVert_2 / C)

    A gradient whose norm is not finite counts as zero. Stopping because of it would say that its record is there.

    Args:
        norms: L2 norms of the gradients, shape (batch,).
        clip_norm: C > 0, same unit as ``norms``.

    Returns:
        Factors in [0, 1], shape (batch,); 0 where a norm is not finite. The gradient itself has to be replaced there,
        since 0 times infinity is no number: `cleared` does.

    Raises:
        ValueError: ``clip_norm`` is not positive and finite.

    >>> clip_factors(torch.tensor([0.0, 0.5, 4.0, torch.inf]), clip_norm=1.0)
    tensor([1.0000, 1.0000, 0.2500, 0.0000])
    """
    checks.positive("clip_norm", clip_norm)
    factors = 1 / (norms / clip_norm).clamp(min=1)
    return factors.masked_fill(~torch.isfinite(norms), 0)


def cleared(values: Float[Tensor, " batch *shape"], factors: Float[Tensor, " batch"]) -> Float[Tensor, " batch *shape"]:
    """``values`` with zeros in the place of rows whose factor is 0, whatever they hold; the same tensor if none is.

    >>> cleared(torch.tensor([[1.0, 2.0], [torch.nan, 1.0]]), torch.tensor([0.5, 0.0]))
    tensor([[1., 2.],
            [0., 0.]])
    """
    none = factors == 0
    if not bool(none.any()):
        return values
    return torch.where(none.view(-1, *(1,) * (values.ndim - 1)), torch.zeros_like(values), values)


def clipped_sum(gradients: Float[Tensor, "batch dim"], *, clip_norm: float) -> Float64[Tensor, " dim"]:
    r"""Sum of per-example gradients, each scaled to norm at most ``clip_norm``, in double precision.

    .. math:: \sum_i g_i / \max(1, \lVert g_i \rVert_2 / C)

    A gradient that is not finite, or whose norm is not, counts as zero.

    Args:
        gradients: g, shape (batch, dim), loss units per parameter unit.
        clip_norm: C > 0, same unit as ``gradients``.

    Returns:
        Clipped sum, shape (dim,); zeros for an empty batch.

    Raises:
        ValueError: ``clip_norm`` is not positive and finite.
    Privacy: L2 sensitivity C (add/remove one), 2C (replace one), up to floating-point rounding.
    Source: Abadi et al. (2016), arXiv:1607.00133, Algorithm 1, "Clip gradient".

    >>> clipped_sum(torch.tensor([[3.0, 4.0]]), clip_norm=1.0)
    tensor([0.6000, 0.8000], dtype=torch.float64)
    """
    factors = clip_factors(norms(gradients), clip_norm=clip_norm)
    return weighted(cleared(gradients, factors), factors)


@dataclass(frozen=True, kw_only=True)
class DPSGD(Mechanism):
    r"""One step releases a noisy average gradient of a Poisson sample.

    .. math:: \frac{1}{qN} \Bigl( \sum_{i \in B} g_i / \max(1, \lVert g_i \rVert_2 / C) + z C \, \mathcal{N}(0, I)
        \Bigr), \quad i \in B \text{ independently with probability } q

    The sum is divided by the *expected* batch qN. Dividing by the batch that was drawn would make
    the step depend on who was sampled in a way that the noise does not cover.

    Privacy: add/remove one record, sensitivity C, Poisson sampling. The noise is exactly rounded
    (`wassdp.noise.rounded`) and the sample exact; the sum itself is computed in double precision.
    Source: Abadi et al. (2016), arXiv:1607.00133, Algorithm 1, with true Poisson sampling.

    Args:
        clip_norm: C > 0, L2 bound on one example's gradient.
        noise_multiplier: z >= 0, noise standard deviation over C; 0 adds no noise (and protects nothing).
        rate: q in (0, 1], probability that a record enters a step.
        records: N >= 1. Treated as public: it sets the rate and the divisor.

    Raises:
        ValueError: an argument is outside its range.
    """

    reach: ClassVar[Reach] = Reach(
        1.0, f"a record whose gradient has the clip norm in every step that it enters, {GRADIENT_SPACE}"
    )
    clip_norm: float
    noise_multiplier: float
    rate: float
    records: int

    def __post_init__(self) -> None:
        checks.positive("clip_norm", self.clip_norm)
        checks.non_negative("noise_multiplier", self.noise_multiplier)
        checks.probability("rate", checks.positive("rate", self.rate))
        checks.whole("records", self.records, least=1)

    @property
    def expected_batch(self) -> float:
        """Expected number of records in a step, qN."""
        return self.rate * self.records

    @property
    def noise_std(self) -> float:
        """Standard deviation of the noise on each coordinate of the sum, zC, rounded up."""
        return noise.scaled(self.noise_multiplier, self.clip_norm)

    def sample(self, *, generator: Bits) -> Int64[Tensor, " batch"]:
        """Indices of one Poisson sample, ascending; it may be empty or hold every record."""
        return noise.poisson_sample(self.records, rate=self.rate, generator=generator)

    def release(self, total: Float[Tensor, " dim"], *, generator: Bits) -> Float[Tensor, " dim"]:
        """The noisy average of one step.

        Args:
            total: clipped sum over the sample, shape (dim,); zeros for an empty sample, which is released too.
            generator: source of the noise.
        """
        return noise.rounded(total, std=self.noise_std, generator=generator) / self.expected_batch

    def event(self, steps: int) -> Composed:
        gaussian = Gaussian(noise_multiplier=self.noise_multiplier, adjacency="add-remove")
        return repeated(PoissonSampled(event=gaussian, rate=self.rate), steps)

    @classmethod
    def examples(cls, noise: float) -> tuple[Example, ...]:
        step = cls(clip_norm=0.5, noise_multiplier=noise, rate=0.25, records=8)
        return (
            Example(
                mechanism=step,
                rows=step.records,
                width=3,
                shape=(3,),
                sensitivity=step.clip_norm / step.expected_batch,
                noise_std=step.noise_std / step.expected_batch,
                released=lambda rows, bits: step.release(clipped_sum(rows, clip_norm=step.clip_norm), generator=bits),
            ),
        )
