"""Two opposite records in sampled batches: a pair that is attained, below what is proven of every pair."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import integrate, stats

from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.numerics import exact
from wassdp.accounting.profiles.base import Loss
from wassdp.audit.opposite import Opposite, OppositeSampled
from wassdp.audit.trainings.swapped import opposite_log_ratio

CASES = [(1.0, 0.3), (0.5, 0.1), (3.0, 0.02), (0.3, 0.6)]


def densities(noise: float, rate: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    part = 1 / (2 * noise)
    first, second = (stats.norm.pdf(x, loc=sign * part) for sign in (1, -1))
    still = (1 - rate) * stats.norm.pdf(x)
    return still + rate * first, still + rate * second


@pytest.mark.parametrize(("noise", "rate"), CASES)
def test_the_profile_is_the_integral_of_the_densities(noise: float, rate: float) -> None:
    x = np.linspace(-14, 16, 1_000_001)
    first, second = densities(noise, rate, x)
    pair = Opposite(1 / (2 * noise), rate)
    loss = Loss.of(pair, 1e-15)
    assert loss.mass.sum() == pytest.approx(1, abs=1e-12)
    for epsilon in (-1.0, -0.1, 0.0, 0.05, 0.3, 1.0, 2.0):
        expected = integrate.trapezoid(np.maximum(first - np.exp(epsilon) * second, 0), x)
        assert pair.delta(np.array([epsilon]))[0] == pytest.approx(expected, rel=1e-6, abs=1e-11)
        quadrature = float((loss.mass * np.maximum(0, -np.expm1(epsilon - loss.loss))).sum())
        assert quadrature == pytest.approx(expected, rel=5e-3, abs=1e-11)


@pytest.mark.parametrize(("noise", "rate"), CASES)
def test_the_score_is_the_logarithm_of_the_densities_ratio(noise: float, rate: float) -> None:
    x = np.linspace(-5, 5, 41)
    first, second = densities(noise, rate, x)
    scores = opposite_log_ratio(torch.from_numpy(x * noise), 0.5, std=noise, rate=rate)
    assert np.allclose(scores.numpy(), np.log(first / second))


def test_a_full_batch_is_a_gaussian_release() -> None:
    event = repeated(OppositeSampled(noise_multiplier=4.0, rate=1.0, adjacency="replace-one"), 20)
    gaussian = repeated(Gaussian(noise_multiplier=4.0, adjacency="replace-one"), 20)
    assert exact.epsilon(event, 1e-5).upper == pytest.approx(exact.epsilon(gaussian, 1e-5).upper, rel=1e-6)
    x = torch.tensor([0.3], dtype=torch.float64)
    assert float(opposite_log_ratio(x, 0.5, std=2.0, rate=1.0)) == pytest.approx(2 * 0.5 * 0.3 / 4)


@pytest.mark.parametrize(("noise", "rate", "steps"), [(1.0, 0.2, 1), (2.0, 0.1, 100), (4.0, 0.2, 500), (1.0, 0.5, 20)])
def test_the_pair_lies_below_what_is_proven_of_every_pair(noise: float, rate: float, steps: int) -> None:
    pair = OppositeSampled(noise_multiplier=noise, rate=rate, adjacency="replace-one")
    gaussian = Gaussian(noise_multiplier=noise, adjacency="replace-one")
    proven = SampledWithoutReplacement(event=gaussian, records=1000, batch=round(1000 * rate))
    for delta in (1e-6, 1e-3):
        attained = exact.epsilon(repeated(pair, steps), delta)
        assert attained.lower <= exact.epsilon(repeated(proven, steps), delta).upper
        # Many steps of little each: opposite records have nearly all that is proven.
        assert attained.lower > (0.7 if steps >= 100 else 0.3) * exact.epsilon(repeated(proven, steps), delta).lower
