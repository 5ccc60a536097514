"""What every method of adaptation shares: its choice, what it is told about the run, and what it gives to a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import Field
from torch import Tensor, nn

from wassdp import noise
from wassdp.accounting.event import Event
from wassdp.accounting.reach import UNKNOWN, Reach
from wassdp.experiment import asked
from wassdp.noise import Bits
from wassdp.ranges import LearningRate, Noise
from wassdp.sections import Section
from wassdp.training.budget import Budget, Delta


@dataclass(frozen=True)
class AdaptationSetting:
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
class SourceBatch:
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


Choice = TypeVar("Choice", bound="AdaptationMethod")


class Aligner(Generic[Choice]):
    """A method at work in one run. As it stands here, it promises nothing about the target.

    Args:
        choice: what the method leaves open.
        setting: the run.
        extra: what is trained beside encoder and head, e.g. a discriminator; None if nothing is.
    """

    def __init__(self, choice: Choice, setting: AdaptationSetting, extra: nn.Module | None = None) -> None:
        self.choice, self.setting = choice, setting
        self.extra: nn.Module = nn.Identity() if extra is None else extra

    def sample(self, generator: Bits) -> Tensor | None:
        """Indices of the step's target records; None if the method never looks at the target."""
        return noise.subset(self.setting.records, self.setting.batch, generator=generator)

    def align(self, source: SourceBatch, target: Tensor, *, generator: Bits) -> Alignment:
        """What to add to the step.

        Args:
            source: the source's batch.
            target: *inputs* of the target's batch: the method decides what leaves the encoder, and how.
            generator: source of directions and noise, on the device of the run.
        """
        raise NotImplementedError

    def event(self, steps: int) -> Event | None:
        """What ``steps`` steps release of the target; None if the method promises nothing."""
        return None

    def metrics(self) -> dict[str, float]:
        """Figures that hold for the whole run, e.g. the noise found by calibration."""
        return {}


class AdaptationMethod(Section):
    """The choices that a method leaves open."""

    title: ClassVar[str]
    """What people call the method."""

    name: str
    learning_rate: LearningRate = Field(description="of Adam with betas 0.5 and 0.999")
    dropout_epochs: int | None = Field(
        default=None,
        ge=0,
        description="epochs in which dropout acts; null: all. The published code's SWD and DP-SWD never go back from "
        "evaluation, after the first epoch, to training mode: 1",
    )

    def build(self, setting: AdaptationSetting) -> Aligner[Any]:
        """The method, for one run.

        Raises:
            ValueError: it does not fit the run, or no noise keeps its budget.
        """
        raise NotImplementedError

    def describe(self) -> str:
        """The method in words, without its noise."""
        return self.title

    def asked(self) -> str:
        """The budget or the noise that is asked for; empty for what is not private."""
        return ""

    def impossible(self, records: int) -> str | None:
        """Why it cannot adapt to a target of so many records, or None."""
        return None

    def without_canaries(self) -> str | None:
        """Why a run by this method cannot carry canaries, or None."""
        return "the method is not private, there is no budget to attack"

    def expected_event(self) -> Event | None:
        """An event of the form of the method's (`wassdp.accounting.expected`); None if it promises nothing."""
        return None

    def reach(self) -> Reach:
        """Neighbouring records of the target, and how far they move a release."""
        return UNKNOWN


class Aligning(AdaptationMethod):
    """The choices of a method that adds something to the cross-entropy of the source."""

    weight: float = Field(gt=0, description="of what is added to the cross-entropy")


class PrivateAligning(Aligning, Delta):
    """The choices of a method that names a delta."""

    def impossible(self, records: int) -> str | None:
        return self.too_large(records, "the target")


class Calibrated(PrivateAligning, Budget):
    """The choices of a method whose noise is given, or the least that keeps a proven budget."""

    given_by: ClassVar[str] = "sigma"

    sigma: Noise | None = Field(default=None, description="noise; null: the least that keeps epsilon")

    def asked(self) -> str:
        return asked(epsilon=self.epsilon, noise=self.sigma)

    def without_canaries(self) -> str | None:
        return "sigma 0: there is no finite budget to attack" if self.sigma == 0 else None
