"""Rényi accounting in closed form."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from jaxtyping import Float

from wassdp import checks
from wassdp.accounting import inexact
from wassdp.accounting.event import (
    Composed,
    Event,
    Gaussian,
    Gibbs,
    Laplace,
    MeasuredGradients,
    PoissonSampled,
    SampledWithoutReplacement,
    SlicedProjections,
)
from wassdp.accounting.formulas import renyi, small
from wassdp.accounting.guarantee import Guarantee, as_epsilon
from wassdp.accounting.profiles import dominating

_MOST = 256
Orders = Float[np.ndarray, " orders"]
ORDERS = (*range(2, 65), *(2**i * j for i in range(4) for j in range(72, 136, 8)), 1024, 2048, 4096)


@dataclass(frozen=True)
class Accountant:
    r"""ε = min_α [Σ_t D_α(t) + log((α-1)/α) - (log δ + log α)/(α-1)], over whole orders α.

    D_α in closed form: Gaussian, Laplace, pure ε-DP, DP-SWD by ₁F₁; Poisson-sampled Gaussian and DP-SWD
    (Mironov, Talwar, Zhang 2019, Section 3.3; THEORY 2.3); without replacement by Wang, Balle,
    Kasiviswanathan (2019), Theorems 9 and 27.

    Every divergence is rounded up by what its terms can have lost, and so is ε: together at most a relative 1e-9
    of ε. How far the theorems themselves lie above the smallest ε is not computed: there is no ``epsilon_error``.

    Args:
        orders: α, whole numbers of at least 2.
    """

    orders: tuple[int, ...] = tuple(sorted(set(ORDERS)))
    source: str = "Mironov (2017), arXiv:1702.07476; Canonne, Kamath, Steinke (2020), arXiv:2004.00010, Proposition 12"

    def __post_init__(self) -> None:
        for order in self.orders:
            checks.whole("orders", order, least=2)

    def supports(self, event: Event) -> str | None:
        if isinstance(event, MeasuredGradients):
            if reason := dominating.refusal(event):
                return reason
            worst = event.worst_case()
            return None if worst is None else self.supports(worst)
        if reason := dominating.refusal(event):
            return reason
        if isinstance(event, Composed):
            return next((reason for part in event.events if (reason := self.supports(part))), None)
        if isinstance(event, PoissonSampled | SampledWithoutReplacement) and event.rate < 1:
            base = event.event.reduced()
            if not isinstance(base, Gaussian | SlicedProjections):
                return f"sampled {type(base).__name__}: no closed form here; pld has it"
            if isinstance(base, SlicedProjections) and not base.padded:
                return "batches are not padded: no closed form here; pld has it"
            if isinstance(event, PoissonSampled) and event.adjacency not in ("add-remove", "zero-out"):
                return f"Poisson sampling under {event.adjacency}: no closed form here; pld has it"
        return None

    def epsilon(self, event: Event, delta: float) -> Guarantee:
        return self.path(event, delta, (getattr(event, "steps", 1),))[0]

    def path(self, event: Event, delta: float, steps: Sequence[int]) -> tuple[Guarantee, ...]:
        checks.open_unit("delta", delta)
        if reason := self.supports(event):
            raise ValueError(f"event: {reason}")
        known: dict[Event, Orders] = {}
        found = []
        for count in steps:
            first = event.first(count) if isinstance(event, Composed | MeasuredGradients) else event
            found.append(self._guarantee(first, delta, self._value(first, delta, known)))
        return tuple(found)

    def _value(self, event: Event, delta: float, known: dict[Event, Orders]) -> float:
        if dominating.unbounded(event):
            return math.inf
        total, parts = np.zeros(len(self.orders)), 0
        for part, count in dominating.flat(event):
            parts += 1
            if count and not (isinstance(part, PoissonSampled | SampledWithoutReplacement) and part.rate == 0):
                if part not in known:
                    known[part] = _divergence(part, self.orders)
                total += float(count) * known[part] * (1 + 16 * small.UNIT)
        # Adding up n of them, each at least 0, costs n roundings.
        total *= 1 + 2 * parts * small.UNIT
        orders = np.array(self.orders, dtype=float)
        return inexact.raised(lambda left: renyi.to_epsilon(orders, total, left), delta, inexact.total_variation(event))

    def _guarantee(self, event: Event, delta: float, value: float) -> Guarantee:
        return Guarantee(
            accountant="rdp",
            kind="upper",
            epsilon=as_epsilon(value),
            bounded=math.isfinite(value),
            delta=delta,
            adjacency=event.adjacency,
            sampling=event.sampling,
            assumptions=dominating.assumptions(event),
            source=self.source,
        )


@lru_cache(maxsize=64)
def _divergence(event: Event, orders: tuple[int, ...]) -> Orders:
    """D_α of one release; kept, since paths, calibration and tables ask for the same release again and again."""
    found = _computed(event, orders)
    found.setflags(write=False)
    return found


def _computed(event: Event, orders: tuple[int, ...]) -> Orders:
    alphas = np.array(orders, dtype=float)
    if isinstance(event, PoissonSampled | SampledWithoutReplacement):
        base = _plain(event.event)
        if event.rate == 1:
            return _divergence(base, orders)
        whole = np.arange(2, max(orders) + 1, dtype=float)
        if isinstance(event, SampledWithoutReplacement):
            return _without_replacement(event, base, orders)
        if isinstance(base, SlicedProjections):
            return renyi.sampled_sliced(orders, event.rate, _sliced_log(base, whole))
        assert isinstance(base, Gaussian)
        return renyi.sampled_gaussian(orders, event.rate, base.noise_multiplier)
    base = _plain(event)
    if isinstance(base, Gaussian):
        return renyi.gaussian(alphas, base.noise_multiplier)
    if isinstance(base, Laplace):
        return renyi.laplace(alphas, base.noise_multiplier)
    if isinstance(base, Gibbs):
        return renyi.pure(alphas, base.pure_epsilon)
    assert isinstance(base, SlicedProjections)
    divergences = _sliced_log(base, alphas) / (alphas - 1)
    return np.asarray(np.maximum(divergences * (1 + 8 * small.UNIT), small.LEAST))


def _without_replacement(event: SampledWithoutReplacement, base: Event, orders: tuple[int, ...]) -> Orders:
    few = tuple(order for order in orders if order <= _MOST)
    known = _divergence(base, tuple(range(2, _MOST + 1)))
    differences = None
    if isinstance(base, Gaussian) and base.noise_multiplier > 0.1:
        differences = renyi.gaussian_differences(base.noise_multiplier, _MOST)
    found = renyi.without_replacement(few, event.rate, known, differences)
    # The largest orders matter only where sampling hardly helps.
    rest = _divergence(base, tuple(order for order in orders if order > _MOST))
    return np.concatenate((found, rest))


def _plain(event: Event) -> Event:
    event = event.reduced()
    return (
        replace(event, noise_std=event.noise_std / event.distance, distance=1.0)
        if isinstance(event, SlicedProjections)
        else event
    )


def _sliced_log(event: SlicedProjections, alphas: Orders) -> Orders:
    """(α-1) D_α = log E exp(α(α-1)H/2σ²)."""
    if event.noise_std == 0:
        return np.full(alphas.shape, math.inf)
    with np.errstate(over="ignore"):
        argument = alphas * renyi.gaussian(alphas - 1, event.noise_std)
        return renyi.log_moment(event.projections, event.dimension, event.directions, argument) * (1 + 8 * small.UNIT)
