"""Both bounds on H = ‖Uᵀz‖²: they bracket every profile, and H itself has the right law."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from wassdp.accounting.formulas import sliced_tails
from wassdp.accounting.profiles import squared_sensitivity
from wassdp.accounting.profiles.gaussian import GaussianMixture, gaussian_delta


def mixture(found, noise):
    return GaussianMixture(found.value / noise**2, found.weight, found.infinite)


@pytest.mark.parametrize(
    ("projections", "dimension", "noise"),
    [
        (1000, 784, 2.94),
        (200, 320, 5.34),
        (2, 2, 0.5),
        (1, 784, 0.05),
        (5, 10, 0.5),
        (10**5, 10**5, 1.0),
        (1000, 2, 30.0),
    ],
)
def test_bounds_bracket_and_close(projections, dimension, noise):
    upper, lower = (
        mixture(squared_sensitivity.iid(projections, dimension, noise, upper=u, tail=1e-20, detail=4), noise)
        for u in (True, False)
    )
    variance = projections / dimension / noise**2
    epsilons = variance / 2 + np.sqrt(variance) * np.array([0.0, 1.0, 2.0])
    above, below = upper.delta(epsilons), lower.delta(epsilons)
    assert (below <= above).all()
    assert above == pytest.approx(below, rel=3e-3)
    for bound in (upper, lower):
        assert bound.weights.sum() + bound.infinite == pytest.approx(1.0, abs=1e-9)


def test_bounds_contain_a_direct_integral():
    """k = 1, where H ~ Beta(1/2, (d-1)/2) and the profile is one integral."""
    dimension, noise = 7, 0.4
    law = stats.beta(0.5, (dimension - 1) / 2)
    for epsilon in (0.0, 0.5, 2.0):

        def integrand(t, epsilon=epsilon):
            h = np.sin(t) ** 2
            return law.pdf(h) * np.sin(2 * t) * gaussian_delta(np.array([epsilon]), h / noise**2)[0]

        exact = integrate.quad(integrand, 1e-9, np.pi / 2, epsabs=1e-12)[0]
        for upper in (True, False):
            found = squared_sensitivity.iid(1, dimension, noise, upper=upper, tail=1e-20, detail=4)
            value = mixture(found, noise).delta(np.array([epsilon]))[0]
            assert value >= exact * (1 - 1e-9) if upper else value <= exact * (1 + 1e-9)
            assert value == pytest.approx(exact, rel=2e-3)


def test_mean_and_variance_of_the_sum():
    found = squared_sensitivity.iid(1000, 784, 2.94, upper=True, tail=1e-20, detail=2)
    mean = found.value @ found.weight
    assert mean == pytest.approx(1000 / 784, rel=1e-5)
    assert found.weight @ (found.value - mean) ** 2 == pytest.approx(2 * 1000 * 783 / 784**2 / 786, rel=1e-2)


def test_quantile_of_theory():
    """For d = 784, k = 1000: the 1 - 1e-5 quantile is 1.533; Bernstein 9.224; CLT 1.518 (at 2.8e-5)."""
    sums = squared_sensitivity._sum(1000, 784, 1.0, 1e-4, upper=True, tail=1e-20)
    order = np.argsort(sums.loss)
    beyond = np.cumsum(sums.mass[order][::-1])[::-1]
    values = sums.loss[order]
    assert np.interp(np.log(1e-5), np.log(beyond[::-1]), values[::-1]) == pytest.approx(1.533, abs=5e-4)
    assert sliced_tails.bernstein(1000, 784, 1e-5) == pytest.approx(9.224, abs=5e-4)
    limit = sliced_tails.central_limit(1000, 784, 1e-5)
    assert limit == pytest.approx(1.518, abs=5e-4)
    assert np.exp(np.interp(limit, values, np.log(beyond))) == pytest.approx(2.8e-5, rel=0.05)


def test_orthogonal_is_a_constant_or_a_beta():
    full = squared_sensitivity.orthogonal(20, 5, 1.0, upper=True, tail=1e-20, detail=1)
    assert (full.value.tolist(), full.weight.tolist()) == ([4.0], [1.0])
    part = squared_sensitivity.orthogonal(3, 11, 1.0, upper=True, tail=1e-20, detail=2)
    law = stats.beta(1.5, 4.0)
    assert part.value @ part.weight == pytest.approx(law.mean(), rel=1e-3)
    assert part.value.max() <= 1.0 + 1e-12


@given(
    projections=st.sampled_from([2, 3, 10, 100, 1000]),
    dimension=st.sampled_from([2, 5, 100, 784, 10**5]),
    log_noise=st.floats(-1.5, 3.5),
    log_tail=st.floats(-40, -3),
    detail=st.sampled_from([1, 2, 4]),
)
@settings(max_examples=60)
def test_the_two_laws_stay_beside_the_exact_mean_and_each_other(projections, dimension, log_noise, log_tail, detail):
    # Windows that only know their rounding far from their centre once put most of the mass near 0.
    noise, tail = 10**log_noise, 10**log_tail
    upper, lower = (
        squared_sensitivity.iid(projections, dimension, noise, upper=side, tail=tail, detail=detail)
        for side in (True, False)
    )
    exact = projections / dimension
    assert float(upper.weight.sum()) + upper.infinite == pytest.approx(1, abs=1e-12)
    assert float(lower.weight.sum()) == pytest.approx(1, abs=1e-12)
    assert float(upper.value @ upper.weight) == pytest.approx(exact, rel=0.02)
    if projections >= 10:  # with fewer, the lower law gives up much of what lies near 0
        assert float(lower.value @ lower.weight) == pytest.approx(exact, rel=0.02)
    # One δ each, far out and near: the upper law's profile is never below the lower one's.
    reach = math.sqrt(exact) / noise
    epsilons = np.array([0.0, 0.5, 2.0, 6.0]) * reach + reach**2 / 2
    above, below = (mixture(law, noise).delta(epsilons) for law in (upper, lower))
    assert (above >= below * (1 - 1e-9)).all()
