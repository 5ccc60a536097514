"""Learn to turn a Gaussian sample into a sample of a circle, both private (WG, appendix C).

The model is applied to the Gaussian points only, so the circle's points enter with no Jacobian and cost less: the
budget of each side is known by itself. Distances and pictures are *evaluation*: they read data without noise.
"""

from __future__ import annotations

import itertools
from typing import Annotated, Literal

import numpy as np
import torch
from pydantic import Field
from torch import Tensor, nn

from wassdp import experiment, noise
from wassdp.accounting import accountant
from wassdp.accounting.events.composed import Composed
from wassdp.data.sets import circle_gaussian
from wassdp.distances import directions, sliced
from wassdp.mechanisms.clip_norm import ClipNorm
from wassdp.mechanisms.wasserstein_objective import ComparedGroups, Group, Objective
from wassdp.ranges import LearningRate
from wassdp.result import Point, curve, curves
from wassdp.training.session import Session
from wassdp.training.wasserstein.optimiser import PrivateOptimiser
from wassdp.training.wasserstein.study import DELTA_SHARE, DIRECTIONS, WassersteinParameters, noise_figures
from wassdp.training.wasserstein.training import WassersteinTraining

PHASE = "train"

UNNOISED = "distances, radius errors and single records' points"
SHOWN = 400
SIDES = {"trained": "x", "fixed": "z"}
"""Group to the paper's name of its variable."""


class Parameters(WassersteinParameters):
    """One training. The paper leaves open optimiser, number of steps, budget, and the norm after the noise."""

    no_canaries = "points are drawn for the run, and each side has a budget of its own; fair_learning has the same step"
    other_figures = ("distance", "distance_before", "radius_error")
    public_figures = (*WassersteinParameters.public_figures, "epsilon_[xz]/upper/pld")

    records: Annotated[int, Field(ge=10, description="points of each side")] = 100_000
    batch: Annotated[int, Field(ge=1)] = 10_000
    widths: tuple[Annotated[int, Field(ge=1)], ...] = (128, 64, 64)
    steps: Annotated[int, Field(ge=1, le=1_000_000)] = 1000
    optimiser: Literal["sgd", "momentum", "adam"] = "adam"
    learning_rate: LearningRate = 0.0075
    output_norm: Annotated[ClipNorm, Field(description="M")] = 1.0
    jacobian_norm: Annotated[ClipNorm, Field(description="L")] = 2 * 2**0.5
    clipping: Literal["spectral", "rows"] = Field(default="spectral", description="rows: as published")
    clip_released: ClipNorm | None = Field(
        default=1.0, description="norm that the noisy gradient is clipped to; null: it is not"
    )
    pictures: Annotated[int, Field(ge=1, le=20, description="how often the points are kept, evenly spread")] = 4

    @property
    def neighbours(self) -> str:
        return "a neighbour has one point replaced by another of its side, x or z"

    def describe(self) -> experiment.Description:
        return experiment.Description(privacy="no noise" if self.privacy is None else self.privacy.describe())

    def private_records(self) -> tuple[int, str]:
        return self.records, "a side"

    def impossible(self) -> str | None:
        if reason := self.nothing_to_release():
            return reason
        if self.batch > self.records:
            return f"batch {self.batch} is more than the {self.records} points of a side"
        return None


