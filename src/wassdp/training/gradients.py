"""Where the gradient of a training step comes from: a private mechanism, or plain backpropagation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from wassdp import noise
from wassdp.finite import all_finite
from wassdp.mechanisms import dpsgd
from wassdp.noise import Bits
from wassdp.training import engines


@dataclass(frozen=True)
class Step:
    """One step's average gradient, shape (dim,), and the sum of the losses of the records in it.

    ``zeroed`` of them had a gradient that is not finite and counts as zero: not private, for progress only.
    """

    gradient: Float[Tensor, " dim"]
    loss: float
    zeroed: int = 0


class Source(Protocol):
    """Draws the records of a step, and turns them into the gradient that the optimiser follows."""

    def sample(self, generator: Bits) -> Int64[Tensor, " batch"]:
        """Indices of the step's records; there may be none."""

    def step(self, inputs: Tensor, targets: Tensor, generator: Bits) -> Step:
        """The gradient of the step; ``generator`` is the source of noise, where there is any."""


@dataclass(frozen=True, kw_only=True)
class Private:
    """DP-SGD: what the optimiser sees of the data is exactly what ``mechanism`` releases."""

    mechanism: dpsgd.DPSGD
    engine: engines.Engine
    loss: engines.Loss
    micro_batch: int

    def sample(self, generator: Bits) -> Int64[Tensor, " batch"]:
        return self.mechanism.sample(generator=generator)

    def step(self, inputs: Tensor, targets: Tensor, generator: Bits) -> Step:
        clipped = engines.in_micro_batches(
            self.engine, self.loss, (inputs, targets), self.mechanism.clip_norm, micro_batch=self.micro_batch
        )
        released = self.mechanism.release(clipped.total, generator=generator)
        return Step(gradient=released, loss=clipped.loss, zeroed=clipped.zeroed)


@dataclass(frozen=True, kw_only=True)
class Plain:
    """The non-private counterpart: the same Poisson samples and the same divisor, no clipping and no noise."""

    model: nn.Module
    rate: float
    records: int
    loss: engines.Loss
    micro_batch: int

    def sample(self, generator: Bits) -> Int64[Tensor, " batch"]:
        return noise.poisson_sample(self.records, rate=self.rate, generator=generator)

    def step(self, inputs: Tensor, targets: Tensor, generator: Bits) -> Step:
        parameters = trainable(self.model)
        total, loss = torch.cat([torch.zeros_like(parameter).flatten() for parameter in parameters]), 0.0
        self.model.train()
        for part, wanted in zip(inputs.split(self.micro_batch), targets.split(self.micro_batch), strict=True):
            if len(wanted) == 0:
                continue
            losses = engines.per_example(self.loss(self.model(part), wanted), wanted).sum()
            gradients = torch.autograd.grad(losses, parameters)
            total += torch.cat([gradient.flatten() for gradient in gradients])
            loss += float(losses.detach())
        if not all_finite(total):
            raise FloatingPointError("the gradient is not finite")
        return Step(gradient=total / (self.rate * self.records), loss=loss)


def trainable(model: nn.Module) -> list[nn.Parameter]:
    """The parameters that are trained, in the order in which gradients are laid out."""
    return [parameter for parameter in model.parameters() if parameter.requires_grad]


def parts(parameters: Sequence[nn.Parameter], gradient: Float[Tensor, " dim"]) -> dict[nn.Parameter, Tensor]:
    """A flat gradient, laid out by parameter, in its precision: rounded after the noise.

    Raises:
        ValueError: the gradient's length is not the parameters' number.
    """
    if len(gradient) != sum(parameter.numel() for parameter in parameters):
        raise ValueError(f"gradient has {len(gradient)} coordinates: must have one for each parameter")
    split = zip(parameters, gradient.split([parameter.numel() for parameter in parameters]), strict=True)
    return {parameter: part.view_as(parameter).to(parameter.dtype) for parameter, part in split}


def assign(parameters: Sequence[nn.Parameter], gradient: Float[Tensor, " dim"]) -> None:
    """Lay a flat gradient out over the parameters' ``grad``.

    Raises:
        ValueError: the gradient's length is not the parameters' number.
    """
    for parameter, part in parts(parameters, gradient).items():
        parameter.grad = part
