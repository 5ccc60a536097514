"""What the two central limits of Gaussian differential privacy share."""

from __future__ import annotations

import math
from collections.abc import Callable

from wassdp.accounting.event import Composed, Event, Gaussian, PoissonSampled, SampledWithoutReplacement
from wassdp.accounting.formulas import conversions
from wassdp.accounting.guarantee import Guarantee
from wassdp.accounting.profiles import dominating
from wassdp.accounting.statements.statement import refuse, statement

LIMIT = "a central limit for many steps, not an upper bound: it can be below the exact epsilon"


def unsupported(event: Event) -> str | None:
    """The reason why ``event`` is no composition of sampled Gaussian releases; or None."""
    if isinstance(event, Composed):
        return next((reason for part in event.events if (reason := unsupported(part))), None)
    base = event.event if isinstance(event, PoissonSampled | SampledWithoutReplacement) else event
    if not isinstance(base.reduced(), Gaussian):
        return f"{type(base).__name__}: the limit is stated for Gaussian releases"
    return None


def guarantee(
    name: str, event: Event, delta: float, variance: Callable[[float, float], float], source: str
) -> Guarantee:
    """The limit's statement; ``variance`` gives μ² of one step from its rate and noise multiplier."""
    refuse(unsupported(event), delta)
    total = 0.0
    for part, count in dominating.flat(event):
        rate, base = 1.0, part
        if isinstance(part, PoissonSampled | SampledWithoutReplacement):
            rate, base = part.rate, part.event
        gaussian = base.reduced()
        assert isinstance(gaussian, Gaussian)
        if count and rate:
            total += count * _step(rate, gaussian.noise_multiplier, variance)
    notes = [LIMIT]
    if event.sampling == "without-replacement":
        notes.append("the sampling rate is read as batch over records")
    return statement(name, event, delta, conversions.gdp_to_epsilon(math.sqrt(total), delta), notes, source)


def _step(rate: float, noise: float, variance: Callable[[float, float], float]) -> float:
    if noise == 0:
        return math.inf
    if rate == 1:
        return noise**-2
    return math.inf if noise**-2 > 600 else variance(rate, noise)
