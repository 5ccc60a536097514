"""The central limit of Gaussian differential privacy for Poisson sampling."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import Guarantee
from wassdp.accounting.statements import limit


@dataclass(frozen=True)
class Accountant:
    r"""μ = q √(T (e^{1/σ²} - 1)), then ε(δ) of the μ-Gaussian mechanism; μ² adds up over phases."""

    source: str = "Bu, Dong, Long, Su (2020), arXiv:1911.11607, Corollary 4 (Poisson sampling)"

    def supports(self, event: Event) -> str | None:
        return limit.unsupported(event)

    def epsilon(self, event: Event, delta: float) -> Guarantee:
        return limit.guarantee("gdp", event, delta, lambda rate, noise: rate**2 * math.expm1(noise**-2), self.source)
