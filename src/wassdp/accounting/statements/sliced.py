"""Proposition 2 of DP-SWD, with the tail bound on the sensitivity left open."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from wassdp.accounting.event import Event
from wassdp.accounting.events.sliced_projections import SlicedProjections
from wassdp.accounting.formulas import renyi
from wassdp.accounting.guarantee import Guarantee
from wassdp.accounting.statements.statement import refuse, statement

ONE_TAIL = "the sensitivity's tail event is counted once, not once in every step"
NOT_RIGOROUS = "the central limit theorem is taken as exact for the sensitivity's tail"


def unsupported(event: Event) -> str | None:
    """The reason why ``event`` is no composition of iid DP-SWD releases, full or without replacement; or None."""
    for part, _ in event.parts():
        _, base = part.drawn()
        if not isinstance(base, SlicedProjections) or part.sampling == "poisson":
            return f"{type(part).__name__}: Proposition 2 is for projections, full or drawn without replacement"
        if base.directions != "iid":
            return "Proposition 2 is for iid directions"
    return None


def guarantee(
    name: str,
    event: Event,
    delta: float,
    squared: Callable[[int, int, float], float],
    share: float,
    notes: Iterable[str],
    source: str,
) -> Guarantee:
    """The statement of Proposition 2.

    Args:
        name: the accountant's.
        event: what was released.
        delta: δ in (0, 1).
        squared: w(k, d, δ'), the bound on the squared sensitivity with probability 1 - δ', δ' = δ/2.
        share: part of δ that the Rényi conversion log(1/(share δ))/(α - 1) uses.
        notes: what it does not prove.
        source: paper and equation.
    """
    refuse(unsupported(event), delta)
    orders = np.arange(2.0, 257.0)
    total = np.zeros(orders.size)
    for part, count in event.parts():
        rate, base = part.drawn()
        assert isinstance(base, SlicedProjections)
        if not count:
            continue
        bound = base.distance**2 * squared(base.projections, base.dimension, delta / 2)
        noise = base.noise_std / math.sqrt(bound)
        divergences = renyi.gaussian(orders, noise)
        if rate < 1:
            divergences = renyi.without_replacement(orders, rate, divergences)
        total += count * divergences
    value = 0.0 if not total.any() else float((total - math.log(share * delta) / (orders - 1)).min())
    return statement(name, event, delta, value, notes, source)
