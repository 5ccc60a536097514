"""DP-SGD as a configuration chooses it: clipping, noise or budget, and what a whole training releases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from wassdp.accounting import accountant, calibrate
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed
from wassdp.mechanisms.clip_norm import ClipNorm
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.ranges import Epsilon, LearningRate, Noise
from wassdp.result import Schedule, evenly
from wassdp.training.budget import UPPER, Budget


@dataclass(frozen=True)
class PrivateSteps:
    """A private training.

    Args:
        mechanism: what one step releases.
        before: what was released before the first step, if anything.
        steps: number of steps.
        delta: the delta at which it is accounted.
    """

    mechanism: DPSGD
    before: Event | None
    steps: int
    delta: float

    def event(self) -> Composed:
        """The whole release."""
        event = self.mechanism.event(self.steps)
        if self.before is None:
            return event
        return Composed(events=(self.before, *event.events), counts=(1, *event.counts))

    def releases(self, steps: int) -> int:
        """Number of releases up to and including a step."""
        return steps + (self.before is not None)

    def spent(self, steps: int) -> dict[str, float]:
        """The proven budget after a number of steps, by the guarantee's label; empty where it is unbounded."""
        path = accountant.load(UPPER).path(self.event(), self.delta, (self.releases(steps),))
        return {f"epsilon/{guarantee.label}": guarantee.epsilon for guarantee in path if guarantee.epsilon is not None}

    def schedule(self, steps_per_epoch: int) -> Schedule:
        """After which epochs the budget is accounted: all, or a dozen evenly spread that end with the last step."""
        epochs = evenly(-(-self.steps // steps_per_epoch))
        steps = [min(epoch * steps_per_epoch, self.steps) for epoch in epochs]
        return Schedule(
            axis="epoch",
            positions=tuple(step / steps_per_epoch for step in steps),
            steps=tuple(self.releases(step) for step in steps),
        )


class PrivateSGD(Budget):
    """DP-SGD's clipping, and its noise: given, or the least that keeps a budget. With both, the budget ends the run."""

    given_by: ClassVar[str] = "noise_multiplier"
    both: ClassVar[bool] = True

    clip_norm: ClipNorm = Field(description="C, L2 bound on one example's gradient")
    noise_multiplier: Noise | None = Field(default=None, description="noise standard deviation over clip_norm")
    epsilon: Epsilon | None = Field(
        default=None,
        description="budget to keep, by the PLD upper bound under add/remove and Poisson sampling; beside a "
        "noise_multiplier, training stops before the step that would exceed it",
    )
    learning_rate: LearningRate | None = Field(
        default=None, description="in place of the optimiser's: clipped gradients and each noise want their own"
    )

    def planned(self, *, rate: float, records: int, before: Event | None, most_steps: int) -> PrivateSteps:
        """The release that is asked for: its noise calibrated, or its steps limited by the budget.

        Args:
            rate: probability with which each record enters a step.
            records: their number, treated as public.
            before: what is released before the first step, if anything.
            most_steps: steps of the training unless the budget ends it.

        Raises:
            ValueError: no noise keeps the budget, or not even one step does.
        """

        def release(noise_multiplier: float, steps: int) -> PrivateSteps:
            mechanism = DPSGD(clip_norm=self.clip_norm, noise_multiplier=noise_multiplier, rate=rate, records=records)
            return PrivateSteps(mechanism, before, steps, self.delta)

        upper = accountant.load(UPPER)
        if self.epsilon is not None and before is not None:
            alone = upper.epsilon(before, self.delta)
            if alone.value >= self.epsilon:
                raise ValueError(
                    f"epsilon = {self.epsilon!r}: normalising the features alone spends {alone.value:.4g}; must be more"
                )
        if self.epsilon is None or self.noise_multiplier is None:
            return release(self.calibrate(lambda noise: release(noise, most_steps).event()), most_steps)
        given = self.noise_multiplier
        steps = calibrate.steps(
            lambda count: release(given, count).event(),
            epsilon=self.epsilon,
            delta=self.delta,
            accountant=upper,
            most=most_steps,
        )
        if steps == 0:
            raise ValueError(
                f"epsilon = {self.epsilon!r}: one step with noise_multiplier {given!r} already spends more"
            )
        return release(given, steps)
