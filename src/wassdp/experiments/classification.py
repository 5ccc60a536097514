"""Train a classifier, with DP-SGD or without privacy, and record what it cost and how good it is.

What is released is the sequence of noisy gradients, hence the model after every epoch. Accuracies and
losses on the test set, losses on the training set and realised batch sizes are *evaluation*: they read
data without noise, are kept for the study, and are no part of the release that the event describes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from wassdp import data, experiment
from wassdp.accounting import expected
from wassdp.accounting.event import Event
from wassdp.experiments import _examples
from wassdp.experiments._choices import (
    Augmentation,
    Engine,
    Images,
    Optimiser,
)
from wassdp.experiments._feature_choices import Features, ReleasedNormalisation
from wassdp.models import Model
from wassdp.result import Point, Schedule, curve, evenly
from wassdp.training.dpsgd import PrivateSGD, PrivateSteps

if TYPE_CHECKING:
    import torch

    from wassdp.features.moments import Moments
    from wassdp.mechanisms.dpsgd import DPSGD
    from wassdp.training import views
    from wassdp.training.gradients import Source

PHASE = "train"

MOST_STEPS = 10_000_000
UNNOISED = "training losses, sizes of batches and how many gradients were not finite"
PUBLISHABLE = frozenset({"accuracy", "test_loss", "steps"})
"""Figures of an epoch that are computed from what was released, and from test records."""
OF_VIEWS = ("functional",)
"""Engines that differentiate an example's loss as a whole, however many images it is made of."""


class Parameters(experiment.PrivateParameters):
    """One training. An epoch is ``round(records / batch)`` steps."""

    dataset: Images
    features: Features | None = Field(
        default=None, exclude_if=lambda section: section is None, description="null: the model sees pixels"
    )
    augmentation: Augmentation | None = Field(
        default=None, exclude_if=lambda section: section is None, description="null: each image once, as it is"
    )
    model: Model
    optimiser: Optimiser
    epochs: int = Field(ge=1, le=10_000)
    batch: float = Field(gt=0, description="expected number of records in a step; each enters by itself")
    privacy: PrivateSGD | None = Field(description="null: the same model without clipping and noise")
    engine: Engine = "ghost_norms"
    micro_batch: int = Field(default=256, ge=1, description="examples in memory at a time; bounds memory, not batches")

    @property
    def records(self) -> int:
        """Number of training records."""
        return data.descriptor(self.dataset).counts["train"]

    @property
    def rate(self) -> float:
        """Probability with which each record enters a step."""
        return self.batch / self.records

    @property
    def steps_per_epoch(self) -> int:
        """Steps in which a record is expected about once."""
        return round(1 / self.rate)

    @property
    def steps(self) -> int:
        """Steps of the whole run, unless its budget ends it before."""
        return self.epochs * self.steps_per_epoch

    @property
    def learning_rate(self) -> float:
        """The optimiser's learning rate, unless the privacy section has its own."""
        own = None if self.privacy is None else self.privacy.learning_rate
        return self.optimiser.learning_rate if own is None else own

    def describe(self) -> experiment.Description:
        seen = [self.model.name, *([] if self.features is None else [f"{self.features.name} features"])]
        asked = (
            {} if self.privacy is None else {"epsilon": self.privacy.epsilon, "noise": self.privacy.noise_multiplier}
        )
        return experiment.Description(self.dataset, " on ".join(seen), experiment.asked(**asked))

    def impossible(self) -> str | None:
        if reason := self.nothing_to_release():
            return reason
        if self.batch > self.records:
            return f"batch {self.batch:g} is more than the {self.records} records of {self.dataset}"
        if self.steps > MOST_STEPS:
            return f"{self.epochs} epochs of batch {self.batch:g} are {self.steps} steps, more than {MOST_STEPS}"
        if self.privacy is not None and (reason := self.privacy.too_large(self.records, self.dataset)):
            return reason
        shape = _examples.image_shape(self.dataset)
        if self.augmentation is not None and (reason := self._not_augmented(shape)):
            return reason
        if self.features is not None:
            if reason := self.features.impossible(shape):
                return f"features {self.features.name} of {self.dataset}: {reason}"
            shape = self.features.output_shape(shape)
        reason = self.model.architecture.impossible(shape)
        return None if reason is None else f"model {self.model.name} on {self.dataset}: {reason}"

    def _not_augmented(self, shape: tuple[int, int, int]) -> str | None:
        assert self.augmentation is not None, "the caller has looked"
        if self.features is not None:
            return f"augmentation beside features {self.features.name}: views of images are drawn anew in each step"
        if self.privacy is not None and self.engine not in OF_VIEWS:
            return f"engine {self.engine} with augmentation: sees single images; must be {' or '.join(OF_VIEWS)}"
        if self.augmentation.crop >= min(shape[1:]):
            return f"augmentation.crop = {self.augmentation.crop}: must be below the {min(shape[1:])} pixels of a side"
        return None

    def datasets(self) -> tuple[str, ...]:
        return (self.dataset,)

    def expected_event(self) -> Event | None:
        return None if self.privacy is None else expected.poisson(expected.gaussian("add-remove"))

    def modules(self) -> tuple[str, ...]:
        found = (f"wassdp.models.{self.model.name}", f"wassdp.data.sets.{self.dataset}")
        if self.privacy is None:
            return found
        return (*found, f"wassdp.training.engines.{self.engine}", *self.privacy.modules())


