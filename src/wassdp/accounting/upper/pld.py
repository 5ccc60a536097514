"""Exact accounting with privacy loss distributions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from wassdp import checks
from wassdp.accounting.event import Composed, Event, Gaussian, MeasuredGradients, PoissonSampled
from wassdp.accounting.guarantee import Guarantee, as_epsilon


@dataclass(frozen=True)
class Accountant:
    """Upper bound on epsilon by composing discretised privacy loss distributions, every error rounded upward."""

    source: str = "Doroshenko et al. (2022), arXiv:2207.04380, Algorithm 1"

    def supports(self, event: Event) -> str | None:
        if isinstance(event, MeasuredGradients):
            worst = event.worst_case()
            return None if worst is None else self.supports(worst)
        if isinstance(event, Composed):
            return next((reason for part in event.events if (reason := self.supports(part))), None)
        if isinstance(event, Gaussian):
            return None
        if isinstance(event, PoissonSampled) and isinstance(event.event, Gaussian):
            return None if event.adjacency == "add-remove" else "Poisson sampling is accounted under add-remove only"
        return f"no privacy profile is known for {type(event).__name__}"

    def epsilon(self, event: Event, delta: float) -> Guarantee:
        checks.open_unit("delta", delta)
        if reason := self.supports(event):
            raise ValueError(f"event: {reason}")
        return self._guarantee(event, delta, _epsilon(event, delta))

    def path(self, event: Event, delta: float, steps: Sequence[int]) -> tuple[Guarantee, ...]:
        checks.open_unit("delta", delta)
        if reason := self.supports(event):
            raise ValueError(f"event: {reason}")
        return tuple(self._guarantee(event, delta, _epsilon(event.first(count), delta)) for count in steps)  # type: ignore[attr-defined]

    def _guarantee(self, event: Event, delta: float, value: float) -> Guarantee:
        return Guarantee(
            accountant="pld",
            kind="upper",
            epsilon=as_epsilon(value),
            bounded=math.isfinite(value),
            delta=delta,
            adjacency=event.adjacency,
            sampling=event.sampling,
            source=self.source,
        )


def _epsilon(event: Event, delta: float) -> float:
    from dp_accounting import dp_event
    from dp_accounting.pld import pld_privacy_accountant

    if isinstance(event, MeasuredGradients):
        worst = event.worst_case()
        return math.inf if worst is None else _epsilon(worst, delta)
    parts = zip(event.events, event.counts, strict=True) if isinstance(event, Composed) else [(event, 1)]
    accountant = pld_privacy_accountant.PLDAccountant()
    for part, count in parts:
        base = part.event if isinstance(part, PoissonSampled) else part
        assert isinstance(base, Gaussian)
        rate = part.rate if isinstance(part, PoissonSampled) else 1.0
        if count == 0 or rate == 0:
            continue
        if base.noise_multiplier == 0:
            return math.inf
        release: dp_event.DpEvent = dp_event.GaussianDpEvent(base.noise_multiplier)
        if rate < 1:
            release = dp_event.PoissonSampledDpEvent(rate, release)
        accountant.compose(release, count)
    return float(accountant.get_epsilon(delta))
