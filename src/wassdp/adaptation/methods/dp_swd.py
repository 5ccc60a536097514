"""DP-SWD with an account: rows clipped to a public norm, batches as accounted, noise for the steps really made."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal

import torch
from pydantic import Field
from torch import Tensor

from wassdp.accounting import expected
from wassdp.accounting.event import Event
from wassdp.accounting.events.qualified import qualified
from wassdp.accounting.reach import Reach
from wassdp.adaptation.method import AdaptationSetting, Aligner, Alignment, Calibrated, SourceBatch
from wassdp.distances.sliced import root
from wassdp.mechanisms.clip_norm import ClipNorm
from wassdp.mechanisms.dpswd import DPSWD, NoisyProjections
from wassdp.mechanisms.published_sliced import EVALUATED, JACOBIAN
from wassdp.noise import Bits

COVERED = (
    "DP-SWD with the gradient through the source alone: the budget holds for the weights after every step, since the "
    "target's rows reach them through the noisy projections alone and no gradient flows through the encoder at private "
    "records; accuracies and losses on the target's records and labels, and numbers of clipped rows, are "
    "evaluation and not covered"
)


class DPSWDMethod(Calibrated):
    """Noise is on every projected value, in units of rows of norm at most 1/2."""

    title: ClassVar[str] = "DP-SWD, accounted in full"
    name: Literal["dp_swd"]
    radius: ClipNorm = Field(description="public norm to which a record's features are clipped, in their own unit")
    centred: bool = Field(
        default=True, description="subtract the mean of the source's batch from both sides, before clipping"
    )
    projections: int = Field(default=200, ge=1, description="directions of a step")
    directions: Literal["iid", "orthogonal"] = "iid"
    gradient: Literal["public", "both"] = Field(
        default="public",
        description="public: the target's features are a constant of the step, so that the weights are a "
        "post-processing of the release; both: as in the paper, through the encoder at private records too, which the "
        "mechanism's guarantee does not cover",
    )

    def build(self, setting: AdaptationSetting) -> DPSWDAligner:
        return DPSWDAligner(self, setting)

    def without_canaries(self) -> str | None:
        if self.gradient == "both":
            return "nothing is proven of a gradient through both sides, there is no budget to attack"
        return super().without_canaries()

    def describe(self) -> str:
        return self.title + (", gradient through both sides" if self.gradient == "both" else "")

    def expected_event(self) -> Event:
        return expected.drawn(expected.projections(self.directions))

    def reach(self) -> Reach:
        return Reach(
            1.0, "features at opposite ends of the ball, in feature space: whether valid records have them is not asked"
        )


class DPSWDAligner(Aligner[DPSWDMethod]):
    r"""Adds :math:`2 w R \, SW_2` between noisy projections of both sides' features, clipped to norm R and over 2R.

    Only the target's noise protects; the source's makes both sides' laws alike, as the paper has it.

    Privacy: with ``gradient: public`` that of `wassdp.mechanisms.dpswd.DPSWD`, composed over all steps: encoder
    and head are computed from the source and from earlier releases, so every step is an adaptive release. With
    ``gradient: both`` nothing is proved, and the event names what is exposed.

    Attributes:
        watch: told what each step released, and the centre of its rows.
    """

    watch: Callable[[NoisyProjections, Tensor], None] | None = None

    def __init__(self, choice: DPSWDMethod, setting: AdaptationSetting) -> None:
        super().__init__(choice, setting)
        sigma = choice.calibrate(lambda noise: self._mechanism(noise).event(setting.steps))
        self.mechanism = self._mechanism(sigma)

    def sample(self, generator: Bits) -> Tensor:
        return self.mechanism.sample(generator=generator)

    def align(self, source: SourceBatch, target: Tensor, *, generator: Bits) -> Alignment:
        unit = 2 * self.choice.radius
        # The source is public, and so is its mean: moving both sides by it changes no distance, but shortens the rows.
        features = source.features
        centre = features.detach().mean(dim=0) if self.choice.centred else torch.zeros_like(features[0])
        with torch.set_grad_enabled(self.choice.gradient == "both"):
            private = (self.setting.encoder(target) - centre) / unit
        release = self.mechanism.release(private, generator=generator)
        if self.watch is not None:
            self.watch(release, centre)
        public, _ = self.mechanism.clip((features - centre) / unit)
        power = release.distance_power(public, p=2.0, sigma=self.mechanism.sigma, generator=generator)
        distance = unit * root(power, 2.0)
        return Alignment(
            loss=self.choice.weight * distance,
            figures={"distance": float(distance.detach()), "clipped": release.clipped / len(target)},
        )

    def event(self, steps: int) -> Event:
        releases = self.mechanism.event(steps)
        if self.choice.gradient == "both":
            return qualified(releases, exposed=(JACOBIAN,), notes=(EVALUATED,))
        return qualified(releases, notes=(COVERED,))

    def metrics(self) -> dict[str, float]:
        return {"sigma": self.mechanism.sigma}

    def _mechanism(self, sigma: float) -> DPSWD:
        return DPSWD(
            sigma=sigma,
            projections=self.choice.projections,
            dimension=self.setting.width,
            records=self.setting.records,
            batch=self.setting.batch,
            directions=self.choice.directions,
        )
