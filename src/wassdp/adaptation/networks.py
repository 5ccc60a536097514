"""The encoders, heads and discriminators of DP-SWD's domain adaptation, as in the authors' published code.

Weights are initialised as torch does: the published code's own initialisation is in a file that was not published.
"""

from __future__ import annotations

import functools
from typing import Any, Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.func import functional_call

from wassdp import checks

Network = Literal["digits", "office", "visda"]


class Adaptable(nn.Module):
    """A classifier in two parts: ``encoder``, whose features are aligned, and ``head``.

    Args:
        encoder: from inputs to features, shape (batch, width).
        head: from features to logits.
        width: number of features.
    """

    def __init__(self, encoder: nn.Module, head: nn.Module, width: int) -> None:
        super().__init__()
        self.encoder, self.head, self.width = encoder, head, width

    def forward(self, inputs: Tensor) -> Tensor:
        logits: Tensor = self.head(self.encoder(inputs))
        return logits


def build(network: Network, *, inputs: tuple[int, ...], classes: int) -> Adaptable:
    """The network of one family of problems.

    ``digits``: conv 5x5 (32) - pool - ReLU - conv 5x5 (20) - channel dropout - pool - sigmoid, 320 features for 28x28
    images; head 320-100-ReLU-dropout-classes. ``office``: dense 100-ReLU-50; head 50-50-ReLU-dropout-classes.
    ``visda``: dense 100-ReLU-100-ReLU; head 100-100-ReLU-dropout-classes.

    Args:
        network: which.
        inputs: shape of one input: (1, height, width) with sides of at least 16 for ``digits``, else (features,).
        classes: at least 2.

    Raises:
        ValueError: the network is unknown, or an argument does not fit it.

    Source: Rakotomamonjy and Ralaivola (2021), section 8.5.2, and published code where the two differ.

    >>> build("digits", inputs=(1, 28, 28), classes=10).width
    320
    """
    checks.one_of("network", network, ("digits", "office", "visda"))
    checks.whole("classes", classes, least=2)
    if network == "digits":
        if len(inputs) != 3 or inputs[0] != 1 or min(inputs[1:]) < 16:
            raise ValueError(f"inputs = {inputs!r}: must be (1, height, width), sides at least 16")
        encoder = nn.Sequential(
            nn.Conv2d(1, 32, 5),
            nn.MaxPool2d(2),
            nn.ReLU(),
            nn.Conv2d(32, 20, 5),
            nn.Dropout2d(),
            nn.MaxPool2d(2),
            nn.Sigmoid(),
            nn.Flatten(),
        )
        # Channels last: the same numbers, in the order in which convolutions run fastest on a processor.
        encoder = encoder.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch leaves it out
        rows, columns = (((side - 4) // 2 - 4) // 2 for side in inputs[1:])
        return Adaptable(encoder, _head(20 * rows * columns, 100, classes), 20 * rows * columns)
    if len(inputs) != 1:
        raise ValueError(f"inputs = {inputs!r}: must be (features,) for {network}")
    hidden = nn.Sequential(nn.Linear(inputs[0], 100), nn.ReLU())
    if network == "office":
        return Adaptable(nn.Sequential(*hidden, nn.Linear(100, 50)), _head(50, 50, classes), 50)
    return Adaptable(nn.Sequential(*hidden, nn.Linear(100, 100), nn.ReLU()), _head(100, 100, classes), 100)


def discriminator(width: int) -> nn.Module:
    """From features to two logits, target and source, with one hidden layer: 100 units, or 50 for 50 features."""
    hidden = min(checks.whole("width", width, least=1), 100)
    return nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, 2))


class Told(nn.Module):
    """From inputs to the discriminator's logits; trains both parts."""

    def __init__(self, encoder: nn.Module, judge: nn.Module) -> None:
        super().__init__()
        self.encoder, self.judge = encoder, judge

    def forward(self, inputs: Tensor) -> Tensor:
        logits: Tensor = self.judge(self.encoder(inputs))
        return logits


class Projected(nn.Module):
    """From inputs to the projections of centred features, or class scores, on a step's directions; trains the encoder.

    ``centre`` and ``directions`` are constants of a step, to be set before it; shapes (d,) and (d, k).

    Args:
        encoder: from inputs to features.
        head: from features to what is projected, d numbers a record. No gradient reaches its parameters; what it
            draws, for dropout, it draws as ever. None for the features themselves.
    """

    centre: Tensor
    directions: Tensor

    def __init__(self, encoder: nn.Module, head: nn.Module | None = None) -> None:
        super().__init__()
        self.encoder = encoder
        # Not registered, so that its parameters are none of this module's.
        self._compared = _identity if head is None else functools.partial(_frozen, head)

    def compared(self, features: Tensor) -> Tensor:
        """What is projected of the features."""
        return self._compared(features)

    def forward(self, inputs: Tensor) -> Tensor:
        projections: Tensor = (self.compared(self.encoder(inputs)) - self.centre) @ self.directions
        return projections


def _identity(features: Tensor) -> Tensor:
    return features


def _frozen(module: nn.Module, values: Tensor) -> Tensor:
    constants = {name: parameter.detach() for name, parameter in module.named_parameters()}
    outputs: Tensor = functional_call(module, constants, (values,))
    return outputs


def domain_loss(logits: Float[Tensor, "batch 2"], *, source: bool) -> Float[Tensor, " batch"]:
    """Cross-entropy of the discriminator for each record, all of them of one domain."""
    domain = torch.full((len(logits),), int(source), dtype=torch.int64, device=logits.device)
    return nn.functional.cross_entropy(logits, domain, reduction="none")


def reverse(features: Tensor) -> Tensor:
    """The same features, with a gradient of the other sign (Ganin and Lempitsky 2015).

    >>> x = torch.ones(2, requires_grad=True)
    >>> torch.autograd.grad(reverse(x).sum(), x)[0].tolist()
    [-1.0, -1.0]
    """
    reversed_: Tensor = _Reversed.apply(features)
    return reversed_


class _Reversed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, features: Tensor) -> Tensor:
        return features.view_as(features)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return -gradient


def _head(width: int, hidden: int, classes: int) -> nn.Module:
    return nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Dropout(), nn.Linear(hidden, classes))
