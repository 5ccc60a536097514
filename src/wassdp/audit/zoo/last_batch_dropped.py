"""The last, partial batch of a pass dropped: the number of steps tells the number of records."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

BATCH, PASSES = 2, 2
Released = Float[Tensor, "trials steps"]


class LastBatchDropped(Steps):
    """A loader that gives whole batches only."""

    fault = "a pass has as many steps as whole batches fit into this data set, which one record changes"
    source = "drop_last of torch's DataLoader, whose number of batches is that of the data set at hand"
    neighbours = "eight records or seven, in batches of two; the gradient of the one that goes has norm C"
    attacks = ("steps_taken", "likelihood_ratio")
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=2.0, rate=0.25, records=8)
    # Of passes over eight records, their number being public.
    count = PASSES * 8 // BATCH

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        """What each step releases; 0, as the weights stay, for those that are not taken."""
        enters = self.enters(trials=trials, generator=generator)
        left = self.noisy(enters.double() * present, generator=generator)
        if self.wrong:
            records = self.mechanism.records if present else self.mechanism.records - 1
            left[:, PASSES * (records // BATCH) :] = 0.0
        return left

    def steps_taken(self, released: Released) -> Float[Tensor, " trials"]:
        """In how many the weights moved."""
        return (released != 0).sum(dim=1).double()
