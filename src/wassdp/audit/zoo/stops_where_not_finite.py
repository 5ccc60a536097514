"""A run that stops where a gradient is not finite, and so says whose record entered."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps, clipped
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

Released = Float[Tensor, "trials steps"]


class StopsWhereNotFinite(Steps):
    """A training that guards itself against overflow."""

    fault = "a gradient that is not finite ends the run before that step's release, in place of counting as zero"
    source = "the usual guard of a training loop; what the contract of this project's engines forbids"
    neighbours = "one record's gradient is infinite, or it is not there; all others are 0"
    attacks = ("steps_missing",)
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=4.0, rate=0.2, records=5)
    count = 5

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        """What each step releases; NaN for those that the run did not come to."""
        rows = torch.zeros(self.mechanism.records, 1, dtype=torch.float64)
        rows[-1] = torch.inf if present else 0.0
        members = self.members(trials=trials, generator=generator)
        kept = clipped(rows, clip_norm=self.mechanism.clip_norm)
        left = self.noisy((members.double() @ kept)[:, :, 0], generator=generator)
        if self.wrong:
            overflown = (members & ~torch.isfinite(rows[:, 0])).any(dim=2)
            left = left.masked_fill(overflown.cumsum(dim=1) > 0, torch.nan)
        return left

    def steps_missing(self, released: Released) -> Float[Tensor, " trials"]:
        """How many releases there are not."""
        return torch.isnan(released).sum(dim=1).double()
