"""What every method of adaptation shares: its options, what it is told about the run, and what it gives to a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Protocol, Self

from pydantic import Field, model_validator

from wassdp.accounting import accountant, calibrate
from wassdp.accounting.event import Event
from wassdp.experiment import asked
from wassdp.sections import Section

if TYPE_CHECKING:
    from torch import Tensor, nn

    from wassdp.noise import Bits

UPPER = "pld"
"""The accountant by which noise is calibrated."""


class Options(Section):
    """Choices of a method. Unknown keys, NaN and infinity are refused."""

    title: ClassVar[str]
    """What people call the method."""

    learning_rate: float = Field(gt=0, description="of Adam with betas 0.5 and 0.999")
    dropout_epochs: int | None = Field(
        default=None,
        ge=0,
        description="epochs in which dropout acts; null: all. The published code's SWD and DP-SWD never go back from "
        "evaluation, after the first epoch, to training mode: 1",
    )

    def describe(self) -> str:
        """The method in words, without its noise."""
        return self.title

    def asked(self) -> str:
        """The budget or the noise that is asked for; empty for what is not private."""
        return ""

    def modules(self) -> tuple[str, ...]:
        """Modules whose code the method loads by name."""
        return ()

    def expected_event(self) -> Event | None:
        """An event of the form of the method's (`wassdp.accounting.expected`); None if it promises nothing."""
        return None


class Aligning(Options):
    """Choices of a method that adds something to the cross-entropy of the source."""

    weight: float = Field(gt=0, description="of what is added to the cross-entropy")


class Private(Aligning):
    """Choices of a method that names a delta."""

    delta: float = Field(gt=0, lt=1, description="delta at which the run is accounted")


class Calibrated(Private):
    """Choices of a method whose noise is given, or the least that keeps a proven budget."""

    sigma: float | None = Field(default=None, ge=0, description="noise; null: the least that keeps epsilon")
    epsilon: float | None = Field(
        default=None, gt=0, description="budget to keep, by the PLD upper bound over all steps of the run"
    )

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.sigma is None) == (self.epsilon is None):
            raise ValueError("sigma and epsilon: exactly one must be given")
        return self

    def asked(self) -> str:
        return asked(epsilon=self.epsilon, noise=self.sigma)

    def modules(self) -> tuple[str, ...]:
        return () if self.epsilon is None else (accountant.module(UPPER),)

    def noise(self, releases: Callable[[float], Event]) -> float:
        """The noise that was given, or the least with which ``releases`` keep the budget.

        Args:
            releases: all releases of the run at a given noise.

        Raises:
            ValueError: no noise keeps the budget.
        """
        if self.sigma is not None:
            return self.sigma
        assert self.epsilon is not None, "one of the two is given"
        return calibrate.noise_multiplier(
            releases, epsilon=self.epsilon, delta=self.delta, accountant=accountant.load(UPPER)
        )


@dataclass(frozen=True)
class Setting:
    """What a method is told about the run.

    Args:
        encoder: from inputs to features, shared by both domains.
        head: from features to class scores.
        width: number of features.
        classes: number of class scores.
        records: number of target records.
        batch: target records in a step.
        steps: steps of the run in which the target enters.
    """

    encoder: nn.Module
    head: nn.Module
    width: int
    classes: int
    records: int
    batch: int
    steps: int


@dataclass(frozen=True)
class Source:
    """The source's batch of a step.

    Args:
        inputs: of the encoder.
        features: what it made of them, with their graph.
    """

    inputs: Tensor
    features: Tensor


@dataclass(frozen=True)
class Alignment:
    """What a method adds to a step.

    Args:
        loss: added to the cross-entropy before it is differentiated.
        gradients: added to the gradients afterwards, by parameter.
        figures: what is worth a curve; their means over an epoch are kept.
    """

    loss: Tensor
    gradients: Mapping[nn.Parameter, Tensor] = field(default_factory=dict)
    figures: Mapping[str, float] = field(default_factory=dict)


class Method(Protocol):
    """One method, made for one run."""

    extra: nn.Module
    """What is trained beside encoder and head, e.g. a discriminator; an empty module if nothing is."""

    def sample(self, generator: Bits) -> Tensor | None:
        """Indices of the step's target records; None if the method never looks at the target."""

    def align(self, source: Source, target: Tensor, *, generator: Bits) -> Alignment:
        """What to add to the step.

        Args:
            source: the source's batch.
            target: *inputs* of the target's batch: the method decides what leaves the encoder, and how.
            generator: source of directions and noise, on the device of the run.
        """

    def event(self, steps: int) -> Event | None:
        """What ``steps`` steps release of the target; None if the method promises nothing."""

    def metrics(self) -> dict[str, float]:
        """Figures that hold for the whole run, e.g. the noise found by calibration."""
