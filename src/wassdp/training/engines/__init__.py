"""Ways to compute a clipped sum of per-example gradients, one file per engine, found by listing.

Each file defines one class derived from `Engine`. All engines compute the same sum, up to
rounding; they differ in speed and memory, and in the layers that they follow: each refuses the others.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Float64
from torch import Tensor, nn

from wassdp import checks
from wassdp.full_precision import refuse_few_digits
from wassdp.plugins import Plugins

Loss = Callable[[Tensor, Tensor], Tensor]
"""Outputs (batch, ...) and targets (batch, ...) to one loss per example, shape (batch,)."""


@dataclass(frozen=True)
class ClippedSum:
    """What an engine returns.

    Args:
        total: sum of the clipped gradients, shape (dim,), in the order of ``model.parameters()``, in double precision
            (`wassdp.mechanisms.double_sums`).
        loss: sum of the losses that are finite (not clipped, not private: for progress only).
        zeroed: how many examples' gradients were not finite and count as zero (not private: for progress only).
    """

    total: Float64[Tensor, " dim"]
    loss: float
    zeroed: int = 0


class Engine(abc.ABC):
    """Clipped sums of per-example gradients of one model.

    Args:
        model: what is differentiated.

    Raises:
        ValueError: the model mixes examples, so that its gradients are not per-example.
    """

    def __init__(self, model: nn.Module) -> None:
        refuse_mixing(model)
        self.model = model

    @abc.abstractmethod
    def clipped_gradient_sum(self, loss: Loss, batch: tuple[Tensor, Tensor], clip_norm: float) -> ClippedSum:
        """Sum over the batch of per-example gradients, each clipped to ``clip_norm`` over all parameters together.

        A gradient that is not finite in the model's precision counts as zero, whatever the example and its
        activations hold: stopping because of it would be an output that no noise covers.

        Args:
            loss: one loss per example.
            batch: inputs and targets; an empty batch gives zeros.
            clip_norm: C > 0.

        Raises:
            ValueError: ``clip_norm`` is not `usable`, ``loss`` is not per-example, or a layer is used in
                a way that the engine cannot follow.
        """


ENGINES = Plugins(__name__, "engine")


def load(name: str, model: nn.Module) -> Engine:
    """The engine called ``name``, prepared for ``model``.

    Raises:
        ValueError: there is no such engine, or it refuses the model.
    """
    return ENGINES.choice(name, Engine)(model)  # type: ignore[type-abstract]  # whatever derives from it


def refuse_mixing(model: nn.Module) -> None:
    """Check that no layer lets one example's output depend on another example.

    Raises:
        ValueError: a layer normalises over the batch, or keeps running statistics of it.
    """
    for name, layer in model.named_modules():
        over_batch = isinstance(layer, nn.modules.batchnorm._BatchNorm)
        if over_batch or getattr(layer, "track_running_stats", False):
            raise ValueError(
                f"model: layer {name!r} is {type(layer).__name__}, whose statistics mix the examples of a batch, so "
                "that no gradient belongs to one example; use group normalisation or none"
            )


def usable(clip_norm: float, model: nn.Module) -> float:
    """``clip_norm``, if gradients of that size can be measured in the precision of the model.

    Raises:
        ValueError: a trained parameter has fewer digits than single precision, in which one record moves a sum of
            thousands by more than its gradient. Or ``clip_norm`` is not positive and finite, or so small that the
            squares of such gradients vanish: their norm would be taken for zero, and they would not be clipped. No
            smaller in double precision, where what vanishes in a product of numbers up to 1e123 is still far below it.
            Or it is so large that a sum of such gradients may overflow, and a training stop because of its records.
    """
    checks.positive("clip_norm", clip_norm)
    for dtype in {parameter.dtype for parameter in model.parameters() if parameter.requires_grad}:
        refuse_few_digits("model: has parameters", dtype)
        least = 1e6 * math.sqrt(max(torch.finfo(dtype).tiny, torch.finfo(torch.float32).tiny))
        most = 1e-6 * math.sqrt(min(torch.finfo(dtype).max, torch.finfo(torch.float32).max))
        if not least <= clip_norm <= most:
            raise ValueError(f"clip_norm = {clip_norm!r}: must be in [{least:.0e}, {most:.0e}] for a model in {dtype}")
    return clip_norm


def per_example(losses: Tensor, targets: Tensor) -> Float[Tensor, " batch"]:
    """``losses``, if there is one for each example.

    Raises:
        ValueError: the shape is not (batch,).
    """
    if losses.shape != targets.shape[:1]:
        raise ValueError(
            f"loss has shape {tuple(losses.shape)}: must give one loss per example, shape ({len(targets)},)"
        )
    return losses


def losses_of(loss: Loss, outputs: Tensor, targets: Tensor) -> Float[Tensor, " batch"]:
    """One loss for each example; NaN, without a gradient, where the model's only output is not a number somewhere.

    Losses may refuse these, as `torch.nn.functional.binary_cross_entropy` does what is not in [0, 1], and to stop
    because of a record says that it is there: 1/2 stands in for them. Nothing else that a loss refuses of an example is
    kept from it.

    Raises:
        ValueError: the loss is not per-example.

    >>> losses_of(lambda outputs, targets: (outputs - targets) ** 2, torch.tensor([1.0, torch.nan]), torch.zeros(2))
    tensor([1., nan])
    """
    if not isinstance(outputs, Tensor) or outputs.shape[:1] != targets.shape[:1]:
        return per_example(loss(outputs, targets), targets)
    missing = torch.isnan(outputs).flatten(start_dim=1).any(dim=1) if outputs.ndim > 1 else torch.isnan(outputs)
    places = missing.view(-1, *(1,) * (outputs.ndim - 1))
    found = per_example(loss(outputs.masked_fill(places, 0.5), targets), targets)
    return found.masked_fill(missing, math.nan)


def in_micro_batches(
    engine: Engine, loss: Loss, batch: tuple[Tensor, Tensor], clip_norm: float, *, micro_batch: int
) -> ClippedSum:
    """The engine's sum over a batch of any size, at most ``micro_batch`` examples in memory at a time.

    Raises:
        ValueError: ``micro_batch`` is below 1, or as `Engine.clipped_gradient_sum`.
    """
    checks.whole("micro_batch", micro_batch, least=1)
    # split() of an empty batch is one empty part.
    parts = zip(*(tensor.split(micro_batch) for tensor in batch), strict=True)
    total, summed, zeroed = None, 0.0, 0
    for part in parts:
        own = engine.clipped_gradient_sum(loss, part, clip_norm)
        total = own.total if total is None else total.add_(own.total)
        summed, zeroed = summed + own.loss, zeroed + own.zeroed
    assert total is not None, "of an empty batch there is one part"
    return ClippedSum(total=total, loss=summed, zeroed=zeroed)


def empty_sum(parameters: Iterable[Tensor]) -> Float64[Tensor, " dim"]:
    """Zeros, one for each number of the parameters, in which their gradients are added up."""
    sizes = list(parameters)
    device = sizes[0].device if sizes else None
    return torch.zeros(sum(each.numel() for each in sizes), dtype=torch.float64, device=device)


def finite_sum(losses: Float[Tensor, " batch"]) -> Tensor:
    """The sum of the losses that are finite, detached."""
    losses = losses.detach()
    return torch.where(torch.isfinite(losses), losses, torch.zeros_like(losses)).sum()
