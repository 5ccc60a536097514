"""Noisy SGD as a sampler of a Gibbs posterior: how far its iterates are from q, over the learning rate."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Annotated

import numpy as np
from pydantic import Field
from scipy.stats import wasserstein_distance

from wassdp import experiment
from wassdp.ranges import LearningRate
from wassdp.result import curve
from wassdp.tangent import estimators, grid, langevin
from wassdp.tangent.losses import TITLES, LossName, named
from wassdp.tangent.potentials import LinearScores
from wassdp.tangent.problem import ProblemParameters

PHASE = "generate"


class Parameters(ProblemParameters):
    """A two-weight linear problem with a smooth loss; noisy SGD on its mean risk."""

    loss: LossName = "logistic"
    inverse_temperature: Annotated[float, Field(gt=0, description="β")] = 200.0
    base_std: Annotated[float, Field(gt=0, description="τ: weight decay is 1/(β τ²)")] = 5.0
    batch: Annotated[int, Field(ge=1, description="records of a small batch; full batches are run too")]
    rates: tuple[LearningRate, ...] = Field(
        default=(0.1, 0.3, 1.0, 3.0, 10.0, 30.0), min_length=1, description="learning rates η"
    )
    chains: Annotated[int, Field(ge=2)] = 50
    steps: Annotated[
        int,
        Field(ge=100, description="of each chain at rate 1 and above, the first half dropped; 1/η times more below"),
    ] = 4000
    grid_points: Annotated[int, Field(ge=11, le=401, description="of the exact posterior, each axis")] = 321

    def describe(self) -> experiment.Description:
        method = f"{TITLES[self.loss]} loss, β = {self.inverse_temperature:g}"
        return experiment.Description(self.problem.dataset, method)

    def impossible(self) -> str | None:
        if named(self.loss).slope is None:
            return f"loss {self.loss} has no gradient"
        return super().impossible() or self.problem.off_square() or self.problem.too_small(self.batch)


def run(parameters: Parameters, *, seed: int, context: experiment.Context) -> experiment.Findings:
    """Curves over ``learning_rate``: ``distance``, ``r_hat`` and ``effective``, of ``/full`` and ``/batch``.

    One step is w ← w - η (mean gradient + ξ), ξ Gaussian of deviation √(2/(βη)) (``noise``): Langevin dynamics with
    h = 2η/β, so its iterates follow q as η goes to 0 (TDP Remark 3.1). The distance is the mean over both weights of
    the Wasserstein distance of order 1 between iterates and q, over q's deviation. A divergent rate has none and is
    infinite. ``floor`` is the distance of as many independent draws from q. Chains start at draws from q, and are
    longer at small rates, so that what they show is where they stay, not how slowly they arrive.

    Gradients are not clipped: this shows the link, and nothing is released with a budget.
    """
    train, _ = parameters.problem.load()
    beta = parameters.inverse_temperature
    if parameters.batch > len(train):
        raise ValueError(f"batch = {parameters.batch}: must be at most {len(train)} records")
    potential = train.potential(LinearScores(), parameters.loss, beta, parameters.base_std)
    risks, posterior = grid.fine_posterior(potential, parameters.grid_points)
    weights, q = risks.weights, posterior.probabilities
    generator = np.random.default_rng(seed)

    def distance(draws: np.ndarray) -> float:
        spread = np.sqrt(q @ weights**2 - (q @ weights) ** 2)
        distances = [wasserstein_distance(draws[:, k], weights[:, k], v_weights=q) / spread[k] for k in range(2)]
        return float(np.mean(distances))

    independent = generator.choice(len(q), size=parameters.chains * parameters.steps // 2, p=q)
    curves: defaultdict[str, list[float]] = defaultdict(list)
    for rate in parameters.rates:
        half = math.ceil(parameters.steps / min(1.0, rate)) // 2
        for name, batch in (("full", potential.records), ("batch", parameters.batch)):
            try:
                sample = langevin.sgld(
                    potential,
                    weights[generator.choice(len(q), size=parameters.chains, p=q)],
                    step=2 * rate / beta,
                    batch=batch,
                    warm_up=half,
                    draws=half,
                    precondition=False,
                    generator=generator,
                )
            except langevin.Divergence:
                values = (math.inf, estimators.WORST_R_HAT, 0.0)
            else:
                values = (
                    distance(sample.draws.reshape(-1, 2)),
                    *estimators.convergence(np.moveaxis(sample.draws, -1, 0)),
                )
            for what, value in zip(("distance", "r_hat", "effective"), values, strict=True):
                curves[f"{what}/{name}"].append(value)
        curves["noise"].append(math.sqrt(2 / (beta * rate)))
    return experiment.Findings(
        metrics={"records": float(potential.records), "floor": distance(weights[independent])},
        history=tuple(
            point for name, values in curves.items() for point in curve(name, "learning_rate", parameters.rates, values)
        ),
    )
