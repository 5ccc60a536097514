"""DP-SWD as published: the batch's largest norm as divisor, noise on both sides, a gradient through both."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from wassdp.accounting import expected
from wassdp.accounting.event import Event
from wassdp.adaptation import method
from wassdp.adaptation.plain import nothing
from wassdp.experiment import asked

if TYPE_CHECKING:
    from torch import Tensor

    from wassdp.noise import Bits


EVALUATED = "accuracies, distances and norms of the target's records are evaluation and not covered"


class Options(method.Private):
    """The printed noise: 5.34 (CLT: 1.02) for MNIST to USPS, 4.74 (0.9) for USPS to MNIST."""

    title: ClassVar[str] = "DP-SWD, as published"
    name: Literal["published_dp_swd"]
    sigma: float = Field(ge=0, description="noise deviation on every projected value of both sides")
    projections: int = Field(default=200, ge=1, description="directions of a step")

    def asked(self) -> str:
        return asked(noise=self.sigma)

    def expected_event(self) -> Event:
        return expected.drawn(expected.projections())


class Method:
    """Adds w times the published code's distance.

    Privacy: none is proved, for two reasons that the event names: the divisor carries no noise, and neither does the
    encoder's Jacobian at private records, through which the distance's gradient reaches the weights.
    """

    def __init__(self, options: Options, setting: method.Setting) -> None:
        from wassdp.mechanisms.published_sliced import PublishedDPSWD

        self.options, self.setting = options, setting
        self.extra = nothing()
        self.mechanism = PublishedDPSWD(
            sigma=options.sigma,
            projections=options.projections,
            dimension=setting.width,
            records=setting.records,
            batch=setting.batch,
        )

    def sample(self, generator: Bits) -> Tensor:
        return self.mechanism.sample(generator=generator)

    def align(self, source: method.Source, target: Tensor, *, generator: Bits) -> method.Alignment:
        release = self.mechanism.release(self.setting.encoder(target), generator=generator)
        distance = release.distance(source.features, sigma=self.options.sigma, generator=generator)
        return method.Alignment(
            loss=self.options.weight * distance,
            figures={"distance": float(distance.detach()), "largest_norm": float(release.divisor) / 2},
        )

    def event(self, steps: int) -> Event:
        from wassdp.mechanisms.published_sliced import JACOBIAN

        return self.mechanism.event(steps, exposed=(JACOBIAN,), notes=(EVALUATED,))

    def metrics(self) -> dict[str, float]:
        return {"sigma": self.options.sigma}
