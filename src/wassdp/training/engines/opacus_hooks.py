"""Per-example gradients by the module hooks of Opacus."""

from __future__ import annotations

import warnings

import torch
from opacus import GradSampleModule
from torch import Tensor, nn

from wassdp import checks
from wassdp.mechanisms.dpsgd import clip_factors
from wassdp.training.engines import ClippedSum, Loss, per_example, refuse_mixing


class Engine:
    """Opacus computes and holds every example's gradient; memory grows with batch times parameters.

    Only Opacus's per-example gradients are used. Clipping, sampling, noise and accounting are this
    project's own, so that what is released and what is accounted are one object.

    Args:
        model: its layers' forward hooks are used; the model itself stays callable as before.

    Raises:
        ValueError: a layer mixes examples, or Opacus refuses the model.
    """

    def __init__(self, model: nn.Module) -> None:
        refuse_mixing(model)
        self.parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
        try:
            self.wrapped = GradSampleModule(model, batch_first=True, loss_reduction="sum")
        except NotImplementedError as error:
            raise ValueError(f"model: refused by Opacus: {error}") from error

    def clipped_gradient_sum(self, loss: Loss, batch: tuple[Tensor, Tensor], clip_norm: float) -> ClippedSum:
        checks.positive("clip_norm", clip_norm)
        inputs, targets = batch
        if len(targets) == 0:
            # Not every layer accepts an empty batch; its sum is zero without asking them.
            return ClippedSum(total=torch.cat([torch.zeros_like(each).flatten() for each in self.parameters]), loss=0.0)
        self.wrapped.train()
        self.wrapped.zero_grad(set_to_none=True)
        losses = per_example(loss(self.wrapped(inputs), targets), targets)
        with warnings.catch_warnings():
            # Opacus's hooks do not need the gradient of the inputs, whose absence torch warns of at every step.
            warnings.filterwarnings("ignore", message="Full backward hook is firing")
            losses.sum().backward()
        with torch.no_grad():
            gradients = [self._gradients(each, len(targets)) for each in self.parameters]
            norms = torch.stack([each.norm(dim=1) for each in gradients]).norm(dim=0)
            factors = clip_factors(norms, clip_norm=clip_norm)
            total = torch.cat([factors @ each for each in gradients])
        self.wrapped.zero_grad(set_to_none=True)
        return ClippedSum(total=total, loss=float(losses.detach().sum()))

    def _gradients(self, parameter: nn.Parameter, examples: int) -> Tensor:
        found = getattr(parameter, "grad_sample", None)
        if not isinstance(found, Tensor) or len(found) != examples:
            raise ValueError(
                f"model: Opacus gave no per-example gradient for a parameter of shape {tuple(parameter.shape)}"
            )
        return found.flatten(start_dim=1)
