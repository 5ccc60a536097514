"""The training that all methods share: shuffled passes over the source, target batches as the method draws them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn

from wassdp import checks, noise
from wassdp.adaptation.method import Aligner, Alignment, SourceBatch
from wassdp.adaptation.networks import Adaptable
from wassdp.adaptation.tasks import Domains
from wassdp.training.evaluation import evaluate
from wassdp.training.fit import Epoch, Part, Training, finite, known, total
from wassdp.training.gradients import trainable
from wassdp.training.inputs import Examples

BETAS = (0.5, 0.999)


@dataclass(frozen=True, kw_only=True)
class AdaptationTraining(Training[Tensor, dict[str, float]]):
    """Everything that one adaptation needs.

    A step takes the cross-entropy of a source batch and, after ``warm_up`` epochs, what the method adds; encoder, head
    and the method's own module follow Adam with betas 0.5 and 0.999. An epoch is one shuffled pass over the source, an
    incomplete last batch left out.

    Args:
        model: on the device of the domains.
        method: what aligns the domains.
        domains: source and target.
        drawn_from: the target's records that a step draws from, where those are others than what is evaluated.
        beside: what else changes on the way, such as an attack.
        learning_rate: Adam's.
        epochs: number of passes over the source.
        warm_up: epochs of cross-entropy alone, before.
        batch: source records in a step.
        dropout_epochs: epochs in which dropout acts; None for all.
        evaluate_every: epochs from one evaluation on the target to the next; the last one is always evaluated.

    Raises:
        ValueError: a number is below 1, or the source has no whole batch.
    """

    model: Adaptable
    method: Aligner[Any]
    domains: Domains
    learning_rate: float
    epochs: int
    warm_up: int
    batch: int
    dropout_epochs: int | None
    evaluate_every: int = 1
    drawn_from: Examples | None = None
    beside: Mapping[str, Part] = field(default_factory=dict)

    def __post_init__(self) -> None:
        checks.whole("epochs", self.epochs, least=1)
        checks.whole("warm_up", self.warm_up)
        checks.whole("batch", self.batch, least=1)
        checks.whole("evaluate_every", self.evaluate_every, least=1)
        if self.batch > len(self.domains.source.targets):
            raise ValueError(f"batch = {self.batch}: must be at most {len(self.domains.source.targets)} source records")

    @property
    def last_epoch(self) -> int:
        return self.epochs

    @cached_property
    def optimiser(self) -> torch.optim.Optimizer:
        """Of the weights."""
        return torch.optim.Adam(self.weights, lr=self.learning_rate, betas=BETAS)

    @property
    def parts(self) -> dict[str, Part]:
        return {"model": self.model, "extra": self.method.extra, "optimiser": self.optimiser, **self.beside}

    @property
    def weights(self) -> list[nn.Parameter]:
        return trainable(self.model) + trainable(self.method.extra)

    def batches(self, epoch: int) -> list[Tensor]:
        records = len(self.domains.source.targets)
        order = noise.permutation(records, generator=self.session.streams.sampler)
        places = order.to(self.domains.source.targets.device)
        return list(places[: records - records % self.batch].split(self.batch))

    def step(self, batch: Tensor, *, epoch: int, number: int) -> dict[str, float]:
        self.model.train(self.dropout_epochs is None or epoch <= self.dropout_epochs)
        inputs = self.domains.source.inputs[batch]
        features = self.model.encoder(inputs)
        loss = nn.functional.cross_entropy(self.model.head(features), self.domains.source.targets[batch])
        figures = {"source_loss": float(loss.detach())}
        alignment = self._alignment(SourceBatch(inputs, features)) if epoch > self.warm_up else None
        self.optimiser.zero_grad()
        (loss if alignment is None else loss + alignment.loss).backward()
        if alignment is not None:
            for parameter, gradient in alignment.gradients.items():
                parameter.grad = gradient if parameter.grad is None else parameter.grad + gradient
            figures |= alignment.figures
        self.optimiser.step()
        return finite(figures)

    def _alignment(self, source: SourceBatch) -> Alignment | None:
        places = self.method.sample(self.session.streams.sampler)
        if places is None:
            return None
        target = self.domains.target if self.drawn_from is None else self.drawn_from
        rows = target.inputs[places.to(target.targets.device)]
        return self.method.align(source, rows, generator=self.session.streams.noise)

    def evaluate(self, epoch: int, rows: list[dict[str, float]]) -> Epoch:
        means = {name: total(row[name] / len(rows) for row in rows) for name in rows[-1]}
        if epoch % self.evaluate_every and epoch != self.last_epoch:
            return Epoch(means)
        evaluation = evaluate(self.model, self.domains.target.inputs, self.domains.target.targets)
        return Epoch({"accuracy": evaluation.accuracy} | known({"target_loss": evaluation.loss}) | means)
