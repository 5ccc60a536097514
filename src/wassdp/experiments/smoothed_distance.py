"""SWD and DP-SWD between two Gaussians that move apart: the toy experiment, Figure 2 of *DP-SWD*."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
import torch
from pydantic import Field
from scipy import stats

from wassdp import experiment, noise
from wassdp.distances import directions, sliced, smoothed
from wassdp.ranges import PositiveNoise
from wassdp.result import Point, curve

PHASE = "generate"


class Parameters(experiment.Parameters):
    """N(0, I) against N(c·1, I). The paper leaves open the numbers of points and directions."""

    dimension: Annotated[int, Field(ge=1)] = 5
    points: Annotated[int, Field(ge=1, description="points of each sample")] = 1000
    projections: Annotated[int, Field(ge=1)] = 200
    directions: Literal["iid", "orthogonal"] = "iid"
    sigma: Annotated[PositiveNoise, Field(description="deviation of the noise on every projected value, both sides")]
    shifts: Annotated[int, Field(ge=2, description="values of c, evenly spaced from 0 to 1")] = 11
    order: Annotated[float, Field(ge=1, description="p of the distance")] = 2.0

    def describe(self) -> experiment.Description:
        return experiment.Description(method=f"{self.points} points", privacy=experiment.asked(noise=self.sigma))

    def impossible(self) -> str | None:
        if self.directions == "orthogonal" and self.projections > self.dimension and self.projections % self.dimension:
            return f"{self.projections} orthogonal directions are no multiple of dimension {self.dimension}"
        return None


def run(parameters: Parameters, *, seed: int, context: experiment.Context) -> experiment.Findings:
    """One draw of everything: both samples, the directions and the noise, afresh for every c.

    Curves over ``shift`` (c): ``swd`` of the samples, ``dp_swd`` of their noisy projections, ``population``, what both
    go to as the samples grow. Metrics: ``rank_agreement``, Kendall's tau between SWD and DP-SWD over the shifts, and
    ``floor_swd`` and ``floor_dp_swd``, the values at c = 0, which sampling alone makes.

    Nothing here is a release with a budget: points are drawn, and no row is clipped.
    """
    generator = noise.seeded(seed, "smoothed distance")
    shifts = np.linspace(0.0, 1.0, parameters.shifts)
    distances: dict[str, list[float]] = {"swd": [], "dp_swd": [], "population": []}
    for shift in shifts.tolist():
        x = noise.normal(parameters.points, parameters.dimension, generator=generator)
        y = noise.normal(parameters.points, parameters.dimension, generator=generator) + shift
        unit = directions.draw(
            parameters.directions,
            dimension=parameters.dimension,
            count=parameters.projections,
            generator=generator,
            dtype=torch.float64,
        )
        distances["swd"].append(float(sliced.sliced_wasserstein(x, y, unit, p=parameters.order)))
        noisy = smoothed.empirical(x, y, unit, sigma=parameters.sigma, generator=generator, p=parameters.order)
        distances["dp_swd"].append(float(noisy))
        # Along a direction, both laws are Gaussians of one deviation, with noise or without: translates, whose
        # distance is their shift for every order.
        moved = (shift * unit.sum(dim=0)).abs().pow(parameters.order).mean() ** (1 / parameters.order)
        distances["population"].append(float(moved))
    history: list[Point] = []
    for name, values in distances.items():
        history += curve(name, "shift", shifts, values)
    return experiment.Findings(
        metrics={
            "rank_agreement": float(stats.kendalltau(distances["swd"], distances["dp_swd"]).statistic),
            "floor_swd": distances["swd"][0],
            "floor_dp_swd": distances["dp_swd"][0],
        },
        history=tuple(history),
    )
