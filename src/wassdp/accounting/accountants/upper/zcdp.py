"""Zero-concentrated differential privacy: the plainest composition there is, without sampling."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wassdp import checks
from wassdp.accounting import inexact
from wassdp.accounting.event import Composed, Event, Gaussian, Gibbs, Laplace
from wassdp.accounting.formulas import conversions, small
from wassdp.accounting.guarantee import Guarantee, as_epsilon
from wassdp.accounting.profiles import dominating


@dataclass(frozen=True)
class Accountant:
    r"""ρ added up, 1/(2σ²) for a Gaussian and ε²/2 for a pure ε-DP release; then the best order of αρ-Rényi DP.

    .. math:: ε = \min_{α > 1} αρ + \log\frac{α-1}{α} - \frac{\log δ + \log α}{α-1} ≤ ρ + 2 \sqrt{ρ \log(1/δ)}

    over all real orders, not only whole ones. ρ and ε are rounded up by what their terms can have lost.
    """

    source: str = (
        "Bun and Steinke (2016), arXiv:1605.02065, Propositions 1.4 and 1.6, Lemma 1.7; "
        "Canonne, Kamath, Steinke (2020), arXiv:2004.00010, Proposition 12"
    )

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
        parts = [float(count) * _rho(part.reduced()) for part, count in dominating.flat(event) if count]
        rho = math.fsum(parts) * (1 + 16 * small.UNIT) if math.inf not in parts else math.inf
        if dominating.unbounded(event):
            rho = math.inf
        value = inexact.raised(
            lambda left: rho if rho in (0, math.inf) else conversions.zcdp_to_epsilon_by_renyi(rho, left),
            delta,
            inexact.total_variation(event),
        )
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
        return max(event.pure_epsilon * event.pure_epsilon / 2, small.LEAST)
    assert isinstance(event, Gaussian | Laplace)
    # A pure ε-DP release with ε = 1/b, or a Gaussian of μ = 1/σ: the same expression.
    inverse = math.inf if event.noise_multiplier == 0 else 1 / event.noise_multiplier
    return max(inverse * inverse / 2, small.LEAST)
