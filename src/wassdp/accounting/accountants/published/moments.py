"""Moments accountant of Abadi et al. (2016)."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from wassdp import checks
from wassdp.accounting import limits
from wassdp.accounting.event import Event
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.formulas.sampled_gaussian import log_moment
from wassdp.accounting.statements.gaussian_steps import GaussianStep, GaussianStepsAccountant
from wassdp.accounting.statements.measured import not_clipped, reading

Sensitivity = Literal["clipped", "threshold", "clip_norm"]
DEEP_LEARNING = (
    "two gradients are taken to differ by the clip norm, not by twice it, in a step that a record enters by Poisson "
    "sampling, as in the published code for deep learning"
)


@dataclass(frozen=True, kw_only=True)
class MomentsAccountant(GaussianStepsAccountant):
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
    source = "Abadi et al. (2016), arXiv:1607.00133, Theorem 2"

    def __post_init__(self) -> None:
        object.__setattr__(self, "orders", limits.orders("orders", self.orders, least=1))
        checks.one_of("sensitivity", self.sensitivity, ("clipped", "threshold", "clip_norm"))

    def cost(self, order: float, step: GaussianStep) -> float:
        return float(log_moment(int(order), step.rate, np.array(step.precision)))

    def budget(self, total: float, order: float, delta: float) -> float:
        return (total - math.log(delta)) / order

    def remarks(self, event: Event, releases: Event | None, orders: Sequence[float]) -> tuple[str, ...]:
        notes = super().remarks(event, releases, orders)
        if not isinstance(event, MeasuredGradients):
            return notes
        if self.sensitivity == "clip_norm":
            notes += (DEEP_LEARNING, *reading(event))
        beyond = " by the threshold: the figure proves nothing" if self.sensitivity == "threshold" else ""
        return (*notes, *(f"{note}{beyond}" for note in not_clipped(event)))

    def read(self, event: Event) -> Event:
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