def run(parameters: Parameters, *, seed: int | None, context: experiment.Context) -> experiment.Findings:
    """Train, and keep pictures on the way.

    Metrics: ``distance``, sliced W_2^2 of all points without clipping, and ``distance_before`` training;
    ``radius_error``, mean distance of the final points from the circle; ``noise_std``, ``noise_multiplier``; for a
    private run ``epsilon_x/upper/pld`` and ``epsilon_z/upper/pld``, each side's own proven budget. Curves over
    ``step``: ``distance`` of the batches and, where pictures are kept, the two budgets; pictures
    ``x/<step>/<coordinate>`` over ``point``, and ``z/<coordinate>``.

    Raises:
        ValueError: no noise keeps the budget.
        FloatingPointError: training diverged.
    """
    delta = DELTA_SHARE / parameters.records
    with Session.of(parameters, seed=seed, context=context, device="cpu") as session:
        drawn = circle_gaussian.sample(np.random.default_rng(seed), size=parameters.records)
        points = {name: torch.from_numpy(side).float() for name, side in zip(SIDES, drawn, strict=True)}
        objective = _objective(parameters)
        mechanism = parameters.mechanism(objective, delta)
        sizes = (2, *parameters.widths)
        layers = [part for pair in itertools.pairwise(sizes) for part in (nn.Linear(*pair), nn.ReLU())]
        model = nn.Sequential(*layers, nn.Linear(sizes[-1], 2))
        private = PrivateOptimiser(
            model,
            parameters.follow(model),
            mechanism,
            generator=session.streams.noise,
            dimension=2,
            projections=parameters.projections,
            clipping=parameters.clipping,
            clip_released=parameters.clip_released,
        )
        kept = [-(-parameters.steps * number // parameters.pictures) for number in range(1, parameters.pictures + 1)]
        pictured = () if parameters.release else tuple(kept)
        history, unnoised = list[Point](), dict[str, float]()
        if not parameters.release:
            unnoised["distance_before"] = _distance(model, points)
            history += _picture("x/0", _shown(model, points["trained"]))
            history += _picture("z", _shown(nn.Identity(), points["fixed"]))
        training = WassersteinTraining(
            session=session,
            private=private,
            records=points,
            steps=parameters.steps,
            figures=lambda clipped: {"distance": next(iter(clipped.distances.values()))},
            picture=lambda: _shown(model, points["trained"]),
            pictured=pictured,
        )
        progress = training.run()
        for step, picture in zip(sorted({*pictured}), progress.tensors.get("picture", []), strict=True):
            history += _picture(f"x/{step}", picture)
        if not parameters.release:
            unnoised |= {"distance": _distance(model, points), "radius_error": _radius_error(model, points)}
    history += curves("step", training.measured, progress.rows)
    metrics = unnoised | noise_figures(mechanism) | {"steps": float(parameters.steps)}
    for group, name in SIDES.items() if parameters.privacy else ():
        spent = _spent(mechanism.event_of(group, parameters.steps), kept, delta)
        metrics[f"epsilon_{name}/upper/pld"] = spent[-1]
        history += curve(f"epsilon_{name}/upper/pld", "step", kept, spent)
    return parameters.findings(
        session, progress, private, delta=delta, unnoised=UNNOISED, metrics=metrics, history=tuple(history)
    )


def _objective(parameters: Parameters) -> Objective:
    trained, fixed = (
        Group(name=name, records=parameters.records, batch=parameters.batch, jacobian_norm=norm)
        for name, norm in zip(SIDES, (parameters.jacobian_norm, None), strict=True)
    )
    return Objective(
        groups=(trained, fixed),
        pairs=(ComparedGroups("trained", "fixed"),),
        output_norm=parameters.output_norm,
        bound=parameters.bound,
    )


def _spent(event: Composed, steps: list[int], delta: float) -> list[float]:
    return [guarantee.value for guarantee in accountant.load("pld").path(event, delta, steps)]


def _distance(model: nn.Module, points: dict[str, Tensor]) -> float:
    turned = directions.draw("iid", dimension=2, count=DIRECTIONS, generator=noise.seeded(0, "evaluation"))
    with torch.no_grad():
        return float(sliced.sliced_wasserstein_power(model(points["trained"]), points["fixed"], turned))


def _radius_error(model: nn.Module, points: dict[str, Tensor]) -> float:
    with torch.no_grad():
        return float((model(points["trained"]).norm(dim=1) - points["fixed"].norm(dim=1).mean()).abs().mean())


def _shown(model: nn.Module, points: Tensor) -> Tensor:
    with torch.no_grad():
        outputs: Tensor = model(points[:SHOWN]).double()
    return outputs


def _picture(name: str, shown: Tensor) -> tuple[Point, ...]:
    return tuple(
        point
        for coordinate in range(2)
        for point in curve(f"{name}/{coordinate}", "point", range(len(shown)), shown[:, coordinate].tolist())
    )
