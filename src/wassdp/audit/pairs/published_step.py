"""The step of the code published with *Wasserstein Differential Privacy*, and the budget that the paper gives it."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from wassdp import noise
from wassdp.accounting.accountants.published.wasserstein import WassersteinAccountant
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.audit.pairs import clipped_mean_step

RECORDS, BATCH = 60_000, 1024
"""Of the paper's training on MNIST."""


@dataclass(frozen=True, kw_only=True)
class PublishedWassersteinStep(clipped_mean_step.ClippedMeanStep):
    """As `wassdp.audit.pairs.clipped_mean_step`; the published accountant reads the distance of the two means."""

    accountant = WassersteinAccountant(beta=32)

    def event(self) -> MeasuredGradients:
        mechanism = self.mechanism(1)
        means = torch.tensor([[1.0], [-1.0]], dtype=torch.float64)
        distances = mechanism.distances(means, generator=noise.seeded(0, "mask"))
        return mechanism.measured(distances[None].numpy(), records=RECORDS, batch=BATCH, coordinates=1)
