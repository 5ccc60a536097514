"""Domain-adversarial training: a discriminator learns to tell the domains apart, the encoder to confuse it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from wassdp.adaptation import method
from wassdp.adaptation.plain import Plain

if TYPE_CHECKING:
    from torch import Tensor

    from wassdp.noise import Bits


class Options(method.Aligning):
    """The weight applies to the discriminator's loss, as in the published code."""

    title: ClassVar[str] = "DANN"
    name: Literal["dann"]


class Method(Plain):
    r"""Adds :math:`w (\mathrm{CE}(d(\tilde g(X_s)), 1) + \mathrm{CE}(d(\tilde g(X_t)), 0))`, g's gradient reversed.

    Source: Ganin and Lempitsky (2015); weight and optimiser: Rakotomamonjy and Ralaivola (2021), published code.
    """

    def __init__(self, options: Options, setting: method.Setting) -> None:
        from wassdp.adaptation.networks import discriminator

        super().__init__(setting, discriminator(setting.width))
        self.options = options

    def align(self, source: method.Source, target: Tensor, *, generator: Bits) -> method.Alignment:
        from wassdp.adaptation.networks import domain_loss, reverse

        told = domain_loss(self.extra(reverse(source.features)), source=True).mean()
        told = told + domain_loss(self.extra(reverse(self.setting.encoder(target))), source=False).mean()
        return method.Alignment(
            loss=self.options.weight * told, figures={"discriminator_loss": float(told.detach()) / 2}
        )
