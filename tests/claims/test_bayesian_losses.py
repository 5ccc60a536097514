"""The loss that strong Bayesian DP bounds, of discrete laws."""

import dataclasses

import numpy as np
import pytest

from wassdp.claims import bayesian_losses
from wassdp.claims.masses import Masses


def of(*weights):
    return Masses(np.array(weights), np.arange(float(len(weights[0]))), 1.0)


def test_a_loss_of_small_probability_is_left_out():
    """ln 10 has probability .1, which is permitted; the rest has ln(.9/.99) < 0."""
    found = of([0.1, 0.9], [0.01, 0.99])
    assert bayesian_losses.bayesian(found, 0, 1) == pytest.approx(np.log(0.9 / 0.99))
    assert bayesian_losses.pure(found, 0, 1) == pytest.approx(np.log(10))


def test_a_loss_of_larger_probability_counts():
    found = of([0.11, 0.89], [0.01, 0.99])
    assert bayesian_losses.bayesian(found, 0, 1) == pytest.approx(np.log(11))


@pytest.mark.parametrize("seed", range(10))
def test_two_ways_to_the_quantile_agree(seed):
    found = bayesian_losses.draw(np.random.default_rng(seed))
    p, q = found.weights.tolist()
    assert bayesian_losses.plain_bayesian(p, q) == pytest.approx(bayesian_losses.bayesian(found, 0, 1), rel=1e-9)
    assert bayesian_losses.bayesian(found, 0, 1) <= bayesian_losses.pure(found, 0, 1)


def test_a_divergence_of_large_order_is_the_largest_log_ratio():
    found = dataclasses.replace(of([0.3, 0.7], [0.4, 0.6]), renyi_order=2000.0)
    assert bayesian_losses.renyi(found, 1, 0) == pytest.approx(bayesian_losses.pure(found, 1, 0), abs=1e-3)


@pytest.mark.parametrize("laws", [2, 3])
def test_drawn_laws_are_laws(laws):
    generator = np.random.default_rng(0)
    for _ in range(20):
        weights = bayesian_losses.draw(generator, laws=laws).weights
        assert weights.shape[0] == laws
        assert weights.min() > 0
        assert weights.sum(axis=1) == pytest.approx(1.0)
