"""A training that is attacked while it goes on: what a configuration asks for, and what an attack offers a training."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field
from torch import nn

from wassdp.accounting.event import Event
from wassdp.mechanisms.dpsgd import DPSGD
from wassdp.noise import Bits
from wassdp.plugins import Plugins
from wassdp.result import Attacked
from wassdp.sections import Section
from wassdp.training.engines import Loss
from wassdp.training.gradients import Private, Source
from wassdp.training.inputs import Examples

CANARIES = Plugins("wassdp.audit.canaries", "canary")
"""Kinds of canaries. They stand above this package, and only a run that asks for them loads one."""
LINEAR, OTHER = "indicator", "gradient"
"""Kinds that are taken where none is asked for: of a model that is linear in its inputs, and of others."""


@dataclass(frozen=True, kw_only=True)
class AuditedTarget:
    """The training that is attacked.

    Args:
        model: without canaries, on the device of the records.
        loss: one loss for each example.
        train: the records.
        classes: their number.
        mechanism: what a step releases; its records are those of ``train``.
    """

    model: nn.Module
    loss: Loss
    train: Examples
    classes: int
    mechanism: DPSGD


class Attack(abc.ABC):
    """Canaries beside the records of one training, and what its releases say of them. A part of the training.

    Args:
        target: the training.
        canaries: their number.
        coins: tell by one fair coin for each canary whether it is among the records.

    Attributes:
        model: the target's, with canaries; in evaluation mode the target's own.
        loss: of that model's outputs.
        train: the target's records and those canaries whose coin says so.
    """

    model: nn.Module
    loss: Loss
    train: Examples

    @abc.abstractmethod
    def __init__(self, target: AuditedTarget, *, canaries: int, coins: Bits) -> None: ...

    @abc.abstractmethod
    def source(self, private: Private) -> Source:
        """``private``, whose engine is of `model`, on `train`; what it releases is looked at."""

    @abc.abstractmethod
    def bounds(self, event: Event, *, delta: float, confidence: float) -> tuple[Attacked, ...]:
        """What the releases prove of ``event``, the steps of the training, at ``delta``."""

    @abc.abstractmethod
    def state_dict(self) -> dict[str, Any]:
        """What was seen so far."""

    @abc.abstractmethod
    def load_state_dict(self, state: dict[str, Any], /) -> None:
        """Put back what `state_dict` gave."""


class Canaries(Section):
    """An attack on this very run: canaries take the places of some of its records.

    By a coin of its own each is one of two records that are neighbours under the run's own relation. Numbers of
    records, sizes of classes and batches stay. Figures of the records that a step drew count canaries.
    """

    canaries: int = Field(ge=50, le=1_000_000, description="canaries; each takes the place of a record")
    confidence: float = Field(default=0.95, gt=0, lt=1, description="of each lower bound, one-sided")

    def too_many(self, *, records: int, of: str) -> str | None:
        """Why so many records cannot carry the canaries, or None.

        Args:
            records: of the run.
            of: whose records they are, in words.
        """
        if 2 * self.canaries <= records:
            return None
        return (
            f"audit.canaries = {self.canaries}: must be at most half of the {records} records of {of}, whose places "
            "they take"
        )


class Audit(Canaries):
    """An attack on this very run: canaries beside its records, each there with probability one half.

    Every record's budget is what it is without them: they are records of the run like others. They enter no release
    before the first step. What is said of a step's batch, its size and its mean loss, counts them.
    """

    canaries: int = Field(ge=50, le=1_000_000, description="canaries; about half of them become records")
    canary: Annotated[str, CANARIES] | None = Field(
        default=None,
        description="file of wassdp.audit.canaries; null: indicator where the model is linear in its inputs, which "
        "gives every canary a feature of its own, else gradient, a weight that only the canary's loss knows",
    )

    def impossible(self, *, records: int, of: str, linear: bool, noise: float | None, private: bool) -> str | None:
        """Why a run cannot be attacked so, or None.

        Args:
            records: of the run.
            of: whose records they are, in words.
            linear: whether the model is linear in its inputs.
            noise: the noise multiplier that is given, if one is.
            private: whether the run is.
        """
        if not private:
            return "audit: the run is not private, there is no budget to attack"
        if noise == 0:
            return "audit with noise_multiplier 0: there is no finite budget to attack"
        if self.canaries > records:
            return f"audit.canaries = {self.canaries}: must be at most the {records} records of {of}"
        if self.canary == LINEAR and not linear:
            return f"audit.canary = {LINEAR!r}: needs a model that is linear in its inputs; must be {OTHER!r} here"
        return None

    def modules(self) -> tuple[str, ...]:
        return tuple(CANARIES.module(name) for name in ((LINEAR, OTHER) if self.canary is None else (self.canary,)))

    def attack(self, target: AuditedTarget, *, linear: bool, coins: Bits) -> Attack:
        """The attack on a training whose model is linear in its inputs, or is not."""
        name = self.canary or (LINEAR if linear else OTHER)
        kind = CANARIES.choice(name, Attack)  # type: ignore[type-abstract]  # whatever derives from it
        return kind(target, canaries=self.canaries, coins=coins)
