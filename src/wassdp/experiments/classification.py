"""Train a classifier, with DP-SGD or without privacy, and record what it cost and how good it is.

What is released is the sequence of noisy gradients, hence the model after every epoch. Accuracies and
losses on the test set, losses on the training set and realised batch sizes are *evaluation*: they read
data without noise, are kept for the study, and are no part of the release that the event describes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated

import torch
from pydantic import Field
from torch import nn

from wassdp import data, experiment
from wassdp.accounting import expected
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed
from wassdp.accounting.reach import Reach
from wassdp.data.images import ClassifiedImages, image_of
from wassdp.features import choice
from wassdp.features.choice import Features
from wassdp.features.moments import ReleasedNormalisation
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.models import Model
from wassdp.result import Attacked, Point, curve, curves
from wassdp.training import engines, evaluation, gradients, reproducible
from wassdp.training.audited import Attack, Audit, AuditedTarget
from wassdp.training.augmentation import Augmentation, OfViews, cross_entropy
from wassdp.training.dpsgd import PrivateSGD, PrivateSteps
from wassdp.training.engines import ENGINES
from wassdp.training.gradients import Source
from wassdp.training.inputs import Examples, labelled, scaled
from wassdp.training.optimisers import Optimiser
from wassdp.training.poisson import PoissonTraining
from wassdp.training.session import Session

PHASE = "train"

MOST_STEPS = 10_000_000
UNNOISED = "training losses, sizes of batches and how many gradients were not finite"
OF_VIEWS = ("functional",)
"""Engines that differentiate an example's loss as a whole, however many images it is made of."""


class Parameters(experiment.JudgedParameters):
    """One training. An epoch is ``round(records / batch)`` steps."""

    headline = "accuracy"
    other_figures = ("batch_max", "batch_mean", "batch_min")
    public_figures = ("steps", "sampling_rate", "records", "weights", "noise_multiplier")
    evaluation_figures = ("accuracy", "test_loss", "predicted/*")

    dataset: ClassifiedImages
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
    audit: Audit | None = Field(
        default=None, exclude_if=lambda section: section is None, description="null: the run is not attacked"
    )
    engine: Annotated[str, ENGINES, Field(description="file of wassdp.training.engines")] = "ghost_norms"
    micro_batch: int = Field(default=256, ge=1, description="examples in memory at a time; bounds memory, not batches")

    @property
    def records(self) -> int:
        """Number of training records."""
        return self.training_records(self.dataset)

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
    def chosen_optimiser(self) -> Optimiser:
        """The optimiser, with the learning rate of the privacy section if that has its own."""
        if self.privacy is None or self.privacy.learning_rate is None:
            return self.optimiser
        return self.optimiser.model_copy(update={"learning_rate": self.privacy.learning_rate})

    @property
    def before(self) -> Event | None:
        """What is released before the first step: the moments by which features are normalised, if any are."""
        normalisation = None if self.features is None else self.features.normalisation
        return normalisation.event() if isinstance(normalisation, ReleasedNormalisation) else None

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
        if self.privacy is not None and (reason := self.privacy.too_large(*self.private_records())):
            return reason
        if self.audit is not None and (reason := self._not_attacked(self.audit)):
            return reason
        shape = image_of(self.dataset).shape
        if self.augmentation is not None:
            if self.features is not None:
                return f"augmentation beside features {self.features.name}: views of images are drawn anew in each step"
            if self.privacy is not None and self.engine not in OF_VIEWS:
                return f"engine {self.engine} with augmentation: sees single images; must be {' or '.join(OF_VIEWS)}"
            if reason := self.augmentation.impossible(shape):
                return reason
        if self.features is not None:
            if reason := self.features.impossible(shape):
                return f"features {self.features.name} of {self.dataset}: {reason}"
            shape = self.features.output_shape(shape)
        return self.model.impossible(shape, self.dataset, private=self.privacy is not None)

    def _not_attacked(self, audit: Audit) -> str | None:
        if self.augmentation is not None:
            return "audit with augmentation: a canary has no views"
        return audit.impossible(
            records=self.records,
            of=self.dataset,
            linear=self.model.architecture.linear,
            noise=None if self.privacy is None else self.privacy.noise_multiplier,
            private=self.privacy is not None,
        )

    def modules(self) -> tuple[str, ...]:
        # Without privacy, no engine is loaded.
        return tuple(
            folder.module(name) for folder, name in self.plugins() if self.privacy is not None or folder != ENGINES
        )

    def private_records(self) -> tuple[int, str]:
        return self.records, self.dataset

    def expected_event(self) -> Event | None:
        return None if self.privacy is None else expected.poisson(expected.gaussian("add-remove"))

    def reach(self) -> Reach:
        if self.before is None:
            return DPSGD.reach
        moved = f"an image that nobody took moves the features' moments by {self._moved:.6g} of what is accounted"
        return DPSGD.reach._replace(how=f"{DPSGD.reach.how}; {moved}")

    def in_reach(self, event: Event) -> Event:
        if self.before is None or not isinstance(event, Composed):
            return event
        # The moments, which come first, as far as a record is known to move them.
        share, normalisation = self._moved, None if self.features is None else self.features.normalisation
        assert isinstance(normalisation, ReleasedNormalisation), "they are released"
        first, often = ((normalisation.event(share=share),), (1,)) if share > 0 else ((), ())
        return Composed(events=(*first, *event.events[1:]), counts=(*often, *event.counts[1:]))

    @property
    def _moved(self) -> float:
        assert self.features is not None, "there are no moments without features"
        return _moments_moved(self.dataset, self.features)

    def released(self, metrics: Mapping[str, float]) -> Event | None:
        if self.privacy is None or "noise_multiplier" not in metrics:
            return None
        mechanism = DPSGD(
            clip_norm=self.privacy.clip_norm,
            noise_multiplier=metrics["noise_multiplier"],
            rate=metrics["sampling_rate"],
            records=self.records,
        )
        return PrivateSteps(mechanism, self.before, int(metrics["steps"]), self.privacy.delta).event()


