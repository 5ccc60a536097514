"""Clipped sums by the ghost clipping of Opacus: its norms, then a second backward pass of the weighted losses."""

from __future__ import annotations

from typing import ClassVar

import torch
from opacus.grad_sample import GradSampleModuleFastGradientClipping
from opacus.grad_sample.linear import compute_linear_norm_sample
from torch import Tensor, nn

from wassdp.mechanisms.dpsgd import clip_factors
from wassdp.training.clipping import random
from wassdp.training.clipping.opacus import Wrapped
from wassdp.training.clipping.per_example import squares, vanished
from wassdp.training.clipping.random import substituted
from wassdp.training.engines import ClippedSum, Loss, finite_sum


def _linear(layer: nn.Linear, activations: list[Tensor], backprops: Tensor) -> dict[nn.Parameter, Tensor]:
    """Opacus's norms of a linear layer's gradients, and what underflow may have taken from a product of two norms."""
    found: dict[nn.Parameter, Tensor] = compute_linear_norm_sample(layer, activations, backprops)
    inputs = activations[0].to(backprops.dtype)
    lost = vanished(inputs, backprops, squares(inputs), squares(backprops)).sqrt()
    return {kind: torch.hypot(norm, lost) if kind is layer.weight else norm for kind, norm in found.items()}


class _Followed(GradSampleModuleFastGradientClipping):
    NORM_SAMPLERS: ClassVar = {**GradSampleModuleFastGradientClipping.NORM_SAMPLERS, nn.Linear: _linear}


def _own(layer: nn.Module) -> int:
    """Last dimensions of a layer's input that are no positions: each number has parameters of its own."""
    if isinstance(layer, nn.LayerNorm):
        return len(layer.normalized_shape)
    return 1 if isinstance(layer, nn.Linear) else 0


class OpacusGhostEngine(Wrapped):
    """Opacus computes every example's norm layer by layer, and holds one layer's per-example gradients at most.

    Only Opacus's norms are used. Clipping, sampling, noise and accounting are this project's own, so
    that what is released and what is accounted are one object.

    Source: Li et al. (2022), arXiv:2110.05679, as Opacus has it: norm formulas for linear and embedding
    layers ("ghost clipping"), per-example gradients of one layer at a time for others ("fast gradient clipping").

    A linear layer's norm is a product of two, one of which may vanish in single precision: what may have, is added.
    A layer at several positions of an example, as a convolution is, is refused at the first sum: its gradient is a sum
    over them, which may cancel otherwise in the norm than in what is summed.

    Args:
        model: its layers' forward hooks are used; the model itself stays callable as before.

    Raises:
        ValueError: a layer mixes examples, or Opacus refuses the model.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__(model, _Followed)

    def _followed(self, loss: Loss, inputs: Tensor, targets: Tensor, clip_norm: float) -> ClippedSum:
        drawn = random.state(inputs.device)
        losses = self._losses(loss, inputs, targets)
        self._refuse_sums()
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

    def _refuse_sums(self) -> None:
        """Check that no gradient is a sum over positions.

        Such a sum may cancel: in single precision nothing is then left of the norm, while the gradient, which the
        second pass sums in its own way, may be longer than the clip norm by orders of magnitude.

        Raises:
            ValueError: a layer is used at several positions of an example; the message names it.
        """
        for name, layer in self.model.named_modules():
            for values, *_ in layer.__dict__.get("activations", ()):
                if values.shape[1 : values.ndim - _own(layer)].numel() > 1:
                    raise ValueError(
                        f"model: layer {name!r} is {type(layer).__name__} at several positions of an example, over "
                        "which its gradient is a sum that may cancel otherwise in Opacus's norm; use another engine"
                    )
