"""Clopper and Pearson's limits, against scipy's own and with many digits."""

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import special, stats

from wassdp.audit.statistics import clopper_pearson, proportion


@pytest.mark.parametrize(("count", "trials"), [(0, 1), (1, 1), (0, 50), (3, 50), (50, 50), (499, 1000), (7, 10**6)])
@pytest.mark.parametrize("level", [0.3, 0.05, 1e-3, 1e-6])
def test_limits_are_those_of_scipy(count: int, trials: int, level: float) -> None:
    both = stats.binomtest(count, trials).proportion_ci(confidence_level=1 - 2 * level, method="exact")
    assert float(proportion.lower(count, trials, level)) == pytest.approx(both.low, rel=1e-6, abs=1e-300)
    assert float(proportion.upper(count, trials, level)) == pytest.approx(both.high, rel=1e-6)


def many_digits(count: int, trials: int, rate: float) -> mpmath.mpf:
    """P(Bin(trials, rate) ≥ count)."""
    return mpmath.betainc(count, trials - count + 1, 0, mpmath.mpf(rate), regularized=True)


@pytest.mark.parametrize(("count", "trials"), [(0, 10**8), (1, 10**8), (12, 5 * 10**7), (99_999_990, 10**8)])
@pytest.mark.parametrize("level", [0.05, 1e-6])
def test_the_error_lies_on_the_safe_side_with_many_trials(count: int, trials: int, level: float) -> None:
    with mpmath.workdps(40):
        if count:
            assert many_digits(count, trials, float(proportion.lower(count, trials, level))) <= level
        assert 1 - many_digits(count + 1, trials, float(proportion.upper(count, trials, level))) <= level


# SciPy 1.17 inverts wrongly where the first parameter of the beta law is 1,000: k of the lower limit, k + 1 of the
# upper one.
@pytest.mark.parametrize("count", [998, 999, 1000, 1001])
@pytest.mark.parametrize("trials", [10**6, 10**8, 10**9, 10**10])
@pytest.mark.parametrize("level", [0.05, 1e-6])
def test_limits_are_safe_and_tight_where_an_inverse_errs(count: int, trials: int, level: float) -> None:
    low, high = float(proportion.lower(count, trials, level)), float(proportion.upper(count, trials, level))
    with mpmath.workdps(40):
        assert many_digits(count, trials, low) <= level < many_digits(count, trials, low * (1 + 4e-7))
        above, beyond = (1 - many_digits(count + 1, trials, rate) for rate in (high, high * (1 - 4e-7)))
        assert above <= level < beyond


def at_most(count: int, trials: int, rate: float) -> Fraction:
    """P(Bin(trials, rate) ≤ count), without rounding."""
    p = Fraction(rate)
    a, b = p.numerator, p.denominator - p.numerator
    total = sum(math.comb(trials, k) * a**k * b ** (trials - k) for k in range(count + 1))
    return Fraction(total, p.denominator**trials)


@pytest.mark.parametrize("trials", [1, 2, 7, 60])
@pytest.mark.parametrize("level", [0.9, 0.05, 1e-9])
def test_limits_are_safe_and_tight_at_every_count(trials: int, level: float) -> None:
    counts = np.arange(trials + 1.0)
    limits = zip(proportion.lower(counts, trials, level), proportion.upper(counts, trials, level), strict=True)
    for count, (low, high) in enumerate(limits):
        if count:
            assert 1 - at_most(count - 1, trials, float(low)) <= level
            assert 1 - at_most(count - 1, trials, float(low) * (1 + 4e-7)) > level
        if count < trials:
            assert at_most(count, trials, float(high)) <= level < at_most(count, trials, float(high) * (1 - 4e-7))


@pytest.mark.parametrize(
    "wrong",
    [lambda value: 2 * value, lambda value: value / 2, lambda value: value * np.nan, np.zeros_like, np.ones_like],
)
def test_no_inverse_is_believed(wrong: Callable[[np.ndarray], np.ndarray], monkeypatch: pytest.MonkeyPatch) -> None:
    counts = np.array([1.0, 3.0, 50.0, 99.0, 100.0])
    known = proportion.lower(counts, 100, 0.05), proportion.upper(counts, 100, 0.05)
    for name in ("betaincinv", "betainccinv"):
        inverse = getattr(special, name)
        monkeypatch.setattr(special, name, lambda *args, inverse=inverse: wrong(inverse(*args)))
    found = proportion.lower(counts, 100, 0.05), proportion.upper(counts, 100, 0.05)
    np.testing.assert_allclose(found, known, rtol=3e-7)


def test_worlds_that_are_alike_give_no_bound_at_a_thousand_of_many() -> None:
    """A count has a deviation of 32: at these limits, neither side tells 1,000 from 1,000."""
    fixed = clopper_pearson.ThresholdPlan(0.0, True, 0.5)
    for count in (999, 1000, 1001):
        seen = (count, 10**9)
        assert clopper_pearson.counted(fixed, present=seen, absent=seen, delta=1e-8, confidence=0.95).epsilon == 0


def test_arrays_broadcast() -> None:
    limits = proportion.upper(np.arange(4.0)[:, None], 10.0, np.array([0.1, 0.01]))
    assert limits.shape == (4, 2)
    assert float(limits[3, 1]) == float(proportion.upper(3, 10, 0.01))
