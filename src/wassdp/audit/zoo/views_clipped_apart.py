"""Views of one example clipped as if each were an example of its own."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps, clipped
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

VIEWS, COORDINATES = 4, 3
Released = Float[Tensor, "trials steps coordinates"]


class ViewsClippedApart(Steps):
    """Augmentation multiplicity: several views of each record in a step."""

    fault = "the gradient of each of four views is clipped to C, so that one record moves the sum by up to 4C"
    source = "Opacus issue 461: evaluating the network several times for one record is not accounted for"
    neighbours = "all views of one record have one gradient, longer than C, or it is not there; all others are 0"
    attacks = ("likelihood_ratio",)
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=4.0, rate=0.5, records=4)
    count = 8

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        views = torch.zeros(self.mechanism.records, VIEWS, COORDINATES, dtype=torch.float64)
        views[-1, :, 0] = 5.0 * present
        if self.wrong:
            rows = clipped(views, clip_norm=self.mechanism.clip_norm).sum(dim=1)
        else:
            rows = clipped(views.mean(dim=1), clip_norm=self.mechanism.clip_norm)
        members = self.members(trials=trials, generator=generator)
        return self.noisy(members.double() @ rows, generator=generator)

    def along(self, released: Tensor) -> Float[Tensor, "trials steps"]:
        return released[:, :, 0]
