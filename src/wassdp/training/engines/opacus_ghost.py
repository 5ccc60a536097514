"""Clipped sums by the ghost clipping of Opacus: its norms, then a second backward pass of the weighted losses."""

from __future__ import annotations

import torch
from opacus.grad_sample import GradSampleModuleFastGradientClipping
from torch import Tensor, nn

from wassdp.mechanisms.dpsgd import clip_factors
from wassdp.training.clipping import random
from wassdp.training.clipping.opacus import Wrapped
from wassdp.training.clipping.random import substituted
from wassdp.training.engines import ClippedSum, Loss, finite_sum


class OpacusGhostEngine(Wrapped):
    """Opacus computes every example's norm layer by layer, and holds one layer's per-example gradients at most.

    Only Opacus's norms are used. Clipping, sampling, noise and accounting are this project's own, so
    that what is released and what is accounted are one object.

    Source: Li et al. (2022), arXiv:2110.05679, as Opacus has it: norm formulas for linear and embedding
    layers ("ghost clipping"), per-example gradients of one layer at a time for others ("fast gradient clipping").

    Args:
        model: its layers' forward hooks are used; the model itself stays callable as before.

    Raises:
        ValueError: a layer mixes examples, or Opacus refuses the model.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__(model, GradSampleModuleFastGradientClipping)

    def _followed(self, loss: Loss, inputs: Tensor, targets: Tensor, clip_norm: float) -> ClippedSum:
        drawn = random.state(inputs.device)
        losses = self._losses(loss, inputs, targets)
        losses.sum().backward(retain_graph=True)
        norms = [self._left(weight, "_norm_sample", (len(targets),), "norm") for weight in self.parameters]
        factors = clip_factors(torch.stack(norms).norm(dim=0), clip_norm=clip_norm)
        self.wrapped.disable_hooks()
        weighted, bad = losses, factors == 0
        if bool(bad.all()):
            return self._nothing(zeroed=len(targets))
        if bool(bad.any()):
            # 0 times infinity is no number: another example stands in where the factor is 0.
            stand_in = substituted(bad)
            with random.again(drawn, inputs.device):
                weighted = loss(self.model(inputs[stand_in]), targets[stand_in])
        gradients = torch.autograd.grad((weighted * factors).sum(), self.parameters)
        total = torch.cat([gradient.to_dense().flatten() for gradient in gradients])
        return ClippedSum(total=total, loss=float(finite_sum(losses)), zeroed=int(bad.sum()))
