"""Quadrature of losses against a rule of far higher order in extended precision: what `composition` allows for."""

import numpy as np
import pytest

from wassdp.accounting.events.sliced_projections import SlicedProjections, mixture
from wassdp.accounting.profiles.gaussian import GaussianMixture
from wassdp.accounting.profiles.sampled import Sampled

NODES, WEIGHTS = np.polynomial.legendre.leggauss(30)
ONE_RELEASE, ALL_RELEASES = 1e-12, 1e-8
"""Relative errors that `composition` takes against the user: of one release on average, and of all in the tail."""
BASES = {
    "gaussian 1e-8": GaussianMixture.single(1e-8),
    "gaussian 1": GaussianMixture.single(1.0),
    "gaussian 400": GaussianMixture.single(400.0),
    "dp-swd": mixture(
        SlicedProjections(noise_std=2.94, projections=1000, dimension=784), upper=True, tail=1e-20, detail=1
    ),
}


def log_density(base, loss):
    """Of ℓ under P, component by component in extended precision."""
    found = np.zeros(loss.shape, np.longdouble)
    for variance, weight in zip(base.variances, base.weights, strict=True):
        if variance * weight > 0:
            v = np.longdouble(variance)
            found += weight * np.exp(-((loss - v / 2) ** 2) / (2 * v)) / np.sqrt(8 * np.arctan(np.longdouble(1)) * v)
    return np.log(found)


def moments(base, rate, tilts, low, high):
    """E e^{θx} of the loss x = log(1 + q(e^ℓ - 1)) under (1-q)Q + qP, for each tilt, by a fine rule."""
    count = int(np.ceil((high - low) / (0.1 * min(base.scale(), 1.0))))
    edges = np.linspace(np.longdouble(low), np.longdouble(high), count + 1)
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    loss = (middle[:, None] + half[:, None] * NODES).ravel()
    weight = (half[:, None] * WEIGHTS).ravel() * np.exp(log_density(base, loss))
    mass = weight * (rate + (1 - rate) * np.exp(-loss))
    x = np.log1p(rate * np.expm1(loss))
    return [(mass * np.exp(tilt * x)).sum() for tilt in tilts]


@pytest.mark.skipif(np.finfo(np.longdouble).eps >= np.finfo(float).eps, reason="long double is no longer than double")
@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("rate", [1e-6, 0.01, 0.999])
@pytest.mark.parametrize("cells", [0, 50, 20000])
def test_tilted_masses(name, rate, cells):
    """All tilted moments of one release, whose relative error a T-fold composition multiplies by T.

    The tilts reach to where eight standard deviations of the base loss decide: one release there is worth what
    all releases are allowed.
    """
    base = BASES[name]
    profile = Sampled(base, rate, "add")
    low, high = profile.ends(1e-40)
    edges = np.linspace(low, high, cells + 1) if cells else np.empty(0)
    loss = profile.continuous(edges, 1e-40)
    deviation = np.sqrt((base.variances * base.weights).sum())
    tilts = np.array([0.0, 1.0, 2.0, 8.0]) / max(deviation, 0.02)
    breaks = base.breaks(1e-40)
    exact = moments(base, rate, tilts, breaks[0], breaks[-1])
    still = float(base.weights[base.variances == 0].sum())
    assert still == 0
    for i, (tilt, value) in enumerate(zip(tilts, exact, strict=True)):
        error = abs(float((loss.mass * np.exp(tilt * loss.loss)).sum() / value - 1))
        assert error <= (ONE_RELEASE if i < 2 else ALL_RELEASES)
