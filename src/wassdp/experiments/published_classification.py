"""Train a classifier exactly as the code published with *Wasserstein Differential Privacy* does (its Table 2).

Shuffled passes instead of Poisson samples, the mean gradient clipped instead of each example's, noise that is not
divided by the batch, and one coordinate in ten kept. The published accountants' figures come from leave-one-out
gradients that are measured beside each step. What such a run really proves is a matter of
`wassdp.accounting.accountants.upper`.

Measured distances, accuracies and losses read data without noise. They are kept for the study, and are no part of
the release that the event describes.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Float
from pydantic import Field, model_validator
from torch import Tensor

from wassdp import data, experiment
from wassdp.accounting.event import Event
from wassdp.accounting.events.measured_gradients import MeasuredGradients
from wassdp.accounting.reach import GRADIENT_SPACE, Reach
from wassdp.data.images import ClassifiedImages, image_of
from wassdp.mechanisms.published_step import RUNNING_STATISTICS
from wassdp.models import Model
from wassdp.ranges import LearningRate
from wassdp.result import Schedule, curves
from wassdp.training import gradients, memory, published
from wassdp.training.inputs import Examples, labelled, scaled
from wassdp.training.optimisers import Optimiser
from wassdp.training.published import PublishedPrivacy
from wassdp.training.published_inputs import CONSTANTS, normalised
from wassdp.training.session import Session
from wassdp.training.shuffled import ShuffledTraining

PHASE = "train"
RELEASE = "for the noisy gradients, hence the weights; measured distances, accuracies and losses are not covered"
PUBLIC = "taken as public: mean and deviation of the training images' pixels, constants of the published code"


class Parameters(experiment.PrivateParameters):
    """One training by plain SGD. The last batch of a pass may be smaller, as in the published code.

    In a grid, ``setting`` stands for several of these that go together: ``setting: [{dataset: ..., model: ...}, ...]``.
    """

    headline = "accuracy"
    other_figures = ("distance_largest", "distance_mean")
    public_figures = ("steps", "records", "weights")
    no_canaries = (
        "the published step clips the mean of a batch, so that a canary has what all others leave to it, and "
        "batches are shuffled"
    )
    evaluation_figures = ("accuracy", "test_loss")

    dataset: ClassifiedImages
    model: Model
    epochs: int = Field(ge=1, le=10_000)
    batch: int = Field(ge=2, description="records in a step")
    learning_rate: LearningRate
    inputs: Literal["published", "range"] = Field(
        default="published",
        description="published: the authors' constants (for MNIST and Fashion-MNIST those of the training images); "
        "range: pixels to [-1, 1]",
    )
    privacy: PublishedPrivacy | None = Field(description="null: the same training without clipping, noise and mask")

    @model_validator(mode="before")
    @classmethod
    def _spread(cls, value: Any) -> Any:
        """Put the parts of ``setting`` in their places; a run's specification has no such key."""
        if not isinstance(value, dict) or "setting" not in value:
            return value
        together = value["setting"]
        if not isinstance(together, dict):
            raise ValueError(f"setting = {together!r}: must be a section of parameters")
        rest = {key: item for key, item in value.items() if key != "setting"}
        if twice := sorted(set(rest) & set(together)):
            raise ValueError(f"setting: {', '.join(twice)} is given beside it too")
        return rest | together

    @property
    def records(self) -> int:
        """Number of training records."""
        return data.descriptor(self.dataset).counts["train"]

    @property
    def steps_per_epoch(self) -> int:
        """Steps in which every record enters exactly once."""
        return -(-self.records // self.batch)

    def describe(self) -> experiment.Description:
        noise = None if self.privacy is None else self.privacy.noise_multiplier
        return experiment.Description(self.dataset, self.model.name, experiment.asked(noise=noise))

    def impossible(self) -> str | None:
        if self.batch > self.records:
            return f"batch {self.batch} is more than the {self.records} records of {self.dataset}"
        if reason := self.nothing_to_release():
            return reason
        if self.release and self.privacy is not None and self.privacy.leave_out:
            return f"release true with privacy.leave_out {self.privacy.leave_out}: distances are measured without noise"
        if self.inputs == "published" and self.dataset not in CONSTANTS:
            return f"there are no published input constants for {self.dataset}"
        if self.privacy is not None:
            last = self.records - (self.steps_per_epoch - 1) * self.batch
            if last < max(2, self.privacy.leave_out):
                return f"the last batch of a pass has {last} records: too few to leave out {self.privacy.leave_out}"
            if reason := self.privacy.too_large(*self.private_records()):
                return reason
        # As published, batch normalisation mixes the examples; no engine clips by example here.
        return self.model.impossible(image_of(self.dataset).shape, self.dataset, private=False)

    def private_records(self) -> tuple[int, str]:
        return self.records, self.dataset

    def expected_event(self) -> Event | None:
        if self.privacy is None:
            return None
        once, left_out = np.ones(1), self.privacy.leave_out
        return MeasuredGradients(
            distances=np.ones((1, left_out * (left_out - 1) // 2)),
            noise_std=once,
            clip_norm=once,
            coordinates=1,
            rate=self.batch / self.records,
            adjacency="replace-one",
            sampling="shuffled",
            steps_per_pass=self.steps_per_epoch,
        )

    def reach(self) -> Reach:
        if self.privacy is None:
            return super().reach()
        return Reach(
            1.0,
            "a record whose gradient outweighs its batch along one weight, or one with the opposite gradient, as all "
            f"others have, each mean clipped to C; {GRADIENT_SPACE}",
            kept=self.privacy.keep,
        )

    def released(self, metrics: Mapping[str, float]) -> Event | None:
        if self.privacy is None or "weights" not in metrics:
            return None
        # Distances are kept in no result, and no attack reads them.
        unmeasured = np.zeros((int(metrics["steps"]), 0))
        return _event(self, self.privacy, unmeasured, int(metrics["weights"]))


def run(parameters: Parameters, *, seed: int | None, context: experiment.Context) -> experiment.Findings:
    """Train, evaluate after every pass, and describe what was released.

    Metrics: ``accuracy`` and ``test_loss`` on the test set at the end; ``steps``, ``records``,
    ``weights``; for a private run ``distance_mean`` and ``distance_largest`` of the measured pairs.

    Raises:
        ValueError: the device is absent, or the model refuses the dataset.
        FloatingPointError: training diverged; the message names the step.
        DatasetUnavailable: the dataset cannot be had.
    """
    memory.keep_freed_memory()
    with Session.of(parameters, seed=seed, context=context) as session:
        train, test = _examples(parameters, session.device)
        classes = data.descriptor(parameters.dataset).classes
        assert classes is not None, "Parameters allows only classified images"
        model = parameters.model.architecture.build(tuple(train.inputs.shape[1:]), classes).to(session.device)
        weights = gradients.trainable(model)
        progress = ShuffledTraining(
            session=session,
            model=model,
            optimiser=Optimiser(name="sgd", learning_rate=parameters.learning_rate).build(weights),
            source=published.source(model, parameters.privacy),
            train=train,
            test=test,
            epochs=parameters.epochs,
            batch=parameters.batch,
        ).run()
    steps = parameters.epochs * parameters.steps_per_epoch
    size = sum(weight.numel() for weight in weights)
    findings = experiment.Findings(
        metrics={
            "accuracy": progress.epochs[-1]["accuracy"],
            "test_loss": progress.epochs[-1]["test_loss"],
            "steps": float(steps),
            "records": float(parameters.records),
            "weights": float(size),
        },
        history=curves("epoch", range(1, parameters.epochs + 1), progress.epochs),
        device=session.device_name,
        earlier_seconds=progress.earlier,
    )
    if parameters.privacy is None:
        return findings
    measured = torch.cat(progress.tensors.get("measured", [torch.zeros(steps, 0)]))
    return _private(findings, parameters, parameters.privacy, measured, size)


def _private(
    findings: experiment.Findings, parameters: Parameters, privacy: PublishedPrivacy, measured: Tensor, coordinates: int
) -> experiment.Findings:
    """The findings with what a private run released."""
    event = _event(parameters, privacy, measured.numpy(), coordinates)
    metrics = dict(findings.metrics)
    if measured.numel():
        metrics |= {"distance_mean": float(measured.mean()), "distance_largest": float(measured.max())}
    positions = range(1, parameters.epochs + 1)
    return replace(
        findings,
        metrics=metrics,
        event=event,
        delta=privacy.delta,
        accounted_at=Schedule(
            axis="epoch",
            positions=tuple(map(float, positions)),
            steps=tuple(position * parameters.steps_per_epoch for position in positions),
        ),
    )


def _event(
    parameters: Parameters, privacy: PublishedPrivacy, distances: Float[np.ndarray, "steps pairs"], coordinates: int
) -> Event:
    """What the steps of a private run released."""
    running = parameters.model.options.get("normalisation") == "batch-running"
    looked_at = parameters.inputs == "published" and CONSTANTS[parameters.dataset].private
    return privacy.mechanism.measured(
        distances,
        records=parameters.records,
        batch=parameters.batch,
        coordinates=coordinates,
        exposed=(RUNNING_STATISTICS,) if running else (),
        measured_every=privacy.measure_every if privacy.leave_out else 1,
        notes=(RELEASE, *parameters.notes(""), *((PUBLIC,) if looked_at else ())),
    )


def _examples(parameters: Parameters, device: torch.device) -> tuple[Examples, Examples]:
    """Training and test examples, on the device."""
    name, splits = parameters.dataset, data.load(parameters.dataset)
    inputs = functools.partial(normalised, name) if parameters.inputs == "published" else scaled
    maximum = image_of(name).maximum
    arrays = [inputs(split.inputs, maximum=maximum) for split in (splits.train, splits.test)]
    return labelled(name, splits, arrays, device, records=parameters.records)
