"""The central limit of Gaussian differential privacy for uniform sampling without replacement."""

from __future__ import annotations

import math

from scipy.special import ndtr

from wassdp.accounting.statements.limit import LimitAccountant


class GDPUniformAccountant(LimitAccountant):
    r"""μ² = 2 q² T (e^{1/σ²} Φ(3/(2σ)) + 3 Φ(-1/(2σ)) - 2), then ε(δ) of the μ-Gaussian mechanism."""

    source = "Dong, Roth, Su (2022), arXiv:1905.02383, Theorem 5.2 with Lemma 5.3 (uniform sampling)"

    def variance(self, rate: float, noise: float) -> float:
        # e^x Φ(3/(2σ)) + 3Φ(-1/(2σ)) - 2, written so that nothing cancels for large σ.
        x = noise**-2
        terms = math.expm1(x) * float(ndtr(1.5 / noise)) + (float(ndtr(1.5 / noise)) - 3 * float(ndtr(0.5 / noise)) + 1)
        return 2 * rate**2 * max(terms, 0.0)
