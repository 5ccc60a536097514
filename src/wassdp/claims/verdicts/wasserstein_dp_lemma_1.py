"""WDP Lemma 1: absolute moments of a normal variable by Kummer's function (equation 12) and its series (14)."""

from __future__ import annotations

import math

import mpmath
import numpy as np

from wassdp.accounting.formulas.absolute_moment import log_absolute_moment
from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import apart
from wassdp.claims.sampled_steps import Step, draw, moment, simpler


def _variance(found: Step) -> float:
    return (2 - 2 * found.rate + 2 * found.rate**2) * found.noise_std**2


def _integral(found: Step) -> float:
    """E|Z|^μ with z = ±e^s, by the trapezoidal rule: exponentially exact for a smooth integrand that vanishes."""
    mean, spread = found.rate * found.distance, math.sqrt(_variance(found))
    s, step = np.linspace(math.log(spread) - 25, math.log(mean + 14 * spread), 40001, retstep=True)
    z = np.exp(s)
    densities = sum(np.exp(-(((z * sign - mean) / spread) ** 2) / 2) for sign in (1, -1))
    scaled = (z / z[-1]) ** found.order * z * densities
    return float(scaled.sum() * step / (spread * math.sqrt(2 * math.pi)) * z[-1] ** found.order)


def _stated(found: Step) -> float:
    mean, variance = np.array(found.rate * found.distance), np.array(_variance(found))
    return float(np.exp(log_absolute_moment(found.order, mean, variance)))


def _ratio(found: Step) -> float:
    return apart(_stated(found), _integral(found))


def _verified(found: Step) -> float:
    """The series of equation 14 in equation 12, summed in 60 digits, against quadrature in 15."""
    with mpmath.workdps(60):
        q, d, sigma, order = (mpmath.mpf(part) for part in (found.rate, found.distance, found.noise_std, found.order))
        variance = (2 - 2 * q + 2 * q**2) * sigma**2
        argument, term, series, n = q**2 * d**2 / (4 * (1 - q + q**2) * sigma**2), mpmath.mpf(1), mpmath.mpf(1), 0
        while n < 20 or abs(term) > abs(series) * mpmath.mpf(10) ** -30:
            n += 1
            term *= argument / n * (order - 2 * n + 2) / (2 * n - 1)
            series += term
            if term == 0:
                break
        stated = (2 * variance) ** (order / 2) * mpmath.gamma((order + 1) / 2) / mpmath.sqrt(mpmath.pi) * series
        root = float(stated ** (1 / order))
    integral = float(moment(found.order, found.rate * found.distance, float(variance)))
    return max(root / integral, integral / root)


def _half_the_variance(found: Step) -> float:
    """Without the 2 in front of Var."""
    return apart(_stated(found) / 2 ** (found.order / 2), _integral(found))


CLAIM = Inequality(
    paper="wasserstein-dp",
    item="Lemma 1",
    place="Privacy Loss and Absolute Moment, equations 12 to 14; appendix, equations 106 to 125",
    statement="the absolute moment of a normal variable is a Gamma function times Kummer's function",
    formula="E|Z|^μ = (2 Var)^(μ/2) Γ((μ+1)/2)/√π K(−μ/2, 1/2; −q²d²/(2 Var))",
    draw=draw,
    ratio=_ratio,
    verified=_verified,
    corrupted=_half_the_variance,
    simpler=simpler,
    compared="larger / smaller of both sides",
)
