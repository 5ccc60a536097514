"""Upper values where numbers cancel, overflow or vanish: never below the exact ones, of many digits.

Each case was once claimed far too small, or refused.
"""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from wassdp.accounting.curves import trade_off
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.laplace import Laplace
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.qualified import Qualified
from wassdp.accounting.formulas import conversions, renyi
from wassdp.accounting.numerics import exact

DIGITS = 700


def gaussian_delta(mu, epsilon):
    with mpmath.workdps(DIGITS):
        mu, epsilon = mpmath.mpf(mu), mpmath.mpf(epsilon)
        first, second = (epsilon / mu - mu / 2) / mpmath.sqrt(2), (epsilon / mu + mu / 2) / mpmath.sqrt(2)
        return (mpmath.erfc(first) - mpmath.exp(epsilon) * mpmath.erfc(second)) / 2


def laplace_delta(ratio, epsilon):
    if epsilon >= ratio:
        return mpmath.mpf(0)
    return 1 - mpmath.exp(epsilon) if epsilon <= -ratio else 1 - mpmath.exp((epsilon - ratio) / 2)


def sampled(delta, rate, epsilon, side):
    """δ of a pair on a Poisson sample: of adding a record, or of removing one."""
    if side == "remove":
        return 1 - mpmath.exp(epsilon) + mpmath.exp(epsilon) * sampled(delta, rate, -epsilon, "add")
    if mpmath.exp(epsilon) <= 1 - rate:
        return 1 - mpmath.exp(epsilon)
    return rate * delta(mpmath.log(1 + (mpmath.exp(epsilon) - 1) / rate))


@pytest.mark.parametrize("noise", [1e-12, 1e-9, 1e-8, 3e-8, 1e-7, 1e-5, 1e-3])
def test_delta_of_gaussian_noise_near_its_mean_loss(noise):
    """There δ is of the order of 1, and e^ε far beyond every number."""
    event, mu = Gaussian(noise_multiplier=noise, adjacency="add-remove"), 1 / noise
    for deviations in (-2.0, -0.5, -1e-3, 0.0, 1e-3, 0.5, 2.0):
        epsilon = mu * mu / 2 + deviations * mu
        found, true = exact.delta(event, epsilon), gaussian_delta(mpmath.mpf(1) / mpmath.mpf(noise), epsilon)
        assert found.lower <= true <= found.upper
        assert found.upper - found.lower <= 2e-13 * mu + 1e-9  # what the profile's exponents, of its size, may lose
        (upper,) = exact.upper_deltas(event, [epsilon])
        assert true <= upper


def test_budgets_of_gaussian_dp_are_rounded_up():
    generator = np.random.default_rng(0)
    settings = [(28.080732556946383, 0.9999999999978295), (1e9, 1e-5), (1e9, 0.7)]
    settings += [(10 ** generator.uniform(-3, 9), 1 - 10 ** generator.uniform(-13, -0.01)) for _ in range(60)]
    settings += [(10 ** generator.uniform(-3, 9), 10 ** generator.uniform(-200, -1)) for _ in range(60)]
    for mean, delta in settings:
        epsilon = conversions.gdp_to_epsilon(mean, delta)
        assert gaussian_delta(mean, epsilon) <= delta * (1 + 1e-30), (mean, delta)
    # And by little.
    assert gaussian_delta(28.0, conversions.gdp_to_epsilon(28.0, 1e-5) * (1 - 1e-9)) > 1e-5


def test_what_vanishes_in_conversions_is_rounded_up():
    with mpmath.workdps(DIGITS):
        for tiny in (1e-160, 1e-200, 1e-300):
            assert conversions.pure_to_zcdp(tiny) >= mpmath.mpf(tiny) ** 2 / 2 > 0
            assert conversions.gdp_to_zcdp(tiny) >= mpmath.mpf(tiny) ** 2 / 2 > 0
            assert conversions.gdp_to_renyi(tiny, 2.0) >= mpmath.mpf(tiny) ** 2 > 0
            assert conversions.gdp_to_delta(tiny, 0.0) >= gaussian_delta(tiny, 0.0) > 0
        # Total variation tiny/2 is above this δ: no ε of 0 keeps it.
        assert conversions.zcdp_to_epsilon(conversions.pure_to_zcdp(1e-200), 1e-300) >= 1e-200
        assert conversions.gdp_to_epsilon(1e-163, 1e-250) > 0
    assert conversions.pure_to_zcdp(0.0) == conversions.gdp_to_zcdp(0.0) == 0
    assert conversions.gdp_to_epsilon(1e200, 0.5) == conversions.pure_to_zcdp(1e200) == math.inf


