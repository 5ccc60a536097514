"""A sum that is rounded to single precision after every addition: others make it lose what one record lifts."""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.steps import Steps
from wassdp.mechanisms.double_sums import weighted
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits

RECORDS = 1 << 14
WHOLE = RECORDS // 2
"""Of the other records, so many have a gradient of C: their sum is a power of two."""
SHORT = 2.0**-11
"""Half of what single-precision numbers between `WHOLE` and twice that are apart, and all of it just below."""
Released = Float[Tensor, "trials steps"]


class SumInSinglePrecision(Steps):
    """A full batch of clipped gradients in one direction, added up one after the other."""

    fault = "the sum is in single precision: what is added to a sum above a power of two is rounded to a coarser grid"
    source = "Casacuberta et al. (2022), Widespread underestimation of sensitivity in differentially private libraries"
    neighbours = "one record of 16,384 has a gradient of C or of 0; 8,192 have C, and after them come 8,191 of -C/2048"
    attacks = ("likelihood_ratio",)
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=2.0, rate=1.0, records=RECORDS)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        rows = torch.full((RECORDS, 1), -SHORT)
        rows[0], rows[1 : WHOLE + 1] = float(present), 1.0
        if self.wrong:
            # Its running sums are of the type of what is added.
            total = torch.tensor([float(np.add.accumulate(rows[:, 0].numpy())[-1])], dtype=torch.float64)
        else:
            total = weighted(rows, torch.ones(RECORDS))
        return self.noisy(total.repeat(trials, 1), generator=generator)

    def along(self, released: Tensor) -> Float[Tensor, "trials steps"]:
        """Without what the others add, exactly."""
        others = WHOLE - (RECORDS - WHOLE - 1) * SHORT
        return released - others / self.mechanism.expected_batch
