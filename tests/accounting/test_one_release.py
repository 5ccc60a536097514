"""One release, whose δ has a closed form: values in double precision lie on their own side of the exact ones.

The exact ones are computed with as many digits as their differences need.
"""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from wassdp.accounting.event import Event
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.gibbs import Gibbs
from wassdp.accounting.events.laplace import Laplace
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.numerics import exact

DIGITS = 900  # of terms of about e^-640 whose difference is smaller still, and more


def tail(x: mpmath.mpf) -> mpmath.mpf:
    return mpmath.erfc(x / mpmath.sqrt(2)) / 2


def gaussian(noise: float, epsilon: float, rate: float = 1.0) -> mpmath.mpf:
    """δ of removing a record from a Gaussian sum into which it went with probability ``rate``."""
    mu, q, e = 1 / mpmath.mpf(noise), mpmath.mpf(rate), mpmath.exp(mpmath.mpf(epsilon))
    threshold = mpmath.log((e - 1 + q) / q) / mu + mu / 2
    return q * tail(threshold - mu) + (1 - q - e) * tail(threshold)


def points() -> list[tuple[float, float]]:
    """Noise and ε from the middle of the loss's distribution to where δ is 1e-190, of narrow and wide distributions."""
    generator = np.random.default_rng(0)
    found = []
    while len(found) < 150:
        mu, deviations = 10 ** generator.uniform(-3, 1.5), generator.uniform(-6, 29)
        if (epsilon := mu * (deviations + mu / 2)) >= 0:
            found.append((1 / mu, epsilon))
    return found


@pytest.mark.parametrize("rate", [1.0, 0.3, 1e-4])
def test_delta_of_gaussian_noise_is_between_its_two_values(rate: float) -> None:
    with mpmath.workdps(DIGITS):
        for noise, epsilon in points():
            event: Event = Gaussian(noise_multiplier=noise, adjacency="add-remove")
            if rate < 1:
                event = PoissonSampled(event=event, rate=rate)
            true, found = gaussian(noise, epsilon, rate), exact.delta(event, epsilon)
            assert found.lower <= true, (noise, epsilon)
            # Removing is the worse side at ε ≥ 0, under sampling too.
            assert true <= found.upper, (noise, epsilon)
            (upper,) = exact.upper_deltas(event, [epsilon])
            assert true <= upper, (noise, epsilon)
            if rate == 1:
                assert found.upper <= found.lower * (1 + 1e-9) + 1e-300


def test_epsilon_of_gaussian_noise_keeps_delta() -> None:
    with mpmath.workdps(DIGITS):
        for noise, epsilon in points():
            event = Gaussian(noise_multiplier=noise, adjacency="add-remove")
            delta = float(gaussian(noise, epsilon))
            if 1e-190 < delta < 0.999:
                found = exact.epsilon(event, delta)
                assert gaussian(noise, found.upper) <= delta <= gaussian(noise, found.lower)
                assert found.upper == pytest.approx(epsilon, rel=1e-8, abs=1e-9 / noise)


@pytest.mark.parametrize("ratio", [1e-6, 0.02, 0.7, 5.0, 300.0])
def test_pure_budgets(ratio: float) -> None:
    with mpmath.workdps(DIGITS):
        pure = Gibbs(inverse_temperature=ratio, risk_range=1.0, records=2)
        laplace = Laplace(noise_multiplier=1 / ratio, adjacency="add-remove")
        bound, loss = mpmath.mpf(ratio), 1 / mpmath.mpf(1 / ratio)
        for epsilon in (0.0, *(ratio * np.array([1e-9, 0.1, 0.5, 0.9, 1 - 1e-9])).tolist()):
            e = mpmath.mpf(epsilon)
            mass = 1 / (1 + mpmath.exp(-bound))
            answers = {pure: mass * -mpmath.expm1(e - bound), laplace: -mpmath.expm1((e - loss) / 2)}
            for event, true in answers.items():
                found = exact.delta(event, epsilon)
                assert found.lower <= true <= found.upper, epsilon
        assert exact.delta(pure, ratio).upper == exact.delta(laplace, ratio * 1.01).upper == 0


def test_what_is_too_small_for_a_number_is_not_nothing() -> None:
    for epsilon in (100.0, 1e4, 1e300):
        for event in (
            Gaussian(noise_multiplier=1.0, adjacency="add-remove"),
            PoissonSampled(event=Gaussian(noise_multiplier=1.0, adjacency="add-remove"), rate=0.1),
        ):
            assert 0 < exact.delta(event, epsilon).upper < 1e-200
            assert min(exact.upper_deltas(event, [0.0, epsilon])) > 0
