"""RDP and zCDP: high precision, other libraries, figures computed beforehand."""

import math

import mpmath
import numpy as np
import pytest
from dp_accounting import dp_event, privacy_accountant
from dp_accounting.rdp import rdp_privacy_accountant

from wassdp.accounting.accountants.upper import rdp, zcdp
from wassdp.accounting.events.composed import repeated
from wassdp.accounting.events.gaussian import Gaussian
from wassdp.accounting.events.laplace import Laplace
from wassdp.accounting.events.poisson_sampled import PoissonSampled
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement
from wassdp.accounting.events.sliced_projections import SlicedProjections
from wassdp.accounting.formulas import renyi


@pytest.mark.parametrize("dimension", [2, 784, 10**5])
@pytest.mark.parametrize("argument", [1e-6, 0.5, 40.0, 5e3, 1e6])
def test_kummer_to_high_precision(dimension, argument):
    with mpmath.workdps(40):
        exact = mpmath.log(mpmath.hyp1f1(mpmath.mpf("0.5"), mpmath.mpf(dimension) / 2, mpmath.mpf(argument)))
    found = renyi.projections_log_moment(1, dimension, "iid", np.array([argument]))[0]
    assert found == pytest.approx(float(exact), rel=1e-10, abs=1e-12)


def test_orthogonal_moments():
    assert renyi.projections_log_moment(20, 5, "orthogonal", np.array([3.0]))[0] == 12.0
    with mpmath.workdps(40):
        exact = float(mpmath.log(mpmath.hyp1f1(1.5, 5.5, 7.0)))
    assert renyi.projections_log_moment(3, 11, "orthogonal", np.array([7.0]))[0] == pytest.approx(exact, rel=1e-11)


@pytest.mark.parametrize(("noise", "expected"), [(18.163, 2.304), (4.239, 12.34)])
def test_without_replacement_as_dp_accounting(noise, expected):
    """Figures of the Rényi bound, computed beforehand."""
    event = repeated(
        SampledWithoutReplacement(
            event=Gaussian(noise_multiplier=noise, adjacency="replace-one"), records=30000, batch=6000
        ),
        500,
    )
    found = rdp.RDPAccountant().epsilon(event, 0.1 / 30000).value
    assert found == pytest.approx(expected, rel=5e-4)
    reference = rdp_privacy_accountant.RdpAccountant(
        orders=list(rdp.RDPAccountant().orders), neighboring_relation=privacy_accountant.NeighboringRelation.REPLACE_ONE
    )
    reference.compose(dp_event.SampledWithoutReplacementDpEvent(30000, 6000, dp_event.GaussianDpEvent(noise)), 500)
    assert found == pytest.approx(reference.get_epsilon(0.1 / 30000), rel=1e-6)


@pytest.mark.parametrize(("noise", "rate", "steps"), [(1.1, 0.004, 3000), (0.6, 0.2, 10), (5.0, 0.01, 10**5)])
def test_poisson_as_dp_accounting(noise, rate, steps):
    event = repeated(PoissonSampled(event=Gaussian(noise_multiplier=noise, adjacency="add-remove"), rate=rate), steps)
    reference = rdp_privacy_accountant.RdpAccountant(orders=list(rdp.RDPAccountant().orders))
    reference.compose(dp_event.PoissonSampledDpEvent(rate, dp_event.GaussianDpEvent(noise)), steps)
    assert rdp.RDPAccountant().epsilon(event, 1e-6).value == pytest.approx(reference.get_epsilon(1e-6), rel=1e-9)


def test_laplace_as_dp_accounting():
    reference = rdp_privacy_accountant.RdpAccountant(orders=list(rdp.RDPAccountant().orders))
    reference.compose(dp_event.LaplaceDpEvent(4.0), 20)
    event = repeated(Laplace(noise_multiplier=4.0, adjacency="add-remove"), 20)
    assert rdp.RDPAccountant().epsilon(event, 1e-6).value == pytest.approx(reference.get_epsilon(1e-6), rel=1e-9)


@pytest.mark.parametrize(("sigma", "expected"), [(2.94, 0.638), (0.84, 4.59)])
def test_dp_swd_figures_of_theory(sigma, expected):
    release = SlicedProjections(noise_std=sigma, projections=1000, dimension=784, adjacency="zero-out")
    event = repeated(PoissonSampled(event=release, rate=1 / 600), 60000)
    assert rdp.RDPAccountant().epsilon(event, 1e-5).value == pytest.approx(expected, rel=2e-3)


def test_zcdp_is_the_best_order_of_all_real_ones():
    """ρ = 0.25 and its minimum over α to 40 digits, which is below Bun and Steinke's ρ + 2√(ρ log 1/δ)."""
    event = repeated(Gaussian(noise_multiplier=10.0, adjacency="replace-one"), 50)
    found = zcdp.ZCDPAccountant().epsilon(event, 1e-5).value
    with mpmath.workdps(40):
        rho, delta = mpmath.mpf("0.25"), mpmath.mpf("1e-5")

        def at(a):
            return (1 + a) * rho + mpmath.log(a / (1 + a)) - mpmath.log(delta * (1 + a)) / a

        best = at(mpmath.findroot(lambda a: mpmath.diff(at, a), 6))
    assert float(best) <= found == pytest.approx(float(best), rel=1e-9)
    assert found < 0.25 + 2 * math.sqrt(0.25 * math.log(1e5))
