r"""Images drawn from noisy moments: no distance is compared, and no generator trained.

Three sums are released once: class means with one pixel-wise second moment, one pooled Gram matrix of low cosines, and
one Gram matrix for each class along the leading directions of that (`wassdp.generation.noisy_moments`); where classes
have parts, their counts and means a few times besides (`wassdp.generation.parts`). Pixels are then doubly censored
Gaussians that have these moments (`wassdp.generation.censored`): as many images as one likes.
"""

from __future__ import annotations

import math
from typing import ClassVar, Literal

from wassdp.accounting import expected
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.reach import Reach
from wassdp.generation.method import GenerationMethod, GenerationSetting, Noise, ReleasePlan
from wassdp.generation.noisy_moments import Moments, Releases
from wassdp.generation.views import Cosine, Shape


class MomentsMethod(Moments, GenerationMethod):
    """Noisy moments once, and doubly censored Gaussians that have them. Labels are as private as images."""

    trains: ClassVar[bool] = False

    name: Literal["moments"]

    def describe(self) -> str:
        parts = f", {2**self.halvings} parts a class" if self.halvings else ""
        return f"moments, {self.side}×{self.side} cosines, {self.directions} directions{parts}"

    def releases(self, steps: int) -> int:
        return 3 + self.rounds

    def expected_event(self) -> Event:
        return repeated(expected.gaussian("replace-one"), 3 + self.rounds)

    def reach(self, shape: Shape, classes: int) -> Reach:
        # The first release alone: all are one Gaussian release, in which its squared sensitivity has this share.
        first = self.shares[0] * self.left
        share = self.sums(shape, classes, records=1, noise=1.0).reach() * math.sqrt(first) * (1 - 2**-20)
        return Reach(share, "white pixels, others in another class; how far they move Gram matrices is not asked")

    def impossible(self, shape: Shape) -> str | None:
        if reason := Cosine(name="cosine", side=self.side).impossible(shape):
            return reason
        if not math.isclose(sum(self.shares), 1, abs_tol=1e-9) or min(self.shares) <= 0:
            return f"shares {self.shares}: must be above 0 and sum to 1"
        if self.halvings > self.directions:
            return f"halvings {self.halvings}: must be at most {self.directions}, the directions"
        if self.directions > (most := shape[0] * self.side**2):
            return f"directions {self.directions}: must be at most {most}, the number of cosines"
        return None

    def build(self, privacy: Noise | None, setting: GenerationSetting) -> ReleasePlan:
        if reason := self.impossible(setting.shape):
            raise ValueError(reason)
        noise = 0.0 if privacy is None else privacy.calibrate(self.events)
        return ReleasePlan(
            sampler=lambda generator: Releases(self, setting, noise, generator).images(),
            event=None if privacy is None else self.events(noise),
            figures={"noise": noise, "dimension": float(setting.shape[0] * self.side**2)},
        )
