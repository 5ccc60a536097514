"""How good a model is on held-out data. Evaluation reads the test set and is no part of any private release."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn


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
    chunk: int = 1000,
) -> Evaluation:
    """Evaluate ``model`` in evaluation mode, ``chunk`` examples at a time; its mode is put back afterwards.

    Raises:
        ValueError: there are no examples.
    """
    if len(targets) == 0:
        raise ValueError("targets: must hold at least one example")
    training = model.training
    model.eval()
    loss, correct = 0.0, 0
    with torch.no_grad():
        for part, wanted in zip(inputs.split(chunk), targets.split(chunk), strict=True):
            logits = model(part)
            loss += float(nn.functional.cross_entropy(logits, wanted, reduction="sum"))
            correct += int((logits.argmax(dim=1) == wanted).sum())
    model.train(training)
    return Evaluation(loss=loss / len(targets), accuracy=correct / len(targets))
