"""Adapt a classifier from a public, labelled domain to a private, unlabelled one. DP-SWD's Table 1 and Figure 3.

The target's labels, and every accuracy on its records, are *evaluation*: they are kept for the study, and are no part
of the release that the event describes.
"""

from __future__ import annotations

from typing import Annotated

import torch
from pydantic import Field

from wassdp import experiment
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed
from wassdp.adaptation import networks
from wassdp.adaptation.method import AdaptationMethod, Aligning, Private, Setting
from wassdp.adaptation.methods import METHODS
from wassdp.adaptation.tasks import Domains, Task
from wassdp.adaptation.training import AdaptationTraining
from wassdp.result import curves
from wassdp.training import memory
from wassdp.training.evaluation import evaluate
from wassdp.training.session import Session

PHASE = "train"
PUBLISHABLE = frozenset({"source_loss", "discriminator_loss"})
"""Figures of an epoch that no target record enters but through releases; private methods' discriminator loss is the
source's."""


class Parameters(experiment.PrivateParameters):
    """One adaptation. An epoch is one pass over the source."""

    task: Task
    method: Annotated[AdaptationMethod, METHODS]
    epochs: int = Field(ge=1, le=10_000)
    warm_up: int = Field(default=0, ge=0, description="epochs of cross-entropy alone, before (published code: 11)")
    batch: int = Field(ge=1, description="records in a step, of the source and of the target")

    @property
    def steps_per_epoch(self) -> int:
        """Whole batches of the source."""
        return self.task.sizes[0] // self.batch

    @property
    def steps(self) -> int:
        """Steps in which the target enters."""
        return (self.epochs - self.warm_up) * self.steps_per_epoch

    def describe(self) -> experiment.Description:
        return experiment.Description(self.task.describe(), self.method.describe(), self.method.asked())

    def impossible(self) -> str | None:
        if reason := self.nothing_to_release() or self.task.impossible():
            return reason
        for domain, size in zip(("source", "target"), self.task.sizes, strict=True):
            if self.batch > size:
                return f"batch {self.batch} is more than the {size} records of the {domain}"
        if self.warm_up >= self.epochs and isinstance(self.method, Aligning):
            return f"warm_up {self.warm_up} leaves none of {self.epochs} epochs to align the domains"
        return self.method.impossible(self.task.sizes[1])

    def expected_event(self) -> Event | None:
        return self.method.expected_event()


def run(parameters: Parameters, *, seed: int | None, context: experiment.Context) -> experiment.Findings:
    """Train, evaluate on the target after every epoch, and describe what was released of it.

    Metrics: ``accuracy`` on the target's records, those that are adapted to; ``accuracy_held_out`` on the target
    domain's other records, where there are any; ``source_accuracy``; ``records`` of the target; ``steps`` in which
    the target entered; the method's own, e.g. ``sigma``. A run to be released has no figure of the target's records.

    Raises:
        ValueError: the device is absent, a domain has another number of records than its descriptor says, no noise
            keeps the budget, or features cannot be released.
        FloatingPointError: training diverged; the message names the step.
        DatasetUnavailable: the dataset cannot be had.
    """
    memory.keep_freed_memory()
    chosen = parameters.method
    with Session.of(parameters, seed=seed, context=context, publishable=PUBLISHABLE) as session:
        domains = _loaded(parameters, session.device)
        model = networks.build(
            parameters.task.network, inputs=tuple(domains.source.inputs.shape[1:]), classes=parameters.task.classes
        ).to(session.device)
        method = chosen.build(
            Setting(
                encoder=model.encoder,
                head=model.head,
                width=model.width,
                classes=parameters.task.classes,
                records=len(domains.target.targets),
                batch=parameters.batch,
                steps=parameters.steps,
            )
        )
        method.extra.to(session.device)
        progress = AdaptationTraining(
            session=session,
            model=model,
            method=method,
            domains=domains,
            learning_rate=chosen.learning_rate,
            epochs=parameters.epochs,
            warm_up=parameters.warm_up,
            batch=parameters.batch,
            dropout_epochs=chosen.dropout_epochs,
        ).run()
        metrics = _evaluated(model, domains) | method.metrics()
        if not parameters.release:
            metrics["accuracy"] = progress.epochs[-1]["accuracy"]
    event = method.event(parameters.steps)
    if parameters.release:
        assert isinstance(event, Composed), "nothing else may be published"
        event = parameters.noted(event, "")
    aligned = parameters.steps if isinstance(chosen, Aligning) else 0
    return experiment.Findings(
        metrics=metrics | {"records": float(parameters.task.sizes[1]), "steps": float(aligned)},
        history=curves("epoch", range(1, parameters.epochs + 1), progress.epochs),
        event=event,
        delta=chosen.delta if isinstance(chosen, Private) and event is not None else None,
        device=session.device_name,
        earlier_seconds=progress.earlier,
    )


def _loaded(parameters: Parameters, device: torch.device) -> Domains:
    """The domains, if they have as many records as the account takes them to have.

    Raises:
        ValueError: they have not.
    """
    domains = parameters.task.load(device)
    for name, found, size in zip(
        ("source", "target"), (domains.source, domains.target), parameters.task.sizes, strict=True
    ):
        if len(found.targets) != size:
            raise ValueError(f"{name} has {len(found.targets)} records, not {size}")
    return domains


def _evaluated(model: networks.Adaptable, domains: Domains) -> dict[str, float]:
    others = {"source_accuracy": domains.source}
    if domains.held_out is not None:
        others["accuracy_held_out"] = domains.held_out
    return {name: evaluate(model, each.inputs, each.targets).accuracy for name, each in others.items()}
