"""The Bayesian accountant against a naive reimplementation with many digits, and known figures."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy.stats import t as student

from wassdp.accounting.accountant import load
from wassdp.accounting.accountants.published import bayesian
from wassdp.accounting.events.measured_gradients import MeasuredGradients


def event(distances: np.ndarray, noise_std: float, rate: float) -> MeasuredGradients:
    return MeasuredGradients(
        distances=distances,
        noise_std=np.full(len(distances), noise_std),
        clip_norm=np.full(len(distances), math.inf),
        rate=rate,
        adjacency="replace-one",
    )


def naive(
    distances: np.ndarray, noise_std: float, rate: float, orders: list[int], delta: float, failure: float
) -> float:
    """The estimator as it is written down, with 400 digits instead of log space."""
    steps, pairs = distances.shape
    with mpmath.workdps(400):
        quantile = mpmath.mpf(float(student.isf(failure, pairs - 1)))
        slack = mpmath.mpf(delta) - (1 - (1 - mpmath.mpf(failure)) ** steps)
        q, found = mpmath.mpf(rate), []
        for order in orders:
            total = mpmath.mpf(0)
            for row in distances:
                powers = []
                for d in row:
                    a = (mpmath.mpf(float(d)) / mpmath.mpf(noise_std)) ** 2 / 2
                    moment = mpmath.fsum(
                        mpmath.binomial(order + 1, k) * q**k * (1 - q) ** (order + 1 - k) * mpmath.exp(k * (k - 1) * a)
                        for k in range(order + 2)
                    )
                    powers.append(moment**steps)
                mean = mpmath.fsum(powers) / pairs
                spread = mpmath.sqrt(mpmath.fsum(p**2 for p in powers) / pairs - mean**2)
                total += mpmath.log(mean + quantile * spread / mpmath.sqrt(pairs - 1)) / steps
            found.append((total - mpmath.log(slack)) / order)
        return float(min(found))


@pytest.mark.parametrize("noise_std", [0.5, 2.0, 50.0])
@pytest.mark.parametrize("failure", [1e-16, 1e-8])
def test_equals_the_naive_estimator(noise_std: float, failure: float) -> None:
    distances = np.random.default_rng(1).weibull(0.5, (4, 6)) * 3
    expected = naive(distances, noise_std, 0.01, [2, 8], 1e-5, failure)
    found = bayesian.BayesianAccountant(orders=(2, 8), failure=failure).epsilon(event(distances, noise_std, 0.01), 1e-5)
    assert found.value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("pairs", "expected"), [(1225, 8.33), (28, 17.7)])
def test_the_student_quantile_at_the_edge_of_double_precision(pairs: int, expected: float) -> None:
    """With equal distances but one, the estimate reveals the quantile; 1 - 1e-16 rounds to 1, whose quantile is ∞."""
    distances = np.zeros((1, pairs))
    distances[0, 0] = 40.0  # its e^L is so large that the others do not count: M = e^L/m, S = e^L sqrt(m-1)/m
    found = bayesian.BayesianAccountant(orders=(1,)).epsilon(event(distances, 1.0, 0.5), 1e-5).value
    largest = math.log(0.25) + 40.0**2
    quantile = math.exp(found - largest + math.log(1e-5)) * pairs - 1
    assert quantile == pytest.approx(expected, rel=5e-3)


def test_equal_distances_have_no_spread() -> None:
    one = event(np.full((5, 7), 3.0), 2.0, 1.0)
    expected = (5 * 2 * 3 / 2 * (3 / 2) ** 2 - math.log(1e-5)) / 2
    assert bayesian.BayesianAccountant(orders=[2]).epsilon(one, 1e-5).value == pytest.approx(expected, rel=1e-6)  # type: ignore[arg-type]


def test_many_orders_are_never_worse_than_one() -> None:
    one = event(np.random.default_rng(0).weibull(0.5, (3, 20)), 1.0, 0.1)
    single = [bayesian.BayesianAccountant(orders=(order,)).epsilon(one, 1e-5).value for order in (2, 4, 8)]
    assert bayesian.BayesianAccountant(orders=(2, 4, 8)).epsilon(one, 1e-5).value == min(single)


def test_a_delta_below_the_chance_of_failure_has_no_budget() -> None:
    one = event(np.ones((3, 5)), 1.0, 0.1)
    found = bayesian.BayesianAccountant(failure=1e-3).path(one, 2.5e-3, (1, 2, 3))
    assert [item.bounded for item in found] == [True, True, False]


def test_budgets_that_overflow_double_precision() -> None:
    one = event(np.full((100, 30), 1e4), 1.0, 0.001)
    found = bayesian.BayesianAccountant(orders=(16,)).epsilon(one, 1e-5).value
    assert found == pytest.approx((100 * (17 * 16 / 2 * 1e8 + 17 * math.log(1e-3)) - math.log(1e-5)) / 16, rel=1e-9)


def test_fewer_than_three_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 3"):
        bayesian.BayesianAccountant().epsilon(event(np.ones((2, 2)), 1.0, 0.1), 1e-5)


def test_says_that_it_is_not_a_worst_case() -> None:
    found = bayesian.BayesianAccountant().epsilon(event(np.ones((2, 3)), 1.0, 0.1), 1e-5)
    assert "not in the worst case" in " ".join(found.assumptions)


@pytest.mark.parametrize(
    ("options", "name"), [({"orders": []}, "orders"), ({"orders": [1.5]}, "orders"), ({"failure": 0.0}, "failure")]
)
def test_options_are_checked(options: dict[str, object], name: str) -> None:
    with pytest.raises((ValueError, TypeError), match=name):
        load("bayesian", **options)
