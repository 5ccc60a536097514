"""Train a classifier, with DP-SGD or without privacy, and record what it cost and how good it is.

What is released is the sequence of noisy gradients, hence the model after every epoch. Accuracies and
losses on the test set, losses on the training set and realised batch sizes are *evaluation*: they read
data without noise, are kept for the study, and are no part of the release that the event describes.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic import Field

from wassdp import data, models
from wassdp.accounting import accountant, calibrate
from wassdp.experiments import base
from wassdp.experiments._choices import Engine, Images, Model, Optimiser, Privacy
from wassdp.files import canonical_json
from wassdp.result import Point, Schedule, curve

if TYPE_CHECKING:
    import torch

    from wassdp.mechanisms.dpsgd import Mechanism
    from wassdp.training.gradients import Source
    from wassdp.training.loop import Examples

PHASE = "train"

# How often the budget is accounted along a run, at most: each point costs a fraction of a second.
ACCOUNTED = 12
UPPER = "pld"
MOST_STEPS = 10_000_000


class Parameters(base.Parameters):
    """One training. An epoch is ``round(records / batch)`` steps."""

    dataset: Images
    model: Model
    optimiser: Optimiser
    epochs: int = Field(ge=1, le=10_000)
    batch: float = Field(gt=0, description="expected number of records in a step; each enters by itself")
    privacy: Privacy | None = Field(description="null: the same model without clipping and noise")
    engine: Engine = "opacus_hooks"
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
        """Steps of the whole run."""
        return self.epochs * self.steps_per_epoch

    @property
    def learning_rate(self) -> float:
        """The optimiser's learning rate, unless the privacy section has its own."""
        own = None if self.privacy is None else self.privacy.learning_rate
        return self.optimiser.learning_rate if own is None else own

    def impossible(self) -> str | None:
        if self.batch > self.records:
            return f"batch {self.batch:g} is more than the {self.records} records of {self.dataset}"
        if self.steps > MOST_STEPS:
            return f"{self.epochs} epochs of batch {self.batch:g} are {self.steps} steps, more than {MOST_STEPS}"
        if self.privacy is not None and self.privacy.delta * self.records >= 1:
            return (
                f"delta {self.privacy.delta:g} is not below 1 in {self.records} records of {self.dataset}: "
                "publishing a record outright would keep such a budget"
            )
        shape = _input_shape(data.descriptor(self.dataset).shape)
        found = models.load(self.model.name)
        reason = found.impossible(shape, found.Options(**self.model.options))
        return None if reason is None else f"model {self.model.name} on {self.dataset}: {reason}"

    def datasets(self) -> tuple[str, ...]:
        return (self.dataset,)

    def modules(self) -> tuple[str, ...]:
        found = (f"wassdp.models.{self.model.name}", f"wassdp.data.{self.dataset}")
        if self.privacy is None:
            return found
        # Only where the accountant sets the noise does its code belong to the run's.
        calibrated = () if self.privacy.epsilon is None else (accountant.module(UPPER),)
        return (*found, f"wassdp.training.engines.{self.engine}", *calibrated)


def run(parameters: Parameters, *, seed: int, context: base.Context) -> base.Findings:
    """Train, evaluate after every epoch, and describe what was released.

    Metrics: ``accuracy`` and ``test_loss`` on the test set at the end; ``steps``, ``sampling_rate``,
    ``records``, ``weights`` (trained parameters of the model); ``batch_min``, ``batch_mean``,
    ``batch_max``, the records really drawn in a step; ``noise_multiplier`` for a private run.

    Raises:
        ValueError: the device is absent, the model refuses the dataset or the engine the model.
        FloatingPointError: training diverged; the message names the step.
        DatasetUnavailable: the dataset cannot be had.
    """
    import torch

    from wassdp.training import checkpoint, gradients, loop, optimisers, reproducible

    device = reproducible.device(context.device)
    streams = reproducible.Streams.of(seed)
    mechanism = _mechanism(parameters)
    with reproducible.surroundings(streams.initialisation, device):
        train, test = _examples(parameters.dataset, device)
        found = models.load(parameters.model.name)
        model = found.build(
            tuple(train.inputs.shape[1:]),
            data.descriptor(parameters.dataset).classes,
            found.Options(**parameters.model.options),
        ).to(device)
        weights = gradients.trainable(model)
        saved = checkpoint.Checkpoint(
            path=context.folder / "checkpoint.pt",
            belongs_to={
                "code": context.code,
                "specification": _digest({"parameters": parameters.model_dump(mode="json"), "seed": seed}),
                "device": reproducible.describe(device),
                "torch": str(torch.__version__),
            },
        )
        progress, earlier = loop.Training(
            model=model,
            optimiser=optimisers.build(parameters.optimiser.name, weights, learning_rate=parameters.learning_rate),
            source=_source(parameters, mechanism, model),
            train=train,
            test=test,
            epochs=parameters.epochs,
            steps_per_epoch=parameters.steps_per_epoch,
            streams=streams,
            checkpoint=saved,
            on_epoch=_recorder(parameters, mechanism, context),
        ).run()
        described = reproducible.describe(device)
    last = progress.epochs[-1]
    metrics = {
        "accuracy": last["accuracy"],
        "test_loss": last["test_loss"],
        "steps": float(parameters.steps),
        "sampling_rate": parameters.rate,
        "records": float(parameters.records),
        "weights": float(sum(each.numel() for each in weights)),
        "batch_min": min(row["batch_min"] for row in progress.epochs),
        "batch_mean": sum(row["batch_mean"] for row in progress.epochs) / len(progress.epochs),
        "batch_max": max(row["batch_max"] for row in progress.epochs),
    }
    saved.remove()
    if mechanism is None:
        return base.Findings(
            metrics=metrics, history=_history(progress.epochs), device=described, earlier_seconds=earlier
        )
    assert parameters.privacy is not None, "a mechanism comes from a privacy section"
    return base.Findings(
        metrics=metrics | {"noise_multiplier": mechanism.noise_multiplier},
        history=_history(progress.epochs),
        event=mechanism.event(parameters.steps),
        delta=parameters.privacy.delta,
        device=described,
        earlier_seconds=earlier,
        accounted_at=_schedule(parameters),
    )