@pytest.mark.parametrize("steps", [1, 100])
@pytest.mark.parametrize("adjacency", ["add-remove", "replace-one"])
def test_sampled_laplace_noise_so_small_that_an_atom_vanishes(adjacency, steps):
    """e^{-750} is below every number, and 0 times e^{750} was none."""
    release = PoissonSampled(event=Laplace(noise_multiplier=1 / 750, adjacency=adjacency), rate=0.5)
    found = exact.epsilon(repeated(release, steps), 1e-5)
    # A record is in the first k of the batches alone with probability 2^-k, and shows there.
    ratio = 750
    assert found.lower <= steps * ratio
    assert found.upper >= (math.floor(math.log2(0.9e5)) if steps > 1 else 1) * (ratio - 10)
    if steps == 1:
        with mpmath.workdps(DIGITS):
            # P(ℓ ≥ ε) is 1/4 at the largest loss, log(1 + (e^750 - 1)/2); δ there falls as e^{(ε-750)/2}.
            def true(epsilon):
                return sampled(lambda e: laplace_delta(mpmath.mpf(ratio), e), mpmath.mpf(1) / 2, epsilon, "add")

            assert true(mpmath.mpf(found.lower) * (1 - mpmath.mpf(10) ** -12)) >= 1e-5 * (1 - 1e-6)
            assert true(mpmath.mpf(found.upper) * (1 + mpmath.mpf(10) ** -12)) <= 1e-5 * (1 + 1e-6)


@pytest.mark.parametrize("rate", [0.5, 0.9, 1 - 1e-3, 1 - 1e-9, 1 - 1e-12, 1 - 2.0**-53])
@pytest.mark.parametrize("noise", [0.02, 1 / 36, 0.1, 1.0])
def test_both_sides_of_nearly_full_batches(noise, rate):
    event = PoissonSampled(event=Laplace(noise_multiplier=noise, adjacency="add-remove"), rate=rate)
    with mpmath.workdps(DIGITS):
        ratio, share = 1 / mpmath.mpf(noise), mpmath.mpf(rate)
        top = -mpmath.log(1 - share + share * mpmath.exp(-ratio))
        epsilons = [float(top * part) for part in (0.1, 0.5, 0.9, 0.99, 0.999)]
        found = exact.sided_upper_deltas(event, epsilons)
        for side, values in zip(("add", "remove"), found, strict=True):
            for epsilon, upper in zip(epsilons, values, strict=True):
                true = sampled(lambda e: laplace_delta(ratio, e), share, mpmath.mpf(epsilon), side)
                assert true <= upper, (side, epsilon)


@pytest.mark.parametrize("rate", [6.555408362753849e-38, 1.2e-36, 3.1e-35, 3.9e-32, 1e-20, 1e-308, 1e-310])
@pytest.mark.parametrize("shift", [-40.0, -2.0, 0.0, 2.0, 20.0, 60.0])
def test_rare_samples_of_large_losses(rate, shift):
    """The largest loss, log(1 + q(e^ℓ - 1)), where ℓ and log q cancel."""
    ratio = -math.log(rate) + shift
    if ratio < 1e-3:
        return
    event = PoissonSampled(event=Laplace(noise_multiplier=1 / ratio, adjacency="add-remove"), rate=rate)
    with mpmath.workdps(DIGITS):
        true = mpmath.log(1 + mpmath.mpf(rate) * (mpmath.exp(1 / mpmath.mpf(1 / ratio)) - 1))
        # So small a δ that hardly anything but the largest loss keeps it.
        delta = rate * 1e-12
        if delta > 1e-300:
            found = exact.epsilon(event, delta)
            assert sampled(lambda e: laplace_delta(ratio, e), mpmath.mpf(rate), mpmath.mpf(found.upper), "add") <= delta
            assert found.upper <= true * (1 + mpmath.mpf(10) ** -9) + mpmath.mpf(10) ** -300
        at_zero = exact.delta(event, 0.0)
        assert sampled(lambda e: laplace_delta(ratio, e), mpmath.mpf(rate), mpmath.mpf(0), "add") <= at_zero.upper


def test_a_rate_whose_inverse_overflows():
    event = PoissonSampled(event=Gaussian(noise_multiplier=1.0, adjacency="replace-one"), rate=1e-310)
    assert exact.delta(event, 0.0).upper >= 1e-310 * gaussian_delta(2.0, 0.0)


def test_no_attack_beats_the_trade_off_at_tiny_false_positive_rates():
    event, rates = Gaussian(noise_multiplier=0.02, adjacency="replace-one"), np.array([1e-320, 1e-305, 1e-100, 1e-5])
    with mpmath.workdps(DIGITS):
        for rate, bound in zip(rates, trade_off(event, rates), strict=True):
            # Neyman and Pearson: β = Φ(Φ⁻¹(1 - α) - μ), μ = 2/0.02.
            low, high = mpmath.mpf(0), mpmath.mpf(60)
            for _ in range(200):
                middle = (low + high) / 2
                low, high = (middle, high) if mpmath.erfc(middle / mpmath.sqrt(2)) / 2 > rate else (low, middle)
            true = mpmath.erfc((100 - low) / mpmath.sqrt(2)) / 2
            assert bound <= true


def test_no_orders_have_no_epsilon():
    for orders, divergences in ((np.empty(0), np.empty(0)), (np.array([2.0]), np.array([-1e-3]))):
        with pytest.raises(ValueError, match=r"divergences = .* must be at least 0, one for each order"):
            renyi.to_epsilon(orders, divergences, 1e-5)


def test_total_variation_counts_every_release_however_they_are_nested():
    release = Gaussian(noise_multiplier=60.0, adjacency="add-remove")
    flat = Qualified(events=(release,), counts=(100,), total_variation=2e-8)
    nested = Qualified(events=(repeated(release, 50),), counts=(2,), total_variation=2e-8)
    assert flat.variation() == nested.variation() == 100 * 2e-8
    assert exact.epsilon(flat, 1e-5) == exact.epsilon(nested, 1e-5)
