"""Integer moments against mpmath, closed forms and Opacus."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from wassdp.accounting.formulas.sampled_gaussian import log_moment


def by_mpmath(order: int, rate: float, precision: float) -> float:
    with mpmath.workdps(60):
        q = mpmath.mpf(rate)
        return float(
            mpmath.log(
                mpmath.fsum(
                    mpmath.binomial(order + 1, k)
                    * q**k
                    * (1 - q) ** (order + 1 - k)
                    * mpmath.exp(mpmath.mpf(k * (k - 1)) / 2 * precision)
                    for k in range(order + 2)
                )
            )
        )


@pytest.mark.parametrize("order", [1, 2, 7, 16, 32])
@pytest.mark.parametrize("rate", [1e-6, 1e-3, 0.3, 1.0])
@pytest.mark.parametrize("precision", [1e-4, 0.25, 100.0, 1e8])
def test_equals_mpmath(order: int, rate: float, precision: float) -> None:
    found = float(log_moment(order, rate, np.array(precision)))
    assert found == pytest.approx(by_mpmath(order, rate, precision), rel=1e-10, abs=1e-13)


def test_without_sampling_it_is_the_gaussian_divergence() -> None:
    orders = np.arange(1, 20)
    found = [float(log_moment(int(order), 1.0, np.array(0.3))) for order in orders]
    np.testing.assert_allclose(found, orders * (orders + 1) * 0.3 / 2, rtol=1e-12)


def test_equals_opacus() -> None:
    rdp = pytest.importorskip("opacus.accountants.analysis.rdp")
    for order in (2, 5, 17, 33):
        expected = rdp.compute_rdp(q=0.02, noise_multiplier=1.3, steps=1, orders=[order])[0]
        assert float(log_moment(order - 1, 0.02, np.array(1.3**-2))) / (order - 1) == pytest.approx(expected, rel=1e-8)


def test_extremes() -> None:
    assert float(log_moment(3, 0.0, np.array(5.0))) == 0.0
    assert float(log_moment(3, 0.0, np.array(math.inf))) == 0.0
    assert float(log_moment(3, 0.1, np.array(math.inf))) == math.inf
    assert float(log_moment(3, 0.1, np.array(0.0))) == pytest.approx(0.0, abs=1e-15)


def test_grows_with_rate_precision_and_order() -> None:
    assert (np.diff(log_moment(4, 0.1, np.linspace(0, 3, 20))) > 0).all()
    assert (np.diff([float(log_moment(4, q, np.array(1.0))) for q in np.linspace(0, 1, 20)]) > 0).all()
    assert (np.diff([float(log_moment(n, 0.1, np.array(1.0))) / n for n in range(1, 20)]) > 0).all()


def test_refuses_what_is_out_of_range() -> None:
    with pytest.raises(ValueError, match="order"):
        log_moment(0, 0.1, np.array(1.0))
    with pytest.raises(ValueError, match="rate"):
        log_moment(1, 1.1, np.array(1.0))
    with pytest.raises(ValueError, match="precision"):
        log_moment(1, 0.1, np.array(-1.0))
