"""Rounding of the composition stays inside its stated bound, on adverse cases, against extended precision."""

import itertools

import mpmath
import numpy as np
import pytest
from scipy import fft

from wassdp.accounting.numerics.composition import LatticeComposition, _from_right
from wassdp.accounting.numerics.lattice import Lattice, optimistic, pessimistic
from wassdp.accounting.profiles.gaussian import GaussianMixture
from wassdp.accounting.profiles.sampled import Sampled

extended = pytest.mark.skipif(
    np.finfo(np.longdouble).eps >= np.finfo(float).eps, reason="long double is no longer than double here"
)


def sampled(rate, variance, spacing, make=pessimistic):
    return make(Sampled(GaussianMixture.single(variance), rate, "add"), spacing, 1e-20)


def reference(composition, tilt, window):
    """The same density with transforms, powers and inverse in extended precision."""
    size = window.density.size
    logarithm, centre = np.zeros(size // 2 + 1, np.clongdouble), 0
    for part, count in composition.parts:
        exponent = part.log_mass + tilt * part.loss
        mass = np.exp(exponent - exponent.max())
        mass /= mass.sum()
        middle = round(float(mass @ np.arange(mass.size)))
        centre += count * (part.first + middle)
        circle = np.zeros(size, np.longdouble)
        np.add.at(circle, (np.arange(mass.size) - middle) % size, mass.astype(np.longdouble))
        transform = fft.rfft(circle)
        assert transform.dtype == np.clongdouble
        logarithm += count * np.log(np.where(transform == 0, np.longdouble(1e-300), transform))
    return np.roll(fft.irfft(np.exp(logarithm), size), -((window.start - centre) % size))


@extended
@pytest.mark.parametrize(
    ("parts", "tilt"),
    [
        # Nearly all mass on one point, ten million steps: the largest error, and a plain transform's hardest case.
        (lambda: [(sampled(1e-6, 400.0, 0.02), 10**7)], 0.005),
        (lambda: [(sampled(1e-6, 11.0, 5e-4, optimistic), 10**7)], 1.2),
        (lambda: [(sampled(0.01, 1.0, 0.005), 10**7)], 0.5),
        (lambda: [(sampled(0.004, 1.0, 2e-4), 60000)], 3.0),
        (lambda: [(sampled(0.1, 1.0, 2e-4), 3)], 20.0),
        # Far into the tail, and phases of which one is released once.
        (lambda: [(sampled(0.5, 1e-2, 2e-4), 1000)], 30.0),
        (lambda: [(sampled(0.01, 1.0, 2e-4), 1000), (sampled(0.1, 4.0, 2e-4), 1)], 1.0),
    ],
)
def test_rounding_is_within_its_bound(parts, tilt):
    composition = LatticeComposition(tuple(parts()))
    window = composition.window(tilt)
    error = np.abs(reference(composition, tilt, window) - window.density).max()
    assert 0 < error <= window.noise
    # A bound that swallows the answer would be no use.
    assert window.noise < 1e-3 * window.density.max()


@extended
@pytest.mark.parametrize("size", [2**18, 3**11, 5**8, 2**9 * 3**4 * 5**2, 2**21])
@pytest.mark.parametrize("kind", ["spike", "flat", "rough"])
def test_transforms_are_as_exact_as_stated(size, kind):
    """Relative error of a real transform and of its inverse in the 2-norm: at most 8u log₂n."""
    generator = np.random.default_rng(20261121)
    vector = {"spike": np.zeros, "flat": np.ones, "rough": generator.standard_normal}[kind](size)
    vector[generator.integers(size)] += 1.0
    bound = 8 * np.finfo(float).eps / 2 * np.log2(size)
    for function in (fft.rfft, lambda x: fft.irfft(x, size)):
        source = vector if function is fft.rfft else fft.rfft(vector)
        precise = np.longdouble if source.dtype == float else np.clongdouble
        exact = function(source.astype(precise))
        error = np.linalg.norm((function(source) - exact).astype(complex)) / np.linalg.norm(exact.astype(complex))
        assert error <= bound / 8


def test_delta_of_a_composition_to_many_digits():
    """Three points, 40 steps, δ near 1e-30: the multinomial sum in 50 digits lies between both values."""
    mass, spacing, steps = [0.3, 0.55, 0.15], 0.05, 40
    lattice = Lattice(spacing, -1, np.array(mass), 0.0)
    with mpmath.workdps(50):
        power = [mpmath.mpf(1)]
        for _ in range(steps):
            new = [mpmath.mpf(0)] * (len(power) + 2)
            for i, value in enumerate(power):
                for j, weight in enumerate(mass):
                    new[i + j] += value * mpmath.mpf(weight)
            power = new
        for epsilon in (0.4, 1.5, 1.9):
            exact = sum(
                value * (1 - mpmath.exp(epsilon - (i - steps) * mpmath.mpf(spacing)))
                for i, value in enumerate(power)
                if (i - steps) * spacing > epsilon
            )
            composition = LatticeComposition(((lattice, steps),))
            window = composition.window(composition.summands.tilt_for_epsilon(epsilon))
            lower, upper = (window.delta(epsilon, upper=side) for side in (False, True))
            assert lower <= exact <= upper
            assert upper - lower <= 1e-5 * exact


@pytest.mark.parametrize("size", [1, 2, 3, 4095, 4096, 4097, 10000])
@pytest.mark.parametrize("factor", [0.0, 1e-300, 0.9, 1 - 1e-9, 1.0])
def test_sums_from_the_right_are_the_recursion_in_its_own_order(size, factor):
    values = np.random.default_rng(size).random(size) * np.geomspace(1, 1e-300, size)
    naive = list(itertools.accumulate(values[::-1].tolist(), lambda total, value: value + factor * total))[::-1]
    # Each of the at most 10,000 sums is rounded once or, with a fused multiplication, differently: never more.
    np.testing.assert_allclose(_from_right(values, factor), naive, rtol=1e-12)
