"""Clopper and Pearson's limits, against scipy's own and with many digits."""

import mpmath
import numpy as np
import pytest
from scipy import stats

from wassdp.audit.statistics import proportion


@pytest.mark.parametrize(("count", "trials"), [(0, 1), (1, 1), (0, 50), (3, 50), (50, 50), (499, 1000), (7, 10**6)])
@pytest.mark.parametrize("level", [0.3, 0.05, 1e-3, 1e-6])
def test_limits_are_those_of_scipy(count: int, trials: int, level: float) -> None:
    both = stats.binomtest(count, trials).proportion_ci(confidence_level=1 - 2 * level, method="exact")
    assert float(proportion.lower(count, trials, level)) == pytest.approx(both.low, rel=1e-6, abs=1e-300)
    assert float(proportion.upper(count, trials, level)) == pytest.approx(both.high, rel=1e-6)


@pytest.mark.parametrize(("count", "trials"), [(0, 10**8), (1, 10**8), (12, 5 * 10**7), (99_999_990, 10**8)])
@pytest.mark.parametrize("level", [0.05, 1e-6])
def test_the_error_lies_on_the_safe_side_with_many_trials(count: int, trials: int, level: float) -> None:
    with mpmath.workdps(40):

        def above(rate: float, least: int) -> mpmath.mpf:
            """P(Bin(trials, rate) ≥ least)."""
            return mpmath.betainc(least, trials - least + 1, 0, mpmath.mpf(rate), regularized=True)

        if count:
            assert above(float(proportion.lower(count, trials, level)), count) <= level
        assert 1 - above(float(proportion.upper(count, trials, level)), count + 1) <= level


def test_arrays_broadcast() -> None:
    limits = proportion.upper(np.arange(4.0)[:, None], 10.0, np.array([0.1, 0.01]))
    assert limits.shape == (4, 2)
    assert float(limits[3, 1]) == float(proportion.upper(3, 10, 0.01))
