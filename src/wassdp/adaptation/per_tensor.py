"""Clipped sums in which every parameter tensor of an example's gradient is clipped by itself."""

from __future__ import annotations

import torch
from jaxtyping import Float, Float64
from torch import Tensor, nn

from wassdp.mechanisms.dpsgd import clipped_sum
from wassdp.training.engines import ghost_norms


class PerTensorEngine(ghost_norms.GhostNormsEngine):
    """Ghost norms, one for each parameter tensor. With L tensors an example's clipped gradient has norm up to C√L."""

    def _apart(self, found: ghost_norms.Gradients) -> list[list[nn.Parameter]]:
        return [[parameter] for parameter in found]

    def _clipped(self, rows: Float[Tensor, "n dim"], clip_norm: float) -> Float64[Tensor, " dim"]:
        parts = rows.split([parameter.numel() for parameter in self.names], dim=1)
        return torch.cat([clipped_sum(part, clip_norm=clip_norm) for part in parts])
