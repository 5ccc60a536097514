"""DP-SWD as published: the batch's largest norm as divisor, noise on both sides, a gradient through both."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field
from torch import Tensor

from wassdp.accounting import expected
from wassdp.accounting.event import Event
from wassdp.adaptation.method import AdaptationSetting, Aligner, Alignment, PrivateAligning, SourceBatch
from wassdp.experiment import asked
from wassdp.mechanisms.published_sliced import EVALUATED, JACOBIAN, PublishedDPSWD
from wassdp.noise import Bits
from wassdp.ranges import Noise


class PublishedDPSWDMethod(PrivateAligning):
    """The printed noise: 5.34 (CLT: 1.02) for MNIST to USPS, 4.74 (0.9) for USPS to MNIST."""

    title: ClassVar[str] = "DP-SWD, as published"
    name: Literal["published_dp_swd"]
    sigma: Noise = Field(description="noise deviation on every projected value of both sides")
    projections: int = Field(default=200, ge=1, description="directions of a step")

    def build(self, setting: AdaptationSetting) -> PublishedDPSWDAligner:
        return PublishedDPSWDAligner(self, setting)

    def without_canaries(self) -> str:
        return "the divisor is the batch's largest norm, released without noise, so that no budget is proven to attack"

    def asked(self) -> str:
        return asked(noise=self.sigma)

    def expected_event(self) -> Event:
        return expected.drawn(expected.projections())


class PublishedDPSWDAligner(Aligner[PublishedDPSWDMethod]):
    """Adds w times the published code's distance.

    Privacy: none is proved, for two reasons that the event names: the divisor carries no noise, and neither does the
    encoder's Jacobian at private records, through which the distance's gradient reaches the weights.
    """

    def __init__(self, choice: PublishedDPSWDMethod, setting: AdaptationSetting) -> None:
        super().__init__(choice, setting)
        self.mechanism = PublishedDPSWD(
            sigma=choice.sigma,
            projections=choice.projections,
            dimension=setting.width,
            records=setting.records,
            batch=setting.batch,
        )

    def sample(self, generator: Bits) -> Tensor:
        return self.mechanism.sample(generator=generator)

    def align(self, source: SourceBatch, target: Tensor, *, generator: Bits) -> Alignment:
        release = self.mechanism.release(self.setting.encoder(target), generator=generator)
        distance = release.distance(source.features, sigma=self.choice.sigma, generator=generator)
        return Alignment(
            loss=self.choice.weight * distance,
            figures={"distance": float(distance.detach()), "largest_norm": float(release.divisor) / 2},
        )

    def event(self, steps: int) -> Event:
        return self.mechanism.event(steps, exposed=(JACOBIAN,), notes=(EVALUATED,))

    def metrics(self) -> dict[str, float]:
        return {"sigma": self.choice.sigma}
