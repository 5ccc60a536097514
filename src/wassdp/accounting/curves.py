"""The trade-off between the two errors of an attacker on one event."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from wassdp import checks
from wassdp.accounting.event import Event
from wassdp.accounting.numerics import exact


def trade_off(
    event: Event, false_positive_rates: Float[np.ndarray, " rates"], *, points: int = 40
) -> Float[np.ndarray, " rates"]:
    r"""A lower bound on the false negative rate of every attack, at each false positive rate.

    .. math:: f(α) = \sup_{ε ≥ 0} \max\{0,\ 1 - δ(ε) - e^ε α,\ e^{-ε}(1 - δ(ε) - α)\}

    over ``points`` values of ε, with the upper value of δ: fewer points only lower it.

    Args:
        event: what was released.
        false_positive_rates: α in [0, 1].
        points: number of ε between 0 and ε(δ = 1e-6).
    Source: Dong, Roth, Su (2022), arXiv:1905.02383, Proposition 2.12.
    """
    checks.whole("points", points, least=2)
    if false_positive_rates.size and not (false_positive_rates.min() >= 0 and false_positive_rates.max() <= 1):
        raise ValueError("false_positive_rates: must lie in [0, 1]")
    top = exact.upper_epsilon(event, 1e-6, accuracy=1e-2)
    if not np.isfinite(top):
        return np.zeros(false_positive_rates.shape)
    # Beyond, e^ε overflows.
    epsilons = np.linspace(0.0, min(max(top, 1e-9), 700.0), points)
    deltas = np.array(exact.upper_deltas(event, epsilons.tolist(), accuracy=1e-3))
    alpha = false_positive_rates[:, None]
    first = 1 - deltas - np.exp(epsilons) * alpha
    second = np.exp(-epsilons) * (1 - deltas - alpha)
    return np.asarray(np.maximum(0.0, np.maximum(first, second)).max(axis=1))
