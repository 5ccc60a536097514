"""Learn with a fairness penalty under privacy: classification, regression or a representation (WG, appendix B).

What is released is the sequence of noisy gradients. The two groups' (or, for equality of odds, every group's and
class's) sizes are public: budgets are under the relation *replace one inside its class*. Losses,
distances and everything measured on the test set are *evaluation*: they read data without noise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
import torch
from pydantic import Field
from torch import Tensor, nn

from wassdp import data, experiment, noise
from wassdp.accounting import expected
from wassdp.accounting.event import Event
from wassdp.data import SETS
from wassdp.distances import directions, sliced
from wassdp.fairness import tasks
from wassdp.mechanisms.clipped_wasserstein import ClippedWassersteinGradient
from wassdp.mechanisms.wasserstein_objective import Objective, equality_of_odds, statistical_parity
from wassdp.result import Point, curve, curves
from wassdp.sections import Section
from wassdp.training.optimisers import Optimiser
from wassdp.training.session import Session
from wassdp.training.wasserstein.budget import Calibration, schedule
from wassdp.training.wasserstein.engine import Clipped
from wassdp.training.wasserstein.optimiser import PrivateOptimiser
from wassdp.training.wasserstein.training import WassersteinTraining

PHASE = "train"

DELTA_SHARE = 0.1
"""Delta is this over the number of records, as in the paper."""
BINS = 40
SHOWN = 250
"""Points of each group that are kept for a picture of outputs in the plane."""
DIRECTIONS = 200
"""Directions of the distances that are reported at the end."""
UNNOISED = "objectives, losses, distances and outputs of training records"
SENSITIVE = {"biased": ("attribute",), "adult": ("sex", "race"), "german_credit": ("sex", "age")}


class Clipping(Section):
    """Bounds that the sensitivity rests on."""

    loss_norm: Annotated[float, Field(gt=0, description="C")]
    output_norm: Annotated[float, Field(gt=0, description="M")]
    jacobian_norm: Annotated[float, Field(gt=0, description="L")]
    kind: Literal["spectral", "rows"] = Field(default="spectral", description="rows: as published")


class Parameters(experiment.PrivateParameters):
    """One training. The paper leaves open optimiser, initialisation and the size of the test set."""

    dataset: Annotated[Literal["biased", "adult", "german_credit"], SETS] = "biased"
    sensitive: str = Field(default="attribute", description="protected attribute of a real dataset")
    task: tasks.Task
    penalty: Literal["statistical_parity", "equality_of_odds"] = "statistical_parity"
    alpha: Annotated[float, Field(ge=0, le=1, description="weight of the penalty")]
    privacy: Calibration | None = Field(description="null: the same clipping, no noise")
    clipping: Clipping
    steps: Annotated[int, Field(ge=1, le=1_000_000)]
    optimiser: Literal["sgd", "momentum", "adam"] = "sgd"
    learning_rate: Annotated[float, Field(gt=0)]
    batch_share: Annotated[float, Field(gt=0, le=1, description="of every group, the share that enters a step")] = 0.2
    hidden: Annotated[int, Field(ge=0, description="width of hidden layers; 0: one layer")] = 0
    projections: Annotated[int, Field(ge=1, description="directions of a step, for outputs in the plane")] = 50
    records: Annotated[int, Field(ge=100, description="training records, of the synthetic data")] = 30_000
    test_records: Annotated[int, Field(ge=100, description="test records, of the synthetic data")] = 10_000

    @property
    def train_records(self) -> int:
        """Number of training records."""
        return self.records if self.dataset == "biased" else data.descriptor(self.dataset).counts["train"]

    @property
    def dimension(self) -> int:
        """Of the outputs that the penalty compares."""
        return 1 if self.task == "classification" else 2

    def describe(self) -> experiment.Description:
        fair = f"α = {self.alpha:g}, {self.penalty.replace('_', ' ')}"
        asked = "no noise" if self.privacy is None else self.privacy.describe()
        return experiment.Description(f"{self.dataset}, {self.task}", fair, asked)

    def impossible(self) -> str | None:
        if reason := self.nothing_to_release():
            return reason
        if self.task != "classification" and self.dataset != "biased":
            return f"{self.task} on {self.dataset}: has no continuous response, or no core features"
        if self.task != "classification" and self.penalty == "equality_of_odds":
            return f"equality of odds for {self.task}: is defined for labels"
        if self.sensitive not in SENSITIVE[self.dataset]:
            return f"sensitive {self.sensitive} of {self.dataset}: must be {' or '.join(SENSITIVE[self.dataset])}"
        if self.task == "representation" and self.hidden == 0:
            return "representation with hidden 0: encoder and decoder have two layers"
        return None

    def expected_event(self) -> Event | None:
        # Sizes of all groups are public.
        return (
            None if self.privacy is None else expected.drawn(expected.wasserstein_gradient("replace-one-inside-class"))
        )


def run(parameters: Parameters, *, seed: int | None, context: experiment.Context) -> experiment.Findings:
    """Train, and measure loss, distance and fairness of the final model.

    Metrics: ``objective``, ``loss``, ``distance`` of the training set, without clipping; ``noise_std``, on each
    coordinate of a gradient, and ``noise_multiplier``; ``sensitivity``; test measures by task, such as ``accuracy``,
    ``disparate_impact``, ``equality_0`` and ``equality_1``, ``above_diagonal_0`` and ``above_diagonal_1``, or
    ``core_loss``, left out where they are not defined. Curves over ``step``: ``objective``, ``loss`` and ``distance``
    of the batches; histograms ``score/<group>`` over ``score`` or pictures ``output/<group>/<coordinate>`` over
    ``point`` of the training set's outputs.

    Raises:
        ValueError: a group is smaller than its batch, or no noise keeps the budget.
        FloatingPointError: training diverged.
        DatasetUnavailable: the dataset cannot be had.
    """
    with Session.of(parameters, seed=seed, context=context, device="cpu") as session:
        train, test = tasks.samples(
            parameters.dataset,
            sensitive=parameters.sensitive,
            records=parameters.records,
            test_records=parameters.test_records,
            seed=seed,
        )
        groups = _groups(parameters, train)
        objective = _objective(parameters, {name: len(places) for name, places in groups.items()})
        delta = DELTA_SHARE / len(train)
        multiplier = (
            0.0
            if parameters.privacy is None
            else parameters.privacy.noise_multiplier(objective, steps=parameters.steps, delta=delta)
        )
        model = tasks.model(parameters.task, train.features.shape[1], hidden=parameters.hidden)
        private = PrivateOptimiser(
            model,
            Optimiser(name=parameters.optimiser, learning_rate=parameters.learning_rate).build(
                list(model.parameters())
            ),
            ClippedWassersteinGradient(objective=objective, noise_multiplier=multiplier),
            loss=lambda output, aims: tasks.loss(parameters.task, output, aims),
            generator=session.streams.noise,
            dimension=parameters.dimension,
            projections=parameters.projections,
            clipping=parameters.clipping.kind,
        )
        aims = tasks.targets(parameters.task, train)
        training = WassersteinTraining(
            session=session,
            private=private,
            records={name: train.features[places] for name, places in groups.items()},
            targets={name: aims[places] for name, places in groups.items()},
            steps=parameters.steps,
            figures=lambda clipped: _figures(objective, clipped),
        )
        progress = training.run()
        metrics = tasks.measures(parameters.task, model, test)
        history = curves("step", training.measured, progress.rows)
        if not parameters.release:
            metrics = _final(parameters, objective, model, train, groups) | metrics
            history += _pictures(parameters, tasks.compared(model, train), groups)
    metrics |= {
        "noise_multiplier": multiplier,
        "noise_std": private.mechanism.noise_std,
        "sensitivity": objective.sensitivity,
        "records": float(len(train)),
        "steps": float(parameters.steps),
    }
    private_run = parameters.privacy is not None
    return experiment.Findings(
        metrics=metrics,
        history=history,
        event=parameters.noted(private.event(), UNNOISED) if private_run else None,
        delta=delta if private_run else None,
        device=session.device_name,
        earlier_seconds=progress.earlier,
        accounted_at=schedule(parameters.steps) if private_run else None,
    )


def _groups(parameters: Parameters, train: tasks.Sample) -> dict[str, Tensor]:
    """Places of every group's records."""
    if parameters.penalty == "statistical_parity":
        masks = {str(value): train.sensitive == value for value in (0, 1)}
    else:
        masks = {
            f"{value},{label}": (train.sensitive == value) & (train.labels == label)
            for label in (0, 1)
            for value in (0, 1)
        }
    return {name: torch.from_numpy(np.flatnonzero(mask)) for name, mask in masks.items()}


