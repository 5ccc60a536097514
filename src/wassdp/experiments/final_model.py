"""Attack the final models of private trainings: was a crafted record among the records?

Many models are trained with the record and as many without it. The attacker gives the record to a final model and reads
its logits. The budget is that of each model; beside it stands what the attacker proves.
"""

from __future__ import annotations

from typing import Annotated

import torch
from jaxtyping import Float
from pydantic import Field
from torch import Tensor, nn

from wassdp import data, experiment
from wassdp.accounting import expected
from wassdp.accounting.event import Event
from wassdp.accounting.events.qualified import qualified
from wassdp.accounting.reach import Reach
from wassdp.audit.bound import Estimate
from wassdp.audit.measured import measured
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import clopper_pearson, family
from wassdp.audit.trainings.final_model import JUDGED, FinalModel
from wassdp.data.base import Split
from wassdp.data.images import ClassifiedImages, image_of
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.ranges import LearningRate
from wassdp.training import reproducible
from wassdp.training.dpsgd import PrivateSGD
from wassdp.training.inputs import Examples, unit
from wassdp.training.reproducible import Streams

PHASE = "audit"

UNNOISED = "the attacker's scores"


class Parameters(experiment.PrivateParameters):
    """Linear models on pixels in [0, 1], all records in every step, plain SGD.

    Each image gets a dark frame; the crafted record is a bright frame around nothing, so that no other record has a
    feature of its own in common with it.
    """

    headline = "accuracy"
    public_figures = ("records", "noise_multiplier", "steps", "models")
    no_canaries = "the kind is an attack itself, by a record crafted for thousands of trainings"
    evaluation_figures = ("accuracy",)

    dataset: ClassifiedImages
    records: int = Field(ge=1, description="first records of the dataset; the crafted one comes on top")
    frame: int = Field(default=1, ge=1, le=8, description="pixels on each side")
    steps: int = Field(ge=1, le=100_000)
    learning_rate: LearningRate
    privacy: PrivateSGD
    models: int = Field(ge=50, le=1_000_000, description="of either world; none is kept")
    confidence: Annotated[float, Field(gt=0, lt=1, description="of each lower bound, one-sided")] = 0.95

    def describe(self) -> experiment.Description:
        asked = experiment.asked(epsilon=self.privacy.epsilon, noise=self.privacy.noise_multiplier)
        return experiment.Description(self.dataset, f"{self.models:,} final models a world", asked)

    def impossible(self) -> str | None:
        if self.release:
            return "release true: accuracy and attack are of many trainings on the records, the budget is that of one"
        there = data.descriptor(self.dataset).counts["train"]
        if self.records > there:
            return f"records {self.records} is more than the {there} of {self.dataset}"
        if self.privacy.noise_multiplier == 0:
            return "noise_multiplier 0: there is no finite budget to attack"
        return self.privacy.too_large(*self.private_records())

    def private_records(self) -> tuple[int, str]:
        return self.records, self.dataset

    def expected_event(self) -> Event:
        return expected.poisson(expected.gaussian("add-remove"))

    def reach(self) -> Reach:
        return DPSGD.reach


def run(parameters: Parameters, *, seed: int | None, context: experiment.Context) -> experiment.Findings:
    """Train, attack, and describe what one training releases.

    Metrics: ``accuracy``, the mean on the test set of a few models without the record; ``records``, ``steps``,
    ``models`` of either world and ``noise_multiplier``.

    Raises:
        ValueError: nothing keeps the budget.
        FloatingPointError: a training diverged.
        DatasetUnavailable: the dataset cannot be had.
    """
    release = parameters.privacy.planned(rate=1.0, records=parameters.records, before=None, most_steps=parameters.steps)
    classes = data.descriptor(parameters.dataset).classes
    assert classes is not None, "Parameters allows only classified images"
    splits = data.load(parameters.dataset)
    train, test = (
        _framed(parameters, split, count) for split, count in ((splits.train, parameters.records), (splits.test, None))
    )
    game = FinalModel(
        train=train,
        crafted=_bright(parameters),
        classes=classes,
        noise_multiplier=release.mechanism.noise_multiplier,
        clip_norm=parameters.privacy.clip_norm,
        steps=release.steps,
        learning_rate=parameters.privacy.learning_rate or parameters.learning_rate,
    )
    streams = Streams.of(seed, context.run, before_noise=context.count_attempt)
    with reproducible.surroundings(streams.initialisation, torch.device("cpu")):
        accuracy = game.accuracy(test, generator=streams.noise)
        # Streams of their own for the two worlds, as in the game.
        worlds = ((True, streams.noise), (False, streams.sampler))
        scores = Scores(
            *(game.scores(present=there, trials=parameters.models, generator=bits) for there, bits in worlds)
        )
    event, delta = release.mechanism.event(release.steps), release.delta

    def estimates(confidence: float) -> tuple[Estimate, ...]:
        return (
            clopper_pearson.bound(scores, delta=delta, confidence=confidence),
            family.bound(scores, event=event, delta=delta, confidence=confidence),
        )

    return experiment.Findings(
        metrics={
            "accuracy": accuracy,
            "records": float(parameters.records),
            "steps": float(release.steps),
            "models": float(parameters.models),
            "noise_multiplier": release.mechanism.noise_multiplier,
        },
        event=qualified(event, notes=(*parameters.notes(UNNOISED), _of_many(parameters))),
        delta=delta,
        attacks=measured(
            estimates,
            event,
            attack="final_model",
            attacked="trainings, by the final model's logits of the crafted record",
            pair=f"the records with and without a crafted one: {game.neighbours}",
            confidence=parameters.confidence,
        ),
    )


def _of_many(parameters: Parameters) -> str:
    trainings = JUDGED + 2 * parameters.models
    return f"accuracy and attack are of {trainings:,} trainings on these records, the budget is that of one"


def _framed(parameters: Parameters, split: Split, count: int | None) -> Examples:
    """The first examples of a split, flattened, each in a dark frame."""
    pixels = unit(split.inputs[:count], parameters.dataset)
    framed = nn.functional.pad(pixels, (parameters.frame,) * 4)
    return Examples(framed.flatten(start_dim=1), torch.from_numpy(split.labels[:count]))


def _bright(parameters: Parameters) -> Float[Tensor, " features"]:
    """A bright frame around nothing."""
    blank = torch.zeros(image_of(parameters.dataset).shape)
    return nn.functional.pad(blank, (parameters.frame,) * 4, value=1.0).flatten()