def _mechanism(parameters: Parameters) -> Mechanism | None:
    """The mechanism of a private run, its noise calibrated if a budget was given."""
    from wassdp.mechanisms.dpsgd import Mechanism

    chosen = parameters.privacy
    if chosen is None:
        return None

    def at(noise_multiplier: float) -> Mechanism:
        return Mechanism(
            clip_norm=chosen.clip_norm,
            noise_multiplier=noise_multiplier,
            rate=parameters.rate,
            records=parameters.records,
        )

    if chosen.noise_multiplier is not None:
        return at(chosen.noise_multiplier)
    assert chosen.epsilon is not None, "Privacy holds exactly one of the two"
    return at(
        calibrate.noise_multiplier(
            lambda noise: at(noise).event(parameters.steps),
            epsilon=chosen.epsilon,
            delta=chosen.delta,
            accountant=accountant.load(UPPER),
        )
    )


def _source(parameters: Parameters, mechanism: Mechanism | None, model: torch.nn.Module) -> Source:
    import torch

    from wassdp.training import engines, gradients

    def loss(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.cross_entropy(logits, targets, reduction="none")

    if mechanism is None:
        return gradients.Plain(
            model=model,
            rate=parameters.rate,
            records=parameters.records,
            loss=loss,
            micro_batch=parameters.micro_batch,
        )
    return gradients.Private(
        mechanism=mechanism,
        engine=engines.load(parameters.engine, model),
        loss=loss,
        micro_batch=parameters.micro_batch,
    )


def _examples(name: str, device: torch.device) -> tuple[Examples, Examples]:
    """Training and test examples of a dataset, on the device."""
    import torch

    from wassdp.training.inputs import scaled
    from wassdp.training.loop import Examples

    described = data.descriptor(name)
    assert described.maximum is not None, "Parameters allows only images"
    splits = importlib.import_module(f"wassdp.data.{name}").load()
    if len(splits.train) != described.counts["train"]:
        raise ValueError(f"dataset {name} has {len(splits.train)} records, not {described.counts['train']}")
    train, test = (
        Examples(
            inputs=scaled(split.inputs, maximum=described.maximum).to(device),
            targets=torch.from_numpy(split.labels).to(device),
        )
        for split in (splits.train, splits.test)
    )
    return train, test


def _recorder(
    parameters: Parameters, mechanism: Mechanism | None, context: base.Context
) -> Callable[[int, dict[str, float]], None]:
    """What reports an epoch's figures while the run goes on, with the budget spent so far where it is accounted."""
    accounted = dict(zip(_schedule(parameters).positions, _schedule(parameters).steps, strict=True))

    def record(epoch: int, figures: dict[str, float]) -> None:
        spent: dict[str, float] = {}
        if mechanism is not None and parameters.privacy is not None and epoch in accounted:
            guarantee = accountant.load(UPPER).epsilon(mechanism.event(accounted[epoch]), parameters.privacy.delta)
            if guarantee.epsilon is not None:
                spent[f"epsilon/{guarantee.label}"] = guarantee.epsilon
        context.record("epoch", epoch, figures | spent)

    return record


def _schedule(parameters: Parameters) -> Schedule:
    """Epochs after which the budget is accounted: all, or a dozen evenly spread that end with the last."""
    count = min(parameters.epochs, ACCOUNTED)
    positions = [-(-parameters.epochs * place // count) for place in range(1, count + 1)]
    return Schedule(
        axis="epoch",
        positions=tuple(float(position) for position in positions),
        steps=tuple(position * parameters.steps_per_epoch for position in positions),
    )


def _history(epochs: list[dict[str, float]]) -> tuple[Point, ...]:
    """One curve for each figure; an epoch that lacks a figure lacks its point."""
    points: list[Point] = []
    for name in ("accuracy", "test_loss", "train_loss", "batch_min", "batch_mean", "batch_max"):
        rows = [(number, row[name]) for number, row in enumerate(epochs, start=1) if name in row]
        points += curve(name, "epoch", [number for number, _ in rows], [value for _, value in rows])
    return tuple(points)


def _input_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A grey image has one channel."""
    return (1, *shape) if len(shape) == 2 else shape


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:12]