def run(parameters: Parameters, *, seed: int | None, context: experiment.Context) -> experiment.Findings:
    """Train, evaluate after every epoch, and describe what was released.

    Metrics: ``accuracy`` and ``test_loss`` on the test set at the end; ``steps`` really made, ``sampling_rate``,
    ``records``, ``weights`` (trained parameters of the model); ``batch_min``, ``batch_mean``,
    ``batch_max``, the records really drawn in a step; ``noise_multiplier`` for a private run. The curves
    ``predicted/<j>`` over ``class`` say how many test examples of each class the final model takes for class j.

    Where weights are averaged, the average is the model that is evaluated: it is computed from what was
    released already, so it costs no further budget.

    Raises:
        ValueError: the device is absent, the model refuses the dataset, the engine the model, or nothing keeps the
            budget.
        FloatingPointError: training diverged; the message names the step.
        DatasetUnavailable: the dataset cannot be had.
    """
    from wassdp.training import evaluation, gradients, optimisers, views
    from wassdp.training.poisson import PoissonTraining
    from wassdp.training.session import Session

    moments = _moments(parameters)
    release = _planned(parameters, moments)
    steps = parameters.steps if release is None else release.steps
    classes = data.descriptor(parameters.dataset).classes
    assert classes is not None, "Parameters allows only classified images"
    with Session.of(parameters, seed=seed, context=context, publishable=PUBLISHABLE) as session:
        if parameters.features is None:
            train, test = _examples.pixels(parameters.dataset, session.device)
        else:
            train, test = _examples.features(
                parameters.dataset,
                parameters.features,
                session.device,
                moments=moments,
                noise=session.streams.noise,
                folder=context.folder,
            )
        model = parameters.model.architecture.build(tuple(train.inputs.shape[1:]), classes).to(session.device)
        if parameters.augmentation is not None:
            model = views.OfViews(model)
        weights = gradients.trainable(model)
        progress = PoissonTraining(
            session=session,
            model=model,
            optimiser=optimisers.build(parameters.optimiser.name, weights, learning_rate=parameters.learning_rate),
            source=_source(parameters, None if release is None else release.mechanism, model),
            train=train,
            test=test,
            epochs=parameters.epochs,
            steps_per_epoch=parameters.steps_per_epoch,
            steps=steps,
            average=parameters.optimiser.average(steps),
            augmentation=_augmentation(parameters),
            spent=(lambda steps: {}) if release is None else release.spent,
        ).run()
        predicted = evaluation.confusion(model, test.inputs, test.targets, classes=classes).T.tolist()
    last = progress.epochs[-1]
    metrics = {
        "accuracy": last["accuracy"],
        "test_loss": last["test_loss"],
        "steps": float(steps),
        "sampling_rate": parameters.rate,
        "records": float(parameters.records),
        "weights": float(sum(each.numel() for each in weights)),
    }
    if not parameters.release:
        metrics |= {
            "batch_min": min(row["batch_min"] for row in progress.epochs),
            "batch_mean": sum(row["batch_mean"] * row["steps"] for row in progress.epochs) / steps,
            "batch_max": max(row["batch_max"] for row in progress.epochs),
        }
    history = _history(progress.epochs, parameters.steps_per_epoch)
    for taken_for, counts in enumerate(predicted):
        history += curve(f"predicted/{taken_for}", "class", range(classes), counts)
    if release is None:
        return experiment.Findings(
            metrics=metrics, history=history, device=session.device_name, earlier_seconds=progress.earlier
        )
    return experiment.Findings(
        metrics=metrics | {"noise_multiplier": release.mechanism.noise_multiplier},
        history=history,
        event=parameters.noted(release.event(), UNNOISED),
        delta=release.delta,
        device=session.device_name,
        earlier_seconds=progress.earlier,
        accounted_at=_schedule(release, parameters.steps_per_epoch),
    )


