"""The noisy mean of gradients whose parameter tensors are each clipped by themselves."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from wassdp.accounting.events.composed import Composed
from wassdp.adaptation.per_tensor import PerTensorEngine
from wassdp.audit.pair import RATE, Pair, log_ratio, mask, tenths
from wassdp.mechanisms.noisy_mean import NoisyMean
from wassdp.noise import Bits

CLIP_NORM, BATCH, TENSORS = 0.5, 4, 2


@dataclass(frozen=True, kw_only=True)
class MeanStep(Pair):
    """A model of a weight and an intercept, whose gradients are both clipped, and turn around with the record.

    A trial is the release of both, of a batch of four of forty records.
    """

    attacks = NoisyMean
    attacked = "NoisyMean.sample, PerTensorEngine and NoisyMean.release"
    neighbours = "a record with all tensors' gradients clipped to C, or their opposites, which all other records have"
    noise_unit = "sigma"

    def mechanism(self, *, records: int, batch: int) -> NoisyMean:
        """The step on so many records."""
        return NoisyMean(sigma=self.noise, clip_norm=CLIP_NORM, tensors=TENSORS, records=records, batch=batch)

    def event(self) -> Composed:
        return self.mechanism(records=round(BATCH / RATE), batch=BATCH).event(1)

    @functools.cached_property
    def totals(self) -> tuple[Tensor, Tensor]:
        """Clipped sums of a batch with the record, and of one without it."""
        with_it, without = (_total(torch.tensor([sign, *[-1.0] * (BATCH - 1)])) for sign in (1.0, -1.0))
        return with_it, without

    def at_once(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        records, batch = tenths(trials)
        entered = mask(self.mechanism(records=records, batch=batch).sample(generator=generator), trials) & present
        mechanism = self.mechanism(records=round(BATCH / RATE), batch=BATCH)
        with_it, without = self.totals
        totals = torch.where(entered[:, None], with_it, without)
        released = mechanism.release(totals.flatten(), generator=generator).reshape(totals.shape) * BATCH
        # The noise on the sum is that of as many records as a batch has.
        return log_ratio(released, with_it, without, std=self.noise * BATCH**0.5, rate=RATE)


def _total(signs: Float[Tensor, " batch"]) -> Float[Tensor, " dim"]:
    """Sum of the clipped gradients of records whose gradients have these signs."""
    model = nn.Linear(1, 1).double()
    inputs, targets = torch.ones(len(signs), 1, dtype=torch.float64), signs.double()

    def loss(outputs: Tensor, signs: Tensor) -> Tensor:
        return 100 * signs * outputs[:, 0]

    return PerTensorEngine(model).clipped_gradient_sum(loss, (inputs, targets), CLIP_NORM).total
