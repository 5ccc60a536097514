"""Sliced Wasserstein discrepancy between the domains' features, without privacy."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field
from torch import Tensor

from wassdp.adaptation.method import AdaptationSetting, Aligner, Aligning, Alignment, SourceBatch
from wassdp.distances import directions
from wassdp.distances.sliced import sliced_wasserstein
from wassdp.noise import Bits


class SWDMethod(Aligning):
    """As published: 200 iid directions for digits, 100 for Office-31, 1000 for VisDA."""

    title: ClassVar[str] = "SWD"
    name: Literal["swd"]
    projections: int = Field(default=200, ge=1, description="directions of a step")

    def build(self, setting: AdaptationSetting) -> SWD:
        return SWD(self, setting)


class SWD(Aligner[SWDMethod]):
    r"""Adds :math:`w \, SW_2(g(X_s), g(X_t))`, directions drawn afresh in every step.

    Source: Lee et al. (2019), Sliced Wasserstein Discrepancy, for the idea; Rakotomamonjy and Ralaivola (2021),
    published code, for the loss.
    """

    def align(self, source: SourceBatch, target: Tensor, *, generator: Bits) -> Alignment:
        drawn = directions.draw(
            "iid",
            dimension=self.setting.width,
            count=self.choice.projections,
            generator=generator,
            dtype=source.features.dtype,
            device=source.features.device,
        )
        distance = sliced_wasserstein(source.features, self.setting.encoder(target), drawn)
        return Alignment(loss=self.choice.weight * distance, figures={"distance": float(distance.detach())})
