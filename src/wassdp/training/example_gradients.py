"""The mean gradient of a batch and, beside it, the gradients of its first few examples, for little more than the mean.

Through batch normalisation every example's loss depends on all examples of the batch. The gradient of one
example's loss is then taken with the batch's statistics, as automatic differentiation takes it.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from wassdp import checks
from wassdp.models.parts.two_blocks import TwoBlocks
from wassdp.training import two_block_rows
from wassdp.training.gradients import trainable


@dataclass(frozen=True)
class Gradients:
    """Mean gradient, shape (dim,), gradients of the first ``count`` examples, shape (count, dim), mean loss in nats."""

    mean: Float[Tensor, " dim"]
    rows: Float[Tensor, "count dim"]
    loss: float


def differentiate(model: nn.Module, inputs: Tensor, targets: Int64[Tensor, " batch"], *, count: int) -> Gradients:
    """Differentiate the cross-entropy of a batch, in training mode.

    Gradients and loss may be infinite or no numbers, as the batch has it: who releases them says what these count for.

    Args:
        model: from inputs to logits; its mode is put back afterwards.
        inputs: shape (batch, ...).
        targets: class numbers.
        count: how many examples, from the first, have their own gradients computed; at most the batch.

    Raises:
        ValueError: the batch is empty or smaller than ``count``.
    """
    if not 0 <= checks.whole("count", count) <= len(targets) or not len(targets):
        raise ValueError(f"count = {count}: must be at most the batch of {len(targets)}, which must not be empty")
    training = model.training
    model.train()
    try:
        if isinstance(model, TwoBlocks) and isinstance(model.norm1, nn.BatchNorm2d) and count:
            return Gradients(*two_block_rows.differentiate(model, inputs, targets, count=count))
        return one_by_one(model, inputs, targets, count=count)
    finally:
        model.train(training)


def one_by_one(model: nn.Module, inputs: Tensor, targets: Int64[Tensor, " batch"], *, count: int) -> Gradients:
    """`differentiate` by one backward pass for each example: right for every model without dropout.

    Slow where batch normalisation makes each pass as long as that of the whole batch.
    """
    weights = trainable(model)
    losses = nn.functional.cross_entropy(model(inputs), targets, reduction="none")
    coupled = any(isinstance(layer, nn.modules.batchnorm._BatchNorm) for layer in model.modules())
    mean = torch.autograd.grad(losses.mean(), weights, retain_graph=count > 0 and coupled)
    # Where no example depends on another, a pass over the first few alone gives the same gradients.
    few = losses if coupled else nn.functional.cross_entropy(model(inputs[:count]), targets[:count], reduction="none")
    rows = [torch.autograd.grad(few[row], weights, retain_graph=row + 1 < count) for row in range(count)]
    flat = _flat(mean)
    return Gradients(
        mean=flat,
        rows=torch.stack([_flat(row) for row in rows]) if rows else flat.new_zeros(0, len(flat)),
        loss=float(losses.detach().mean()),
    )


def leave_one_out(gradients: Gradients, batch: int) -> Float[Tensor, "count dim"]:
    r"""Mean gradients of the batch without its j-th example, :math:`(n \bar g - g_j) / (n - 1)`.

    The example leaves the loss. It stays in the statistics of batch normalisation, as in the published code.

    Raises:
        ValueError: nothing would be left.
    """
    checks.whole("batch", batch, least=2)
    return (batch * gradients.mean - gradients.rows) / (batch - 1)


def _flat(parts: tuple[Tensor, ...]) -> Tensor:
    return torch.cat([part.flatten() for part in parts])