def _objective(parameters: Parameters, sizes: Mapping[str, int]) -> Objective:
    for name, size in sizes.items():
        if size == 0:
            raise ValueError(f"group {name!r} of {parameters.dataset} is empty")
    batches = {name: max(1, int(parameters.batch_share * size)) for name, size in sizes.items()}
    bound = "tight" if parameters.privacy is None else parameters.privacy.bound
    M, L, C = parameters.clipping.output_norm, parameters.clipping.jacobian_norm, parameters.clipping.loss_norm
    if parameters.penalty == "statistical_parity":
        return statistical_parity(
            alpha=parameters.alpha,
            records=list(sizes.values()),
            batches=list(batches.values()),
            output_norm=M,
            jacobian_norm=L,
            loss_norm=C,
            bound=bound,
        )
    keys = {name: (int(name[0]), int(name[2])) for name in sizes}
    return equality_of_odds(
        alpha=parameters.alpha,
        records={keys[name]: size for name, size in sizes.items()},
        batches={keys[name]: size for name, size in batches.items()},
        output_norm=M,
        jacobian_norm=L,
        loss_norm=C,
        bound=bound,
    )


def _figures(objective: Objective, found: Clipped) -> dict[str, float]:
    """What a step's batches say of objective, loss and distance; the latter two where they have any weight."""
    distance = sum(pair.weight * value for pair, value in found.distances.items())
    weight = sum(pair.weight for pair in found.distances)
    figures = {"objective": distance + objective.loss_weight * (found.loss or 0.0)}
    if found.loss is not None:
        figures["loss"] = found.loss
    if weight:
        figures["distance"] = distance / weight
    return figures


