"""The same noise on every layer of one shape."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

COORDINATES = 4
Released = Float[Tensor, "trials layers coordinates"]


class NoiseOfEveryLayer(Steps):
    """A gradient of two layers, to each of which noise is added."""

    fault = "one key serves all layers: those of one shape get the same noise, which cancels in their difference"
    source = "JAX pull request 3646: one key for the noise of all parameters, in the example of private training"
    neighbours = "one record's gradient has norm C and lies in the first layer, or it is not there; all others are 0"
    attacks = ("difference_of_layers", "likelihood_ratio")
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=1.5, rate=1.0, records=2)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        sums = torch.zeros(2, trials, COORDINATES, dtype=torch.float64)
        sums[0] += present / math.sqrt(COORDINATES)
        key, left = generator.get_state(), []
        for layer in sums:
            if self.wrong:
                generator.set_state(key)
            left.append(self.noisy(layer, generator=generator))
        return torch.stack(left, dim=1)

    def along(self, released: Tensor) -> Float[Tensor, "trials steps"]:
        return released[:, :1].sum(dim=2) / math.sqrt(COORDINATES)

    def difference_of_layers(self, released: Released) -> Float[Tensor, " trials"]:
        """Where the record's gradient is, and what noise the layers share is not."""
        return (released[:, 0] - released[:, 1]).sum(dim=1)
