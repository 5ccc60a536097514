"""Membership inference on many models of one kind, each trained on a random half of some records.

Beside the attackers' success stands what a budget allows: of every attacker, and so of these.
"""

from __future__ import annotations

import logging
from typing import Annotated

import numpy as np
import torch
from pydantic import Field

from wassdp import data, experiment, noise
from wassdp.accounting.accountants.upper.pld import PLDAccountant
from wassdp.accounting.formulas.attack_success import attack_success
from wassdp.audit import quiet
from wassdp.audit.trainings import membership
from wassdp.audit.trainings.membership import Among, Shadows
from wassdp.data.images import ClassifiedImages, image_of
from wassdp.features import choice
from wassdp.features.choice import Features
from wassdp.features.moments import ReleasedNormalisation
from wassdp.models import Model
from wassdp.result import Point, curve
from wassdp.training import engines, reproducible
from wassdp.training.augmentation import cross_entropy
from wassdp.training.dpsgd import PrivateSGD
from wassdp.training.engines import ENGINES
from wassdp.training.evaluation import evaluate
from wassdp.training.gradients import Plain, Private, trainable
from wassdp.training.inputs import Examples, scaled
from wassdp.training.optimisers import Optimiser

PHASE = "audit"

logger = logging.getLogger(__name__)


class Parameters(experiment.Parameters):
    """Models of one setting. Half of the records is the public number of each; an epoch is half / batch steps."""

    headline = "success_lira"
    other_figures = (
        "accuracy",
        "epsilon",
        "lira_at_*",
        "loss_at_*",
        "noise_multiplier",
        "records",
        "success_allowed",
        "success_loss",
    )

    dataset: ClassifiedImages
    features: Features | None = Field(default=None, description="null: the model sees pixels")
    model: Model
    optimiser: Optimiser
    epochs: int = Field(ge=1, le=10_000)
    batch: float = Field(gt=0, description="expected number of records in a step")
    privacy: PrivateSGD | None = Field(description="null: without clipping and noise")
    engine: Annotated[str, ENGINES, Field(description="file of wassdp.training.engines")] = "ghost_norms"
    records: int = Field(ge=20, description="first records of the dataset; a member of half of the models each")
    models: int = Field(ge=membership.LEAST_MODELS, le=4096, description="models, each the others' shadow")

    @property
    def members(self) -> int:
        """Expected number of a model's records, treated as public."""
        return self.records // 2

    @property
    def steps(self) -> int:
        """Steps of each training."""
        return self.epochs * max(1, round(self.members / self.batch))

    def describe(self) -> experiment.Description:
        seen = [self.model.name, *([] if self.features is None else [f"{self.features.name} features"])]
        asked = (
            {} if self.privacy is None else {"epsilon": self.privacy.epsilon, "noise": self.privacy.noise_multiplier}
        )
        return experiment.Description(self.dataset, " on ".join(seen), experiment.asked(**asked))

    def impossible(self) -> str | None:
        there = data.descriptor(self.dataset).counts["train"]
        if self.records > there:
            return f"records {self.records} is more than the {there} of {self.dataset}"
        if self.batch > self.members:
            return f"batch {self.batch:g} is more than the {self.members} records of a model"
        if self.privacy is not None and (reason := self.privacy.too_large(self.members, self.dataset)):
            return reason
        shape = image_of(self.dataset).shape
        if self.features is not None:
            if isinstance(self.features.normalisation, ReleasedNormalisation):
                return "features normalised by released moments: the moments of all records would enter every model"
            if reason := self.features.impossible(shape):
                return f"features {self.features.name} of {self.dataset}: {reason}"
            shape = self.features.output_shape(shape)
        return self.model.impossible(shape, self.dataset, private=self.privacy is not None)


