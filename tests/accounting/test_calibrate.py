"""Calibration: never above the target, close to it, and few questions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wassdp.accounting import calibrate
from wassdp.accounting.event import Gaussian, Laplace, PoissonSampled, repeated
from wassdp.accounting.published.gdp import Accountant as Limit
from wassdp.accounting.upper.pld import Accountant


class Counting(Accountant):
    asked = 0

    def upper(self, event, delta):
        type(self).asked += 1
        return super().upper(event, delta)


def poisson(noise, rate=0.01, steps=500):
    return repeated(PoissonSampled(event=Gaussian(noise_multiplier=noise, relation="add-remove"), rate=rate), steps)


@settings(max_examples=6)
@given(epsilon=st.floats(0.01, 100), delta=st.sampled_from([1e-30, 1e-9, 1e-5, 1e-2]))
def test_noise_keeps_the_budget_and_wastes_little(epsilon, delta):
    Counting.asked = 0
    noise = calibrate.noise_multiplier(poisson, epsilon=epsilon, delta=delta, accountant=Counting())
    assert Counting.asked <= calibrate.EVALUATIONS
    found = Accountant().epsilon(poisson(noise), delta)
    assert found.value <= epsilon
    assert Accountant().epsilon(poisson(noise * 0.99), delta).value > epsilon * 0.999


def test_laplace_is_exact():
    noise = calibrate.noise_multiplier(
        lambda b: Laplace(noise_multiplier=b, relation="add-remove"), epsilon=0.5, delta=1e-30, accountant=Accountant()
    )
    assert noise == pytest.approx(2.0, rel=5e-4)


def test_steps_and_rate():
    accountant = Accountant()
    steps = calibrate.steps(lambda n: poisson(1.0, steps=n), epsilon=1.0, delta=1e-5, accountant=accountant)
    assert (
        accountant.upper(poisson(1.0, steps=steps), 1e-5) <= 1.0 < accountant.upper(poisson(1.0, steps=steps + 1), 1e-5)
    )
    rate = calibrate.rate(lambda q: poisson(1.0, rate=q), epsilon=1.0, delta=1e-5, accountant=accountant)
    assert 0.995 <= accountant.upper(poisson(1.0, rate=rate), 1e-5) <= 1.0


def test_limits_do_not_calibrate():
    with pytest.raises(ValueError, match="only upper bounds calibrate"):
        calibrate.noise_multiplier(poisson, epsilon=1.0, delta=1e-5, accountant=Limit())


def test_impossible_targets_are_refused():
    with pytest.raises(ValueError, match="no noise up to"):
        calibrate.noise_multiplier(
            lambda noise: Laplace(noise_multiplier=min(noise, 10.0), relation="add-remove"),
            epsilon=0.01, delta=1e-9, accountant=Accountant(),
        )  # fmt: skip
