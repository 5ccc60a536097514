"""SWD Remark 2: the Gaussian mechanism's Rényi divergence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import mpmath
import numpy as np

from wassdp.claims import shrinking
from wassdp.claims.inequality import Inequality


@dataclass(frozen=True)
class Case:
    """Sensitivity Δ₂, noise σ, order α, and the change of f between two neighbours as a share of Δ₂, by coordinate."""

    sensitivity: float
    noise: float
    order: float
    change: tuple[float, ...]

    def __str__(self) -> str:
        change = ", ".join(f"{value:.6g}" for value in self.change)
        return f"Δ₂ = {self.sensitivity:.6g}, σ = {self.noise:.6g}, α = {self.order:.6g}, change of f Δ₂ ({change})"


def _draw(generator: np.random.Generator) -> Case:
    change = generator.normal(size=int(generator.integers(1, 4)))
    change *= generator.choice((1.0, generator.random())) / np.linalg.norm(change)
    sensitivity, noise = 10 ** generator.uniform(-1, 1, size=2)
    return Case(float(sensitivity), float(noise), float(1 + 10 ** generator.uniform(-1, 1)), tuple(change.tolist()))


def _divergence(case: Case) -> float:
    """D_α by the trapezoidal rule in the standardised output along the change, exact to rounding."""
    shift = case.sensitivity * float(np.linalg.norm(case.change)) / case.noise
    z = np.linspace(-14, 14, 2001)
    # Under the density of the integral, centred at α times the shift, α log P + (1-α) log Q is quadratic.
    y = z + case.order * shift
    logs = -case.order * (y - shift) ** 2 / 2 + (case.order - 1) * y**2 / 2
    most = logs.max()
    moment = most + np.log(np.exp(logs - most).sum() * (z[1] - z[0]) / np.sqrt(2 * np.pi))
    return float(moment / (case.order - 1))


def _ratio(case: Case) -> float:
    return _divergence(case) / (case.order * case.sensitivity**2 / (2 * case.noise**2))


def _plain(case: Case) -> float:
    """E_Q (P/Q)^α coordinate by coordinate, by completing the square with fifty digits."""
    with mpmath.workdps(50):
        order, total = mpmath.mpf(case.order), mpmath.mpf(0)
        for share in case.change:
            moved = mpmath.mpf(case.sensitivity) * mpmath.mpf(share)
            total += order * (order - 1) * moved**2 / (2 * mpmath.mpf(case.noise) ** 2)
        stated = order * mpmath.mpf(case.sensitivity) ** 2 / (2 * mpmath.mpf(case.noise) ** 2)
        return float(total / (order - 1) / stated)


def _simpler(case: Case) -> Iterator[Case]:
    if case.change != (1.0,):
        yield replace(case, change=(1.0,))
    for other in shrinking.rounder(case, "sensitivity", "noise", "order"):
        if other.sensitivity > 0 and other.noise > 0 and other.order > 1:
            yield other


CLAIM = Inequality(
    paper="dp-sliced-wasserstein",
    item="Remark 2",
    place="Section 2.2",
    statement="noise σ on a function of sensitivity Δ₂ is (α, α Δ₂²/(2σ²))-RDP",
    formula="D_α(N(f(D), σ²I)‖N(f(D'), σ²I)) ≤ α Δ₂² / (2σ²)",
    draw=_draw,
    ratio=_ratio,
    verified=_plain,
    corrupted=lambda case: 2 * _ratio(case),
    simpler=_simpler,
    usual=5000,
    few=100,
)