def run(parameters: Parameters, *, seed: int, context: experiment.Context) -> experiment.Findings:
    """Train the models, then attack each.

    Metrics: ``success_lira`` and ``success_loss``, shares of right answers at a threshold fixed on half of the models
    and counted on the others; ``lira_at_0.01`` and the like, the share of members that an attacker accuses who is wrong
    of as large a share of the others; ``accuracy``, the models' mean on the test set. Of private models ``epsilon``,
    each model's proven budget, and ``success_allowed``, what every attacker's success is not above at that budget.
    The curves ``members/<attack>`` over ``others`` are the shares accused, over all thresholds.

    Raises:
        ValueError: the device is absent, the model refuses the dataset, the engine the model, or nothing keeps the
            budget.
        FloatingPointError: a training diverged.
        DatasetUnavailable: the dataset cannot be had.
    """
    device = reproducible.device(context.device)
    bits = noise.seeded(seed, "membership", context.run)
    start = noise.seeded(seed, "initialisation").words(4).tobytes()
    release = None
    if parameters.privacy is not None:
        release = parameters.privacy.planned(
            rate=parameters.batch / parameters.members,
            records=parameters.members,
            before=None,
            most_steps=parameters.steps,
        )
    with reproducible.surroundings(start, device):
        pool, test = _examples(parameters, context, device)
        members = np.zeros((parameters.models, parameters.records), dtype=bool)
        found, accuracies = [], []
        for number in range(parameters.models):
            members[number, noise.poisson_sample(parameters.records, rate=0.5, generator=bits).numpy()] = True
            model = parameters.model.architecture.build(tuple(pool.inputs.shape[1:]), _classes(parameters)).to(device)
            rate = parameters.batch / parameters.members
            source: Private | Plain = Plain(
                model=model, rate=rate, records=parameters.members, loss=cross_entropy, micro_batch=1 << 14
            )
            if release is not None:
                source = Private(
                    mechanism=release.mechanism,
                    engine=engines.load(parameters.engine, model),
                    loss=cross_entropy,
                    micro_batch=1 << 14,
                )
            quiet.train(
                model=model,
                optimiser=_optimiser(parameters).build(trainable(model)),
                source=Among(source, torch.from_numpy(members[number])),
                records=pool,
                steps=parameters.steps if release is None else release.steps,
                generator=bits,
            )
            found.append(membership.confidences(model, pool))
            accuracies.append(evaluate(model, test.inputs, test.targets).accuracy)
            logger.info("model %d of %d: accuracy %.4g", number + 1, parameters.models, accuracies[-1])
    shadows = Shadows(members, np.stack(found))
    metrics = {"accuracy": float(np.mean(accuracies)), "records": float(parameters.members)}
    history: tuple[Point, ...] = ()
    for name, scores in (("loss", shadows.confidences), ("lira", shadows.likelihood_ratios())):
        attack = membership.success(scores, members)
        metrics |= {
            f"success_{name}": attack.accuracy,
            f"{name}_at_0.01": attack.at_one_in_a_hundred,
            f"{name}_at_0.001": attack.at_one_in_a_thousand,
        }
        history += curve(f"members/{name}", "others", *membership.accused(scores, members))
    if release is not None:
        budget = PLDAccountant().epsilon(release.event(), release.delta).value
        metrics |= {
            "noise_multiplier": release.mechanism.noise_multiplier,
            "epsilon": budget,
            "success_allowed": attack_success(budget, release.delta),
        }
    return experiment.Findings(metrics=metrics, history=history, device=reproducible.describe(device))


def _classes(parameters: Parameters) -> int:
    classes = data.descriptor(parameters.dataset).classes
    assert classes is not None, "Parameters allows only classified images"
    return classes


def _optimiser(parameters: Parameters) -> Optimiser:
    own = None if parameters.privacy is None else parameters.privacy.learning_rate
    return parameters.optimiser if own is None else parameters.optimiser.model_copy(update={"learning_rate": own})


def _examples(parameters: Parameters, context: experiment.Context, device: torch.device) -> tuple[Examples, Examples]:
    """The pool, and the test examples: scaled pixels, or features."""
    name, splits = parameters.dataset, data.load(parameters.dataset)
    if parameters.features is None:
        maximum = image_of(name).maximum
        inputs = [scaled(split.inputs, maximum=maximum) for split in (splits.train, splits.test)]
    else:
        # Nothing is released: normalisation by released moments is refused.
        arrays = choice.of(name, parameters.features, noise=noise.seeded(0), folder=context.folder)
        inputs = [torch.from_numpy(features) for features in arrays]
    sides = zip(inputs, (splits.train, splits.test), (parameters.records, None), strict=True)
    train, test = (
        Examples(part[:count].to(device), torch.from_numpy(split.labels[:count]).to(device))
        for part, split, count in sides
    )
    return train, test
