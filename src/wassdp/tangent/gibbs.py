r"""The Gibbs posterior of a finite W, and its differentials; all in log space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.special import logsumexp

from wassdp import checks
from wassdp.tangent.risks import Risks, mapped


@dataclass(frozen=True, eq=False)
class Posterior:
    r"""q(w) ∝ π(w) exp(-β · mean_x r(w, x)).

    Args:
        log_probabilities: log q, shape (hypotheses,).
        mean_risks: mean_x r(w, x), shape (hypotheses,).
        inverse_temperature: β.
        records: N.
    """

    log_probabilities: Float[np.ndarray, " hypotheses"]
    mean_risks: Float[np.ndarray, " hypotheses"]
    inverse_temperature: float
    records: int

    @property
    def probabilities(self) -> Float[np.ndarray, " hypotheses"]:
        """q; far tails underflow to 0."""
        return np.asarray(np.exp(self.log_probabilities))


def mean_risks(risks: Risks, *, workers: int = 1) -> Float[np.ndarray, " hypotheses"]:
    """mean_x r(w, x) of every hypothesis.

    Raises:
        ValueError: a risk is not a number.
    """
    total = np.zeros(risks.hypotheses)
    for part in mapped(lambda first, last: risks.block(first, last).sum(axis=0), risks, workers=workers):
        total += part
    if not np.isfinite(total).all():
        raise ValueError(f"risks: hypothesis {int(np.argmin(np.isfinite(total)))} has one that is no finite number")
    return total / risks.records


def from_mean_risks(
    means: Float[np.ndarray, " hypotheses"],
    inverse_temperature: float,
    *,
    records: int,
    log_base: Float[np.ndarray, " hypotheses"] | None = None,
) -> Posterior:
    """The posterior of known mean risks; see `posterior`."""
    checks.positive("inverse_temperature", inverse_temperature)
    logits = -inverse_temperature * means
    if log_base is not None:
        if not np.isfinite(log_base).all():
            raise ValueError("log_base: must be finite")
        logits = logits + log_base
    return Posterior(logits - logsumexp(logits), means, inverse_temperature, records)


def posterior(
    risks: Risks,
    inverse_temperature: float,
    *,
    log_base: Float[np.ndarray, " hypotheses"] | None = None,
    workers: int = 1,
) -> Posterior:
    r"""The minimiser of \sum q(w) mean_x r(w, x) + KL(q ‖ π) / β.

    Args:
        risks: r.
        inverse_temperature: β > 0.
        log_base: log π up to a constant; None for the uniform base of TDP (3.1). It may not depend on the data.
        workers: threads.

    Raises:
        ValueError: β is not positive and finite, or a risk is not a number.
    Source: TDP (3.1).

    >>> from wassdp.tangent.risks import MatrixRisks
    >>> posterior(MatrixRisks(np.array([[0.0], [1.0]])), 1e6).log_probabilities
    array([      -0., -1000000.])
    """
    means = mean_risks(risks, workers=workers)
    return from_mean_risks(means, inverse_temperature, records=risks.records, log_base=log_base)


def differential(
    posterior: Posterior, matrix: Float[np.ndarray, "hypotheses records"]
) -> Float[np.ndarray, "hypotheses records"]:
    r"""DA_p as a matrix: -β (diag(q) - q qᵀ) r (TDP, section 3)."""
    return np.asarray(posterior.probabilities[:, None] * log_differential(posterior, matrix))


def log_differential(
    posterior: Posterior, matrix: Float[np.ndarray, "hypotheses records"]
) -> Float[np.ndarray, "hypotheses records"]:
    r"""D(log ∘ A)_p as a matrix: -β (I - 1 qᵀ) r (TDP, section 3)."""
    return np.asarray(-posterior.inverse_temperature * (matrix - posterior.probabilities @ matrix))
