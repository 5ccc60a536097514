"""Clipped sums in which every parameter tensor of an example's gradient is clipped by itself."""

from __future__ import annotations

from torch import Tensor, nn

from wassdp.training.engines import ghost_norms
from wassdp.training.engines._per_example import PerExample


class Engine(ghost_norms.Engine):
    """Ghost norms, one for each parameter tensor. With L tensors an example's clipped gradient has norm up to C√L."""

    def _add(self, found: dict[nn.Parameter, PerExample], clip_norm: float, total: Tensor) -> None:
        for parameter, gradients in found.items():
            super()._add({parameter: gradients}, clip_norm, total)
