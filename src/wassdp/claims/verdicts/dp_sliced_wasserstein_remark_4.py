"""SWD Remark 4: a vector that is not of unit length.

The square takes the length with it: Y follows ‖z‖² B(1/2, (d-1)/2). For ‖z‖ ≤ 1, all that the paper uses, the law
stated lies above the true one, so that no bound of the paper suffers.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from wassdp.claims.inequality import Inequality
from wassdp.claims.squared_cosine import Product, Values, draw, gap, gap_by_angle, plain_beta, simpler

LENGTHS = (0.25, 0.5, 1.0, 2.0, 4.0)


def _stated(case: Product, values: Values) -> Values:
    return np.asarray(special.betainc(0.5, (case.dimension - 1) / 2, np.clip(values / case.length, 0, 1)))


def _squared(case: Product, values: Values) -> Values:
    return np.asarray(special.betainc(0.5, (case.dimension - 1) / 2, np.clip(values / case.length**2, 0, 1)))


def _plain(case: Product, values: Values) -> Values:
    return plain_beta(case.dimension, values / case.length)


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Remark 4",
    place="Section 8.1, after Lemma 1",
    statement="for a vector of any length the squared product has the beta law times the vector's length",
    formula="(zᵀu/‖u‖)² ~ ‖z‖ B(1/2, (d-1)/2)",
    compared="distance of distribution functions / what chance explains",
    draw=lambda generator: draw(generator, lengths=LENGTHS),
    ratio=lambda case: gap(case, _stated),
    verified=lambda case: gap_by_angle(case, _plain),
    corrupted=lambda case: gap(case, _squared),
    simpler=simpler,
    usual=1000,
    few=100,
)
