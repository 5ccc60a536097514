r"""Conversions between Wasserstein differential privacy and other definitions, as published.

Published formulas, not bounds: nothing here may calibrate noise. Symbols: μ is the order of the
Wasserstein distance (``wasserstein_order``), α that of the Rényi divergence (``renyi_order``), Δ the
sensitivity, L the Lipschitz constant of the logarithm of the output's density.

Source: WDP, Propositions 9, 10 and 11.
"""

from __future__ import annotations

import math

from wassdp import checks


def from_pure(epsilon: float, wasserstein_order: float, *, sensitivity: float = 1.0) -> float:
    r"""ε-DP to (μ, ·)-WDP as printed.

    .. math:: \frac{1}{2} Δ \, (2 ε (e^ε - 1))^{1/(2μ)}

    Does not prove a Wasserstein distance: the Laplace mechanism with Δ = ε = μ = 1 is told 0.927, its
    true distance is 1.

    Args:
        epsilon: pure budget in nats, at least 0; infinity allowed.
        wasserstein_order: μ, at least 1.
        sensitivity: Δ, at least 0.

    Raises:
        ValueError: an argument is out of range.
    Source: WDP, Proposition 9.

    >>> round(from_pure(1.0, 1.0), 3)
    0.927
    """
    if _nothing(epsilon, wasserstein_order, sensitivity=sensitivity):
        return 0.0
    # log(2 ε (e^ε - 1)), whose exponential overflows from ε = 700 on.
    logarithm = math.log(2) + math.log(epsilon) + epsilon + math.log(-math.expm1(-epsilon))
    return _half(sensitivity, logarithm / (2 * wasserstein_order))


def from_renyi(epsilon: float, renyi_order: float, wasserstein_order: float, *, sensitivity: float = 1.0) -> float:
    r"""(α, ε)-RDP to (μ, ·)-WDP as printed: the order α does not enter.

    .. math:: \frac{1}{2} Δ \, (2 ε)^{1/(2μ)}

    Does not prove a Wasserstein distance: the Gaussian mechanism with Δ = σ = 1 has ε = 1 at α = 2 and
    is told 0.707 at μ = 1, its true distance is 1.

    Args:
        epsilon: Rényi divergence in nats, at least 0; infinity allowed.
        renyi_order: α, above 1.
        wasserstein_order: μ, at least 1.
        sensitivity: Δ, at least 0.

    Raises:
        ValueError: an argument is out of range.
    Source: WDP, Proposition 10.

    >>> round(from_renyi(1.0, 2.0, 1.0), 3)
    0.707
    """
    _renyi_order(renyi_order)
    if _nothing(epsilon, wasserstein_order, sensitivity=sensitivity):
        return 0.0
    return _half(sensitivity, math.log(2 * epsilon) / (2 * wasserstein_order))


def to_renyi(epsilon: float, wasserstein_order: float, renyi_order: float, *, lipschitz: float) -> float:
    r"""(μ, ε)-WDP to (α, ·)-RDP as printed.

    .. math:: \frac{α}{α - 1} L \, ε^{μ/(μ+1)}

    Does not prove a Rényi divergence: both sides carry different units, and the Laplace mechanism of
    scale 1 (L = 1) with Δ = 4 is told 2 at μ = 1 and α → ∞, its true divergence is 4.

    Args:
        epsilon: Wasserstein budget, in units of the output, at least 0; infinity allowed.
        wasserstein_order: μ, at least 1.
        renyi_order: α, above 1; infinity gives `to_pure`.
        lipschitz: L, at least 0, per unit of the output.

    Raises:
        ValueError: an argument is out of range.
    Source: WDP, Proposition 11.

    >>> to_renyi(4.0, 1.0, 2.0, lipschitz=1.0)
    4.0
    """
    _renyi_order(renyi_order)
    factor = 1.0 if math.isinf(renyi_order) else renyi_order / (renyi_order - 1)
    return factor * to_pure(epsilon, wasserstein_order, lipschitz=lipschitz)


def to_pure(epsilon: float, wasserstein_order: float, *, lipschitz: float) -> float:
    r"""(μ, ε)-WDP to pure DP as printed: `to_renyi` for α → ∞.

    .. math:: L \, ε^{μ/(μ+1)}

    Does not prove differential privacy: the Laplace mechanism of scale 1 with Δ = 4 is told 2 at μ = 1,
    its true ε is 4.

    Args, Raises: as for `to_renyi`.
    Source: WDP, Proposition 11.

    >>> to_pure(4.0, 1.0, lipschitz=1.0)
    2.0
    """
    if _nothing(epsilon, wasserstein_order, lipschitz=lipschitz):
        return 0.0
    return float(lipschitz * epsilon ** (wasserstein_order / (wasserstein_order + 1)))


def _half(sensitivity: float, logarithm: float) -> float:
    return math.inf if logarithm > 700 else sensitivity / 2 * math.exp(logarithm)


def _nothing(epsilon: float, wasserstein_order: float, **factor: float) -> bool:
    """Whether a budget, or what it is multiplied by, is 0; refused where one of them, or the order, is not allowed."""
    if epsilon != math.inf:
        checks.non_negative("epsilon", epsilon)
    checks.at_least("wasserstein_order", wasserstein_order, 1)
    return 0 in (epsilon, *(checks.non_negative(name, value) for name, value in factor.items()))


def _renyi_order(value: float) -> None:
    if math.isnan(value) or value <= 1:
        raise ValueError(f"renyi_order = {value!r}: must be above 1")
