"""Per-example gradients by `torch.func`: the gradient of one example's loss, vectorised over examples."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.func import grad_and_value, vmap

from wassdp.mechanisms.double_sums import weighted
from wassdp.mechanisms.dpsgd import cleared, clip_factors
from wassdp.mechanisms.norms import added_up
from wassdp.training.clipping.places import called_with
from wassdp.training.clipping.tried import Tried
from wassdp.training.engines import ClippedSum, Loss, empty_sum, finite_sum, losses_of

CHUNK = 64
"""Examples whose gradients are held at a time."""


class FunctionalEngine(Tried):
    """Every layer that `torch.func.vmap` understands; memory grows with `CHUNK` times parameters.

    Args:
        model: it is called as a function of its parameters, and is not changed.

    Raises:
        ValueError: a layer mixes examples.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__(model)
        self.trained = [name for name, parameter in model.named_parameters() if parameter.requires_grad]

    def _together(self, examples: int) -> int:
        return 1

    def _sum(self, loss: Loss, batch: tuple[Tensor, Tensor], clip_norm: float) -> ClippedSum:
        parameters = {name: parameter.detach() for name, parameter in self.model.named_parameters()}
        trained = {name: parameters.pop(name) for name in self.trained}

        def one(trained: dict[str, Tensor], value: Tensor, target: Tensor) -> Tensor:
            outputs = called_with(self.model, parameters | trained, value[None])
            return losses_of(loss, outputs, target[None])[0]

        differentiated = vmap(grad_and_value(one), in_dims=(None, 0, 0), randomness="different")
        total = empty_sum(trained.values())
        summed, zeroed = 0.0, 0
        for inputs, targets in zip(*(tensor.split(CHUNK) for tensor in batch), strict=True):
            if len(targets) == 0:
                continue
            try:
                gradients, losses = differentiated(trained, inputs, targets)
            except RuntimeError as error:
                if "vmap" not in str(error):
                    raise
                raise ValueError(f"model: torch.func cannot vectorise it: {str(error).splitlines()[0]}") from error
            rows = torch.cat([gradients[name].reshape(len(targets), -1) for name in self.trained], dim=1)
            factors = clip_factors(added_up(rows), clip_norm=clip_norm)
            total += weighted(cleared(rows, factors), factors)
            summed += float(finite_sum(losses))
            zeroed += int((factors == 0).sum())
        return ClippedSum(total=total, loss=summed, zeroed=zeroed)
