"""A Gibbs posterior over a 2-D W before and after the deletion that changes it most."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from wassdp import experiment
from wassdp.accounting.events.gibbs import Gibbs
from wassdp.result import Point, curve
from wassdp.tangent import gibbs, grid, log_ratios, radii
from wassdp.tangent.bounds import deletion_distance, gibbs_bound
from wassdp.tangent.losses import TITLES, LossName
from wassdp.tangent.problem import ProblemParameters

PHASE = "generate"


class Parameters(ProblemParameters):
    """A problem with two features, and W a square grid of linear classifiers."""

    loss: LossName = "savage"
    inverse_temperature: Annotated[float, Field(gt=0, description="β")]
    half_width: Annotated[float, Field(gt=0, description="weights lie in [-half_width, half_width]²")] = 20.0
    points: Annotated[int, Field(ge=2, le=61, description="of the grid on each axis")] = 41

    def describe(self) -> experiment.Description:
        method = f"{TITLES[self.loss]} loss, β = {self.inverse_temperature:g}"
        return experiment.Description(self.problem.dataset, method)

    def impossible(self) -> str | None:
        return super().impossible() or self.problem.off_square()


def run(parameters: Parameters, *, seed: int, context: experiment.Context) -> experiment.Findings:
    """Both posteriors as curves ``log_q/before/<row>`` and ``log_q/after/<row>`` over the second weight.

    Row i holds the i-th value of the first weight. Nothing is random and nothing is released.
    """
    train, _ = parameters.problem.load()
    weights = grid.square(parameters.half_width, parameters.points)
    risks, beta = train.risks(weights, parameters.loss), parameters.inverse_temperature
    before = gibbs.posterior(risks, beta)
    worst = log_ratios.worst_deletion(before, risks)
    after = gibbs.posterior(train.without(worst.record).risks(weights, parameters.loss), beta)
    history: list[Point] = []
    line = np.linspace(-parameters.half_width, parameters.half_width, parameters.points)
    for name, posterior in (("before", before), ("after", after)):
        for row, values in enumerate(posterior.log_probabilities.reshape(parameters.points, -1)):
            history += curve(f"log_q/{name}/{row}", "weight", line, values)
    bound = gibbs_bound(radii.largest_risk(risks), beta, data="total variation", output="log")
    return experiment.Findings(
        metrics={
            "records": float(risks.records),
            "log_ratio": worst.log_ratio,
            "first_order": radii.norm_l1_to_log(before, risks) * deletion_distance(risks.records),
            "stated": bound.at(deletion_distance(risks.records)),
            "epsilon_exponential": Gibbs(
                inverse_temperature=beta, risk_range=risks.range, records=risks.records
            ).pure_epsilon,
            "distance": float(np.abs(after.probabilities - before.probabilities).sum()),
        },
        history=tuple(history),
    )
