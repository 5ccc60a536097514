"""One sampled Gaussian step: the exact distance against samples and closed forms, the bound, the printed loss."""

import math

import numpy as np
import pytest
from scipy import stats

from wassdp.accounting.formulas import sampled_wasserstein as sampled

STEPS = [(0.01, 10.0, 0.1), (0.01, 1.0, 1.0), (0.3, 1.0, 5.0), (0.9, 3.0, 0.5), (1.0, 2.0, 1.0)]


@pytest.mark.parametrize("step", STEPS)
def test_the_first_distance_is_the_difference_of_means_whatever_the_noise(step):
    rate, distance, _ = step
    assert sampled.exact_loss(*step, 1.0) == pytest.approx(rate * distance, rel=1e-11)
    assert sampled.bound(rate, distance, 1.0) == pytest.approx(rate * distance)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("order", [2.0, 3.0])
def test_it_agrees_with_quantiles_of_many_cells(step, order):
    """Quantiles of the mixture by inverting its distribution function on a fine grid; tails carry less than 1e-2."""
    rate, distance, noise = step
    y = np.linspace(-8 * noise, distance + 8 * noise, 200_001)
    mixed = (1 - rate) * stats.norm.cdf(y / noise) + rate * stats.norm.cdf((y - distance) / noise)
    u = (np.arange(100_000) + 0.5) / 100_000
    gaps = np.interp(u, mixed, y) - noise * stats.norm.ppf(u)
    assert sampled.exact_loss(*step, order) == pytest.approx(np.mean(np.abs(gaps) ** order) ** (1 / order), rel=1e-2)


@pytest.mark.parametrize("order", [1.0, 2.0, 8.0])
def test_no_distance_is_above_the_bound_and_little_noise_comes_near(order):
    generator = np.random.default_rng(0)
    for _ in range(50):
        rate, distance, noise = generator.random(), 10 ** generator.uniform(-2, 1), 10 ** generator.uniform(-1, 1)
        assert sampled.exact_loss(rate, distance, noise, order) <= sampled.bound(rate, distance, order) * (1 + 1e-9)
    assert sampled.exact_loss(0.1, 1.0, 1e-4, order) == pytest.approx(sampled.bound(0.1, 1.0, order), rel=1e-3)


def test_more_noise_never_makes_the_distance_larger_but_the_printed_loss_grows():
    noises = np.geomspace(0.01, 10, 15)
    for order in (1.0, 2.0, 5.0):
        exact = [sampled.exact_loss(0.05, 1.0, noise, order) for noise in noises]
        assert (np.diff(exact) <= 1e-11).all()
        assert (np.diff([sampled.printed_loss(0.05, 1.0, noise, order) for noise in noises]) > 0).all()


def test_the_printed_loss_is_the_moment_of_a_normal_variable():
    variance = 2 - 0.2 + 0.02
    assert sampled.printed_loss(0.1, 3.0, 1.0, 2.0, components=4) == pytest.approx(math.sqrt(4 * (0.09 + variance)))


def test_nothing_sampled_or_nothing_different_is_no_distance():
    assert sampled.exact_loss(0.0, 1.0, 1.0, 2.0) == sampled.exact_loss(0.5, 0.0, 1.0, 2.0) == 0.0
    with pytest.raises(ValueError, match="rate = 2"):
        sampled.exact_loss(2.0, 1.0, 1.0, 2.0)
    with pytest.raises(ValueError, match="noise_std = 0"):
        sampled.printed_loss(0.5, 1.0, 0.0, 2.0)
