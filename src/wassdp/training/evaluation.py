"""How good a model is on held-out data. Evaluation reads the test set and is no part of any private release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from wassdp import checks
from wassdp.training.clipping.parts import channels_last

PROCESSOR_CHUNK, OTHER_CHUNK = 128, 1000
"""Examples at a time: what a processor's caches hold of a convolution's outputs, and what fills another device."""

COLOURS = 4
"""Most channels that are turned to lie last: with more, as features have, turning takes as long as is gained."""


@dataclass(frozen=True)
class Evaluation:
    """Mean cross-entropy in nats, and the share of examples classified correctly, in [0, 1]."""

    loss: float
    accuracy: float


def evaluate(
    model: nn.Module,
    inputs: Float[Tensor, " examples *shape"],
    targets: Int64[Tensor, " examples"],
    *,
    chunk: int | None = None,
) -> Evaluation:
    """Evaluate ``model`` in evaluation mode; its mode is put back afterwards.

    Args:
        model: from inputs to logits.
        inputs: on the device of the model.
        targets: their classes.
        chunk: examples at a time; None for what is fast where they are.

    Raises:
        ValueError: there are no examples.
    """
    if len(targets) == 0:
        raise ValueError("targets: must hold at least one example")
    training = model.training
    model.eval()
    loss, correct = 0.0, 0
    with torch.no_grad():
        for part, wanted in _chunks(model, inputs, targets, chunk):
            logits = model(part)
            loss += float(nn.functional.cross_entropy(logits, wanted, reduction="sum"))
            correct += int((logits.argmax(dim=1) == wanted).sum())
    model.train(training)
    return Evaluation(loss=loss / len(targets), accuracy=correct / len(targets))


def confusion(
    model: nn.Module,
    inputs: Float[Tensor, " examples *shape"],
    targets: Int64[Tensor, " examples"],
    *,
    classes: int,
    chunk: int | None = None,
) -> Int64[Tensor, "classes classes"]:
    """How many examples of class i (row) ``model`` in evaluation mode takes for class j (column).

    Raises:
        ValueError: a target is not a class.

    >>> confusion(nn.Identity(), torch.eye(3), torch.tensor([0, 1, 1]), classes=3).tolist()
    [[1, 0, 0], [0, 1, 1], [0, 0, 0]]
    """
    checks.whole("classes", classes, least=2)
    if len(targets) and not 0 <= int(targets.min()) <= int(targets.max()) < classes:
        raise ValueError(f"targets reach from {targets.min()} to {targets.max()}: must lie in [0, {classes - 1}]")
    training = model.training
    model.eval()
    counts = torch.zeros(classes * classes, dtype=torch.int64)
    with torch.no_grad():
        for part, wanted in _chunks(model, inputs, targets, chunk):
            cells = wanted * classes + model(part).argmax(dim=1)
            counts += torch.bincount(cells.cpu(), minlength=classes * classes)
    model.train(training)
    return counts.view(classes, classes)


def _chunks(model: nn.Module, inputs: Tensor, targets: Tensor, chunk: int | None) -> Iterator[tuple[Tensor, Tensor]]:
    if chunk is None:
        chunk = PROCESSOR_CHUNK if inputs.device.type == "cpu" else OTHER_CHUNK
    images = inputs.ndim == 4 and inputs.shape[1] <= COLOURS
    turned = images and any(isinstance(layer, nn.Conv2d) for layer in model.modules())
    for part, wanted in zip(inputs.split(chunk), targets.split(chunk), strict=True):
        yield channels_last(part) if turned else part, wanted
