"""What all engines share: a model is tried before its first sum, against automatic differentiation one at a time."""

from __future__ import annotations

import abc
from typing import Any

import torch
from jaxtyping import Float, Float64
from torch import Tensor, nn

from wassdp.mechanisms.dpsgd import clipped_sum
from wassdp.training.clipping.probe import CLOSE, Made, Probe, gradient
from wassdp.training.engines import ClippedSum, Engine, Loss, usable


class Tried(Engine):
    """An engine whose model is tried, with made-up examples, for every shape of inputs and every loss it is used with.

    Args:
        model: what is differentiated.

    Raises:
        ValueError: a layer mixes examples.
    """

    hooked = False
    """Whether gradients are followed by hooks on layers, which a weight that is used elsewhere escapes."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__(model)
        self.probe = Probe(model, call=self._call, hooked=self.hooked)

    def clipped_gradient_sum(self, loss: Loss, batch: tuple[Tensor, Tensor], clip_norm: float) -> ClippedSum:
        usable(clip_norm, self.model)
        self.model.train()
        self._try(loss, batch, together=self._together(len(batch[1])))
        return self._sum(loss, batch, clip_norm)

    @abc.abstractmethod
    def _sum(self, loss: Loss, batch: tuple[Tensor, Tensor], clip_norm: float) -> ClippedSum:
        """The sum, of a model in training mode."""

    def _together(self, examples: int) -> int:
        """How many of so many examples the model sees at once, at first."""
        return examples

    def _call(self, inputs: Tensor) -> Any:
        """The model's output, not followed by the engine."""
        return self.model(inputs)

    def _clipped(self, rows: Float[Tensor, "n dim"], clip_norm: float) -> Float64[Tensor, " dim"]:
        """The sum that the engine is to give for these gradients."""
        return clipped_sum(rows, clip_norm=clip_norm)

    def _try(self, loss: Loss, batch: tuple[Tensor, Tensor], *, together: int) -> None:
        self.probe(loss, *batch, compare=lambda made: self._compare(loss, made), together=max(1, together))

    def _compare(self, loss: Loss, made: Made) -> str | None:
        parameters = [parameter for parameter in self.model.parameters() if parameter.requires_grad]
        assert made.targets is not None, "there is a loss"
        batch, rows = (made.inputs, made.targets), []
        self._sum(loss, (made.inputs.clone(), made.targets), 1.0)  # what it refuses by itself it names best
        for inputs, targets in zip(*(tensor.split(1) for tensor in batch), strict=True):
            rows.append(gradient(loss(self._call(inputs.clone()), targets).sum(), parameters))
        gradients = torch.stack(rows)
        longest = float(gradients.norm(dim=1).max())
        if longest < 1e-6:
            return None  # nothing to compare: other weights and other examples are tried as well
        short = 0.5 * float(gradients.norm(dim=1).clamp(min=1e-2 * longest).min())
        for clip_norm in (2 * longest, short):
            total = self._sum(loss, (made.inputs.clone(), made.targets), clip_norm).total
            expected = self._clipped(gradients, clip_norm)
            gap = (total - expected).norm()
            if not float(gap) <= CLOSE * min(longest, clip_norm):
                name = type(self).__module__.rpartition(".")[2]
                return (
                    f"{name} does not give the clipped sum of its gradients (off by {float(gap) / clip_norm:.2g} clip "
                    "norms in a trial): a weight is used outside its layer, or in another way that this engine cannot "
                    "follow; use another engine"
                )
        return None
