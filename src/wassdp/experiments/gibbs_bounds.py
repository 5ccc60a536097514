"""Tangent bounds beside what they bound, exactly, over the inverse temperature: finite W, one distribution."""

from __future__ import annotations

from collections import defaultdict
from typing import Annotated

import numpy as np
from pydantic import Field

from wassdp import experiment
from wassdp.accounting.events.gibbs import Gibbs
from wassdp.result import curve
from wassdp.tangent import gibbs, grid, log_ratios, radii
from wassdp.tangent.bounds import deletion_distance, gibbs_bound, move_distance
from wassdp.tangent.problem import ProblemParameters
from wassdp.tangent.risks import MarginRisks

PHASE = "generate"
AXIS = "inverse_temperature"


class Parameters(ProblemParameters):
    """A problem with two features, and W a square grid of linear classifiers under the uniform experiment measure."""

    half_width: Annotated[float, Field(gt=0, description="weights lie in [-half_width, half_width]²")] = 20.0
    points: Annotated[int, Field(ge=2, le=101, description="of the grid on each axis")] = 31
    least: Annotated[float, Field(gt=0, description="smallest β")] = 0.1
    largest: Annotated[float, Field(gt=0, description="largest β")] = 1e6
    count: Annotated[int, Field(ge=2, description="values of β, evenly spaced in its logarithm")] = 15
    move: Annotated[float, Field(gt=0, description="length of a small move of one record")] = 0.01

    def impossible(self) -> str | None:
        if self.largest <= self.least:
            return f"largest {self.largest} is not above least {self.least}"
        return super().impossible() or self.problem.off_square()


def run(parameters: Parameters, *, seed: int, context: experiment.Context) -> experiment.Findings:
    """Curves over β; the seed draws the directions of the random moves.

    ``bound/<theorem>`` is 2βR as printed, ``norm/<theorem>`` the exact operator norm (for 3.3 its proven lower end, and
    ``norm_upper/3.3`` the upper one), ``radius/3.1`` the distribution-aware R and ``radius/3.2`` max |r|. In nats:
    ``log_ratio/deletion``, ``/replacement`` and ``/move``, exact over all records, pairs and moves (every record moved
    in its steepest and in a random direction); ``first_order/deletion`` and ``/move``, the exact norm times the size of
    the change; ``stated/deletion``, the bound of Theorem 3.2 times it; ``epsilon/exponential``, proven for every data
    set. ``accuracy`` is the test accuracy that a draw has on average.

    Nothing is released: these are statements about one known data set.
    """
    train, test = parameters.problem.load()
    risks = train.risks(grid.square(parameters.half_width, parameters.points), parameters.loss)
    means = gibbs.mean_risks(risks)
    accuracies = test.accuracy(risks.weights @ test.features.T)
    betas = np.geomspace(parameters.least, parameters.largest, parameters.count)
    generator = np.random.default_rng(seed)
    curves: defaultdict[str, list[float]] = defaultdict(list)
    context.begin()
    for beta in betas.tolist():
        posterior = gibbs.from_mean_risks(means, beta, records=risks.records)
        values = _total_variation(posterior, risks)
        if risks.loss.slope is not None:
            values |= _wasserstein(posterior, risks, parameters.move, generator)
        values["accuracy"] = float(posterior.probabilities @ accuracies)
        for name, value in values.items():
            curves[name].append(value)
        context.record(AXIS, beta, values)
    history = tuple(point for name, values in curves.items() for point in curve(name, AXIS, betas, values))
    ratio = np.array(curves["log_ratio/replacement"]) / np.array(curves["epsilon/exponential"])
    return experiment.Findings(
        metrics={
            "records": float(risks.records),
            "risk_range": risks.range,
            "largest_share_of_epsilon": float(ratio.max()),
        },
        history=history,
    )


def _total_variation(posterior: gibbs.Posterior, risks: MarginRisks) -> dict[str, float]:
    beta, records = posterior.inverse_temperature, posterior.records
    aware, most = float(radii.averaged_risks(posterior, risks).max()), radii.largest_risk(risks)
    bound = gibbs_bound(most, beta, data="total variation", output="log")
    norm = radii.norm_l1_to_log(posterior, risks)
    return {
        "radius/3.1": aware,
        "radius/3.2": most,
        "bound/3.1": gibbs_bound(aware, beta, data="total variation", output="L1").constant,
        "norm/3.1": radii.norm_l1_to_l1(posterior, risks),
        "bound/3.2": bound.constant,
        "norm/3.2": norm,
        "stated/deletion": bound.at(deletion_distance(records)),
        "first_order/deletion": norm * deletion_distance(records),
        "log_ratio/deletion": log_ratios.worst_deletion(posterior, risks).log_ratio,
        "log_ratio/replacement": log_ratios.worst_replacement(posterior, risks).log_ratio,
        "distance/deletion": float(log_ratios.deletion_distances(posterior, risks).max()),
        "epsilon/exponential": Gibbs(inverse_temperature=beta, risk_range=risks.range, records=records).pure_epsilon,
    }


def _wasserstein(
    posterior: gibbs.Posterior, risks: MarginRisks, length: float, generator: np.random.Generator
) -> dict[str, float]:
    beta = posterior.inverse_temperature
    norms = radii.smooth(posterior, risks)
    averaged = radii.radius_wasserstein_averaged(posterior, risks)
    largest = float(norms.risk_norms.max())
    signed = radii.norm_wasserstein_to_l1(posterior, risks)
    steepest = norms.directions / np.maximum(norms.steepest, 1e-300)[:, None]
    anywhere = generator.normal(size=steepest.shape)
    anywhere /= np.linalg.norm(anywhere, axis=1, keepdims=True)
    moves = [
        log_ratios.worst_move(posterior, risks, risks.moved(length * unit)).log_ratio
        for unit in (steepest, -steepest, anywhere)
    ]
    norm = radii.norm_wasserstein_to_log(posterior, norms)
    return {
        "radius/3.3": averaged,
        "radius/3.3 repaired": float(posterior.probabilities @ norms.risk_norms),
        "radius/3.4": largest,
        "bound/3.3": gibbs_bound(averaged, beta, data="wasserstein", output="L1").constant,
        "norm/3.3": signed.lower,
        "norm_upper/3.3": signed.upper,
        "bound/3.4": gibbs_bound(largest, beta, data="wasserstein", output="log").constant,
        "norm/3.4": norm,
        "first_order/move": norm * move_distance(length, posterior.records),
        "log_ratio/move": max(moves),
    }
