"""Radii of the tangent theorems estimated from Langevin draws, beside the exact ones where a grid can give them."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from jaxtyping import Float
from pydantic import Field

from wassdp import experiment
from wassdp.result import Point, curve
from wassdp.tangent import estimators, grid, langevin, radii
from wassdp.tangent.diagnostics import r_hat
from wassdp.tangent.losses import TITLES, named
from wassdp.tangent.potentials import LinearScores, NetworkScores, Potential
from wassdp.tangent.problem import ProblemParameters

PHASE = "generate"
SHOWN = 200  # draws of each chain that are kept for pictures
PREFIXES = 20  # lengths at which R-hat is taken along the chains
BINS = 40


class Parameters(ProblemParameters):
    """A problem, a family of classifiers, β, and a sampler."""

    inverse_temperature: Annotated[float, Field(gt=0, description="β")]
    hidden: Annotated[int, Field(ge=0, description="units of the network's hidden layer; 0: linear")] = 0
    sampler: Literal["mala", "sgld"] = "mala"
    base_std: Annotated[float, Field(gt=0, description="τ of the Gaussian experiment measure")] = 5.0
    chains: Annotated[int, Field(ge=2)] = 4
    warm_up: Annotated[int, Field(ge=40, description="steps")] = 1000
    draws: Annotated[int, Field(ge=20, description="draws kept of each chain")] = 2000
    thin: Annotated[int, Field(ge=1, description="steps for each draw kept")] = 1
    step: Annotated[float, Field(gt=0, description="h of SGLD; MALA tunes its own")] = 0.05
    batch: Annotated[int, Field(ge=1)] | None = Field(default=None, description="of SGLD; null: every record")
    grid_points: Annotated[int, Field(ge=11, le=401, description="of the exact posterior, each axis")] = 321

    def describe(self) -> experiment.Description:
        model = f"network of {self.hidden} units" if self.hidden else "linear"
        method = f"{TITLES[self.loss]} loss, {model}, {self.sampler.upper()}, β = {self.inverse_temperature:g}"
        return experiment.Description(self.problem.dataset, method)

    def impossible(self) -> str | None:
        if self.sampler == "sgld" and named(self.loss).slope is None:
            return f"loss {self.loss} has no gradient for sgld"
        return super().impossible() or self.problem.too_small(self.batch)


def run(parameters: Parameters, *, seed: int, context: experiment.Context) -> experiment.Findings:
    """``<radius>/estimate``, ``/error``, ``/r_hat``, ``/effective``, ``/converged`` for radius 3.1 and 3.3.

    Where a linear W has two weights, ``<radius>/exact`` by a fine grid out to eight experiment deviations, and
    ``<radius>/relative_error``. Of the watched quantity with the largest R-hat: ``trace/<chain>`` and ``r_hat`` over
    ``draw``, and its distribution ``density/<chain>`` over ``value``. SGLD is run a second time at half its step, for
    as long: ``<radius>/bias`` is the relative bias that this shows. A run that has not converged, or whose bias is
    5 % or more, says so: ``converged`` is 0.
    """
    train, _ = parameters.problem.load()
    scores = NetworkScores(parameters.hidden) if parameters.hidden else LinearScores()
    potential = train.potential(scores, parameters.loss, parameters.inverse_temperature, parameters.base_std)
    generator = np.random.default_rng(seed)
    sample = _sample(parameters, potential, generator)
    metrics = {"acceptance": float(sample.acceptance.mean()), "step": sample.step}
    estimates = _estimates(potential, sample)
    for name, estimate in estimates.items():
        metrics |= {
            f"{name}/estimate": estimate.value,
            f"{name}/error": estimate.error,
            f"{name}/r_hat": min(estimate.r_hat, estimators.WORST_R_HAT),
            f"{name}/effective": estimate.effective,
            f"{name}/converged": float(estimate.converged),
        }
    if parameters.sampler == "sgld":
        finer = _estimates(potential, _sample(parameters, potential, generator, finer=2))
        for name, estimate in estimates.items():
            bias = estimators.step_bias(estimate, finer[name])
            sound = finer[name].converged and abs(bias) < estimators.LARGEST_BIAS
            metrics |= {f"{name}/bias": bias, f"{name}/converged": metrics[f"{name}/converged"] * sound}
    metrics["converged"] = min(metrics[f"{name}/converged"] for name in estimates)
    watched = estimators.watched(potential, sample)
    worst = watched[int(np.argmax([r_hat(series) for series in watched]))]
    edges = np.linspace(worst.min(), worst.max() + 1e-12, BINS + 1)
    history = _chains(worst, edges)
    if parameters.hidden == 0 and parameters.problem.off_square() is None:
        risks, posterior = grid.fine_posterior(potential, parameters.grid_points)
        truth = {"3.1": float(radii.averaged_risks(posterior, risks).max())}
        if "3.3" in estimates:
            truth["3.3"] = radii.radius_wasserstein_averaged(posterior, risks)
        for name, value in truth.items():
            metrics |= {f"{name}/exact": value, f"{name}/relative_error": estimates[name].value / value - 1}
    return experiment.Findings(metrics=metrics, history=tuple(history))


def _estimates(potential: Potential, sample: langevin.Draws) -> dict[str, estimators.TangentEstimate]:
    """Radii by theorem; that of 3.3 needs a loss with a slope."""
    estimates = {"3.1": estimators.radius_total_variation(potential, sample)}
    if potential.loss.slope is not None:
        estimates["3.3"] = estimators.radius_wasserstein(potential, sample)
    return estimates


def _sample(
    parameters: Parameters, potential: Potential, generator: np.random.Generator, *, finer: int = 1
) -> langevin.Draws:
    """Chains, those of SGLD with a step ``finer`` times smaller and as many times more of them."""
    start = langevin.starts(potential, parameters.chains, generator)
    if parameters.sampler == "mala":
        return langevin.mala(
            potential,
            start,
            warm_up=parameters.warm_up,
            draws=parameters.draws,
            thin=parameters.thin,
            generator=generator,
        )
    return langevin.sgld(
        potential,
        start,
        step=parameters.step / finer,
        batch=parameters.batch or potential.records,
        warm_up=parameters.warm_up * finer,
        draws=parameters.draws,
        thin=parameters.thin * finer,
        generator=generator,
    )


def _chains(series: Float[np.ndarray, "chains draws"], edges: Float[np.ndarray, " edges"]) -> list[Point]:
    """Traces, distributions and the course of R-hat of one quantity."""
    draws = series.shape[1]
    shown = np.unique(np.linspace(0, draws - 1, SHOWN).astype(int))
    lengths = np.unique(np.linspace(max(8, draws // PREFIXES), draws, PREFIXES).astype(int))
    middles = (edges[1:] + edges[:-1]) / 2
    history: list[Point] = []
    for chain, values in enumerate(series):
        history += curve(f"trace/{chain}", "draw", shown, values[shown])
        history += curve(f"density/{chain}", "value", middles, np.histogram(values, edges, density=True)[0])
    course = [min(r_hat(series[:, :length]), estimators.WORST_R_HAT) for length in lengths.tolist()]
    return history + list(curve("r_hat", "draw", lengths, course))
