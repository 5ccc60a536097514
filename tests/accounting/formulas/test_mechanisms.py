"""Table 1 as printed, and the exact values beside it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from dp_accounting.gaussian_mechanism import get_epsilon_gaussian
from scipy.stats import laplace, norm, wasserstein_distance

from wassdp.accounting.formulas import mechanisms


@pytest.mark.parametrize("scale", [1.0, 2.0, 3.0, 5.0])
def test_printed_wasserstein_formulas(scale: float) -> None:
    for order in (1.0, 2.0, 7.5):
        inner = math.sqrt(2 * (1 / scale + math.exp(-1 / scale) - 1))
        expected = 0.5 * 3.0 * inner ** (1 / order)
        assert mechanisms.printed_wasserstein("laplace", scale, order, sensitivity=3.0) == pytest.approx(
            expected, rel=1e-12
        )
        expected = 0.5 * (3.0 / scale) ** (1 / order)
        assert mechanisms.printed_wasserstein("gaussian", scale, order, sensitivity=3.0) == pytest.approx(
            expected, rel=1e-12
        )


def test_the_claimed_distances_are_below_the_true_one() -> None:
    """Scale, sensitivity and order 1: true 1, claimed 0.429 and 0.5."""
    assert mechanisms.printed_wasserstein("laplace", 1.0, 1.0) == pytest.approx(0.429, abs=5e-4)
    assert mechanisms.printed_wasserstein("gaussian", 1.0, 1.0) == 0.5
    for mechanism in mechanisms.MECHANISMS:
        assert mechanisms.first_wasserstein(mechanism, 1.0) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("mechanism", mechanisms.MECHANISMS)
@pytest.mark.parametrize("scale", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("sensitivity", [0.5, 1.0, 10.0])
def test_a_translate_is_as_far_as_it_was_moved(
    mechanism: mechanisms.Mechanism, scale: float, sensitivity: float
) -> None:
    exact = mechanisms.exact_wasserstein(sensitivity)
    assert exact == sensitivity
    for order in (1.0, 3.3, 16.0, 400.0):
        coupled = mechanisms.coupled_wasserstein(mechanism, scale, order, sensitivity=sensitivity)
        assert coupled == pytest.approx(exact, rel=1e-9)
    assert mechanisms.first_wasserstein(mechanism, scale, sensitivity=sensitivity) == pytest.approx(exact, rel=1e-8)


def test_the_exact_distance_equals_that_of_large_samples() -> None:
    """SciPy on samples. Standard error about 2 scale / sqrt(n) = 0.014; the tolerance is 5 of them."""
    rng = np.random.default_rng(0)
    first, second = (rng.laplace(shift, 1.0, 20000) for shift in (0.0, 1.0))
    assert wasserstein_distance(first, second) == pytest.approx(1.0, abs=0.07)


@pytest.mark.parametrize("mechanism", mechanisms.MECHANISMS)
@pytest.mark.parametrize("scale", [0.3, 1.0, 5.0])
@pytest.mark.parametrize("order", [1.0, 1.01, 2.0, 10.0, 40.0])
def test_printed_divergences_are_those_of_the_densities(
    mechanism: mechanisms.Mechanism, scale: float, order: float
) -> None:
    printed = mechanisms.printed_renyi(mechanism, scale, order)
    assert mechanisms.integrated_renyi(mechanism, scale, order) == pytest.approx(printed, rel=1e-6)


def test_laplace_divergence_is_continuous_at_order_one() -> None:
    assert mechanisms.printed_renyi("laplace", 2.0, 1 + 1e-7) == pytest.approx(
        mechanisms.printed_renyi("laplace", 2.0, 1.0), rel=1e-6
    )


@pytest.mark.parametrize("mechanism", mechanisms.MECHANISMS)
@pytest.mark.parametrize("scale", [0.5, 1.0, 5.0])
@pytest.mark.parametrize("delta", [1e-10, 1e-5, 0.1])
def test_exact_epsilon_is_where_the_hockey_stick_divergence_is_delta(
    mechanism: mechanisms.Mechanism, scale: float, delta: float
) -> None:
    epsilon = mechanisms.exact_epsilon(mechanism, scale, delta)
    # The divergence is P(S) - e^ε Q(S) for S = {p > e^ε q}, a half line beyond t.
    if mechanism == "gaussian":
        t = epsilon * scale**2 + 0.5
        found = norm.sf(t, 1, scale) - math.exp(epsilon) * norm.sf(t, 0, scale)
    else:
        t = (1 + epsilon * scale) / 2
        found = laplace.sf(t, 1, scale) - math.exp(epsilon) * laplace.sf(t, 0, scale)
    if epsilon == 0:
        assert float(found) <= delta
    else:
        assert float(found) == pytest.approx(delta, rel=1e-4, abs=1e-15)


@pytest.mark.parametrize("scale", [0.05, 1.0, 3.0, 700.0])
@pytest.mark.parametrize("delta", [1e-30, 1e-5, 0.3])
def test_exact_epsilon_of_gaussian_noise_is_a_peers(scale: float, delta: float) -> None:
    assert mechanisms.exact_epsilon("gaussian", scale, delta) == pytest.approx(
        get_epsilon_gaussian(scale, delta), rel=1e-9
    )


def test_exact_epsilon_is_never_negative() -> None:
    assert mechanisms.exact_epsilon("laplace", 100.0, 0.5) == 0.0
    assert mechanisms.exact_epsilon("gaussian", 100.0, 0.5) == 0.0


def test_pure() -> None:
    assert mechanisms.printed_pure("laplace", 4.0) == 0.25
    assert mechanisms.printed_pure("gaussian", 4.0) == math.inf


def test_refuses_what_is_out_of_range() -> None:
    with pytest.raises(ValueError, match="order"):
        mechanisms.printed_renyi("laplace", 1.0, 0.5)
    with pytest.raises(ValueError, match="scale"):
        mechanisms.printed_wasserstein("gaussian", 0.0, 1.0)


def test_the_laplace_divergence_tends_to_the_pure_budget() -> None:
    assert mechanisms.printed_renyi("laplace", 1e-3, 1e6) == pytest.approx(1000.0, rel=1e-6)
    below, above = (mechanisms.printed_renyi("laplace", 0.09, 1 + 9 * factor) for factor in (1 - 1e-9, 1 + 1e-9))
    assert below == pytest.approx(above, rel=1e-8)
