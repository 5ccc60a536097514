"""What the two central limits of Gaussian differential privacy share."""

from __future__ import annotations

import math
from collections.abc import Callable

from wassdp.accounting.event import Event
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.formulas import conversions
from wassdp.accounting.guarantee import Guarantee
from wassdp.accounting.statements.statement import refuse, statement

LIMIT = "a central limit for many steps, not an upper bound: it can be below the exact epsilon"


def unsupported(event: Event) -> str | None:
    """The reason why ``event`` is no composition of sampled Gaussian releases; or None."""
    for part, _ in event.parts():
        _, base = part.drawn()
        if not isinstance(base.reduced(), Gaussian):
            return f"{type(base).__name__}: the limit is stated for Gaussian releases"
    return None


def guarantee(
    name: str, event: Event, delta: float, variance: Callable[[float, float], float], source: str
) -> Guarantee:
    """The limit's statement; ``variance`` gives μ² of one step from its rate and noise multiplier."""
    refuse(unsupported(event), delta)
    total = 0.0
    for part, count in event.parts():
        rate, base = part.drawn()
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
