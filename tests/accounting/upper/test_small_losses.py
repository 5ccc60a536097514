"""Divergences of tiny and huge losses against 60 digits: never below them, and hardly above."""

import math

import mpmath
import numpy as np
import pytest

from wassdp.accounting.accountants.upper import pld, rdp, zcdp
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.gibbs import Gibbs
from wassdp.accounting.events.laplace import Laplace
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.sliced_projections import SlicedProjections
from wassdp.accounting.formulas import conversions, renyi
from wassdp.accounting.profiles.gaussian import gaussian_delta

ORDERS = np.array([2.0, 3.0, 64.0, 4096.0])
LOSSES = [1e-100, 1e-30, 1e-16, 1e-8, 1e-3, 0.3, 2.0, 50.0, 1e4]


def exact_laplace(order, loss):
    a, e = mpmath.mpf(order), mpmath.mpf(loss)
    moment = (a * mpmath.exp((a - 1) * e) + (a - 1) * mpmath.exp(-a * e)) / (2 * a - 1)
    return mpmath.log(moment) / (a - 1)


def exact_pure(order, loss):
    a, e = mpmath.mpf(order), mpmath.mpf(loss)
    moment = (mpmath.exp(a * e) + mpmath.exp((1 - a) * e)) / (1 + mpmath.exp(e))
    return mpmath.log(moment) / (a - 1)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("formula", "exact"), [
    (
        lambda loss: renyi.laplace_divergence(ORDERS, 1 / loss),
        lambda order, loss: exact_laplace(order, 1 / mpmath.mpf(1 / loss)),
    ),
    (lambda loss: renyi.pure_divergence(ORDERS, loss), exact_pure),
], ids=["laplace", "pure"])  # fmt: skip
def test_pure_losses_of_every_size(formula, exact, loss):
    found = formula(loss)
    with mpmath.workdps(450):
        for order, value in zip(ORDERS, found, strict=True):
            truth = exact(order, loss)
            assert value >= truth
            assert value <= truth * (1 + mpmath.mpf("1e-9"))


@pytest.mark.parametrize("rate", [1e-12, 1e-6, 0.01, 0.9])
@pytest.mark.parametrize("noise", [1e30, 1e8, 1e3, 2.0, 0.3])
def test_sampled_gaussian_of_every_size(rate, noise):
    orders = np.array([2.0, 3.0, 64.0])
    found = renyi.sampled_divergence(orders, rate, renyi.gaussian_log_moments(renyi.up_to(orders), noise))
    with mpmath.workdps(150):
        q, precision = mpmath.mpf(rate), mpmath.mpf(noise) ** -2
        for order, value in zip(orders.astype(int).tolist(), found, strict=True):
            moment = mpmath.fsum(
                mpmath.binomial(order, k) * q**k * (1 - q) ** (order - k) * mpmath.exp(k * (k - 1) * precision / 2)
                for k in range(order + 1)
            )
            truth = mpmath.log(moment) / (order - 1)
            assert value >= truth
            assert value <= truth * (1 + mpmath.mpf("1e-9"))


@pytest.mark.parametrize(("a", "b"), [(0.5, 1.0), (0.5, 5e4), (1.0, 392.0), (100.0, 392.0)])
@pytest.mark.parametrize("argument", [1e-60, 1e-6, 1.0, 400.0, 900.0, 5e4])
def test_sliced_moments_of_every_size(a, b, argument):
    found = renyi.projections_log_moment(int(2 * a), int(2 * b), "orthogonal", np.array([argument]))[0]
    with mpmath.workdps(150):
        truth = mpmath.log(mpmath.hyp1f1(a, b, mpmath.mpf(argument)))
        assert found >= truth
        assert found <= truth * (1 + mpmath.mpf("1e-10"))


