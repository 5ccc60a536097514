"""How often an attacker who knows all but one record guesses that record right."""

from __future__ import annotations

import math

from wassdp import checks


def attack_success(epsilon: float, delta: float = 0.0) -> float:
    r"""Largest probability of telling apart two equally likely data sets that differ in one record.

    .. math:: P(A) = \frac{e^\varepsilon + \delta}{e^\varepsilon + 1}, \qquad
              \delta = 0: \quad P(A) = \frac{1}{1 + e^{-\varepsilon}}

    From a budget that bounds no likelihood ratio, as that of Wasserstein DP, nothing of the kind follows.

    Args:
        epsilon: ε >= 0 in nats; infinity is allowed.
        delta: δ in [0, 1].

    Returns:
        A probability from 1/2 to 1.

    Raises:
        ValueError: epsilon is negative or not a number, or delta is not a probability.

    Source: δ = 0: Triastcyn and Faltings (2020), ICML, Section 3; Yang, Qi and Zhou (2024), AAAI, Table 2. In general:
    Kairouz, Oh and Viswanath (2015), Theorem 2.1: no test has a power above e^ε times its level plus δ.

    >>> round(attack_success(2.2), 3), attack_success(0.0), attack_success(math.inf)
    (0.9, 0.5, 1.0)
    """
    if not epsilon >= 0:
        raise ValueError(f"epsilon = {epsilon!r}: must be at least 0")
    checks.probability("delta", delta)
    certain = 1 / (1 + math.exp(-epsilon))
    return certain + delta * (1 - certain)
