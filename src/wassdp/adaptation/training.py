"""The loop that all methods share: shuffled passes over the source, target batches as the method draws them."""

from __future__ import annotations

import logging
import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from wassdp import checks, noise
from wassdp.adaptation.method import Alignment, Method, Source
from wassdp.adaptation.networks import Adaptable
from wassdp.adaptation.tasks import Domains
from wassdp.training.checkpoint import Checkpoint
from wassdp.training.epochs import Progress, remaining
from wassdp.training.evaluation import evaluate
from wassdp.training.gradients import trainable
from wassdp.training.inputs import Examples
from wassdp.training.reproducible import Streams

logger = logging.getLogger(__name__)

BETAS = (0.5, 0.999)


@dataclass(frozen=True, kw_only=True)
class Training:
    """Everything that one adaptation needs.

    A step takes the cross-entropy of a source batch and, after ``warm_up`` epochs, what the method adds; encoder, head
    and the method's own module follow Adam with betas 0.5 and 0.999. An epoch is one shuffled pass over the source, an
    incomplete last batch left out.

    Args:
        model: on the device of the domains.
        method: what aligns the domains.
        domains: source and target.
        learning_rate: Adam's.
        epochs: number of passes over the source.
        warm_up: epochs of cross-entropy alone, before.
        batch: source records in a step.
        dropout_epochs: epochs in which dropout acts; None for all.
        streams: the run's random streams.
        noise: source of directions and noise, on the device of the run.
        checkpoint: where the state is kept.
        on_epoch: told the number of each finished epoch (from 1) and its figures.
        only: names of the figures that are reported and kept; None for all.
    """

    model: Adaptable
    method: Method
    domains: Domains
    learning_rate: float
    epochs: int
    warm_up: int
    batch: int
    dropout_epochs: int | None
    streams: Streams
    checkpoint: Checkpoint
    on_epoch: Callable[[int, dict[str, float]], None]
    only: frozenset[str] | None = None

    def run(self) -> tuple[Progress, float]:
        """Train, resuming from the checkpoint if there is one that belongs to this run.

        A resumed run goes through the same states as an undisturbed one, bit by bit.

        Returns:
            The progress, and how many of its seconds were spent before this call.

        Raises:
            ValueError: a number is below 1, or the source has no whole batch.
            FloatingPointError: the loss was not finite; the message says in which step.
        """
        checks.whole("epochs", self.epochs, least=1)
        checks.whole("warm_up", self.warm_up)
        checks.whole("batch", self.batch, least=1)
        if self.batch > len(self.domains.source.targets):
            raise ValueError(f"batch = {self.batch}: must be at most {len(self.domains.source.targets)} source records")
        optimiser = torch.optim.Adam(self._weights(), lr=self.learning_rate, betas=BETAS)
        return remaining(
            self._resume(optimiser),
            self.epochs,
            epoch=lambda number: self._pass(number, optimiser),
            on_epoch=self.on_epoch,
            save=lambda progress: self._save(progress, optimiser),
            only=self.only,
        )

    def _pass(self, epoch: int, optimiser: torch.optim.Optimizer) -> dict[str, float]:
        source = self.domains.source
        dropping = self.dropout_epochs is None or epoch <= self.dropout_epochs
        order = noise.permutation(len(source.targets), generator=self.streams.sampler).to(source.targets.device)
        batches = [each for each in order.split(self.batch) if len(each) == self.batch]
        sums: defaultdict[str, float] = defaultdict(float)
        for number, chosen in enumerate(batches, start=1):
            self.model.train(dropping)
            figures = self._step(source.inputs[chosen], source.targets[chosen], optimiser, aligned=epoch > self.warm_up)
            if not all(map(math.isfinite, figures.values())):
                raise FloatingPointError(f"epoch {epoch}, step {number} of {len(batches)}: {figures}: is not finite")
            for name, value in figures.items():
                sums[name] += value / len(batches)
        found = evaluate(self.model, self.domains.target.inputs, self.domains.target.targets)
        # One record may leave it without a value; the run goes on, since stopping would say that the record is there.
        loss = {"target_loss": found.loss} if math.isfinite(found.loss) else {}
        return {"accuracy": found.accuracy} | loss | dict(sums)

    def _step(
        self, inputs: Tensor, targets: Tensor, optimiser: torch.optim.Optimizer, *, aligned: bool
    ) -> dict[str, float]:
        features = self.model.encoder(inputs)
        loss = nn.functional.cross_entropy(self.model.head(features), targets)
        figures = {"source_loss": float(loss.detach())}
        alignment = self._alignment(Source(inputs, features)) if aligned else None
        optimiser.zero_grad()
        (loss if alignment is None else loss + alignment.loss).backward()
        if alignment is not None:
            for parameter, gradient in alignment.gradients.items():
                parameter.grad = gradient if parameter.grad is None else parameter.grad + gradient
            figures |= alignment.figures
        optimiser.step()
        return figures

    def _alignment(self, source: Source) -> Alignment | None:
        chosen = self.method.sample(self.streams.sampler)
        if chosen is None:
            return None
        target: Examples = self.domains.target
        return self.method.align(source, target.inputs[chosen.to(target.targets.device)], generator=self.streams.noise)

    def _weights(self) -> list[nn.Parameter]:
        return trainable(self.model) + trainable(self.method.extra)

    def _save(self, progress: Progress, optimiser: torch.optim.Optimizer) -> None:
        self.checkpoint.save(
            {
                "model": self.model.state_dict(),
                "extra": self.method.extra.state_dict(),
                "optimiser": optimiser.state_dict(),
                "streams": self.streams.state_dict(),
                "epochs": progress.epochs,
                "seconds": progress.seconds,
            }
        )

    def _resume(self, optimiser: torch.optim.Optimizer) -> Progress:
        state: dict[str, Any] | None = self.checkpoint.load()
        if state is None:
            return Progress()
        self.model.load_state_dict(state["model"])
        self.method.extra.load_state_dict(state["extra"])
        optimiser.load_state_dict(state["optimiser"])
        self.streams.load_state_dict(state["streams"])
        logger.info("resumed after epoch %d of %d", len(state["epochs"]), self.epochs)
        return Progress(epochs=state["epochs"], seconds=state["seconds"])
