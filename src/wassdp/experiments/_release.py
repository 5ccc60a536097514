"""What a training releases: perhaps moments for normalisation, then noisy gradients, step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wassdp.accounting import accountant, calibrate
from wassdp.accounting.event import Composed, Event
from wassdp.experiments._choices import Privacy
from wassdp.result import Schedule

if TYPE_CHECKING:
    from wassdp.mechanisms.dpsgd import Mechanism

UPPER = "pld"

# How often every accountant accounts for a run along its way, at most: some take a fraction of a second each time.
ACCOUNTED = 12


@dataclass(frozen=True)
class Release:
    """A private training.

    Args:
        mechanism: what one step releases.
        before: what was released before the first step, if anything.
        steps: number of steps.
        delta: the delta at which it is accounted.
    """

    mechanism: Mechanism
    before: Event | None
    steps: int
    delta: float

    def event(self) -> Composed:
        """The whole release."""
        return _event(self.mechanism, self.before, self.steps)

    def releases(self, steps: int) -> int:
        """Number of releases up to and including a step."""
        return steps + (self.before is not None)

    def spent(self, steps: int) -> dict[str, float]:
        """The proven budget after a number of steps, by the guarantee's label; empty where it is unbounded."""
        (found,) = accountant.path(accountant.load(UPPER), self.event(), self.delta, (self.releases(steps),))
        return {} if found.epsilon is None else {f"epsilon/{found.label}": found.epsilon}


def plan(
    privacy: Privacy, mechanism: Callable[[float], Mechanism], *, before: Event | None, most_steps: int
) -> Release:
    """The release that a privacy section asks for: its noise calibrated, or its steps limited by the budget.

    Args:
        privacy: the section.
        mechanism: one step at a given noise multiplier.
        before: what is released before the first step, if anything.
        most_steps: steps of the training unless the budget ends it.

    Raises:
        ValueError: no noise keeps the budget, or not even one step does.
    """

    def release(noise_multiplier: float, steps: int) -> Release:
        return Release(mechanism(noise_multiplier), before, steps, privacy.delta)

    if privacy.epsilon is None:
        assert privacy.noise_multiplier is not None, "Privacy holds at least one of the two"
        return release(privacy.noise_multiplier, most_steps)
    found = accountant.load(UPPER)
    if before is not None:
        alone = found.epsilon(before, privacy.delta)
        if alone.value >= privacy.epsilon:
            raise ValueError(
                f"epsilon = {privacy.epsilon!r}: normalising the features alone spends {alone.value:.4g}; must be more"
            )
    if (given := privacy.noise_multiplier) is None:
        return release(
            calibrate.noise_multiplier(
                lambda noise: _event(mechanism(noise), before, most_steps),
                epsilon=privacy.epsilon,
                delta=privacy.delta,
                accountant=found,
            ),
            most_steps,
        )
    steps = calibrate.steps(
        lambda count: _event(mechanism(given), before, count),
        epsilon=privacy.epsilon,
        delta=privacy.delta,
        accountant=found,
        most=most_steps,
    )
    if steps == 0:
        raise ValueError(f"epsilon = {privacy.epsilon!r}: one step with noise_multiplier {given!r} already spends more")
    return release(given, steps)


def schedule(steps: int, steps_per_epoch: int, *, before: bool) -> Schedule:
    """After which epochs the budget is accounted: all, or a dozen evenly spread that end with the last step."""
    epochs = -(-steps // steps_per_epoch)
    count = min(epochs, ACCOUNTED)
    done = [min(-(-epochs * place // count) * steps_per_epoch, steps) for place in range(1, count + 1)]
    return Schedule(
        axis="epoch",
        positions=tuple(each / steps_per_epoch for each in done),
        steps=tuple(each + before for each in done),
    )


def _event(mechanism: Mechanism, before: Event | None, steps: int) -> Composed:
    event = mechanism.event(steps)
    if before is None:
        return event
    return Composed(events=(before, *event.events), counts=(1, *event.counts))
