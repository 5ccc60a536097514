"""Learn with a fairness penalty under privacy: classification, regression or a representation (WG, appendix B).

What is released is the sequence of noisy gradients and, where scores are repaired, noisy histograms of them. Budgets
are under the relation *replace one inside its class*, a class being a protected group (for equality of odds, its
records of one label): to which of them a record belongs is public. Losses, distances and everything measured on the
test set are *evaluation*: they read data without noise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Literal

import numpy as np
import torch
from pydantic import Field
from torch import Tensor, nn

from wassdp import data, experiment, noise
from wassdp.accounting.events.composed import Composed
from wassdp.accounting.reach import GRADIENT_SPACE, Reach
from wassdp.audit.trainings.wasserstein_training import CanariesOfAGroup
from wassdp.data.some_sets import SomeSets
from wassdp.distances import directions, sliced
from wassdp.fairness import measures, renyi, tasks
from wassdp.fairness.barycentre import Barycentre, PostProcessing
from wassdp.fairness.neighbours import groups_are_public
from wassdp.mechanisms.clip_norm import ClipNorm
from wassdp.mechanisms.wasserstein_objective import Objective, equality_of_odds, statistical_parity
from wassdp.ranges import AccountedDelta
from wassdp.result import Attacked, Point, curve, curves
from wassdp.sections import Section
from wassdp.training import reproducible
from wassdp.training.audited import Canaries
from wassdp.training.budget import too_large
from wassdp.training.engines import Loss, finite_sum
from wassdp.training.session import Session
from wassdp.training.wasserstein.engine import Clipped
from wassdp.training.wasserstein.optimiser import PrivateOptimiser
from wassdp.training.wasserstein.study import DELTA_SHARE, DIRECTIONS, WassersteinParameters, noise_figures
from wassdp.training.wasserstein.training import WassersteinTraining

PHASE = "train"

BINS = 40
SHOWN = 250
"""Points of each group that are kept for a picture of outputs in the plane."""
UNNOISED = "objectives, losses, distances and outputs of training records"


class Clipping(Section):
    """Bounds that the sensitivity rests on."""

    loss_norm: Annotated[ClipNorm, Field(description="C")]
    output_norm: Annotated[ClipNorm, Field(description="M")]
    jacobian_norm: Annotated[ClipNorm, Field(description="L")]
    kind: Literal["spectral", "rows"] = Field(default="spectral", description="rows: as published")


class Parameters(WassersteinParameters, experiment.JudgedParameters):
    """One training. The paper leaves open optimiser, initialisation and the size of the test set."""

    headline = "accuracy"
    other_figures = ("distance", "loss", "objective")
    # Of test records, whatever the task.
    evaluation_figures = (
        "before/*",
        "accuracy",
        "accuracy_[01]",
        "disparate_impact",
        "parity_gap",
        "equality_[01]",
        "calibration_error_[01]",
        "above_diagonal_[01]",
        "core_loss",
    )

    dataset: Annotated[str, SomeSets(fits=lambda declared: bool(declared.sensitive))] = "biased"
    sensitive: str = Field(default="attribute", description="protected attribute of a real dataset")
    task: tasks.Task
    penalty: Literal["statistical_parity", "equality_of_odds", "renyi"] = Field(
        default="statistical_parity",
        description="renyi: a mean over records, whose gradients are clipped with those of the loss "
        "(`wassdp.fairness.renyi`); the others: Wasserstein distances",
    )
    alpha: Annotated[float, Field(ge=0, le=1, description="weight of the penalty")]
    dual_scale: float = Field(
        default=0.3,
        gt=0,
        exclude_if=lambda value: value == 0.3,
        description="of penalty renyi: scale of the matrix that is trained against the model",
    )
    barycentre: PostProcessing | None = Field(
        default=None,
        exclude_if=lambda section: section is None,
        description="scores of the trained model are moved to a private barycentre; null: they are not",
    )
    clipping: Clipping
    batch_share: Annotated[float, Field(gt=0, le=1, description="of every group, the share that enters a step")] = 0.2
    audit: Canaries | None = Field(
        default=None, exclude_if=lambda section: section is None, description="null: the run is not attacked"
    )
    hidden: Annotated[int, Field(ge=0, description="width of hidden layers; 0: one layer")] = 0
    records: Annotated[int, Field(ge=100, description="training records, of the synthetic data")] = 30_000
    test_records: Annotated[int, Field(ge=100, description="test records, of the synthetic data")] = 10_000
    delta: AccountedDelta | None = Field(
        default=None,
        exclude_if=lambda value: value is None,
        description="of the account; null: a tenth over the number of training records, as in the paper",
    )

    @property
    def dimension(self) -> int:
        """Of the outputs that the penalty compares."""
        return 1 if self.task == "classification" else 2

    @property
    def neighbours(self) -> str:
        return groups_are_public(self.sensitive, and_label=self.penalty == "equality_of_odds")

    def describe(self) -> experiment.Description:
        fair = f"α = {self.alpha:g}, {self.penalty.replace('_', ' ')}"
        asked = "no noise" if self.privacy is None else self.privacy.describe()
        fair += "" if self.barycentre is None else ", private barycentre"
        return experiment.Description(f"{self.dataset}, {self.task}", fair, asked)

    def impossible(self) -> str | None:
        if reason := self.nothing_to_release():
            return reason
        if self.task != "classification" and self.dataset != "biased":
            return f"{self.task} on {self.dataset}: has no continuous response, or no core features"
        if self.task != "classification" and self.penalty == "equality_of_odds":
            return f"equality of odds for {self.task}: is defined for labels"
        if self.task != "classification" and self.penalty == "renyi":
            return f"penalty renyi for {self.task}: is defined for decisions"
        if self.barycentre is not None and (reason := self._not_repaired()):
            return reason
        known = data.descriptor(self.dataset).sensitive
        if self.sensitive not in known:
            return f"sensitive {self.sensitive} of {self.dataset}: must be {' or '.join(known)}"
        if self.task == "representation" and self.hidden == 0:
            return "representation with hidden 0: encoder and decoder have two layers"
        records, of = self.private_records()
        if self.delta is not None and (reason := too_large(self.delta, records, of)):
            return reason
        if self.audit is None:
            return None
        if self.privacy is None:
            return "audit: the run is not private, there is no budget to attack"
        return self.audit.too_many(records=records, of=of)

    def private_records(self) -> tuple[int, str]:
        drawn = self.dataset == "biased"
        return self.records if drawn else self.training_records(self.dataset), self.dataset

    def _not_repaired(self) -> str | None:
        """Why there is no barycentre of the scores."""
        if self.task != "classification":
            return f"barycentre for {self.task}: is one of scores"
        if self.penalty == "equality_of_odds":
            return "barycentre beside penalty equality_of_odds: its groups are those of the attribute alone"
        if self.privacy is not None and self.privacy.accountant != "pld":
            return f"barycentre by {self.privacy.accountant}: that formula knows no composition with histograms"
        return None if self.audit is None else "audit: canaries attack the training alone, not the histograms"

    def after(self) -> Composed | None:
        return None if self.barycentre is None else self.barycentre.mechanism().event()

    def reach(self) -> Reach:
        if self.barycentre is not None:
            return super().reach()
        if self.penalty == "renyi" or (self.alpha == 0 and self.penalty == "statistical_parity"):
            return Reach(1.0, f"a record whose label is another, with gradients of the clip norm, {GRADIENT_SPACE}")
        return super().reach()


def run(parameters: Parameters, *, seed: int | None, context: experiment.Context) -> experiment.Findings:
    """Train, and measure loss, distance and fairness of the final model.

    Metrics: ``objective``, ``loss``, ``distance`` of the training set, without clipping; ``noise_std``, on each
    coordinate of a gradient, and ``noise_multiplier``; ``sensitivity``; test measures by task, such as ``accuracy``,
    ``disparate_impact``, ``parity_gap``, ``equality_0`` and ``equality_1``, ``above_diagonal_0`` and
    ``above_diagonal_1``, or ``core_loss``, and ``before/<measure>`` where scores were repaired, left out where they are
    not defined. Curves over ``step``: ``objective``, ``loss`` and ``distance`` of the batches; histograms
    ``score/<group>`` over ``score`` or pictures ``output/<group>/<coordinate>`` over ``point`` of the training set's
    outputs.

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
            judged_on=parameters.judged_on,
        )
        groups = _groups(parameters, train)
        objective = _objective(parameters, {name: len(places) for name, places in groups.items()})
        delta = DELTA_SHARE / len(train) if parameters.delta is None else parameters.delta
        mechanism = parameters.mechanism(objective, delta)
        model = tasks.model(parameters.task, train.features.shape[1], hidden=parameters.hidden)
        aims = tasks.targets(parameters.task, train)
        records = {name: train.features[places] for name, places in groups.items()}
        targets = {name: aims[places] for name, places in groups.items()}

        loss: Loss = partial(tasks.loss, parameters.task)
        learner = model
        if parameters.penalty == "renyi":
            shares = [group.records / len(train) for group in objective.groups]
            learner = renyi.Adversary(model, shares=shares, scale=parameters.dual_scale)
            loss, targets = renyi.with_penalty(loss, alpha=parameters.alpha, shares=shares), renyi.marked(targets)
        attack = None
        if parameters.audit is not None:
            attack = CanariesOfAGroup(
                learner,
                mechanism,
                records=records,
                targets=targets,
                loss=loss,
                dimension=parameters.dimension,
                canaries=parameters.audit.canaries,
                coins=reproducible.stream(seed, "canaries", context.run),
            )
        trained = learner if attack is None else attack.model
        private = PrivateOptimiser(
            trained,
            parameters.follow(trained),
            mechanism,
            loss=loss if attack is None else attack.loss,
            generator=session.streams.noise,
            dimension=parameters.dimension,
            projections=parameters.projections,
            clipping=parameters.clipping.kind,
            watch=None if attack is None else attack.observe,
        )
        if attack is not None:
            attack.private = private
        training = WassersteinTraining(
            session=session,
            private=private,
            records=records if attack is None else attack.records,
            targets=targets,
            steps=parameters.steps,
            figures=lambda clipped: _figures(objective, clipped),
            beside={} if attack is None else {"attack": attack},
        )
        progress = training.run()
        metrics = tasks.measures(parameters.task, model, test)
        if parameters.barycentre is not None:
            before = {f"before/{name}": value for name, value in metrics.items()}
            metrics = _repaired(parameters, parameters.barycentre, model, groups, train, test, session.streams.noise)
            metrics |= before
        history = curves("step", training.measured, progress.rows)
        if not parameters.release:
            metrics = _final(parameters, objective, model, train, groups) | metrics
            history += _pictures(parameters, tasks.compared(model, train), groups)
    metrics |= noise_figures(mechanism) | {"records": float(len(train)), "steps": float(parameters.steps)}
    attacks: tuple[Attacked, ...] = ()
    if parameters.audit is not None and attack is not None:
        attacks = attack.bounds(private.event(), delta=delta, confidence=parameters.audit.confidence)
    return parameters.findings(
        session, progress, private, delta=delta, unnoised=UNNOISED, metrics=metrics, history=history, attacks=attacks
    )


