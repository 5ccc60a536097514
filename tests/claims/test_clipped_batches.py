"""Noisy sums of clipped gradients of random batches: their δ, beside closed forms."""

import dataclasses
import math

import pytest
from scipy import integrate, optimize, stats

from wassdp.claims.clipped_batches import Batches, sampled, whole

TURNED = Batches((0.0, 0.0, 0.0), (1.0, -1.0), 2, 1.5, 0.7)


def profile(away, epsilon):
    """δ(ε) of two normal laws ``away`` deviations apart."""
    cut = epsilon / away + away / 2
    return stats.norm.sf(cut - away) - math.exp(epsilon) * stats.norm.sf(cut)


def test_a_batch_of_all_records_is_a_gaussian_mechanism():
    case = dataclasses.replace(TURNED, batch=4)
    assert case.rate == 1.0
    assert sampled(case) == pytest.approx(profile(2 / 1.5, 0.7), rel=1e-5)
    assert whole(case, 2.0) == pytest.approx(profile(2 / 1.5, 0.7), rel=1e-12)


def test_a_record_that_is_drawn_half_of_the_time():
    """The mixture of both laws against the other, integrated where the excess is positive."""
    factor = 1 + 0.5 * math.expm1(0.7)
    noise = stats.norm(0, 1.5)

    def excess(x):
        one, other = (0.5 * (noise.pdf(x) + noise.pdf(x - mean)) for mean in (1.0, -1.0))
        return one - factor * other

    start = optimize.brentq(excess, -5, 10)
    assert sampled(TURNED) == pytest.approx(integrate.quad(excess, start, 30)[0], rel=1e-5)


def test_equal_gradients_cost_nothing():
    assert sampled(dataclasses.replace(TURNED, replaced=(0.5, 0.5))) == 0.0
