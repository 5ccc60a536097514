"""Both lattices are on their side of δ at every ε, and close to it in second order."""

import numpy as np
import pytest
from dp_accounting.pld import pld_pmf
from hypothesis import given, settings
from hypothesis import strategies as st

from wassdp.accounting.events.laplace import LaplacePair
from wassdp.accounting.numerics.lattice import optimistic, pessimistic
from wassdp.accounting.profiles.gaussian import GaussianMixture
from wassdp.accounting.profiles.sampled import Sampled


def delta(lattice, epsilons):
    found = [np.sum(lattice.mass * np.maximum(0.0, -np.expm1(e - lattice.loss))) for e in epsilons]
    return np.array(found) + lattice.infinite


@settings(max_examples=40)
@given(
    variance=st.floats(0.01, 4.0),
    rate=st.floats(0.01, 0.95),
    side=st.sampled_from(["base", "add", "remove", "replace"]),
    cells=st.integers(3, 60),
    laplace=st.booleans(),
)
def test_bracket_at_every_epsilon(variance, rate, side, cells, laplace):
    base = LaplacePair(variance) if laplace else GaussianMixture.single(variance)
    profile = base if side == "base" else Sampled(base, rate, side)
    low, high = profile.ends(1e-3)
    spacing = (high - low) / cells
    epsilons = np.linspace(low - spacing, high + spacing, 97)
    exact = profile.delta(epsilons)
    assert (delta(pessimistic(profile, spacing, 1e-16), epsilons) >= exact - 1e-14).all()
    assert (delta(optimistic(profile, spacing, 1e-16), epsilons) <= exact + 1e-14).all()


def test_pessimistic_is_connect_the_dots():
    """The same probabilities as dp-accounting makes from the table of δ."""
    profile, spacing = GaussianMixture.single(1.0), 0.05
    found = pessimistic(profile, spacing, 1e-12)
    table = profile.delta(found.loss)
    reference = pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(
        spacing, found.first, found.first + found.mass.size - 1, table
    ).to_dense_pmf()
    assert found.mass[1:-2] == pytest.approx(reference._probs[1:-2], abs=1e-12)


def test_error_is_of_second_order():
    profile = GaussianMixture.single(1.0)
    errors = {}
    for spacing in (0.1, 0.05):
        for make in (pessimistic, optimistic):
            epsilons = np.linspace(-1, 3, 401)
            gap = np.abs(delta(make(profile, spacing, 1e-16), epsilons) - profile.delta(epsilons)).max()
            errors[make, spacing] = gap
            assert gap <= spacing**2 / 4
    for make in (pessimistic, optimistic):
        assert errors[make, 0.05] < 0.4 * errors[make, 0.1]
