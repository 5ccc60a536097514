"""SWD Lemma 1."""

from __future__ import annotations

import numpy as np
from scipy import special

from wassdp.claims.inequality import Inequality
from wassdp.claims.squared_cosine import Product, Values, draw, gap, gap_by_angle, plain_beta, simpler


def _beta(case: Product, values: Values) -> Values:
    return np.asarray(special.betainc(0.5, (case.dimension - 1) / 2, np.clip(values, 0, 1)))


def _one_dimension_more(case: Product, values: Values) -> Values:
    return np.asarray(special.betainc(0.5, case.dimension / 2, np.clip(values, 0, 1)))


def _plain(case: Product, values: Values) -> Values:
    return plain_beta(case.dimension, values)


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Lemma 1",
    place="Section 3.1; proof in Section 8.1",
    statement="the squared product of a unit vector and a random direction has the beta law B(1/2, (d-1)/2)",
    formula="(zᵀu/‖u‖)² ~ B(1/2, (d-1)/2), ‖z‖ = 1, u ~ N(0, σ² I)",
    compared="distance of distribution functions / what chance explains",
    draw=draw,
    ratio=lambda case: gap(case, _beta),
    verified=lambda case: gap_by_angle(case, _plain),
    corrupted=lambda case: gap(case, _one_dimension_more),
    simpler=simpler,
    usual=2000,
    few=100,
)
