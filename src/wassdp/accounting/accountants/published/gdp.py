"""The central limit of Gaussian differential privacy for Poisson sampling."""

from __future__ import annotations

import math

from wassdp.accounting.statements.limit import LimitAccountant


class GDPAccountant(LimitAccountant):
    r"""μ = q √(T (e^{1/σ²} - 1)), then ε(δ) of the μ-Gaussian mechanism; μ² adds up over phases."""

    source = "Bu, Dong, Long, Su (2020), arXiv:1911.11607, Corollary 4 (Poisson sampling)"

    def variance(self, rate: float, noise: float) -> float:
        return rate**2 * math.expm1(noise**-2)
