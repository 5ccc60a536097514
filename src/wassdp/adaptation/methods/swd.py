"""Sliced Wasserstein discrepancy between the domains' features, without privacy."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from wassdp.adaptation import method
from wassdp.adaptation.plain import Plain

if TYPE_CHECKING:
    from torch import Tensor

    from wassdp.noise import Bits


class Options(method.Aligning):
    """As published: 200 iid directions for digits, 100 for Office-31, 1000 for VisDA."""

    title: ClassVar[str] = "SWD"
    name: Literal["swd"]
    projections: int = Field(default=200, ge=1, description="directions of a step")


class Method(Plain):
    r"""Adds :math:`w \, SW_2(g(X_s), g(X_t))`, directions drawn afresh in every step.

    Source: Lee et al. (2019), Sliced Wasserstein Discrepancy, for the idea; Rakotomamonjy and Ralaivola (2021),
    published code, for the loss.
    """

    def __init__(self, options: Options, setting: method.Setting) -> None:
        super().__init__(setting)
        self.options = options

    def align(self, source: method.Source, target: Tensor, *, generator: Bits) -> method.Alignment:
        from wassdp.distances import directions
        from wassdp.distances.sliced import sliced_wasserstein

        drawn = directions.draw(
            "iid",
            dimension=self.setting.width,
            count=self.options.projections,
            generator=generator,
            dtype=source.features.dtype,
            device=source.features.device,
        )
        distance = sliced_wasserstein(source.features, self.setting.encoder(target), drawn)
        return method.Alignment(loss=self.options.weight * distance, figures={"distance": float(distance.detach())})
