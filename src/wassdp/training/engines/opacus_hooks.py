"""Per-example gradients by the module hooks of Opacus."""

from __future__ import annotations

import torch
from jaxtyping import Float
from opacus import GradSampleModule
from torch import Tensor, nn

from wassdp.mechanisms.double_sums import weighted
from wassdp.mechanisms.dpsgd import cleared, clip_factors
from wassdp.mechanisms.norms import added_up
from wassdp.training.clipping.opacus import Wrapped
from wassdp.training.engines import ClippedSum, Loss, finite_sum


class OpacusHooksEngine(Wrapped):
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

    def _followed(self, loss: Loss, inputs: Tensor, targets: Tensor, clip_norm: float) -> ClippedSum:
        losses = self._losses(loss, inputs, targets)
        losses.sum().backward()
        with torch.no_grad():
            rows = [self._rows(weight, len(targets)) for weight in self.parameters]
            norms = torch.stack([added_up(part) for part in rows]).norm(dim=0)
            factors = clip_factors(norms, clip_norm=clip_norm)
            total = torch.cat([weighted(cleared(part, factors), factors) for part in rows])
        return ClippedSum(total=total, loss=float(finite_sum(losses)), zeroed=int((factors == 0).sum()))

    def _rows(self, weight: nn.Parameter, examples: int) -> Float[Tensor, "examples dim"]:
        """What Opacus has left at a parameter for every example."""
        values = getattr(weight, "grad_sample", None)
        if not isinstance(values, Tensor) or values.shape != (examples, *weight.shape):
            raise ValueError(
                f"model: Opacus gave no per-example gradient for a parameter of shape {tuple(weight.shape)}"
            )
        # Where autocast is on, Opacus leaves products of halved factors.
        return values.flatten(start_dim=1).to(weight.dtype)