def _final(
    parameters: Parameters, objective: Objective, model: nn.Module, train: tasks.Sample, groups: Mapping[str, Tensor]
) -> dict[str, float]:
    """Loss, distance and objective of the final model on the training set, without any clipping."""
    with torch.no_grad():
        loss = float(tasks.loss(parameters.task, model(train.features), tasks.targets(parameters.task, train)).mean())
        outputs = tasks.compared(model, train)
        turned = torch.ones(1, 1)
        if parameters.dimension > 1:
            generator = noise.seeded(0, "evaluation")
            turned = directions.draw("iid", dimension=2, count=DIRECTIONS, generator=generator)
        distances = [
            float(sliced.sliced_wasserstein_power(outputs[groups[pair.left]], outputs[groups[pair.right]], turned))
            for pair in objective.pairs
        ]
    distance = sum(distances) / len(distances)
    value = (1 - parameters.alpha) * loss + parameters.alpha * distance
    return {"objective": value, "loss": loss, "distance": distance}


def _pictures(parameters: Parameters, outputs: Tensor, groups: Mapping[str, Tensor]) -> tuple[Point, ...]:
    points: list[Point] = []
    for name, places in groups.items():
        own = outputs[places].double().numpy()
        if parameters.dimension == 1:
            counts, edges = np.histogram(own[:, 0], bins=BINS, range=(0.0, 1.0), density=True)
            points += curve(f"score/{name}", "score", (edges[:-1] + edges[1:]) / 2, counts)
        else:
            for coordinate in range(parameters.dimension):
                shown = own[:SHOWN, coordinate]
                points += curve(f"output/{name}/{coordinate}", "point", range(len(shown)), shown)
    return tuple(points)
