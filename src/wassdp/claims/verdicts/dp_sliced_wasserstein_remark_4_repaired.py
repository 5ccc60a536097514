"""SWD Remark 4 with the square of the length."""

from __future__ import annotations

import numpy as np
from scipy import special

from wassdp.claims.inequality import Inequality
from wassdp.claims.squared_cosine import Product, Values, draw, gap, gap_by_angle, plain_beta, simpler

LENGTHS = (0.25, 0.5, 1.0, 2.0, 4.0)


def _squared(case: Product, values: Values) -> Values:
    return np.asarray(special.betainc(0.5, (case.dimension - 1) / 2, np.clip(values / case.length**2, 0, 1)))


def _as_printed(case: Product, values: Values) -> Values:
    return np.asarray(special.betainc(0.5, (case.dimension - 1) / 2, np.clip(values / case.length, 0, 1)))


def _plain(case: Product, values: Values) -> Values:
    return plain_beta(case.dimension, values / case.length**2)


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Remark 4",
    place="Section 8.1, after Lemma 1",
    statement="for a vector of any length the squared product has the beta law times the square of the length",
    formula="(zᵀu/‖u‖)² ~ ‖z‖² B(1/2, (d-1)/2)",
    repairs="dp-sliced-wasserstein-remark-4",
    compared="distance of distribution functions / what chance explains",
    draw=lambda generator: draw(generator, lengths=LENGTHS),
    ratio=lambda case: gap(case, _squared),
    verified=lambda case: gap_by_angle(case, _plain),
    corrupted=lambda case: gap(case, _as_printed),
    simpler=simpler,
    usual=1000,
    few=100,
)
