r"""Release of the mean of a batch's gradients, each parameter tensor clipped by itself, with one noise for each record.

Symbols: C clip norm, L parameter tensors, σ noise of one record's gradient, n records of a batch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp import checks, noise
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.mechanisms.base import Example, FixedBatches
from wassdp.mechanisms.dpsgd import clipped_sum
from wassdp.noise import Bits


@dataclass(frozen=True, kw_only=True)
class NoisyMean(FixedBatches):
    r"""Releases :math:`\frac1n \sum_{i \le n} (g_i + σ \mathcal{N}(0, I))`, each of g's L tensors clipped to norm C.

    The mean of n noises σ is one noise σ √n on the sum, which is how it is drawn.

    Privacy: replacing a record moves the sum by at most 2C√L in norm, so a step is a Gaussian mechanism of noise
    multiplier σ √n / (2C√L) on a batch drawn without replacement. The noise is exactly rounded
    (`wassdp.noise.rounded`); the sum itself is computed in floating point.
    Source: Rakotomamonjy and Ralaivola (2021), section 6.2 ("based on gradient clipping"), and published code.

    Args:
        sigma: σ >= 0, on each record's gradient; 0 protects nothing.
        clip_norm: C > 0.
        tensors: L >= 1.
        records: number of records, public.
        batch: n.

    Raises:
        ValueError: an argument is outside its range.
    """

    sigma: float
    clip_norm: float
    tensors: int

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.non_negative("sigma", self.sigma)
        checks.positive("clip_norm", self.clip_norm)
        checks.whole("tensors", self.tensors, least=1)

    @property
    def noise_std(self) -> float:
        """Standard deviation of the noise on each coordinate of the sum, σ √n, rounded up."""
        # The last factor covers the root's own rounding.
        return noise.scaled(self.sigma, math.sqrt(self.batch), 1 + 2**-50)

    @property
    def sensitivity(self) -> float:
        """2C√L: L2 distance that replacing a record moves the sum by at most."""
        return 2 * self.clip_norm * math.sqrt(self.tensors)

    def release(self, total: Float[Tensor, " dim"], *, generator: Bits) -> Float[Tensor, " dim"]:
        """The noisy mean.

        Args:
            total: sum of the clipped gradients of the batch that `sample` chose.
            generator: source of the noise.
        """
        return noise.rounded(total, std=self.noise_std, generator=generator) / self.batch

    def step(self) -> Gaussian:
        return Gaussian(noise_multiplier=self.sigma * math.sqrt(self.batch) / self.sensitivity, adjacency="replace-one")

    @classmethod
    def examples(cls, noise: float) -> tuple[Example, ...]:
        step = cls(sigma=noise, clip_norm=0.5, tensors=2, records=9, batch=4)

        def released(rows: Tensor, bits: Bits) -> Tensor:
            sums = [clipped_sum(tensor, clip_norm=step.clip_norm) for tensor in rows.tensor_split(step.tensors, dim=1)]
            return step.release(torch.cat(sums), generator=bits)

        return (
            Example(
                mechanism=step,
                rows=step.batch,
                width=5,
                shape=(5,),
                sensitivity=step.sensitivity / step.batch,
                noise_std=step.noise_std / step.batch,
                released=released,
            ),
        )
