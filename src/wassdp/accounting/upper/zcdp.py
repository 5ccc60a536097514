"""Zero-concentrated differential privacy: the plainest composition there is, without sampling."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wassdp import checks
from wassdp.accounting.event import Composed, Event, Gaussian, Gibbs, Laplace
from wassdp.accounting.guarantee import Guarantee, as_epsilon
from wassdp.accounting.profiles import dominating


@dataclass(frozen=True)
class Accountant:
    r"""ε = ρ + 2 √(ρ log(1/δ)), ρ added up: 1/(2σ²) for a Gaussian, ε²/2 for a pure ε-DP release."""

    source: str = "Bun and Steinke (2016), arXiv:1605.02065, Propositions 1.3, 1.4 and 1.6, Lemma 1.7"

    def supports(self, event: Event) -> str | None:
        if isinstance(event, Composed):
            return next((reason for part in event.events if (reason := self.supports(part))), None)
        if isinstance(event.reduced(), Gaussian | Laplace | Gibbs):
            return None
        return f"{type(event).__name__}: no zCDP bound is known here; pld has it"

    def epsilon(self, event: Event, delta: float) -> Guarantee:
        checks.open_unit("delta", delta)
        if reason := self.supports(event):
            raise ValueError(f"event: {reason}")
        rho = sum(count * _rho(part.reduced()) for part, count in dominating.flat(event) if count)
        if dominating.unbounded(event):
            rho = math.inf
        value = rho + 2 * math.sqrt(rho * -math.log(delta))
        return Guarantee(
            accountant="zcdp",
            kind="upper",
            epsilon=as_epsilon(value),
            bounded=math.isfinite(value),
            delta=delta,
            adjacency=event.adjacency,
            sampling=event.sampling,
            assumptions=dominating.assumptions(event),
            source=self.source,
        )


def _rho(event: Event) -> float:
    if isinstance(event, Gibbs):
        return event.pure_epsilon**2 / 2
    assert isinstance(event, Gaussian | Laplace)
    # A pure ε-DP release with ε = 1/b, or a Gaussian of μ = 1/σ: the same expression.
    return math.inf if event.noise_multiplier == 0 else 1 / (2 * event.noise_multiplier**2)
