"""Train a generator of images towards a release of private ones, and judge what it generates (SWD, Table 2).

What is released are noisy projections, noisy gradients or a noisy mean embedding; the generator, at any time of its
training and however long that is, is post-processing. Accuracies, the Fréchet distance, shares of clipped rows and the
spread of rows are *evaluation*: they read data without noise, are kept for the study, and are no part of the release.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from pydantic import Field

from wassdp import data, experiment
from wassdp.accounting import accountant
from wassdp.accounting.event import Event
from wassdp.data.images import Images, image_of
from wassdp.experiments import _generation as choices
from wassdp.experiments import _generation_plan
from wassdp.result import Schedule, curves, evenly
from wassdp.training.budget import UPPER
from wassdp.training.optimisers import Optimiser

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray

    from wassdp.data.base import Splits
    from wassdp.generation import generators

PHASE = "train"

PUBLISHABLE = frozenset({"loss"})
"""Figures of an epoch that are computed from what was released."""
UNNOISED = {"clipped": "shares of clipped rows", "signal_to_noise": "spreads of rows"}
"""Figures that are computed from private rows without noise, and what they are."""


class Parameters(experiment.PrivateParameters):
    """One generator."""

    dataset: Images
    method: choices.Method
    privacy: choices.Noise | None = Field(description="null: no noise, and the private rows are used as they are")
    generator: choices.Network = choices.Network()
    optimiser: Optimiser = Optimiser(name="adam", learning_rate=1e-4)
    final_learning_rate: float | None = Field(
        default=None, gt=0, description="at the last step, reached by a constant factor; null: constant"
    )
    epochs: int = Field(ge=1, le=10_000, description="parts of the training, each with a checkpoint")
    steps_per_epoch: int = Field(ge=1, le=1_000_000)
    batch: int = Field(default=100, ge=1, description="images generated in a step, as many of each class")
    evaluation: choices.Evaluation = choices.Evaluation()

    @property
    def classes(self) -> int:
        """Classes that the generator is told; 0 if labels are not used."""
        return (data.descriptor(self.dataset).classes or 0) if self.method.labelled else 0

    @property
    def steps(self) -> int:
        """Steps of the whole training."""
        return self.epochs * self.steps_per_epoch

    @property
    def releases(self) -> int:
        """How often something is released."""
        return self.method.releases(self.steps)

    def describe(self) -> experiment.Description:
        if self.privacy is None:
            return experiment.Description(self.dataset, self.method.describe(), experiment.asked())
        asked = experiment.asked(epsilon=self.privacy.epsilon, noise=self.privacy.noise)
        return experiment.Description(self.dataset, f"DP-{self.method.describe()}", asked)

    def impossible(self) -> str | None:
        if reason := self.nothing_to_release():
            return reason
        method = self.method
        labelled = data.descriptor(self.dataset).classes is not None
        if not labelled and method.labelled:
            return f"{self.dataset} has no classes: method sliced or output_gradient, with labels none"
        if self.classes and self.batch % self.classes:
            return f"batch {self.batch} is no multiple of {self.classes} classes"
        if (reason := method.impossible()) is not None:
            return reason
        if self.privacy is not None and self.privacy.delta * data.descriptor(self.dataset).counts["train"] >= 1:
            return f"delta {self.privacy.delta:g} is not below 1 in the records of {self.dataset}"
        return self.generator.impossible(image_of(self.dataset).shape)

    def datasets(self) -> tuple[str, ...]:
        return (self.dataset,)

    def expected_event(self) -> Event | None:
        return None if self.privacy is None else self.method.expected_event()

    def modules(self) -> tuple[str, ...]:
        # Only where the accountant sets the noise does its code belong to the run's.
        calibrated = self.privacy is not None and self.privacy.epsilon is not None
        return (f"wassdp.data.sets.{self.dataset}", *((accountant.module(UPPER),) if calibrated else ()))


def run(parameters: Parameters, *, seed: int | None, context: experiment.Context) -> experiment.Findings:
    """Release, train, generate, evaluate, and describe what was released.

    Metrics: ``accuracy_mlp`` and ``accuracy_logistic`` of classifiers trained on generated images, on real test
    images; ``frechet_scattering``; ``steps``, ``releases``, ``noise`` and, for sliced distances, ``distance`` (Δ,
    between neighbouring rows), ``dimension``, ``projections``, ``clipped``, the share of private rows that were
    clipped, and ``signal_to_noise``: how far private rows (of a class, where labels are public) spread along a mean
    direction, over the deviation of the noise on a released number. Where rows are released, ``rows_released``; where
    gradients are, ``noise_std``, in the unit of rows. The curve ``loss`` runs over epochs. The picture ``samples``
    shows generated images, one column per class.

    Raises:
        ValueError: the device is absent, or nothing keeps the budget, or the settings have no account.
        FloatingPointError: training diverged; the message names the step.
        DatasetUnavailable: the dataset cannot be had.
    """
    from wassdp.generation import generators, pictures
    from wassdp.generation.training import GeneratorTraining
    from wassdp.training import gradients
    from wassdp.training.session import Session

    splits: Splits = data.load(parameters.dataset)
    shape = image_of(parameters.dataset).shape
    with Session.of(parameters, seed=seed, context=context, publishable=PUBLISHABLE) as session:
        plan = _generation_plan.planned(
            parameters.dataset,
            parameters.method,
            parameters.privacy,
            classes=parameters.classes,
            releases=parameters.releases,
            train=splits.train,
            device=session.device,
        )
        network = generators.build(
            parameters.generator.name, shape, code=parameters.generator.code, classes=parameters.classes
        ).to(session.device)
        progress = GeneratorTraining(
            session=session,
            generator=network,
            optimiser=parameters.optimiser.build(gradients.trainable(network)),
            target=plan.target,
            batch=parameters.batch,
            epochs=parameters.epochs,
            steps_per_epoch=parameters.steps_per_epoch,
            average=parameters.optimiser.average(parameters.steps),
            final_learning_rate=parameters.final_learning_rate,
        ).run()
        judged = _judged(parameters, network, splits, session.device, seed)
        columns = max(parameters.classes, 1)
        shown, _ = generators.sample(network, count=parameters.evaluation.sheet_rows * columns, device=session.device)
    figures = {name: value for name, value in plan.figures.items() if not parameters.release or name not in UNNOISED}
    metrics = {"steps": float(parameters.steps), "releases": float(parameters.releases)} | figures | judged
    unnoised = " and ".join(words for name, words in UNNOISED.items() if name in figures)
    history = curves("epoch", range(1, parameters.epochs + 1), progress.epochs)
    return experiment.Findings(
        metrics=metrics,
        history=history,
        event=None if plan.event is None else parameters.noted(plan.event, unnoised),
        delta=None if parameters.privacy is None else parameters.privacy.delta,
        device=session.device_name,
        earlier_seconds=progress.earlier,
        accounted_at=None if plan.event is None or plan.after is None else _schedule(parameters, plan.after),
        pictures={"samples": pictures.sheet(shown.numpy(), rows=parameters.evaluation.sheet_rows)},
    )


def _judged(
    parameters: Parameters, network: generators.Generator, splits: Splits, device: torch.device, seed: int | None
) -> dict[str, float]:
    """What classifiers and the Fréchet distance say of generated images."""
    from wassdp.generation import downstream, frechet, generators

    chosen = parameters.evaluation
    found: dict[str, float] = {}
    if parameters.classes and chosen.samples:
        count = -(-chosen.samples // parameters.classes) * parameters.classes
        images, labels = generators.sample(network, count=count, device=device)
        assert labels is not None, "there are classes"
        test = _generation_plan.unit(splits.test.inputs, parameters.dataset)
        accuracy = downstream.accuracies(
            _flat(images),
            labels.numpy(),
            _flat(test),
            splits.test.labels,
            seed=seed,
            logistic_iterations=chosen.logistic_iterations,
            mlp_iterations=chosen.mlp_iterations,
        )
        found |= {f"accuracy_{name}": value for name, value in accuracy.items()}
    if chosen.frechet:
        real = _generation_plan.unit(splits.test.inputs[: chosen.frechet], parameters.dataset)
        count = math.ceil(len(real) / max(parameters.classes, 1)) * max(parameters.classes, 1)
        images, _ = generators.sample(network, count=count, device=device)
        found["frechet_scattering"] = frechet.distance(frechet.features(real), frechet.features(images))
    return found


def _flat(images: torch.Tensor) -> NDArray[np.float32]:
    flat: NDArray[np.float32] = images.flatten(start_dim=1).numpy()
    return flat


def _schedule(parameters: Parameters, after: Callable[[int], int]) -> Schedule:
    """After which epochs the budget is accounted: all, or a dozen evenly spread that end with the last."""
    epochs = evenly(parameters.epochs)
    return Schedule(
        axis="epoch",
        positions=tuple(float(each) for each in epochs),
        steps=tuple(after(each * parameters.steps_per_epoch) for each in epochs),
    )
