"""Lemma 1 against integration, against mpmath, and at the extremes."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from wassdp.accounting.formulas.absolute_moment import log_absolute_moment


def by_integration(order: float, mean: float, variance: float) -> float:
    def integrand(z: float) -> float:
        return abs(z) ** order * float(norm.pdf(z, mean, math.sqrt(variance)))

    reach = 12 * math.sqrt(variance)
    edges = sorted({mean - reach, 0.0, mean, mean + reach})
    return sum(
        quad(integrand, low, high, epsabs=0, epsrel=1e-11, limit=400)[0] for low, high in itertools.pairwise(edges)
    )


def by_mpmath(order: float, mean: float, variance: float) -> float:
    with mpmath.workdps(60):
        mu, m, v = (mpmath.mpf(value) for value in (order, mean, variance))
        moment = (2 * v) ** (mu / 2) * mpmath.gamma((mu + 1) / 2) / mpmath.sqrt(mpmath.pi)
        return float(mpmath.log(moment * mpmath.hyp1f1(-mu / 2, mpmath.mpf(1) / 2, -(m**2) / (2 * v))))


@pytest.mark.parametrize("order", [1, 1.5, 2, 3, 4.7, 8, 16])
@pytest.mark.parametrize(("mean", "variance"), [(0.0, 1.0), (0.3, 2.0), (-5.0, 0.25), (2.0, 9.0)])
def test_equals_the_integral(order: float, mean: float, variance: float) -> None:
    found = float(np.exp(log_absolute_moment(order, np.array(mean), np.array(variance))))
    assert found == pytest.approx(by_integration(order, mean, variance), rel=1e-8)


@pytest.mark.parametrize("order", [1, 1.001, 2, 2.5, 7, 15.9, 16, 17, 33.3, 64, 301.5, 400])
@pytest.mark.parametrize("mean", [0.0, 1e-9, 0.1, 3.0, 40.0, 1e4, 1e9])
def test_equals_mpmath_at_every_size(order: float, mean: float) -> None:
    found = float(log_absolute_moment(order, np.array(mean), np.array(0.7)))
    assert found == pytest.approx(by_mpmath(order, mean, 0.7), rel=1e-11, abs=1e-11)


def test_a_constant_has_its_own_moment() -> None:
    found = log_absolute_moment(3.5, np.array([0.0, -2.0]), np.array([0.0, 0.0]))
    assert found[0] == -math.inf
    assert found[1] == pytest.approx(3.5 * math.log(2))


def test_noise_too_small_for_the_mean_is_no_noise() -> None:
    found = log_absolute_moment(16, np.array(1.0), np.array(1e-320))
    assert float(found) == pytest.approx(0.0, abs=1e-12)


def test_double_factorial_of_the_sixteenth_moment() -> None:
    assert float(np.exp(log_absolute_moment(16, np.array(0.0), np.array(1.0)))) == pytest.approx(
        math.prod(range(1, 16, 2)), rel=1e-12
    )


def test_scaling_and_growth() -> None:
    mean, variance = np.linspace(0, 4, 30), np.full(30, 1.3)
    once = log_absolute_moment(5.5, mean, variance)
    assert (np.diff(once) >= 0).all()
    scaled = log_absolute_moment(5.5, 3 * mean, 9 * variance)
    np.testing.assert_allclose(scaled, once + 5.5 * math.log(3), rtol=1e-12)
    np.testing.assert_array_equal(log_absolute_moment(5.5, -mean, variance), once)


@pytest.mark.parametrize(
    ("order", "mean", "variance", "name"), [(0.9, 0.0, 1.0, "order"), (2, math.nan, 1.0, "mean"), (2, 0.0, -1.0, "var")]
)
def test_refuses_what_is_out_of_range(order: float, mean: float, variance: float, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        log_absolute_moment(order, np.array(mean), np.array(variance))
