"""TDP Example 2.2: W₂ gives the weighted Sobolev norm Ḣ⁻¹(p), to first order; on the line, where both are exact."""

from __future__ import annotations

import math
from itertools import accumulate, pairwise

from wassdp.claims.inequality import Inequality
from wassdp.claims.laws import apart
from wassdp.claims.line_densities import Line, distance, draw, norm, norm_without_weight, simpler


def _simpson(low: float, middle: float, high: float) -> float:
    """Mean of a square of a line, exactly, from three values."""
    return (low + 4 * middle + high) / 6


def _plain(case: Line) -> float:
    """Quantiles by walking through the cells, both integrals piece by piece."""
    mean = sum(case.changes) / len(case.changes)
    total = sum(case.masses)
    masses = [mass / total for mass in case.masses]
    lowest = min(mass / width for mass, width in zip(masses, case.widths, strict=True))
    largest = max(abs(value - mean) / width for value, width in zip(case.changes, case.widths, strict=True))
    changes = [(value - mean) * case.relative * lowest / largest for value in case.changes]
    moved = [mass + change for mass, change in zip(masses, changes, strict=True)]

    def quantile(level: float, law: list[float]) -> float:
        place = 0.0
        for mass, width in zip(law, case.widths, strict=True):
            if level <= mass:
                return place + width * level / mass
            level, place = level - mass, place + width
        return place

    def gap(level: float) -> float:
        return (quantile(level, masses) - quantile(level, moved)) ** 2

    cuts = sorted({0.0, *(min(1.0, level) for law in (masses, moved) for level in accumulate(law))})
    squared = math.fsum(
        _simpson(gap(low), gap((low + high) / 2), gap(high)) * (high - low) for low, high in pairwise(cuts)
    )
    energy, before = 0.0, 0.0
    for mass, width, change in zip(masses, case.widths, changes, strict=True):
        after = before + change
        energy += _simpson(before**2, (before + change / 2) ** 2, after**2) * width**2 / mass
        before = after
    quotient = math.sqrt(squared / energy)
    contrast = max(mass / width for mass, width in zip(masses, case.widths, strict=True)) / lowest
    return max(quotient, 1 / quotient) / (1 + case.relative * contrast)


CLAIM = Inequality(
    paper="tangent-dp",
    item="Example 2.2",
    place="Section 2",
    statement="to first order the Wasserstein-2 distance from p is the norm of the change in Ḣ⁻¹(p), on the line",
    formula="W₂(p, p + hε) = (1 + o(1)) h ‖ε‖, ‖ε‖² = min ∫ |f|² p over f with ∇·(fp) = ε",
    compared="quotient of both sides, either way / (1 + o(1))",
    draw=draw,
    ratio=lambda case: apart(distance(case), norm(case)) / case.slack,
    verified=_plain,
    corrupted=lambda case: apart(distance(case), norm_without_weight(case)) / case.slack,
    simpler=simpler,
    usual=5000,
    few=100,
)
