"""Linear classifiers of two weights on a square grid: a finite W of its own, or a fine one for a continuous W."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from wassdp.tangent import gibbs
from wassdp.tangent.potentials import Potential
from wassdp.tangent.risks import MarginRisks

REACH = 8  # base deviations on each side, beyond which no mass worth counting lies


def square(half_width: float, points: int) -> Float[np.ndarray, "hypotheses 2"]:
    """Hypotheses on an even square grid of a 2-D W, row by row."""
    line = np.linspace(-half_width, half_width, points)
    return np.asarray(np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2))


def fine_posterior(potential: Potential, points: int) -> tuple[MarginRisks, gibbs.Posterior]:
    """The posterior of linear classifiers under a Gaussian base measure, on a grid out to eight base deviations.

    Args:
        potential: of linear classifiers without intercept, of records with two features.
        points: of the grid on each axis.

    Returns:
        Risks of the grid's hypotheses, which are their ``weights``, and the posterior.
    """
    weights = square(REACH * potential.base_std, points)
    risks = MarginRisks(weights, potential.features, potential.labels, potential.loss)
    log_base = -(weights**2).sum(axis=1) / (2 * potential.base_std**2)
    return risks, gibbs.posterior(risks, potential.inverse_temperature, log_base=log_base)
