"""Profiles against their own losses, high precision, and simulation of the mechanism."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wassdp.accounting.events.laplace import LaplacePair
from wassdp.accounting.events.sliced_projections import SlicedProjections, mixture
from wassdp.accounting.profiles.gaussian import GaussianMixture, gaussian_delta
from wassdp.accounting.profiles.pure import Pure
from wassdp.accounting.profiles.sampled import Sampled

BASES = {
    "gaussian": GaussianMixture.single(1.0),
    "narrow gaussian": GaussianMixture.single(0.0025),
    "mixture": GaussianMixture(np.array([0.0, 0.01, 0.5, 2.0]), np.array([0.1, 0.2, 0.5, 0.2])),
    "laplace": LaplacePair(1.3),
    "pure": Pure(0.7),
}
SIDES = ("add", "remove", "replace", "revealed")


def hockey_stick(profile, epsilons, edges):
    """δ from the loss itself: E[(1 - e^{ε-ℓ})^+]."""
    loss = profile.continuous(edges, 1e-18) + profile.atoms()
    return np.array([np.sum(loss.mass * np.maximum(0.0, -np.expm1(e - loss.loss))) for e in epsilons])


@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("side", ["base", *SIDES])
@pytest.mark.parametrize("rate", [0.003, 0.4])
def test_loss_and_profile_say_the_same(name, side, rate):
    profile = BASES[name] if side == "base" else Sampled(BASES[name], rate, side)
    epsilons = np.linspace(-3, 4, 36)
    # The integrand has a kink at ε: an edge there keeps the quadrature exact.
    assert hockey_stick(profile, epsilons, epsilons) == pytest.approx(profile.delta(epsilons), abs=1e-11)
    loss = profile.continuous(np.empty(0), 1e-18) + profile.atoms()
    assert loss.mass.sum() == pytest.approx(1.0, abs=1e-11)
    assert (loss.mass @ np.exp(-loss.loss)) == pytest.approx(1.0, abs=1e-10)  # Q has mass 1 too


@pytest.mark.parametrize("variance", [1e-8, 1e-4, 1.0, 25.0, 400.0])
@pytest.mark.parametrize("position", [-3.0, 0.0, 1.0, 6.0, 11.0])
def test_gaussian_to_full_precision(variance, position):
    epsilon = position * math.sqrt(variance) + variance / 2
    with mpmath.workdps(60):
        mu, e = mpmath.sqrt(mpmath.mpf(variance)), mpmath.mpf(epsilon)
        exact = mpmath.ncdf(-e / mu + mu / 2) - mpmath.exp(e) * mpmath.ncdf(-e / mu - mu / 2)
    # Differences of two functions of e/μ ± μ/2 lose digits as μ → 0, about 1e-16/μ.
    assert gaussian_delta(np.array([epsilon]), variance)[0] == pytest.approx(
        float(exact), rel=1e-13 + 1e-14 / variance**0.5
    )


@settings(max_examples=60)
@given(variance=st.floats(1e-6, 30), rate=st.floats(1e-5, 0.99), side=st.sampled_from(SIDES), epsilon=st.floats(-5, 20))
def test_profiles_are_profiles(variance, rate, side, epsilon):
    """δ decreases, is at least 1 - e^ε, and sampling never hurts at ε ≥ 0."""
    base = GaussianMixture.single(variance)
    profile = Sampled(base, rate, side)
    grid = np.array([epsilon, epsilon + 0.1, epsilon + 1.0])
    found = profile.delta(grid)
    assert (np.diff(found) <= 1e-14).all()
    assert (found >= -np.expm1(np.minimum(grid, 0.0)) - 1e-13).all()
    if epsilon >= 0:
        assert (found <= base.delta(grid) + 1e-13).all()


def test_remove_is_the_reflection_of_add():
    """δ₋(ε) = 1 - e^ε + e^ε δ₊(-ε)."""
    base, epsilons = GaussianMixture.single(1.7), np.linspace(-2, 0.2, 23)
    add, remove = Sampled(base, 0.2, "add"), Sampled(base, 0.2, "remove")
    expected = 1 - np.exp(epsilons) + np.exp(epsilons) * add.delta(-epsilons)
    assert remove.delta(epsilons) == pytest.approx(expected, abs=1e-14)


def test_replace_is_symmetric_and_made_of_both():
    base, epsilons = GaussianMixture.single(1.7), np.linspace(0, 3, 31)
    replace = Sampled(base, 0.2, "replace")
    assert replace.delta(epsilons) == pytest.approx(Sampled(base, 0.2, "add").delta(epsilons), abs=1e-15)
    reflected = 1 - np.exp(-epsilons) + np.exp(-epsilons) * replace.delta(epsilons)
    assert replace.delta(-epsilons) == pytest.approx(reflected, abs=1e-13)


def test_sampled_gaussian_as_printed():
    """δ₊(ε) = q δ(log(1 + (e^ε - 1)/q)), written out."""
    from scipy.stats import norm

    q, mu, epsilons = 0.07, 0.9, np.linspace(-0.05, 2, 21)
    t = np.log((np.exp(epsilons) - (1 - q)) / q) / mu + mu / 2
    expected = (1 - q) * norm.sf(t) + q * norm.sf(t - mu) - np.exp(epsilons) * norm.sf(t)
    assert Sampled(GaussianMixture.single(mu**2), q, "add").delta(epsilons) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(
    ("directions", "projections", "dimension"), [("iid", 30, 12), ("iid", 1, 5), ("orthogonal", 4, 9)]
)
@pytest.mark.parametrize("side", ["base", "add", "replace"])
def test_simulated_dp_swd(directions, projections, dimension, side):
    """δ by drawing directions and noise, within 4.5 standard errors: fails by chance with probability 7e-6 each."""
    generator = np.random.default_rng(20261120)
    trials, noise, rate = 400_000, 0.8, 0.25
    if directions == "iid":
        draws = generator.standard_normal((trials, 1, dimension)) if projections == 1 else None
        if draws is None:
            squared = np.zeros(trials)
            for _ in range(projections):
                u = generator.standard_normal((trials, dimension))
                squared += u[:, 0] ** 2 / (u**2).sum(axis=1)
        else:
            squared = draws[:, 0, 0] ** 2 / (draws[:, 0] ** 2).sum(axis=1)
    else:
        # Columns of a Haar basis: the share of a fixed vector that k of d random directions see.
        u = generator.standard_normal((trials, dimension))
        squared = (u[:, :projections] ** 2).sum(axis=1) / (u**2).sum(axis=1)
    mu = np.sqrt(squared) / noise
    # One noisy coordinate along the difference carries the whole release.
    sampled = rate if side != "base" else 1.0
    there = generator.random(trials) < sampled
    z = generator.standard_normal(trials) + mu * there
    loss = np.log1p(sampled * np.expm1(mu * z - mu**2 / 2))
    event = SlicedProjections(
        noise_std=noise, projections=projections, dimension=dimension, directions=directions, adjacency="zero-out"
    )
    for upper in (True, False):
        base = mixture(event, upper=upper, tail=1e-15, detail=4)
        profile = base if side == "base" else Sampled(base, rate, side)
        for epsilon in (0.0, 0.4, 1.0):
            gain = np.maximum(0.0, -np.expm1(epsilon - loss))
            error = gain.std() / math.sqrt(trials)
            assert profile.delta(np.array([epsilon]))[0] == pytest.approx(
                gain.mean(), abs=4.5 * error + 2e-4 * gain.mean()
            )
