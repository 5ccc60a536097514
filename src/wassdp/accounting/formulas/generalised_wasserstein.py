r"""Generalised Wasserstein differential privacy: budgets that may fail with probability δ.

Definition 5 of Yang, Qi and Zhou (2024) takes the loss W as random: over pairs of neighbours, over earlier outputs.
Here its law is finite: ``losses`` has shape (steps, outcomes), one value for every step and outcome in the unit of the
mechanism's output, and ``probabilities`` shape (outcomes). Published and valid tail bounds stand side by side; neither
is a bound on likelihood ratios.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float
from scipy.special import logsumexp

from wassdp import checks

Losses = Float[np.ndarray, "steps outcomes"]
Probabilities = Float[np.ndarray, " outcomes"]


def failure_probability(losses: Losses, probabilities: Probabilities, epsilon: float) -> float:
    r"""Pr[Σ_t W_t ≥ ε].

    Raises:
        ValueError: an argument is out of range.
    Source: Yang, Qi and Zhou (2024), AAAI, Definition 5 (equation 9), with the sum of equation 83.

    >>> failure_probability(np.array([[0.0, 10.0]]), np.array([0.5, 0.5]), 10.0)
    0.5
    """
    _check(losses, probabilities)
    checks.non_negative("epsilon", epsilon)
    return float(probabilities[losses.sum(axis=0) >= epsilon].sum())


def budget(losses: Losses, probabilities: Probabilities, delta: float) -> float:
    r"""The least ε with Pr[Σ_t W_t > ε] ≤ δ.

    Strictly above: with "at least", as printed, a loss that is constant would need a budget above itself.

    Source: Yang, Qi and Zhou (2024), AAAI, Definition 5 (equation 9).

    >>> budget(np.array([[0.0, 10.0]]), np.array([0.5, 0.5]), 0.1), budget(np.array([[3.0]]), np.array([1.0]), 0.1)
    (10.0, 3.0)
    """
    _check(losses, probabilities)
    checks.probability("delta", delta)
    totals = losses.sum(axis=0)
    order = np.argsort(totals)
    above = 1 - np.cumsum(probabilities[order])
    return float(totals[order][np.argmax(above <= delta + 1e-15)])


def printed_tail(losses: Losses, probabilities: Probabilities, epsilon: float, beta: float) -> float:
    r"""δ as printed: exp(β Σ_t E W_t − βε).

    Not a bound: the step from E exp(βW) to exp(β E W) runs against Jensen's inequality.

    Source: Yang, Qi and Zhou (2024), AAAI, Theorem 1 (equation 10).

    >>> round(printed_tail(np.array([[0.0, 10.0]]), np.array([0.5, 0.5]), 10.0, 1.0), 4)
    0.0067
    """
    _check(losses, probabilities)
    exponent = checks.positive("beta", beta) * (float((losses @ probabilities).sum()) - epsilon)
    return math.exp(min(exponent, 700.0))


def chernoff_tail(losses: Losses, probabilities: Probabilities, epsilon: float, beta: float) -> float:
    r"""δ by Markov's inequality for exp(βW), where the proof of Theorem 1 leaves it: E exp(β Σ_t W_t − βε).

    At least `failure_probability`, for every β.

    Source: Yang, Qi and Zhou (2024), arXiv:2401.12436, appendix, equation 84.

    >>> round(chernoff_tail(np.array([[0.0, 10.0]]), np.array([0.5, 0.5]), 10.0, 1.0), 4)
    0.5
    """
    _check(losses, probabilities)
    exponents = checks.positive("beta", beta) * (losses.sum(axis=0) - epsilon)
    return math.exp(min(float(logsumexp(exponents, b=probabilities)), 700.0))


def _check(losses: Losses, probabilities: Probabilities) -> None:
    if losses.ndim != 2 or losses.size == 0 or not (np.isfinite(losses).all() and (losses >= 0).all()):
        raise ValueError(f"losses has shape {losses.shape}: must be (steps, outcomes), finite and at least 0")
    fits = probabilities.shape == losses.shape[1:] and (probabilities >= 0).all()
    if not (fits and math.isclose(float(probabilities.sum()), 1.0, abs_tol=1e-9)):
        raise ValueError(f"probabilities: must be {losses.shape[1]} numbers of at least 0 that sum to 1")
