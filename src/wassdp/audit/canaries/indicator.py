"""A record that only its own feature describes: what a real record of a model that is linear in its inputs may be."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.audit.trainings.one_run import OneRun, WithCanaries

VALUE = 10.0
"""The indicator's value, in units of the clip norm where that is above 1. The larger, the more of the gradient is the
feature's own, and the sooner noise on its weights makes the model sure of itself, so that the gradient vanishes."""


class WithIndicators(WithCanaries):
    """Logits with a feature for each canary: ``value`` where an input is the canary, else 0."""

    value: float

    def joined(self, logits: Tensor, own: Tensor, canary: Tensor) -> Tensor:
        with_own: Tensor = logits + own * (self.value * canary.to(own.dtype))[:, None]
        return with_own


class Indicators(OneRun):
    r"""Every other feature of a canary is 0.

    Of logits l, label y and indicator value v, its gradient is

    .. math:: (\operatorname{softmax}(l) - e_y) \otimes (v, 1),

    the second part in the weights of the bias, so that a share :math:`v / \sqrt{v^2 + 1}` is its own. The attacker
    knows the weights, which were released, hence the gradient.
    """

    words = "a record with a feature of its own"

    def planted(self) -> WithCanaries:
        target = self.target
        shape = tuple(target.train.inputs.shape[1:])
        model = WithIndicators(target.model, shape=shape, canaries=len(self.present), width=target.classes)
        model.value = VALUE * max(1.0, target.mechanism.clip_norm)
        self.value = model.value
        return model

    def directions(self) -> Float[Tensor, "canaries classes"]:
        own, target = self.model.own.weight, self.target
        with torch.no_grad():
            nothing = target.train.inputs.new_zeros(1, *self.model.shape)
            logits = target.model(nothing).double() + self.value * own.double()
            gradients = logits.softmax(dim=1)
            gradients[torch.arange(len(own)), self.labels] -= 1
            gradients *= self.value / target.mechanism.clip_norm
            norms = gradients.norm(dim=1) * math.hypot(self.value, 1) / self.value
            clipped: Tensor = gradients / norms.clamp(min=1)[:, None]
        return clipped
