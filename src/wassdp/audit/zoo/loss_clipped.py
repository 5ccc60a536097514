"""The factor that bounds an example computed from its loss, and not from its gradient."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from wassdp.audit.steps import Steps
from wassdp.mechanisms.dpsgd import DPSGD, clip_factors
from wassdp.noise import Bits
from wassdp.training import engines
from wassdp.training.gradients import trainable

Released = Float[Tensor, "trials coordinates"]


class LossClipped(Steps):
    """A linear model, one step from weights of 0."""

    fault = "each example's loss is scaled to be at most C, and its gradient is not: a small loss may be a steep one"
    source = "a mutation of Abadi et al. (2016), Algorithm 1, 'Clip gradient'"
    neighbours = "one record has a long input and a small error, so that its gradient is 25C long, or it is not there"
    attacks = ("likelihood_ratio",)
    mechanism = DPSGD(clip_norm=1.0, noise_multiplier=1.0, rate=1.0, records=3)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        inputs = torch.eye(3, dtype=torch.float64) * torch.tensor([1.0, 1.0, 50.0])
        targets = torch.tensor([0.0, 0.0, 0.5], dtype=torch.float64)
        records = len(targets) if present else len(targets) - 1
        total = self._total(inputs[:records], targets[:records])
        return self.noisy(total.repeat(trials, 1), generator=generator)

    def _total(self, inputs: Tensor, targets: Tensor) -> Float[Tensor, " dim"]:
        model = nn.utils.skip_init(nn.Linear, inputs.shape[1], 1, bias=False, dtype=torch.float64)
        nn.init.zeros_(model.weight)
        if self.wrong:
            losses = _squared_errors(model(inputs), targets)
            factors = clip_factors(losses.detach(), clip_norm=self.mechanism.clip_norm)
            (gradient,) = torch.autograd.grad(factors @ losses, trainable(model))
            return gradient.flatten()
        engine = engines.load("functional", model)
        return engine.clipped_gradient_sum(_squared_errors, (inputs, targets), self.mechanism.clip_norm).total

    def along(self, released: Tensor) -> Float[Tensor, "trials steps"]:
        """Gradients lie against the input: the error is to be made smaller."""
        return -released[:, -1:]


def _squared_errors(outputs: Tensor, targets: Tensor) -> Tensor:
    return (outputs[:, 0] - targets).square() / 2
