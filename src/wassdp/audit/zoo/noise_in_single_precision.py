"""Noise drawn and added in single precision: the low bits of the sum tell what it was added to."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

COORDINATES = 16
FINE = 2.0**-26
"""Single-precision numbers beyond 1/8 are multiples of it, and so are sums of 1/4 and such a number."""
SMALL = 1 / 16
"""A sum of 1/4 and a number up to 1/8 is larger."""
Released = Float[Tensor, "trials coordinates"]


class NoiseInSinglePrecision(Steps):
    """A gradient of single-precision numbers, to which a step adds noise."""

    fault = "the noise is torch's, in single precision: which sums can occur depends on what it was added to"
    source = "Mironov (2012), On significance of the least significant bits for differential privacy"
    neighbours = "one record's gradient is C/4 in each of 16 coordinates, or it is not there; all others are 0"
    attacks = ("low_bits", "likelihood_ratio")
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=1.0, rate=1.0, records=1)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        sums = torch.full((trials, COORDINATES), 0.25 * present, dtype=torch.float32)
        if self.wrong:
            single = torch.Generator().manual_seed(int(generator.words(1)[0]) >> 1)
            return sums + self.mechanism.noise_std * torch.randn(sums.shape, generator=single)
        return self.noisy(sums, generator=generator)

    def along(self, released: Tensor) -> Float[Tensor, "trials steps"]:
        return released.double().sum(dim=1, keepdim=True) / math.sqrt(COORDINATES)

    def low_bits(self, released: Released) -> Float[Tensor, " trials"]:
        """How many small numbers cannot be sums with 1/4, negated."""
        impossible = (released.abs() < SMALL) & ((released / FINE).frac() != 0)
        return -impossible.sum(dim=1).double()
