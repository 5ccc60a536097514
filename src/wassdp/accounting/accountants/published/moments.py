"""Moments accountant of Abadi et al. (2016)."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from wassdp import checks
from wassdp.accounting.event import Event
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.formulas.sampled_gaussian import log_moment
from wassdp.accounting.guarantee import Guarantee
from wassdp.accounting.statements import gaussian_steps as gaussian
from wassdp.accounting.statements.statement import not_clipped, reading, refuse, statement, whole_orders

Sensitivity = Literal["clipped", "threshold", "clip_norm"]
DEEP_LEARNING = (
    "two gradients are taken to differ by the clip norm, not by twice it, in a step that a record enters by Poisson "
    "sampling, as in the published code for deep learning"
)


@dataclass(frozen=True, kw_only=True)
class Accountant:
    r"""ε = min_λ (Σ_t c_t(λ) − log δ) / λ, with c_t(λ) the log moment of a Poisson-sampled Gaussian.

    Args:
        orders: λ, whole numbers; the paper takes λ <= 32, Yang, Qi and Zhou (2024) compare with 16 alone.
        sensitivity: how measured gradients are read. ``clipped``: by what their clipping bounds, hence
            no finite budget where nothing was clipped. ``threshold``: as if they were clipped to the
            norm that the noise was scaled to, which is how Yang, Qi and Zhou draw the line "DP" in
            their Figure 2, whose gradients are not clipped. ``clip_norm``: as records of a Poisson sample
            that move a sum by C, whatever the adjacency and the sampling were, which is how their code for
            deep learning calls the accountant.
    """

    orders: tuple[int, ...] = tuple(range(1, 33))
    sensitivity: Sensitivity = "clipped"
    source: str = field(default="Abadi et al. (2016), arXiv:1607.00133, Theorem 2", init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "orders", whole_orders("orders", self.orders))
        checks.one_of("sensitivity", self.sensitivity, ("clipped", "threshold", "clip_norm"))

    def supports(self, event: Event) -> str | None:
        return gaussian.unsupported(self._read(event))

    def epsilon(self, event: Event, delta: float) -> Guarantee:
        return self.path(event, delta, (getattr(event, "steps", 1),))[0]

    def path(self, event: Event, delta: float, steps: Sequence[int]) -> tuple[Guarantee, ...]:
        refuse(self.supports(event), delta)
        notes = [f"orders {', '.join(map(str, self.orders))}"]
        releases: Event | None = event
        if isinstance(event, MeasuredGradients):
            read = self._read(event)
            assert isinstance(read, MeasuredGradients)
            releases = read.worst_case()
            if self.sensitivity == "clip_norm":
                notes += [DEEP_LEARNING, *reading(event)]
            beyond = " by the threshold: the figure proves nothing" if self.sensitivity == "threshold" else ""
            notes += [f"{note}{beyond}" for note in not_clipped(event)]
        if releases is None:
            return tuple(
                statement("moments", event, delta, math.inf if count else self._tail(0.0, delta), notes, self.source)
                for count in steps
            )
        kinds = gaussian.steps_of(releases)
        notes.extend(gaussian.notes_on(releases))
        # moments[i, j]: log moment of order i of one release of kind j.
        moments = np.array(
            [
                [float(log_moment(order, kind.rate, np.array(kind.precision))) for kind, _ in kinds]
                for order in self.orders
            ]
        )
        found = []
        for count in steps:
            often = np.array(gaussian.counts_of(releases, count))
            totals = moments[:, often > 0] @ often[often > 0]
            best = min(
                (float(total) - math.log(delta)) / order for total, order in zip(totals, self.orders, strict=True)
            )
            found.append(statement("moments", event, delta, best, notes, self.source))
        return tuple(found)

    def _read(self, event: Event) -> Event:
        if not isinstance(event, MeasuredGradients):
            return event
        if self.sensitivity == "threshold" and event.threshold is not None:
            # As drawn: read by its numbers alone, whatever is exposed beside them, which the statement says.
            return dataclasses.replace(event, clip_norm=event.threshold, exposed=())
        if self.sensitivity == "clip_norm":
            return dataclasses.replace(
                event, adjacency="add-remove", sampling="poisson", steps_per_pass=None, exposed=()
            )
        return event

    def _tail(self, total: float, delta: float) -> float:
        return min((total - math.log(delta)) / order for order in self.orders)