@lru_cache(maxsize=32)
def _moments_moved(dataset: str, features: Features) -> float:
    """How far the furthest of some crafted images moves the released moments of its features, over what is counted."""
    assert isinstance(features.normalisation, ReleasedNormalisation), "nothing is released"
    return features.normalisation.reached(features.of_crafted(image_of(dataset)))


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
    release = _planned(parameters)
    steps = parameters.steps if release is None else release.steps
    classes = data.descriptor(parameters.dataset).classes
    assert classes is not None, "Parameters allows only classified images"
    with Session.of(parameters, seed=seed, context=context) as session:
        train, test = _examples(parameters, session, context)
        model = parameters.model.architecture.build(tuple(train.inputs.shape[1:]), classes).to(session.device)
        if parameters.augmentation is not None:
            model = OfViews(model)
        size = sum(each.numel() for each in gradients.trainable(model))
        attack = None
        if parameters.audit is not None and release is not None:
            attack = parameters.audit.attack(
                AuditedTarget(
                    model=model, loss=cross_entropy, train=train, classes=classes, mechanism=release.mechanism
                ),
                linear=parameters.model.architecture.linear,
                coins=reproducible.stream(seed, "canaries", context.run),
            )
            model, train = attack.model, attack.train
        progress = PoissonTraining(
            session=session,
            model=model,
            optimiser=parameters.chosen_optimiser.build(gradients.trainable(model)),
            source=_source(parameters, release, model, attack),
            train=train,
            test=test,
            epochs=parameters.epochs,
            steps_per_epoch=parameters.steps_per_epoch,
            steps=steps,
            average=parameters.optimiser.average(steps),
            augmentation=parameters.augmentation,
            spent=(lambda steps: {}) if release is None else release.spent,
            beside={} if attack is None else {"attack": attack},
        ).run()
        predicted = evaluation.confusion(model, test.inputs, test.targets, classes=classes).T.tolist()
    last = progress.epochs[-1]
    metrics = {
        "accuracy": last["accuracy"],
        "test_loss": last["test_loss"],
        "steps": float(steps),
        "sampling_rate": parameters.rate,
        "records": float(parameters.records),
        "weights": float(size),
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
        accounted_at=release.schedule(parameters.steps_per_epoch),
        attacks=_attacked(parameters, release, attack),
    )


def _attacked(parameters: Parameters, release: PrivateSteps, attack: Attack | None) -> tuple[Attacked, ...]:
    """What the attack found, of the steps alone."""
    if parameters.audit is None or attack is None:
        return ()
    steps = release.mechanism.event(release.steps)
    return attack.bounds(steps, delta=release.delta, confidence=parameters.audit.confidence)


def _planned(parameters: Parameters) -> PrivateSteps | None:
    """What a private run will release."""
    if parameters.privacy is None:
        return None
    return parameters.privacy.planned(
        rate=parameters.rate, records=parameters.records, before=parameters.before, most_steps=parameters.steps
    )


def _examples(parameters: Parameters, session: Session, context: experiment.Context) -> tuple[Examples, Examples]:
    """Training and test examples: scaled pixels, or features."""
    name, splits = parameters.dataset, parameters.splits(parameters.dataset)
    if parameters.features is None:
        maximum = image_of(name).maximum
        inputs = [scaled(split.inputs, maximum=maximum) for split in (splits.train, splits.test)]
    else:
        arrays = choice.of(
            name,
            parameters.features,
            noise=session.streams.noise,
            folder=context.folder,
            judged_on=parameters.judged_on,
        )
        inputs = [torch.from_numpy(features) for features in arrays]
    return labelled(name, splits, inputs, session.device, records=parameters.records)


def _source(parameters: Parameters, release: PrivateSteps | None, model: nn.Module, attack: Attack | None) -> Source:
    if release is None:
        return gradients.Plain(
            model=model,
            rate=parameters.rate,
            records=parameters.records,
            loss=cross_entropy,
            micro_batch=parameters.micro_batch,
        )
    private = gradients.Private(
        mechanism=release.mechanism,
        engine=engines.load(parameters.engine, model),
        loss=cross_entropy if attack is None else attack.loss,
        micro_batch=parameters.micro_batch,
    )
    return private if attack is None else attack.source(private)


def _history(epochs: list[dict[str, float]], steps_per_epoch: int) -> tuple[Point, ...]:
    """One curve for each figure; an epoch that lacks a figure lacks its point, and a shorter one ends earlier."""
    ends = [(number * steps_per_epoch + row["steps"]) / steps_per_epoch for number, row in enumerate(epochs)]
    names = ("accuracy", "test_loss", "train_loss", "batch_min", "batch_mean", "batch_max")
    return curves("epoch", ends, [{name: row[name] for name in names if name in row} for row in epochs])
