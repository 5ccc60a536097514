"""Clipped sums in which every parameter tensor of an example's gradient is clipped by itself."""

from __future__ import annotations

from torch import nn

from wassdp.training.engines import ghost_norms


class Engine(ghost_norms.Engine):
    """Ghost norms, one for each parameter tensor. With L tensors an example's clipped gradient has norm up to C√L."""

    def _apart(self, found: ghost_norms.Gradients) -> list[list[nn.Parameter]]:
        return [[parameter] for parameter in found]
