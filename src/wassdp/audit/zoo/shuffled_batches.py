"""Batches of a shuffled pass, accounted as Poisson samples."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp import noise
from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

Released = Float[Tensor, "trials steps"]


class ShuffledBatches(Steps):
    """One pass over the records in random order, one record a step."""

    fault = "the records are shuffled and cut into batches, and accounted as Poisson samples"
    source = (
        "Opacus issue 80; Chua et al. (2024), arXiv:2411.04205; Annamalai et al. (2024), arXiv:2411.10614, "
        "who measure up to 4 times the reported budget"
    )
    neighbours = "one record's gradient is C, or it is not there; those of all others are -C"
    attacks = ("largest_step", "likelihood_ratio")
    trials = 20_000
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=1.04, rate=1 / 40, records=40)
    count = 40

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        if self.wrong:
            # A record's place in a random order is uniform: it enters one step of the pass, and the others the rest.
            places = torch.from_numpy(noise.integers(self.count, trials, generator=generator))
            enters = places[:, None] == torch.arange(self.count)
            others = (~enters).double()
        else:
            members = self.members(trials=trials, generator=generator)
            enters, others = members[:, :, -1], members[:, :, :-1].sum(dim=2).double()
        return self.noisy(enters.double() * present - others, generator=generator)

    def largest_step(self, released: Released) -> Float[Tensor, " trials"]:
        """A step without the others, or with the record in their place, shows in the largest."""
        return released.amax(dim=1)