def _repaired(
    parameters: Parameters,
    repair: PostProcessing,
    model: nn.Module,
    groups: Mapping[str, Tensor],
    train: tasks.Sample,
    test: tasks.Sample,
    generator: noise.Bits,
) -> dict[str, float]:
    """Accuracy and fairness of the repaired scores of the test set. Without privacy the histograms have no noise."""
    mechanism = repair.mechanism()
    if parameters.privacy is None:
        mechanism = replace(mechanism, noise_multiplier=0.0)
    scores = tasks.compared(model, train)[:, 0]
    counts = mechanism.release([scores[groups[name]] for name in ("0", "1")], generator=generator)
    sizes = [len(groups[name]) for name in ("0", "1")]
    barycentre = Barycentre.of(counts.numpy(), records=sizes, amount=repair.amount)
    repaired = barycentre(tasks.compared(model, test)[:, 0].double().numpy(), test.sensitive)
    return measures.of_decisions(repaired, test.sensitive, test.labels)


def _groups(parameters: Parameters, train: tasks.Sample) -> dict[str, Tensor]:
    """Places of every group's records."""
    if parameters.penalty != "equality_of_odds":
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
    norms = parameters.clipping.model_dump(exclude={"kind"})
    if parameters.penalty != "equality_of_odds":
        return statistical_parity(
            alpha=0.0 if parameters.penalty == "renyi" else parameters.alpha,
            records=list(sizes.values()),
            batches=list(batches.values()),
            bound=parameters.bound,
            **norms,
        )
    keys = {name: (int(name[0]), int(name[2])) for name in sizes}
    return equality_of_odds(
        alpha=parameters.alpha,
        records={keys[name]: size for name, size in sizes.items()},
        batches={keys[name]: size for name, size in batches.items()},
        bound=parameters.bound,
        **norms,
    )


