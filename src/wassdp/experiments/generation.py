"""Train a generator of images towards a release of private ones, and judge what it generates (SWD, Table 2).

What is released are noisy projections, noisy gradients or a noisy mean embedding; the generator, at any time of its
training and however long that is, is post-processing. Accuracies, the Fréchet distance, shares of clipped rows and the
spread of rows are *evaluation*: they read data without noise, are kept for the study, and are no part of the release.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from wassdp import data, experiment
from wassdp.accounting.event import Event
from wassdp.data.images import Images, image_of
from wassdp.generation import generators, pictures
from wassdp.generation.evaluation import Evaluation
from wassdp.generation.generators import Network
from wassdp.generation.method import GenerationMethod, Noise, Setting
from wassdp.generation.methods import METHODS
from wassdp.generation.training import GeneratorTraining
from wassdp.result import Schedule, curves, evenly
from wassdp.training.gradients import trainable
from wassdp.training.optimisers import Optimiser
from wassdp.training.session import Session

PHASE = "train"

PUBLISHABLE = frozenset({"loss"})
"""Figures of an epoch that are computed from what was released."""
UNNOISED = {"clipped": "shares of clipped rows", "signal_to_noise": "spreads of rows"}
"""Figures that are computed from private rows without noise, and what they are."""


class Parameters(experiment.PrivateParameters):
    """One generator."""

    dataset: Images
    method: Annotated[GenerationMethod, METHODS]
    privacy: Noise | None = Field(description="null: no noise, and the private rows are used as they are")
    generator: Network = Network()
    optimiser: Optimiser = Optimiser(name="adam", learning_rate=1e-4)
    final_learning_rate: float | None = Field(
        default=None, gt=0, description="at the last step, reached by a constant factor; null: constant"
    )
    epochs: int = Field(ge=1, le=10_000, description="parts of the training, each with a checkpoint")
    steps_per_epoch: int = Field(ge=1, le=1_000_000)
    batch: int = Field(default=100, ge=1, description="images generated in a step, as many of each class")
    evaluation: Evaluation = Evaluation()

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
        shape = image_of(self.dataset).shape
        if reason := method.impossible(shape):
            return reason
        records = data.descriptor(self.dataset).counts["train"]
        if self.privacy is not None and (reason := self.privacy.too_large(records, self.dataset)):
            return reason
        return self.generator.impossible(shape)

    def expected_event(self) -> Event | None:
        return None if self.privacy is None else self.method.expected_event()


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
    splits = data.load(parameters.dataset)
    with Session.of(parameters, seed=seed, context=context, publishable=PUBLISHABLE) as session:
        setting = Setting(
            dataset=parameters.dataset,
            train=splits.train,
            classes=parameters.classes,
            steps=parameters.steps,
            device=session.device,
        )
        plan = parameters.method.build(parameters.privacy, setting)
        network = parameters.generator.build(setting.shape, parameters.classes).to(session.device)
        progress = GeneratorTraining(
            session=session,
            generator=network,
            optimiser=parameters.optimiser.build(trainable(network)),
            target=plan.target,
            batch=parameters.batch,
            epochs=parameters.epochs,
            steps_per_epoch=parameters.steps_per_epoch,
            average=parameters.optimiser.average(parameters.steps),
            final_learning_rate=parameters.final_learning_rate,
        ).run()
        judged = parameters.evaluation.judge(network, splits.test, parameters.dataset, device=session.device, seed=seed)
        sheet_rows = parameters.evaluation.sheet_rows
        shown, _ = generators.sample(network, count=sheet_rows * max(parameters.classes, 1), device=session.device)
    figures = {name: value for name, value in plan.figures.items() if not parameters.release or name not in UNNOISED}
    unnoised = " and ".join(words for name, words in UNNOISED.items() if name in figures)
    return experiment.Findings(
        metrics={"steps": float(parameters.steps), "releases": float(parameters.releases)} | figures | judged,
        history=curves("epoch", range(1, parameters.epochs + 1), progress.epochs),
        event=None if plan.event is None else parameters.noted(plan.event, unnoised),
        delta=None if parameters.privacy is None else parameters.privacy.delta,
        device=session.device_name,
        earlier_seconds=progress.earlier,
        accounted_at=None if plan.event is None else _schedule(parameters),
        pictures={"samples": pictures.sheet(shown.numpy(), rows=sheet_rows)},
    )


def _schedule(parameters: Parameters) -> Schedule | None:
    """After which epochs the budget is accounted: all, or a dozen evenly spread that end with the last.

    None where everything is released before the first.
    """
    epochs = evenly(parameters.epochs)
    releases = [parameters.method.elementary(epoch * parameters.steps_per_epoch) for epoch in epochs]
    steps = tuple(count for count in releases if count is not None)
    return Schedule(axis="epoch", positions=tuple(map(float, epochs)), steps=steps) if steps else None
