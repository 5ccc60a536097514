"""A profile or a lattice that is not a number somewhere gives no bound that is better for it: refused, or no smaller.

Comparisons with what is not a number are false, so that a search for the last ε at which δ is too large, or a sum over
the losses above a level, would pass over it, and call what is left an upper bound.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.formulas import renyi
from wassdp.accounting.numerics import chernoff, exact
from wassdp.accounting.numerics.composition import LatticeComposition, Summands
from wassdp.accounting.numerics.lattice import pessimistic
from wassdp.accounting.numerics.solver import Solver
from wassdp.accounting.profiles.base import Loss, Profile, Vector
from wassdp.accounting.profiles.gaussian import GaussianMixture, gaussian_delta

EVENT = Gaussian(noise_multiplier=2.0, adjacency="add-remove")
DELTA, EPSILON = 1e-5, 3.0
REFUSED = "refused"


@dataclass(frozen=True)
class Holed(Profile):
    """A profile, of which some values are not numbers: of δ between two ε, or of the quadrature at two shares of it."""

    whole: GaussianMixture
    deltas: tuple[float, float]
    masses: tuple[float, float]

    def delta(self, epsilon: Vector) -> Vector:
        low, high = self.deltas
        return np.where((epsilon >= low) & (epsilon <= high), np.nan, self.whole.delta(epsilon))

    def atoms(self) -> Loss:
        return self.whole.atoms()

    def continuous(self, edges: Vector, tail: float) -> Loss:
        loss = self.whole.continuous(edges, tail)
        low, high = (int(share * loss.loss.size) for share in self.masses)
        mass = loss.mass.copy()
        mass[low:high] = np.nan
        return Loss(loss.loss, mass)

    def ends(self, tail: float) -> tuple[float, float]:
        return self.whole.ends(tail)


@dataclass(frozen=True)
class HoledRelease:
    """As `OneSidedRelease`, of a holed profile."""

    event: Gaussian
    profile_given: Holed
    rate: float = 1.0
    scale: None = None

    def profile(self, *, upper: bool, tail: float, detail: int) -> Profile:
        return self.profile_given


@cache
def whole(steps: int) -> tuple[float, float]:
    """Lower values of ε and δ of so many releases, of which nothing is missing."""
    event = repeated(EVENT, steps)
    return exact.epsilon(event, DELTA).lower, exact.delta(event, EPSILON).lower


def refused_or(value: Callable[[], float]) -> float | str:
    """What is computed, or that it was refused because something is not a number."""
    try:
        return value()
    except ValueError as error:
        return REFUSED if re.search(r"\bnan\b|not a number", str(error)) else str(error)


@settings(max_examples=60)
@given(
    delta_hole=st.none() | st.tuples(st.floats(-2, 30), st.floats(0, 30)),
    mass_hole=st.none() | st.tuples(st.floats(0, 1), st.floats(0, 1)),
    steps=st.sampled_from([1, 30]),
)
def test_a_holed_profile_has_no_better_bound(delta_hole, mass_hole, steps):
    low, length = delta_hole or (np.inf, 0.0)
    profile = Holed(GaussianMixture.single(0.25), (low, low + length), (min(mass_hole or (2,)), max(mass_hole or (2,))))
    least_epsilon, least_delta = whole(steps)
    asked = {
        "epsilon": (Solver.solve, {"upper": True}, least_epsilon),
        "delta": (Solver.delta_at, {"epsilon": EPSILON, "upper": True}, least_delta),
        "rare loss's epsilon": (Solver.ceiling, {}, least_epsilon),
        "rare loss's delta": (Solver.delta_ceiling, {"epsilon": EPSILON}, least_delta),
        "deltas": (lambda one: one.upper_deltas(np.array([0.5, EPSILON]), 0)[0][1], {}, least_delta),
    }
    for name, (method, arguments, least) in asked.items():
        solver = Solver(((HoledRelease(EVENT, profile), steps),), DELTA, exact.ACCURACY)
        found = refused_or(lambda m=method, s=solver, a=arguments: m(s, **a))
        assert found == REFUSED or found >= least * (1 - 1e-9), name


def test_the_same_without_a_hole_is_computed():
    """So that the refusals above are the holes'."""
    profile = Holed(GaussianMixture.single(0.25), (np.inf, np.inf), (2.0, 2.0))
    for steps in (1, 30):
        solver = Solver(((HoledRelease(EVENT, profile), steps),), DELTA, exact.ACCURACY)
        bracket = exact.epsilon(repeated(EVENT, steps), DELTA)
        assert bracket.lower * (1 - 1e-3) <= solver.solve(upper=True) <= bracket.upper * (1 + 1e-3)


def test_losses_lattices_and_windows_of_what_is_no_number_are_refused():
    lattice = pessimistic(GaussianMixture.single(1.0), 0.1, 1e-12)
    window = LatticeComposition(((lattice, 3),)).window(0.0)
    for whole_one, names in (
        (Loss(lattice.loss, lattice.mass), ("loss", "mass")),
        (lattice, ("mass", "infinite")),
        (window, ("density", "spacing", "tilt", "log_scale", "noise", "infinite", "offset", "relative")),
    ):
        for name in names:
            value = getattr(whole_one, name)
            bad = np.where(np.arange(value.size) == 2, np.nan, value) if isinstance(value, np.ndarray) else np.nan
            with pytest.raises(ValueError, match=f"{name} = nan"):
                replace(whole_one, **{name: bad})


def test_a_variance_that_is_no_number_has_no_delta():
    assert np.isnan(gaussian_delta(np.array([1.0]), np.nan)).all()
    assert np.isnan(gaussian_delta(np.array([1.0]), np.array([1.0, np.nan]))).tolist() == [False, True]


def test_a_divergence_or_a_growth_that_is_no_number_has_no_epsilon():
    orders = np.array([2.0, 8.0, 32.0])
    for place in range(3):
        divergences = np.where(np.arange(3) == place, np.nan, orders / 100)
        with pytest.raises(ValueError, match=f"divergences = nan at {place}"):
            renyi.to_epsilon(orders, divergences, DELTA)
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match="epsilon = nan at"):
        renyi.to_epsilon(np.array([np.inf]), np.array([1.0]), DELTA)
    for bad in (np.nan, np.inf):  # of a probability, and of a loss that has none
        losses = Summands(((np.array([1.0, -1.0]), np.array([np.log(0.5), bad]), 3),))
        with np.errstate(invalid="ignore"):
            assert refused_or(lambda given=losses: chernoff.chernoff_epsilon(given, DELTA, 0.0)) in (REFUSED, np.inf)
