"""Calibration: never above the target, as close as promised or said why not, and few questions."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wassdp.accounting import calibrate
from wassdp.accounting.accountants.published.gdp import GDPAccountant
from wassdp.accounting.accountants.upper import rdp
from wassdp.accounting.accountants.upper.pld import PLDAccountant
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.laplace import Laplace
from wassdp.accounting.events.poisson_sampled import PoissonSampled


class Counting(PLDAccountant):
    asked = 0

    def upper(self, event, delta):
        type(self).asked += 1
        return super().upper(event, delta)


def poisson(noise, rate=0.01, steps=500):
    return repeated(PoissonSampled(event=Gaussian(noise_multiplier=noise, adjacency="add-remove"), rate=rate), steps)


def bisected(make, epsilon, delta, accountant):
    """The least noise by plain bisection on its logarithm, to a relative 1e-5."""
    low, high = 1e-2, 1e8
    while high / low > 1 + 1e-5:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if accountant.upper(make(middle), delta) <= epsilon else (middle, high)
    return high


@settings(max_examples=6)
@given(epsilon=st.floats(0.01, 100), delta=st.sampled_from([1e-30, 1e-9, 1e-5, 1e-2]))
def test_noise_keeps_the_budget_and_wastes_little(epsilon, delta):
    Counting.asked = 0
    noise = calibrate.noise_multiplier(poisson, epsilon=epsilon, delta=delta, accountant=Counting())
    # What one usually takes; `numerics.bracket.largest_kept` bounds it for all.
    assert Counting.asked <= 12
    found = PLDAccountant().epsilon(poisson(noise), delta)
    assert found.value <= epsilon
    assert PLDAccountant().epsilon(poisson(noise * 0.99), delta).value > epsilon * 0.999


def test_one_step_on_a_small_sample_needs_little_noise():
    """The first guess, 1, keeps the budget with 0.02 of 8 and was given out as the least."""
    least = calibrate.least_noise(
        lambda noise: poisson(noise, 1e-3, 1), epsilon=8, delta=1e-6, accountant=PLDAccountant()
    )
    assert least.noise == pytest.approx(0.3036, rel=5e-4)
    assert 8 * (1 - calibrate.CLOSE) <= least.epsilon <= 8
    assert least.jump is None


@pytest.mark.parametrize("steps", [1, 2, 10])
@pytest.mark.parametrize("rate", [1e-4, 1e-3, 0.05, 1.0])
@pytest.mark.parametrize(("epsilon", "delta"), [(8.0, 1e-6), (0.5, 1e-6), (0.01, 1e-9)])
def test_few_steps_and_small_samples_as_plain_bisection(steps, rate, epsilon, delta):
    accountant = PLDAccountant(accuracy=1e-3) if steps > 1 else PLDAccountant()

    def make(noise):
        return poisson(noise, rate, steps)

    least = calibrate.least_noise(make, epsilon=epsilon, delta=delta, accountant=accountant)
    assert least.jump is None
    assert epsilon * (1 - calibrate.CLOSE) <= least.epsilon <= epsilon
    # ε falls at least in proportion to the noise; a numerical account does so up to its accuracy.
    slack = calibrate.CLOSE + (2 * accountant.accuracy if steps > 1 else 0)
    assert least.noise == pytest.approx(bisected(make, epsilon, delta, accountant), rel=slack + 2e-5)


def test_laplace_is_exact():
    noise = calibrate.noise_multiplier(
        lambda b: Laplace(noise_multiplier=b, adjacency="add-remove"),
        epsilon=0.5,
        delta=1e-30,
        accountant=PLDAccountant(),
    )
    assert noise == pytest.approx(2.0, rel=5e-4)


def test_steps_are_the_most_that_keep_the_budget():
    accountant = PLDAccountant()
    steps = calibrate.steps(lambda n: poisson(1.0, steps=n), epsilon=1.0, delta=1e-5, accountant=accountant)
    assert (
        accountant.upper(poisson(1.0, steps=steps), 1e-5) <= 1.0 < accountant.upper(poisson(1.0, steps=steps + 1), 1e-5)
    )
    closed = rdp.RDPAccountant()
    for epsilon, most in ((0.3, 10**7), (3.0, 10**7), (3.0, 50), (1e-3, 10)):
        found = calibrate.steps(
            lambda n: poisson(1.0, steps=n), epsilon=epsilon, delta=1e-5, accountant=closed, most=most
        )
        keeps = [closed.epsilon(poisson(1.0, steps=n), 1e-5).value <= epsilon for n in (max(found, 1), found + 1)]
        assert keeps[0] == (found > 0)
        assert not keeps[1] or found == most


def test_limits_do_not_calibrate():
    for find in (calibrate.noise_multiplier, calibrate.least_noise):
        with pytest.raises(ValueError, match="only upper bounds calibrate"):
            find(poisson, epsilon=1.0, delta=1e-5, accountant=GDPAccountant())
    with pytest.raises(ValueError, match="only upper bounds calibrate"):
        calibrate.steps(lambda n: poisson(1.0, steps=n), epsilon=1.0, delta=1e-5, accountant=GDPAccountant())


def test_impossible_targets_are_refused():
    with pytest.raises(ValueError, match="no noise up to"):
        calibrate.noise_multiplier(
            lambda noise: Laplace(noise_multiplier=min(noise, 10.0), adjacency="add-remove"),
            epsilon=0.01, delta=1e-9, accountant=PLDAccountant(),
        )  # fmt: skip


def test_a_budget_that_needs_no_noise_is_no_calibration():
    """δ above the sampling rate is kept without any noise: the smallest number searched is not what was asked for."""
    for rate, steps in ((1e-6, 1), (0.01, 0)):
        with pytest.raises(ValueError, match="even a noise of 1e-08 keeps it"):
            calibrate.least_noise(
                lambda noise, rate=rate, steps=steps: poisson(noise, rate, steps),
                epsilon=1.0, delta=1e-5, accountant=PLDAccountant(),
            )  # fmt: skip


def test_where_the_answer_jumps_it_says_so():
    def make(noise):
        return Laplace(noise_multiplier=5.0 if noise >= 3.0 else 0.1, adjacency="add-remove")

    least = calibrate.least_noise(make, epsilon=1.0, delta=1e-9, accountant=PLDAccountant())
    assert 3.0 <= least.noise <= 3.0 * (1 + calibrate.STEP)
    assert least.epsilon == pytest.approx(0.2)
    assert least.jump == pytest.approx(10.0)
    assert "jumps there: epsilon = 0.2, and epsilon = 10" in least.note


def test_what_was_refused_is_not_taken_for_broken():
    """Where less noise may do but cannot be accounted for, the refusal is the answer."""

    class Careful(PLDAccountant):
        def upper(self, event, delta):
            if event.noise_multiplier < 4:
                raise ValueError("noise_multiplier: too much work below 4")
            return super().upper(event, delta)

    def make(noise):
        return Laplace(noise_multiplier=noise, adjacency="add-remove")

    assert calibrate.noise_multiplier(make, epsilon=0.2, delta=1e-9, accountant=Careful()) == pytest.approx(5, rel=1e-3)
    with pytest.raises(ValueError, match="too much work below 4"):
        calibrate.noise_multiplier(make, epsilon=0.5, delta=1e-9, accountant=Careful())
