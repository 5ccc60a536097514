"""Composition over synthetic gradients: Figures 2 and 4 of *Wasserstein Differential Privacy*.

As published, a step's threshold C is a quantile of that very step's norms, and the noise is scaled to it. C is then a
statistic of private gradients: another record makes another noise, and no finite budget holds. The companion takes the
quantile of the norm's *law*, a constant that no gradient enters.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from wassdp import experiment
from wassdp.accounting.event import Event
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.reach import GRADIENT_SPACE, Reach
from wassdp.data.sets import weibull_gradients as data
from wassdp.ranges import AccountedDelta, PositiveNoise
from wassdp.result import Schedule, curve

PHASE = "generate"

BATCH_QUANTILE = (
    "each step's threshold C, a quantile of that step's private gradient norms, which bounds the gradients and scales "
    "the noise: another record makes another noise"
)
MEASURED = "figures measured beside the release (thresholds, distances between gradients) carry no noise"


class Parameters(experiment.Parameters):
    """One composition. The gradients depend on the seed, their number and their distribution only."""

    steps: Annotated[int, Field(ge=1, description="T, number of noisy steps")] = 100
    gradients: Annotated[int, Field(ge=3, description="gradients drawn in each step")] = 50
    coordinates: Annotated[int, Field(ge=1, description="coordinates of one gradient")] = 1000
    shape: Annotated[float, Field(gt=0, description="shape of the Weibull distribution")] = 0.5
    scale: Annotated[float, Field(gt=0, description="scale of the Weibull distribution")] = 1.0
    clip_quantile: Annotated[float, Field(gt=0, le=1, description="C is this quantile of the gradients' norms")]
    threshold: Literal["batch", "population"] = Field(
        default="batch",
        exclude_if=lambda value: value == "batch",
        description="whose norms C is a quantile of. batch: the step's own, as published, which leaves no finite "
        "budget; population: their distribution's, a public constant",
    )
    clip: Annotated[bool, Field(description="clip gradients to C (Figure 4), or only scale the noise by C (Figure 2)")]
    noise_multiplier: Annotated[PositiveNoise, Field(description="sigma: the noise has standard deviation sigma C")] = (
        0.2
    )
    rate: Annotated[float, Field(gt=0, le=1, description="q, probability that a record enters a step")] = 0.001
    delta: AccountedDelta = 1e-5

    def describe(self) -> experiment.Description:
        whose = "batch's norms" if self.threshold == "batch" else "norm's law"
        clipped = "clipped" if self.clip else "not clipped"
        return experiment.Description(method=f"{clipped}, C the {self.clip_quantile:g} quantile of the {whose}")

    def impossible(self) -> str | None:
        if self.threshold == "batch":
            return None
        if self.clip_quantile == 1:
            return "clip_quantile 1 of the population: no norm is the longest"
        return data.quantile_refusal(self.coordinates, self.shape)

    @property
    def exposed(self) -> tuple[str, ...]:
        """What the noise does not cover."""
        return (BATCH_QUANTILE,) if self.threshold == "batch" else ()

    def expected_event(self) -> Event:
        once = np.ones(1)
        return MeasuredGradients(
            distances=np.ones((1, self.gradients * (self.gradients - 1) // 2)),
            noise_std=once,
            clip_norm=once if self.clip else np.full(1, np.inf),
            threshold=once,
            coordinates=self.coordinates,
            rate=self.rate,
            adjacency="replace-one",
            exposed=self.exposed,
        )

    def reach(self) -> Reach:
        # The account of a replaced record on sampled batches takes both gradients' distance, 2C, against batches
        # without either: with a gradient of 0 in its place, half of that is reached.
        return Reach(
            0.5, f"a record whose gradient has the clip norm, replaced by one whose gradient is 0, {GRADIENT_SPACE}"
        )


def run(parameters: Parameters, *, seed: int, context: experiment.Context) -> experiment.Findings:
    """Draw the gradients of every step and measure all distances between them.

    Metrics: means of the thresholds and of the noise's deviations; mean and largest distance. The curve ``threshold``
    runs over ``step``.
    """
    public = None
    if parameters.threshold == "population":
        public = data.norm_quantile(
            parameters.clip_quantile,
            coordinates=parameters.coordinates,
            shape=parameters.shape,
            scale=parameters.scale,
        )
    distances, thresholds = [], []
    for step in range(parameters.steps):
        rows = data.draw(
            data.generator(seed, step),
            gradients=parameters.gradients,
            coordinates=parameters.coordinates,
            shape=parameters.shape,
            scale=parameters.scale,
        )
        threshold = public
        if threshold is None:
            threshold = float(np.quantile(np.linalg.norm(rows, axis=1), parameters.clip_quantile))
        thresholds.append(threshold)
        distances.append(data.pair_distances(data.clipped_rows(rows, threshold) if parameters.clip else rows))
    clip_norm = np.array(thresholds)
    event = MeasuredGradients(
        distances=np.array(distances),
        noise_std=parameters.noise_multiplier * clip_norm,
        clip_norm=clip_norm if parameters.clip else np.full(parameters.steps, np.inf),
        threshold=clip_norm,
        coordinates=parameters.coordinates,
        rate=parameters.rate,
        # A measured distance is that of two records' gradients: one record in the place of another.
        adjacency="replace-one",
        exposed=parameters.exposed,
        notes=(MEASURED,),
    )
    positions = tuple(range(1, parameters.steps + 1))
    return experiment.Findings(
        metrics={
            "threshold_mean": float(clip_norm.mean()),
            "noise_std_mean": float(event.noise_std.mean()),
            "distance_mean": float(event.distances.mean()),
            "distance_largest": float(event.distances.max()),
        },
        history=curve("threshold", "step", positions, clip_norm),
        event=event,
        delta=parameters.delta,
        accounted_at=Schedule(axis="step", positions=tuple(map(float, positions)), steps=positions),
    )
