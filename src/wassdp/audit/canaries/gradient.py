"""A record whose gradient is one coordinate that no other record has, for models of any kind."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.trainings.one_run import OneRun, WithCanaries
from wassdp.noise import Bits
from wassdp.training.audited import AuditedTarget

LENGTH = 2.0
"""Norm of a canary's gradient in clip norms: it is clipped."""


class WithOwnWeights(WithCanaries):
    """Two columns beside the logits: a slope in the canary's own weight, whose value is 0, and whether it is one."""

    slope: float

    def joined(self, logits: Tensor, own: Tensor, canary: Tensor) -> Tensor:
        there = canary.to(own.dtype)[:, None]
        return torch.cat([logits, self.slope * there * (own - own.detach()), there], dim=1)


class CanaryGradients(OneRun):
    """A canary's loss is a multiple of its own weight: a record with any loss is covered by the budget.

    The model does not read that weight, and a canary moves no weight of the model.
    """

    words = "a record whose gradient is a coordinate of its own"

    def __init__(self, target: AuditedTarget, *, canaries: int, coins: Bits) -> None:
        super().__init__(target, canaries=canaries, coins=coins)
        self.loss = self._loss

    def planted(self) -> WithCanaries:
        shape = tuple(self.target.train.inputs.shape[1:])
        model = WithOwnWeights(self.target.model, shape=shape, canaries=len(self.present), width=1)
        model.slope = LENGTH * self.target.mechanism.clip_norm
        return model

    def _loss(self, outputs: Tensor, targets: Tensor) -> Float[Tensor, " batch"]:
        logits, own, canary = outputs[:, :-2], outputs[:, -2], outputs[:, -1]
        return torch.where(canary > 0.5, own, self.target.loss(logits, targets))

    def directions(self) -> Float[Tensor, "canaries 1"]:
        return torch.ones_like(self.model.own.weight)