def _moments(parameters: Parameters) -> Moments | None:
    """The release of moments that a run starts with, if its features are normalised by any."""
    chosen = None if parameters.features is None else parameters.features.normalisation
    if not isinstance(chosen, ReleasedNormalisation):
        return None
    from wassdp.features.moments import Moments

    return Moments(
        each=chosen.name,
        noise_multiplier=chosen.noise_multiplier,
        clip_mean=chosen.clip_mean,
        clip_square=chosen.clip_square,
        floor=chosen.floor,
        records=parameters.records,
    )


def _planned(parameters: Parameters, moments: Moments | None) -> PrivateSteps | None:
    """What a private run will release."""
    if parameters.privacy is None:
        return None
    return parameters.privacy.planned(
        rate=parameters.rate,
        records=parameters.records,
        before=None if moments is None else moments.event(),
        most_steps=parameters.steps,
    )


def _schedule(release: PrivateSteps, steps_per_epoch: int) -> Schedule:
    """After which epochs the budget is accounted: all, or a dozen evenly spread that end with the last step."""
    epochs = evenly(-(-release.steps // steps_per_epoch))
    steps = [min(epoch * steps_per_epoch, release.steps) for epoch in epochs]
    return Schedule(
        axis="epoch",
        positions=tuple(step / steps_per_epoch for step in steps),
        steps=tuple(release.releases(step) for step in steps),
    )


def _augmentation(parameters: Parameters) -> views.Augmentation | None:
    from wassdp.training import views

    chosen = parameters.augmentation
    return None if chosen is None else views.Augmentation(copies=chosen.copies, crop=chosen.crop, flip=chosen.flip)


def _source(parameters: Parameters, mechanism: DPSGD | None, model: torch.nn.Module) -> Source:
    from wassdp.training import engines, gradients, views

    if mechanism is None:
        return gradients.Plain(
            model=model,
            rate=parameters.rate,
            records=parameters.records,
            loss=views.cross_entropy,
            micro_batch=parameters.micro_batch,
        )
    return gradients.Private(
        mechanism=mechanism,
        engine=engines.load(parameters.engine, model),
        loss=views.cross_entropy,
        micro_batch=parameters.micro_batch,
    )


def _history(epochs: list[dict[str, float]], steps_per_epoch: int) -> tuple[Point, ...]:
    """One curve for each figure; an epoch that lacks a figure lacks its point, and a shorter one ends earlier."""
    ends = [(number * steps_per_epoch + row["steps"]) / steps_per_epoch for number, row in enumerate(epochs)]
    points: list[Point] = []
    for name in ("accuracy", "test_loss", "train_loss", "batch_min", "batch_mean", "batch_max"):
        rows = [(end, row[name]) for end, row in zip(ends, epochs, strict=True) if name in row]
        points += curve(name, "epoch", [end for end, _ in rows], [value for _, value in rows])
    return tuple(points)
