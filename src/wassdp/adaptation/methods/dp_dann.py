"""DANN with DP-SGD on everything that the target's records reach: discriminator and encoder."""

from __future__ import annotations

from typing import ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor, nn

from wassdp.accounting import expected
from wassdp.accounting.event import Event
from wassdp.accounting.events.qualified import qualified
from wassdp.accounting.reach import GRADIENT_SPACE, Reach
from wassdp.adaptation import networks
from wassdp.adaptation.method import AdaptationSetting, Aligner, Alignment, Calibrated, SourceBatch
from wassdp.adaptation.per_tensor import PerTensorEngine
from wassdp.mechanisms.clip_norm import ClipNorm
from wassdp.mechanisms.noisy_mean import NoisyMean
from wassdp.noise import Bits
from wassdp.training.gradients import parts

COVERED = (
    "DP-DANN: the budget holds for the weights after every step, since the target's records reach discriminator and "
    "encoder through clipped, noisy gradients alone, the encoder's Jacobian included; accuracies and losses on "
    "the target's records and labels are evaluation and not covered"
)


class DPDANNMethod(Calibrated):
    """As in the published code, ``sigma`` is the noise on *each* record's gradient, of which a step takes the mean.

    The authors' code has 17 for MNIST to USPS and 14.65 for USPS to MNIST, with clip norm 1.
    """

    title: ClassVar[str] = "DP-DANN"
    name: Literal["dp_dann"]
    clip_norm: ClipNorm = Field(default=1.0, description="C, L2 bound on each parameter tensor's part of a gradient")

    def build(self, setting: AdaptationSetting) -> DPDANN:
        return DPDANN(self, setting)

    def impossible(self, records: int) -> str | None:
        if self.dropout_epochs is not None:
            return "dp_dann with dropout_epochs: gradients of single records are taken with dropout in all epochs"
        return super().impossible(records)

    def expected_event(self) -> Event:
        return expected.drawn(expected.gaussian("replace-one"))

    def reach(self) -> Reach:
        return Reach(1.0, f"gradients of the clip norm, opposite in every parameter tensor, {GRADIENT_SPACE}")


class DPDANN(Aligner[DPDANNMethod]):
    r"""DANN whose target term enters as a clipped, noisy mean of per-record gradients.

    .. math:: \tfrac1n \sum_{i \le n} \bigl( \operatorname{clip}(\nabla \, w \, \mathrm{CE}(d(g(x_i)), 0))
        + σ \mathcal{N}(0, I) \bigr)

    every one of the L parameter tensors clipped to C by itself, the encoder's part reversed afterwards. The source's
    terms are public.

    Privacy: that of `wassdp.mechanisms.noisy_mean`, composed over all steps.
    Source: Rakotomamonjy and Ralaivola (2021), section 6.2 ("based on gradient clipping"), and published code. That
    code lacks an import and does not run as published; it also passes nested modules' parameters to the clipping
    several times, which is not repeated here. Its own account multiplies the number of steps by the batch.
    """

    def __init__(self, choice: DPDANNMethod, setting: AdaptationSetting) -> None:
        super().__init__(choice, setting, networks.discriminator(setting.width))
        self.engine = PerTensorEngine(networks.Told(setting.encoder, self.extra))
        self.mechanism = self._mechanism(
            choice.calibrate(lambda sigma: self._mechanism(sigma).event(setting.steps)),
        )

        def loss(outputs: Tensor, _: Tensor) -> Tensor:
            return choice.weight * networks.domain_loss(outputs, source=False)

        self.loss = loss  # one for all steps: the engine tries the model for every loss it meets

    def sample(self, generator: Bits) -> Tensor:
        return self.mechanism.sample(generator=generator)

    def align(self, source: SourceBatch, target: Tensor, *, generator: Bits) -> Alignment:
        told = networks.domain_loss(self.extra(networks.reverse(source.features)), source=True).mean()
        return Alignment(
            loss=self.choice.weight * told,
            gradients=self.released(target, generator=generator),
            figures={"discriminator_loss": float(told.detach())},
        )

    def released(self, target: Tensor, *, generator: Bits) -> dict[nn.Parameter, Tensor]:
        """The noisy mean gradient of a batch of the target, by parameter, the encoder's reversed."""
        unused = torch.zeros(len(target), dtype=torch.int64, device=target.device)
        total = self.engine.clipped_gradient_sum(self.loss, (target, unused), self.choice.clip_norm).total
        mean = self.mechanism.release(total, generator=generator)
        reversed_ = set(self.setting.encoder.parameters())
        return {
            parameter: -part if parameter in reversed_ else part
            for parameter, part in parts(list(self.engine.names), mean).items()
        }

    def event(self, steps: int) -> Event:
        return qualified(self.mechanism.event(steps), notes=(COVERED,))

    def metrics(self) -> dict[str, float]:
        return {"sigma": self.mechanism.sigma}

    def _mechanism(self, sigma: float) -> NoisyMean:
        return NoisyMean(
            sigma=sigma,
            clip_norm=self.choice.clip_norm,
            tensors=len(self.engine.names),
            records=self.setting.records,
            batch=self.setting.batch,
        )
