"""Conversions among pure, zero-concentrated, Rényi, Gaussian and (ε, δ)-DP."""

import math

import numpy as np
import pytest
from dp_accounting.rdp import rdp_privacy_accountant
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from wassdp.accounting.formulas import conversions, renyi

RHO = st.floats(1e-4, 50)
DELTA = st.sampled_from([1e-30, 1e-9, 1e-5, 1e-2])


@given(mean=st.floats(0.01, 8), epsilon=st.floats(0, 8))
def test_gaussian_profile(mean, epsilon):
    plain = norm.cdf(mean / 2 - epsilon / mean) - math.exp(epsilon) * norm.cdf(-mean / 2 - epsilon / mean)
    assert conversions.gdp_to_delta(mean, epsilon) == pytest.approx(plain, rel=1e-6, abs=1e-12)


@given(rho=RHO, delta=DELTA)
def test_order_of_conversions(rho, delta):
    """A Gaussian of ρ = μ²/2: its exact ε is below the Rényi road's, which is below Bun and Steinke's."""
    mean = math.sqrt(2 * rho)
    exact = conversions.gdp_to_epsilon(mean, delta)
    road = conversions.zcdp_to_epsilon_by_renyi(conversions.gdp_to_zcdp(mean), delta)
    assert exact <= road * (1 + 1e-9)
    assert road <= conversions.zcdp_to_epsilon(rho, delta) * (1 + 1e-9)
    assert conversions.gdp_to_delta(mean, exact) <= delta


@given(rho=RHO, delta=DELTA)
def test_road_over_all_orders_is_no_worse_than_over_any_grid(rho, delta):
    orders = 1 + np.geomspace(1e-2, 1e4, 400)
    grid = renyi.to_epsilon(orders, rho * orders, delta)
    assert conversions.zcdp_to_epsilon_by_renyi(rho, delta) <= grid * (1 + 1e-6) + 1e-9
    theirs = rdp_privacy_accountant.compute_epsilon(orders, rho * orders, delta)[0]
    assert conversions.zcdp_to_epsilon_by_renyi(rho, delta) <= theirs * (1 + 1e-6) + 1e-9


def test_renyi_divergences():
    assert conversions.zcdp_to_renyi(0.3, 7.0) == pytest.approx(2.1)
    rounded_up = renyi.gaussian_divergence(np.array([3.0]), 0.5)[0]
    assert conversions.gdp_to_renyi(2.0, 3.0) <= rounded_up == pytest.approx(6.0, rel=1e-14)
    keep = math.e / (1 + math.e)
    plain = math.log(keep**3 * (1 - keep) ** -2 + (1 - keep) ** 3 * keep**-2) / 2
    assert conversions.pure_to_renyi(1.0, 3.0) == pytest.approx(plain)
    assert conversions.pure_to_renyi(1.0, 3.0) <= conversions.zcdp_to_renyi(conversions.pure_to_zcdp(1.0), 3.0)


def test_ends():
    assert conversions.gdp_to_delta(0.0, 0.0) == 0.0
    assert conversions.gdp_to_epsilon(0.0, 1e-5) == conversions.zcdp_to_epsilon_by_renyi(0.0, 1e-5) == 0.0
    assert conversions.gdp_to_epsilon(math.inf, 1e-5) == math.inf


@pytest.mark.parametrize(("call", "name"), [
    (lambda: conversions.gdp_to_epsilon(-1.0, 1e-5), "mean"),
    (lambda: conversions.gdp_to_epsilon(1.0, 0.0), "delta"),
    (lambda: conversions.gdp_to_delta(1.0, -1.0), "epsilon"),
    (lambda: conversions.zcdp_to_epsilon(-1.0, 1e-5), "rho"),
    (lambda: conversions.zcdp_to_epsilon_by_renyi(1.0, 1.0), "delta"),
    (lambda: conversions.zcdp_to_renyi(1.0, 1.0), "order"),
    (lambda: conversions.pure_to_zcdp(math.nan), "epsilon"),
])  # fmt: skip
def test_bad_arguments_are_named(call, name):
    with pytest.raises(ValueError, match=f"^{name} = "):
        call()
