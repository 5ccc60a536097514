"""The average gradient clipped in place of each example's."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps, clipped, with_the_last
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

Released = Float[Tensor, "trials coordinates"]


class ClippingAfterAveraging(Steps):
    """A step of plain training, whose gradient is clipped to C; noise is that of DP-SGD's average."""

    fault = "the batch's average is clipped to C, and not each example's gradient: one example moves it by up to 2C"
    source = "AiDotNet pull request 1318, in review; the published code of Wasserstein differential privacy"
    neighbours = "one record's gradient is 20C long, or it is not there; those of the others are C each, against it"
    attacks = ("likelihood_ratio",)
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=1.0, rate=1.0, records=5)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        rows = torch.zeros(self.mechanism.records, 3, dtype=torch.float64)
        rows[:, 0] = torch.tensor([-1.0, -1.0, -1.0, -1.0, 20.0])
        rows = with_the_last(rows, present=present)
        if self.wrong:
            average = rows.sum(dim=0, keepdim=True) / self.mechanism.expected_batch
            total = clipped(average, clip_norm=self.mechanism.clip_norm)[0] * self.mechanism.expected_batch
        else:
            total = clipped(rows, clip_norm=self.mechanism.clip_norm).sum(dim=0)
        return self.noisy(total.repeat(trials, 1), generator=generator)

    def along(self, released: Tensor) -> Float[Tensor, "trials steps"]:
        return released[:, :1]
