"""WDP Propositions 9 to 11 as printed, and the mechanisms that they do not hold for."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wassdp.accounting.formulas import mechanisms, renyi
from wassdp.accounting.formulas import wasserstein_conversions as conversions


@given(epsilon=st.floats(1e-3, 30), order=st.floats(1, 50), sensitivity=st.floats(0.01, 100))
def test_formulas_as_printed(epsilon, order, sensitivity):
    pure = sensitivity / 2 * (2 * epsilon * (math.exp(epsilon) - 1)) ** (1 / (2 * order))
    assert conversions.from_pure(epsilon, order, sensitivity=sensitivity) == pytest.approx(pure, rel=1e-9)
    divergence = sensitivity / 2 * (2 * epsilon) ** (1 / (2 * order))
    assert conversions.from_renyi(epsilon, 3.0, order, sensitivity=sensitivity) == pytest.approx(divergence, rel=1e-9)
    back = sensitivity * epsilon ** (order / (order + 1))
    assert conversions.to_pure(epsilon, order, lipschitz=sensitivity) == pytest.approx(back, rel=1e-9)
    assert conversions.to_renyi(epsilon, order, 3.0, lipschitz=sensitivity) == pytest.approx(1.5 * back, rel=1e-9)


def test_proposition_9_is_below_the_laplace_mechanism():
    claimed = conversions.from_pure(1.0, 1.0, sensitivity=1.0)
    assert claimed == pytest.approx(0.927, abs=5e-4)
    assert claimed < mechanisms.exact_wasserstein(1.0) == 1.0


def test_proposition_10_is_below_the_gaussian_mechanism():
    divergence = mechanisms.printed_renyi("gaussian", 1.0, 2.0)
    assert divergence == pytest.approx(1.0)
    claimed = conversions.from_renyi(divergence, 2.0, 1.0, sensitivity=1.0)
    assert claimed == pytest.approx(math.sqrt(0.5))
    assert claimed < mechanisms.exact_wasserstein(1.0)


def test_proposition_11_is_below_the_laplace_mechanism():
    """Scale 1: L = 1; translated by Δ = 4, every W is 4 and D_∞ = 4."""
    assert conversions.to_pure(mechanisms.exact_wasserstein(4.0), 1.0, lipschitz=1.0) == 2.0
    assert conversions.to_renyi(4.0, 1.0, 50.0, lipschitz=1.0) == pytest.approx(100 / 49)
    assert (
        conversions.to_renyi(4.0, 1.0, 50.0, lipschitz=1.0) < renyi.laplace_divergence(np.array([50.0]), 0.25)[0] <= 4
    )


def test_large_renyi_order_is_pure():
    assert conversions.to_renyi(2.0, 3.0, math.inf, lipschitz=1.5) == conversions.to_pure(2.0, 3.0, lipschitz=1.5)
    assert conversions.to_renyi(2.0, 3.0, 1e9, lipschitz=1.5) == pytest.approx(1.5 * 2**0.75, rel=1e-8)


def test_ends():
    assert conversions.from_pure(0.0, 2.0) == conversions.from_renyi(0.0, 2.0, 2.0) == 0.0
    assert conversions.to_renyi(0.0, 2.0, 2.0, lipschitz=1.0) == 0.0
    assert conversions.from_pure(1000.0, 400.0) == pytest.approx(0.5 * math.exp((math.log(2000) + 1000) / 800))
    assert conversions.from_pure(math.inf, 1.0) == conversions.from_renyi(math.inf, 2.0, 1.0) == math.inf
    assert conversions.to_pure(math.inf, 1.0, lipschitz=1.0) == math.inf
    assert conversions.from_pure(1e4, 1.0) == math.inf


@pytest.mark.parametrize(("call", "name"), [
    (lambda: conversions.from_pure(-1.0, 1.0), "epsilon"),
    (lambda: conversions.from_pure(math.nan, 1.0), "epsilon"),
    (lambda: conversions.from_pure(1.0, 0.5), "wasserstein_order"),
    (lambda: conversions.from_pure(1.0, 1.0, sensitivity=-1.0), "sensitivity"),
    (lambda: conversions.from_renyi(1.0, 1.0, 1.0), "renyi_order"),
    (lambda: conversions.to_renyi(1.0, 1.0, math.nan, lipschitz=1.0), "renyi_order"),
    (lambda: conversions.to_pure(1.0, math.inf, lipschitz=1.0), "wasserstein_order"),
    (lambda: conversions.to_pure(1.0, 1.0, lipschitz=-1.0), "lipschitz"),
])  # fmt: skip
def test_bad_arguments_are_named(call, name):
    with pytest.raises(ValueError, match=f"^{name} = "):
        call()
