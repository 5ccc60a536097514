"""Domain-adversarial training: a discriminator learns to tell the domains apart, the encoder to confuse it."""

from __future__ import annotations

from typing import ClassVar, Literal

from torch import Tensor

from wassdp.adaptation.method import AdaptationSetting, Aligner, Aligning, Alignment, SourceBatch
from wassdp.adaptation.networks import discriminator, domain_loss, reverse
from wassdp.noise import Bits


class DANNMethod(Aligning):
    """The weight applies to the discriminator's loss, as in the published code."""

    title: ClassVar[str] = "DANN"
    name: Literal["dann"]

    def build(self, setting: AdaptationSetting) -> DANN:
        return DANN(self, setting)


class DANN(Aligner[DANNMethod]):
    r"""Adds :math:`w (\mathrm{CE}(d(\tilde g(X_s)), 1) + \mathrm{CE}(d(\tilde g(X_t)), 0))`, g's gradient reversed.

    Source: Ganin and Lempitsky (2015); weight and optimiser: Rakotomamonjy and Ralaivola (2021), published code.
    """

    def __init__(self, choice: DANNMethod, setting: AdaptationSetting) -> None:
        super().__init__(choice, setting, discriminator(setting.width))

    def align(self, source: SourceBatch, target: Tensor, *, generator: Bits) -> Alignment:
        told = domain_loss(self.extra(reverse(source.features)), source=True).mean()
        told = told + domain_loss(self.extra(reverse(self.setting.encoder(target))), source=False).mean()
        return Alignment(loss=self.choice.weight * told, figures={"discriminator_loss": float(told.detach()) / 2})
