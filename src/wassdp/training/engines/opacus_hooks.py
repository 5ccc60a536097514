"""Per-example gradients by the module hooks of Opacus."""

from __future__ import annotations

import torch
from opacus import GradSampleModule
from torch import Tensor, nn

from wassdp.mechanisms.dpsgd import cleared, clip_factors
from wassdp.training.clipping import opacus as _opacus
from wassdp.training.engines import ClippedSum, Loss, finite_sum, per_example


class Engine(_opacus.Wrapped):
    """Opacus computes and holds every example's gradient; memory grows with batch times parameters.

    Only Opacus's per-example gradients are used. Clipping, sampling, noise and accounting are this
    project's own, so that what is released and what is accounted are one object.

    Args:
        model: its layers' forward hooks are used; the model itself stays callable as before.

    Raises:
        ValueError: a layer mixes examples, or Opacus refuses the model.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__(model, GradSampleModule)

    def _sum(self, loss: Loss, batch: tuple[Tensor, Tensor], clip_norm: float) -> ClippedSum:
        inputs, targets = batch
        if len(targets) == 0:
            return self.nothing()
        self.wrapped.train()
        self.wrapped.enable_hooks()
        try:
            with _opacus.quiet():
                losses = per_example(loss(_opacus.outputs(self.wrapped, self.model, inputs), targets), targets)
                losses.sum().backward()
            with torch.no_grad():
                gradients = [self._gradients(each, len(targets)) for each in self.parameters]
                norms = torch.stack([each.norm(dim=1) for each in gradients]).norm(dim=0)
                factors = clip_factors(norms, clip_norm=clip_norm)
                total = torch.cat([factors @ cleared(each, factors) for each in gradients])
        finally:
            _opacus.forget(self.wrapped, self.model)
        return ClippedSum(total=total, loss=float(finite_sum(losses)), zeroed=int((factors == 0).sum()))

    def _gradients(self, parameter: nn.Parameter, examples: int) -> Tensor:
        found = getattr(parameter, "grad_sample", None)
        if not isinstance(found, Tensor) or len(found) != examples:
            raise ValueError(
                f"model: Opacus gave no per-example gradient for a parameter of shape {tuple(parameter.shape)}"
            )
        return found.flatten(start_dim=1)
