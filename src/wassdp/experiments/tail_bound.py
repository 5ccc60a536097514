"""The tail bound's parameters beta and delta: Figure 3 of *Wasserstein Differential Privacy*."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from pydantic import Field

from wassdp import experiment
from wassdp.accounting.accountants.published import wasserstein
from wassdp.accounting.formulas import mechanisms
from wassdp.ranges import AccountedDelta, PositiveNoise
from wassdp.result import Point, curve

PHASE = "generate"

Positive = Annotated[float, Field(gt=0)]


class Parameters(experiment.Parameters):
    """The published bound ε = ΣW − log(δ)/β at one ΣW, beside releases that really have it."""

    total: Annotated[float, Field(gt=0, description="sum of the Wasserstein losses, constant")] = 10.0
    largest_beta: Annotated[int, Field(ge=1, description="panel a: beta = 1, 2, ... up to this")] = 50
    deltas: Annotated[tuple[AccountedDelta, ...], Field(min_length=1)] = (1e-10, 1e-8, 1e-5, 1e-3)
    least_delta: AccountedDelta = 1e-10
    largest_delta: AccountedDelta = 1e-5
    points: Annotated[int, Field(ge=2, description="panel b: values of delta, evenly spaced in its logarithm")] = 101
    betas: Annotated[tuple[Positive, ...], Field(min_length=1)] = (1, 2, 5, 10)
    releases: Annotated[int, Field(ge=1, description="releases that together have the loss ``total``")] = 10
    noise_scales: Annotated[tuple[PositiveNoise, ...], Field(min_length=1)] = (0.5, 1, 2, 5, 10)

    def impossible(self) -> str | None:
        if self.largest_delta <= self.least_delta:
            return f"largest_delta {self.largest_delta} is not above least_delta {self.least_delta}"
        return None


def run(parameters: Parameters, *, seed: int, context: experiment.Context) -> experiment.Findings:
    """Evaluate the printed bound and exact budgets. Nothing is random.

    One release of a query of sensitivity Δ = total / releases with Gaussian noise has Wasserstein
    loss Δ, whatever the noise. All of them together are one Gaussian mechanism of sensitivity
    Δ √releases, whose exact (ε, δ) is known.
    """
    betas = np.arange(1, parameters.largest_beta + 1, dtype=float)
    deltas = np.geomspace(parameters.least_delta, parameters.largest_delta, parameters.points)
    everywhere = np.unique(np.concatenate([deltas, parameters.deltas]))
    history: list[Point] = []
    for delta in parameters.deltas:
        budgets = [wasserstein.tail_bound(parameters.total, delta, beta) for beta in betas.tolist()]
        history += curve(f"published/delta/{delta:g}", "beta", betas, budgets)
    for beta in parameters.betas:
        budgets = [wasserstein.tail_bound(parameters.total, delta, beta) for delta in deltas.tolist()]
        history += curve(f"published/beta/{beta:g}", "delta", deltas, budgets)
    reach = parameters.total / parameters.releases * math.sqrt(parameters.releases)
    for scale in parameters.noise_scales:
        exact = [mechanisms.exact_epsilon("gaussian", scale, float(d), sensitivity=reach) for d in everywhere]
        history += curve(f"exact/scale/{scale:g}", "delta", everywhere, exact)
    one = [
        mechanisms.first_wasserstein("gaussian", scale, sensitivity=parameters.total / parameters.releases)
        for scale in parameters.noise_scales
    ]
    return experiment.Findings(
        metrics={
            # Measured, not assumed: the largest and smallest sum of losses over the noise scales.
            "total_smallest": parameters.releases * min(one),
            "total_largest": parameters.releases * max(one),
        },
        history=tuple(history),
    )
