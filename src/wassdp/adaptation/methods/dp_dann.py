"""DANN with DP-SGD on everything that the target's records reach: discriminator and encoder."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from wassdp.accounting import expected
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed, repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.qualified import qualified
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.adaptation import method, plain

if TYPE_CHECKING:
    from torch import Tensor, nn

    from wassdp.noise import Bits

COVERED = (
    "DP-DANN: the budget holds for the weights after every step, since the target's records reach discriminator and "
    "encoder through clipped, noisy gradients alone, the encoder's Jacobian included; accuracies on the target are "
    "evaluation and not covered"
)


class Options(method.Calibrated):
    """As in the published code, ``sigma`` is the noise on *each* record's gradient, of which a step takes the mean.

    The authors' code has 17 for MNIST to USPS and 14.65 for USPS to MNIST, with clip norm 1.
    """

    title: ClassVar[str] = "DP-DANN"
    name: Literal["dp_dann"]
    clip_norm: float = Field(default=1.0, gt=0, description="C, L2 bound on each parameter tensor's part of a gradient")

    def expected_event(self) -> Event:
        return expected.drawn(expected.gaussian("replace-one"))


class Method:
    r"""DANN whose target term enters as a clipped, noisy mean of per-record gradients.

    .. math:: \tfrac1n \sum_{i \le n} \bigl( \operatorname{clip}(\nabla \, w \, \mathrm{CE}(d(g(x_i)), 0))
        + σ \mathcal{N}(0, I) \bigr)

    every one of the L parameter tensors clipped to C by itself, the encoder's part reversed afterwards. The source's
    terms are public. The mean of n noises σ is one noise σ √n on the sum, which is how it is drawn.

    Privacy: replacing a record moves the sum by at most 2C√L in norm, so a step is a Gaussian mechanism of noise
    multiplier σ √n / (2C√L) on a batch drawn without replacement.
    Source: Rakotomamonjy and Ralaivola (2021), section 6.2 ("based on gradient clipping"), and published code. That
    code lacks an import and does not run as published; it also passes nested modules' parameters to the clipping
    several times, which is not repeated here. Its own account multiplies the number of steps by the batch.
    """

    def __init__(self, options: Options, setting: method.Setting) -> None:
        from wassdp.adaptation import networks
        from wassdp.adaptation.per_tensor import PerTensorEngine

        self.options, self.setting = options, setting
        self.extra = networks.discriminator(setting.width)
        self.told = networks.Told(setting.encoder, self.extra)
        self.engine = PerTensorEngine(self.told)

        def loss(outputs: Tensor, _: Tensor) -> Tensor:
            return options.weight * networks.domain_loss(outputs, source=False)

        self.loss = loss  # one for all steps: the engine tries the model for every loss it meets
        self.tensors = len(self.engine.names)
        self.sigma = options.noise(lambda noise: self._releases(noise, setting.steps))

    def sample(self, generator: Bits) -> Tensor:
        return plain.batch(self.setting, generator)

    def align(self, source: method.Source, target: Tensor, *, generator: Bits) -> method.Alignment:
        from wassdp.adaptation.networks import domain_loss, reverse

        told = domain_loss(self.extra(reverse(source.features)), source=True).mean()
        return method.Alignment(
            loss=self.options.weight * told,
            gradients=self._noisy(target, generator),
            figures={"discriminator_loss": float(told.detach())},
        )

    def event(self, steps: int) -> Event:
        return qualified(self._releases(self.sigma, steps), notes=(COVERED,))

    def metrics(self) -> dict[str, float]:
        return {"sigma": self.sigma}

    def _noisy(self, target: Tensor, generator: Bits) -> dict[nn.Parameter, Tensor]:
        import torch

        from wassdp import noise
        from wassdp.training.gradients import parts

        unused = torch.zeros(len(target), dtype=torch.int64, device=target.device)
        total = self.engine.clipped_gradient_sum(self.loss, (target, unused), self.options.clip_norm).total
        # The last factor covers the root's own rounding.
        std = noise.scaled(self.sigma, math.sqrt(len(target)), 1 + 2**-50)
        mean = noise.rounded(total, std=std, generator=generator) / len(target)
        reversed_ = set(self.setting.encoder.parameters())
        return {
            parameter: -part if parameter in reversed_ else part
            for parameter, part in parts(list(self.engine.names), mean).items()
        }

    def _releases(self, sigma: float, steps: int) -> Composed:
        reach = 2 * self.options.clip_norm * math.sqrt(self.tensors)
        step = Gaussian(noise_multiplier=sigma * math.sqrt(self.setting.batch) / reach, adjacency="replace-one")
        return repeated(
            SampledWithoutReplacement(event=step, records=self.setting.records, batch=self.setting.batch), steps
        )
