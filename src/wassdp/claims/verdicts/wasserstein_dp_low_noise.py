"""WDP Deep Learning, advantage (2): "privacy budgets under WDP will not explode even under low noise conditions".

So it is for the number: from σ = 1 down to any σ the printed loss of one step does not grow. With less noise more can
be told of a record; that it costs nothing here is what `wasserstein-dp-theorem-2-noise` looks at from the other side.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from wassdp.claims.inequality import Inequality
from wassdp.claims.sampled_steps import Step, draw, quadrature, simpler


def _drawn(generator: np.random.Generator) -> Step:
    found = draw(generator)
    return replace(found, noise_std=min(found.noise_std, 1.0))


def _ratio(found: Step) -> float:
    return found.printed() / replace(found, noise_std=1.0).printed()


def _verified(found: Step) -> float:
    return float(quadrature(found) / quadrature(replace(found, noise_std=1.0)))


def _likelihood(found: Step) -> float:
    """What an observer can tell: the Kullback-Leibler divergence with every record sampled, d²/(2σ²)."""
    return found.noise_std**-2


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Deep Learning, advantage (2)",
    place="Experiments, Deep Learning, last paragraph",
    statement="privacy budgets under WDP will not explode even under low noise",
    formula="[Σ_i E|Z_ti|^μ]^(1/μ) at σ ≤ the same at 1, for every σ ≤ 1",
    draw=_drawn,
    ratio=_ratio,
    verified=_verified,
    corrupted=_likelihood,
    simpler=simpler,
)
