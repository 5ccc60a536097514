"""Adapt a classifier from a public, labelled domain to a private, unlabelled one. DP-SWD's Table 1 and Figure 3.

The target's labels, and every accuracy on its records, are *evaluation*: they are kept for the study, and are no part
of the release that the event describes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import torch
from pydantic import Field

from wassdp import experiment
from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed
from wassdp.accounting.reach import Reach
from wassdp.adaptation import networks
from wassdp.adaptation.method import AdaptationMethod, AdaptationSetting, Aligning, Calibrated, PrivateAligning
from wassdp.adaptation.methods import METHODS
from wassdp.adaptation.tasks import Digits, Domains, Task
from wassdp.adaptation.training import AdaptationTraining
from wassdp.audit.adapted import ATTACKS
from wassdp.audit.trainings.adapted import Adapted
from wassdp.data import held_out
from wassdp.result import Attacked, curves
from wassdp.training import memory, reproducible
from wassdp.training.audited import Canaries
from wassdp.training.evaluation import evaluate
from wassdp.training.session import Session

PHASE = "train"


class Parameters(experiment.JudgedParameters):
    """One adaptation. An epoch is one pass over the source."""

    headline = "accuracy"
    public_figures = ("records", "steps", "sigma", "sensitivity")
    # The discriminator loss of a private method is the source's.
    evaluation_figures = ("source_loss", "discriminator_loss", "source_accuracy", "accuracy_held_out")

    task: Task
    method: Annotated[AdaptationMethod, METHODS]
    epochs: int = Field(ge=1, le=10_000)
    warm_up: int = Field(default=0, ge=0, description="epochs of cross-entropy alone, before (published code: 11)")
    batch: int = Field(ge=1, description="records in a step, of the source and of the target")
    evaluate_every: int = Field(
        default=1,
        ge=1,
        exclude_if=lambda epochs: epochs == 1,
        description="epochs from one evaluation on the target to the next; the last one is always evaluated",
    )
    audit: Canaries | None = Field(
        default=None, exclude_if=lambda section: section is None, description="null: the run is not attacked"
    )

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of source and target records that take part."""
        source, target = self.task.sizes
        if self.judged_on == "validation" and isinstance(self.task, Digits):
            target = held_out.trained_on(self.task.target, target, self.judged_on)
        return source, target

    @property
    def steps_per_epoch(self) -> int:
        """Whole batches of the source."""
        return self.sizes[0] // self.batch

    @property
    def steps(self) -> int:
        """Steps in which the target enters."""
        return (self.epochs - self.warm_up) * self.steps_per_epoch

    def describe(self) -> experiment.Description:
        return experiment.Description(self.task.describe(), self.method.describe(), self.method.asked())

    def impossible(self) -> str | None:
        if reason := self.nothing_to_release() or self.task.impossible():
            return reason
        if self.judged_on == "validation" and not (isinstance(self.task, Digits) and self.task.split == "train"):
            return "judged_on validation: needs a target with a test split that takes no part, digits with split train"
        for domain, size in zip(("source", "target"), self.sizes, strict=True):
            if self.batch > size:
                return f"batch {self.batch} is more than the {size} records of the {domain}"
        if self.warm_up >= self.epochs and isinstance(self.method, Aligning):
            return f"warm_up {self.warm_up} leaves none of {self.epochs} epochs to align the domains"
        if reason := self.method.impossible(self.sizes[1]):
            return reason
        return None if self.audit is None else self._not_attacked(self.audit)

    def _not_attacked(self, audit: Canaries) -> str | None:
        if reason := self.method.without_canaries():
            return f"audit with method {self.method.name}: {reason}"
        if self.method.name not in ATTACKS.names():
            return f"audit with method {self.method.name}: has no canaries, must be {' or '.join(ATTACKS.names())}"
        return audit.too_many(records=self.sizes[1], of="the target")

    def modules(self) -> tuple[str, ...]:
        return (*super().modules(), *([] if self.audit is None else [ATTACKS.module(self.method.name)]))

    def private_records(self) -> tuple[int, str]:
        return self.sizes[1], "the target"

    def expected_event(self) -> Event | None:
        return self.method.expected_event()

    def reach(self) -> Reach:
        return self.method.reach()

    def released(self, metrics: Mapping[str, float]) -> Event | None:
        if not isinstance(self.method, Calibrated) or "sigma" not in metrics:
            return None
        method = self.method.model_copy(update={"epsilon": None, "sigma": metrics["sigma"]})
        model = networks.build(self.task.network, inputs=self.task.shape, classes=self.task.classes)
        return method.build(self.setting(model)).event(int(metrics["steps"]))

    def setting(self, model: networks.Adaptable) -> AdaptationSetting:
        """What the method is told about the run that adapts ``model``."""
        return AdaptationSetting(
            encoder=model.encoder,
            head=model.head,
            width=model.width,
            classes=self.task.classes,
            records=self.sizes[1],
            batch=self.batch,
            steps=self.steps,
        )