@pytest.mark.parametrize("mean", [1e-40, 1e-18, 1e-8, 1e-3, 0.0099, 0.0101, 0.5, 4.0])
@pytest.mark.parametrize("deviations", [0.0, 0.01, 1.0, 5.0, 20.0, -0.01, -3.0])
def test_the_gaussian_profile_keeps_its_digits(mean, deviations):
    """At mean 1e-18 and ε = 0 it was 0 where the total variation is 4e-19, so that any δ seemed kept."""
    epsilon = deviations * mean
    found = gaussian_delta(np.array([epsilon]), mean**2)[0]
    with mpmath.workdps(200):
        mu, e = mpmath.sqrt(mpmath.mpf(mean**2)), mpmath.mpf(epsilon)
        truth = mpmath.ncdf(mu / 2 - e / mu) - mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)
    assert found == pytest.approx(float(truth), rel=2e-11)


@pytest.mark.parametrize("event", [
    repeated(Laplace(noise_multiplier=1e8, adjacency="add-remove"), 10**12),
    repeated(Gibbs(inverse_temperature=1e-8, risk_range=0.5, records=1), 10**12),
    repeated(Gaussian(noise_multiplier=1e8, adjacency="add-remove"), 10**12),
], ids=["laplace", "gibbs", "gaussian"])  # fmt: skip
def test_a_trillion_tiny_losses_are_a_gaussian_and_not_nothing(event):
    """All three have μ = 0.01, so ε = 0.0531; Rényi's answer was 0 for the first two."""
    truth = conversions.gdp_to_epsilon(0.01, 1e-10)
    assert truth == pytest.approx(0.0531, rel=0.01)
    for accountant in (rdp.RDPAccountant(), zcdp.ZCDPAccountant()):
        assert truth <= accountant.epsilon(event, 1e-10).value <= 1.1 * truth


@pytest.mark.parametrize("noise", [1e15, 1e18, 1e25])
def test_one_tiny_gaussian_is_not_nothing_below_its_total_variation(noise):
    event = Gaussian(noise_multiplier=noise, adjacency="add-remove")
    variation = 1 / noise / math.sqrt(2 * math.pi)
    for accountant in (pld.PLDAccountant(), rdp.RDPAccountant(), zcdp.ZCDPAccountant()):
        assert accountant.epsilon(event, 0.9 * variation).value > 0
    assert pld.PLDAccountant().epsilon(event, 1.1 * variation).value == 0


@pytest.mark.parametrize("event", [
    Gaussian(noise_multiplier=1e100, adjacency="add-remove"),
    Laplace(noise_multiplier=1e100, adjacency="add-remove"),
    PoissonSampled(event=Gaussian(noise_multiplier=1e100, adjacency="add-remove"), rate=1e-9),
    SlicedProjections(noise_std=1e100, projections=10, dimension=20, adjacency="zero-out"),
], ids=["gaussian", "laplace", "sampled", "sliced"])  # fmt: skip
def test_no_loss_is_rounded_to_none(event):
    """What is released is not nothing, however small: at a δ below every total variation there is a budget."""
    assert rdp.RDPAccountant().epsilon(repeated(event, 1), 1e-307).value > 0


@pytest.mark.parametrize("make", [
    lambda noise: Gaussian(noise_multiplier=noise, adjacency="add-remove"),
    lambda noise: Laplace(noise_multiplier=noise, adjacency="add-remove"),
    lambda noise: PoissonSampled(event=Gaussian(noise_multiplier=noise, adjacency="add-remove"), rate=0.5),
    lambda noise: SlicedProjections(noise_std=noise, projections=10, dimension=20, adjacency="zero-out"),
], ids=["gaussian", "laplace", "sampled", "sliced"])  # fmt: skip
def test_noise_too_small_for_numbers_is_refused_or_without_a_false_bound(make):
    """The least noise that is taken has an honest budget, whatever its size; less is no event."""
    with pytest.raises(ValueError, match="noise"):
        make(1e-200)
    found = rdp.RDPAccountant().epsilon(make(1e-100), 1e-5)
    assert not found.bounded or found.value > 1e99
