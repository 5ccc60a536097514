r"""Release of the mean of a batch's gradients, each parameter tensor clipped by itself, with one noise for each record.

Symbols: C clip norm, L parameter tensors, σ noise of one record's gradient, n records of a batch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from wassdp import checks, noise
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.mechanisms.base import FixedBatches
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

    def release(self, total: Float[Tensor, " dim"], *, generator: Bits) -> Float[Tensor, " dim"]:
        """The noisy mean.

        Args:
            total: sum of the clipped gradients of the batch that `sample` chose.
            generator: source of the noise.
        """
        # The last factor covers the root's own rounding.
        std = noise.scaled(self.sigma, math.sqrt(self.batch), 1 + 2**-50)
        return noise.rounded(total, std=std, generator=generator) / self.batch

    def step(self) -> Gaussian:
        reach = 2 * self.clip_norm * math.sqrt(self.tensors)
        return Gaussian(noise_multiplier=self.sigma * math.sqrt(self.batch) / reach, adjacency="replace-one")