def run(parameters: Parameters, *, seed: int | None, context: experiment.Context) -> experiment.Findings:
    """Train, evaluate on the target as often as ``evaluate_every`` says, and describe what was released of it.

    Metrics: ``accuracy`` on the target's records, those that are adapted to; ``accuracy_held_out`` on the target
    domain's other records, where there are any, or on those held out for validation; ``source_accuracy``; ``records``
    of the target; ``steps`` in which the target entered; the method's own, e.g. ``sigma``. A run to be released has no
    figure of the target's records.

    Raises:
        ValueError: the device is absent, a domain has another number of records than its descriptor says, no noise
            keeps the budget, or features cannot be released.
        FloatingPointError: training diverged; the message names the step.
        DatasetUnavailable: the dataset cannot be had.
    """
    memory.keep_freed_memory()
    choice = parameters.method
    with Session.of(parameters, seed=seed, context=context) as session:
        domains = _loaded(parameters, session.device)
        model = networks.build(
            parameters.task.network, inputs=tuple(domains.source.inputs.shape[1:]), classes=parameters.task.classes
        ).to(session.device)
        method = choice.build(parameters.setting(model))
        method.extra.to(session.device)
        attack, target = None, domains.target
        if parameters.audit is not None:
            attack = ATTACKS.choice(choice.name, Adapted)(
                method,
                target,
                canaries=parameters.audit.canaries,
                coins=reproducible.stream(seed, "canaries", context.run),
            )
            method, target = attack.method, attack.target
        progress = AdaptationTraining(
            session=session,
            model=model,
            method=method,
            domains=domains,
            drawn_from=target,
            beside={} if attack is None else {"attack": attack},
            learning_rate=choice.learning_rate,
            epochs=parameters.epochs,
            warm_up=parameters.warm_up,
            batch=parameters.batch,
            evaluate_every=parameters.evaluate_every,
            dropout_epochs=choice.dropout_epochs,
        ).run()
        metrics = _evaluated(model, domains) | method.metrics()
        if not parameters.release:
            metrics["accuracy"] = progress.epochs[-1]["accuracy"]
    event = method.event(parameters.steps)
    if parameters.release:
        assert isinstance(event, Composed), "nothing else may be published"
        event = parameters.noted(event, "")
    attacks: tuple[Attacked, ...] = ()
    if parameters.audit is not None and attack is not None:
        assert isinstance(choice, PrivateAligning), "others have no canaries"
        assert event is not None, "others have no canaries"
        attacks = attack.bounds(event, delta=choice.delta, confidence=parameters.audit.confidence)
    aligned = parameters.steps if isinstance(choice, Aligning) else 0
    return experiment.Findings(
        metrics=metrics | {"records": float(parameters.sizes[1]), "steps": float(aligned)},
        history=curves("epoch", range(1, parameters.epochs + 1), progress.epochs),
        event=event,
        delta=choice.delta if isinstance(choice, PrivateAligning) and event is not None else None,
        device=session.device_name,
        earlier_seconds=progress.earlier,
        attacks=attacks,
    )


def _loaded(parameters: Parameters, device: torch.device) -> Domains:
    """The domains, if they have as many records as the account takes them to have.

    Raises:
        ValueError: they have not.
    """
    domains = (
        parameters.task.load(device, parameters.judged_on)
        if isinstance(parameters.task, Digits)
        else parameters.task.load(device)
    )
    for name, examples, size in zip(
        ("source", "target"), (domains.source, domains.target), parameters.sizes, strict=True
    ):
        if len(examples.targets) != size:
            raise ValueError(f"{name} has {len(examples.targets)} records, not {size}")
    return domains


def _evaluated(model: networks.Adaptable, domains: Domains) -> dict[str, float]:
    others = {"source_accuracy": domains.source}
    if domains.held_out is not None:
        others["accuracy_held_out"] = domains.held_out
    return {name: evaluate(model, examples.inputs, examples.targets).accuracy for name, examples in others.items()}
