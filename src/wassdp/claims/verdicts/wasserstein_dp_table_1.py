"""WDP Table 1: six formulas, each beside what its mechanism really does at sensitivity 1."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
from scipy import integrate, stats

from wassdp.accounting.formulas import mechanisms
from wassdp.accounting.formulas.mechanisms import Mechanism
from wassdp.claims.figure_1_orders import SCALES
from wassdp.claims.recomputed import Entry, Recomputed

ORDERS = (2.0, 5.0, 10.0)
DIGIT = 1e-6
NOISE = {"laplace": stats.laplace, "gaussian": stats.norm}


def _renyi(mechanism: Mechanism, scale: float, order: float) -> float:
    """By quadrature of the definition, in pieces between the two means."""
    power = 1 if mechanism == "laplace" else 2
    mass = 2 * scale if power == 1 else math.sqrt(2 * math.pi) * scale

    def density(x: float) -> float:
        near, far = (abs((x - mean) / scale) ** power / power for mean in (1.0, 0.0))
        return math.exp(-order * near - (1 - order) * far) / mass

    ends = [-60 * scale - order, 0.0, 0.5, 1.0, order, 60 * scale + order]
    pieces = (integrate.quad(density, *piece, limit=200)[0] for piece in itertools.pairwise(ends))
    return math.log(sum(pieces)) / (order - 1)


def _pure(mechanism: Mechanism, scale: float) -> float:
    """Largest log-ratio of the densities of two translates: infinite if it goes on growing."""
    noise = NOISE[mechanism]
    places = np.array([-10.0, -100.0]) * scale
    near, far = noise.logpdf(places, 0, scale) - noise.logpdf(places, 1, scale)
    return math.inf if far > near + 1e-9 else float(near)


def _distance(mechanism: Mechanism, scale: float) -> float:
    """W₁ as the area between the two distribution functions."""
    noise = NOISE[mechanism]
    grid = np.linspace(-60 * scale, 60 * scale + 1, 400_001)
    return float(integrate.trapezoid(noise.cdf(grid, 0, scale) - noise.cdf(grid, 1, scale), grid))


Budget = Callable[[Mechanism, float, float], float]


def _entries(stated: Budget = mechanisms.printed_wasserstein) -> list[Entry]:
    entries = []
    for mechanism in mechanisms.MECHANISMS:
        for scale in SCALES:
            about = f"{mechanism}, scale {scale:g}"
            pure = mechanisms.printed_pure(mechanism, scale)
            entries.append(Entry(name=f"{about}, DP", printed=pure, found=_pure(mechanism, scale), digit=DIGIT))
            for order in ORDERS:
                printed = mechanisms.printed_renyi(mechanism, scale, order)
                found = _renyi(mechanism, scale, order)
                entries.append(
                    Entry(name=f"{about}, RDP of order {order:g}", printed=printed, found=found, digit=DIGIT)
                )
                entries.append(_wasserstein(mechanism, scale, order, stated))
    return entries


def _wasserstein(mechanism: Mechanism, scale: float, order: float, stated: Budget) -> Entry:
    """Two translates are Δ apart in every order; W₁ alone is computed again, and is at most that of any order."""
    return Entry(
        name=f"{mechanism}, scale {scale:g}, WDP of order {order:g}",
        printed=stated(mechanism, scale, order),
        found=mechanisms.exact_wasserstein(1.0),
        digit=DIGIT,
        relation="at most",
        again=lambda: _distance(mechanism, scale),
    )


CLAIM = Recomputed(
    paper="wasserstein-dp",
    item="Table 1",
    place="Section 'Properties of WDP'",
    statement="budgets of the Laplace and the Gaussian mechanism under DP, RDP and WDP, sensitivity 1",
    formula="W_μ ≤ ½ (√(2[1/λ + e^{-1/λ} − 1]))^{1/μ} for Laplace noise, ≤ ½ (1/σ)^{1/μ} for Gaussian noise",
    entries=_entries,
    flipped_entries=lambda: _entries(mechanisms.coupled_wasserstein),
)
