"""Zero-concentrated differential privacy: the plainest composition there is, without sampling."""

from __future__ import annotations

import math

from wassdp.accounting import inexact
from wassdp.accounting.accountant import Accountant
from wassdp.accounting.event import Event, UnknownError
from wassdp.accounting.formulas import conversions, small
from wassdp.accounting.guarantee import Guarantee


class ZCDPAccountant(Accountant):
    r"""ρ added up, 1/(2σ²) for a Gaussian and ε²/2 for a pure ε-DP release; then the best order of αρ-Rényi DP.

    .. math:: ε = \min_{α > 1} αρ + \log\frac{α-1}{α} - \frac{\log δ + \log α}{α-1} ≤ ρ + 2 \sqrt{ρ \log(1/δ)}

    over all real orders, not only whole ones. ρ and ε are rounded up by what their terms can have lost.
    """

    counts_variation = True
    source = (
        "Bun and Steinke (2016), arXiv:1605.02065, Propositions 1.4 and 1.6, Lemma 1.7; "
        "Canonne, Kamath, Steinke (2020), arXiv:2004.00010, Proposition 12"
    )

    def supports(self, event: Event) -> str | None:
        try:
            for part, _ in event.parts():
                part.rho()
        except UnknownError as error:
            return str(error)
        return None

    def epsilon(self, event: Event, delta: float) -> Guarantee:
        self.refuse(event, delta)
        parts = [float(count) * part.rho() for part, count in event.parts() if count]
        rho = math.fsum(parts) * (1 + 16 * small.UNIT) if math.inf not in parts else math.inf
        if event.unbounded():
            rho = math.inf
        value = inexact.raised(
            lambda left: rho if rho in (0, math.inf) else conversions.zcdp_to_epsilon_by_renyi(rho, left),
            delta,
            event.variation(),
        )
        return self.guarantee(event, delta, value)
