"""The step of the code published with *Wasserstein Differential Privacy*, as a configuration chooses it."""

from __future__ import annotations

from collections.abc import Callable

import torch
from pydantic import Field
from torch import Tensor, nn

from wassdp.finite import all_finite
from wassdp.mechanisms.clip_norm import ClipNorm
from wassdp.mechanisms.published_step import PublishedStep
from wassdp.noise import Bits
from wassdp.ranges import AccountedDelta, Noise
from wassdp.training.budget import Delta
from wassdp.training.example_gradients import differentiate, leave_one_out
from wassdp.training.shuffled import ShuffledStep


class PublishedPrivacy(Delta):
    """The published step's clipping, noise and mask, and what is measured beside it."""

    clip_norm: ClipNorm = Field(default=1.0, description="C, L2 bound on the mean gradient of a batch")
    noise_multiplier: Noise = Field(
        description="sigma: noise of standard deviation sigma C on the mean gradient, not divided by the batch"
    )
    keep: float = Field(default=0.1, gt=0, le=1, description="probability with which a coordinate is kept")
    leave_out: int = Field(
        default=8,
        ge=0,
        description="measure the distances between the gradients of a batch without one of its first so many examples; "
        "0: measure nothing, for accountants that read no distances",
    )
    measure_every: int = Field(
        default=1,
        ge=1,
        description="measure at every so many steps of a pass, and take the distances to hold until the next; as "
        "published: 1. Measuring takes about three times as long as the step itself",
    )
    delta: AccountedDelta = Field(default=1e-5, description="delta at which the run is accounted; as coded 1e-5")

    @property
    def mechanism(self) -> PublishedStep:
        """One step."""
        return PublishedStep(clip_norm=self.clip_norm, noise_multiplier=self.noise_multiplier, keep=self.keep)


def source(model: nn.Module, privacy: PublishedPrivacy | None) -> Callable[[Tensor, Tensor, Bits, int], ShuffledStep]:
    """What a step of `wassdp.training.shuffled` follows; without privacy the mean gradient as it is.

    A mean gradient that is not finite counts as zero where there is privacy, in what is released and in what is
    measured, and stops the step where there is none.
    """
    mechanism = None if privacy is None else privacy.mechanism

    def step(inputs: Tensor, targets: Tensor, generator: Bits, number: int) -> ShuffledStep:
        measuring = privacy is not None and privacy.leave_out > 0 and (number - 1) % privacy.measure_every == 0
        # Channels last: the same numbers, in the order in which convolutions run fastest on a processor.
        images = inputs.contiguous(memory_format=torch.channels_last)
        gradients = differentiate(model, images, targets, count=privacy.leave_out if privacy and measuring else 0)
        if mechanism is None:
            if not all_finite(gradients.mean):
                raise FloatingPointError("the gradient is not finite")
            return ShuffledStep(gradient=gradients.mean, loss=gradients.loss)
        measured = None
        if measuring:
            measured = mechanism.distances(leave_one_out(gradients, len(targets)), generator=generator)
        return ShuffledStep(
            gradient=mechanism.release(gradients.mean, generator=generator), loss=gradients.loss, measured=measured
        )

    return step