def _figures(objective: Objective, clipped: Clipped) -> dict[str, float]:
    """What a step's batches say of objective, loss and distance; the latter two where they have any weight."""
    distance = sum(pair.weight * value for pair, value in clipped.distances.items())
    weight = sum(pair.weight for pair in clipped.distances)
    figures = {"objective": distance + objective.loss_weight * (clipped.loss or 0.0)}
    if clipped.loss is not None:
        figures["loss"] = clipped.loss
    if weight:
        figures["distance"] = distance / weight
    return figures


def _final(
    parameters: Parameters, objective: Objective, model: nn.Module, train: tasks.Sample, groups: Mapping[str, Tensor]
) -> dict[str, float]:
    """Loss, distance and objective of the final model on the training set, without any clipping."""
    with torch.no_grad():
        losses = tasks.loss(parameters.task, model(train.features), tasks.targets(parameters.task, train))
        loss = float(finite_sum(losses) / len(train))
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
    penalty = distance
    if parameters.penalty == "renyi":
        penalty = renyi.dependence(outputs[:, 0], torch.from_numpy(train.sensitive))
    value = (1 - parameters.alpha) * loss + parameters.alpha * penalty
    return {"objective": value, "loss": loss, "distance": distance}


def _pictures(parameters: Parameters, outputs: Tensor, groups: Mapping[str, Tensor]) -> tuple[Point, ...]:
    points: list[Point] = []
    for name, places in groups.items():
        of_group = outputs[places].double().numpy()
        if parameters.dimension == 1:
            counts, edges = np.histogram(of_group[:, 0], bins=BINS, range=(0.0, 1.0), density=True)
            points += curve(f"score/{name}", "score", (edges[:-1] + edges[1:]) / 2, counts)
        else:
            for coordinate in range(parameters.dimension):
                shown = of_group[:SHOWN, coordinate]
                points += curve(f"output/{name}/{coordinate}", "point", range(len(shown)), shown)
    return tuple(points)
