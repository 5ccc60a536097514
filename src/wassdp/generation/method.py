"""What every method of generation shares: its choice, its noise, what it is told about the run, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Int64
from pydantic import Field
from torch import Tensor

from wassdp.accounting.event import Event
from wassdp.accounting.events.composed import Composed
from wassdp.accounting.reach import Reach
from wassdp.data.base import Split
from wassdp.data.images import image_of
from wassdp.generation.generators import Generator
from wassdp.generation.target import Target
from wassdp.generation.views import Shape
from wassdp.noise import Bits
from wassdp.ranges import PositiveNoise
from wassdp.sections import Section
from wassdp.training.budget import Budget
from wassdp.training.inputs import unit

CHUNK = 2000  # images at a time on their way to rows


class Noise(Budget):
    """Noise as given, or the least that keeps a budget by the PLD upper bound; and the delta of the account."""

    given_by: ClassVar[str] = "noise"

    noise: PositiveNoise | None = Field(
        default=None, description="sliced: σ in the unit of rows; else: deviation over sensitivity"
    )


@dataclass(frozen=True)
class GenerationSetting:
    """What a method is told about the run.

    Args:
        dataset: its name.
        train: the private records.
        classes: classes that the generator is told; 0 for none.
        steps: of the whole training.
        device: where the private records are wanted.
    """

    dataset: str
    train: Split
    classes: int
    steps: int
    device: torch.device

    @property
    def shape(self) -> Shape:
        """Channels, height and width of an image."""
        return image_of(self.dataset).shape

    @property
    def labels(self) -> Int64[Tensor, " records"]:
        """The private labels, on the device."""
        return torch.from_numpy(self.train.labels).to(self.device)

    def chunks(self) -> Iterator[tuple[Float[Tensor, "count channels height width"], Int64[Tensor, " count"] | None]]:
        """The private images in [0, 1], some at a time, with their classes if the generator is told some."""
        for first in range(0, len(self.train), CHUNK):
            part = slice(first, first + CHUNK)
            labels = torch.from_numpy(self.train.labels[part]) if self.classes else None
            yield unit(self.train.inputs[part], self.dataset), labels


@dataclass(frozen=True)
class ReleasePlan:
    """What a run trains towards, or draws images by, and what that releases.

    Args:
        event: the whole release; None without privacy.
        figures: what is to be known about it: noise, distance, dimension, rows.
        target: the loss of a generator that is trained.
        sampler: of a method that trains none, releases with the noise of a source and gives what draws images.
    """

    event: Composed | None
    figures: dict[str, float]
    target: Target | None = None
    sampler: Callable[[Bits], Generator] | None = None


class GenerationMethod(Section):
    """The choices that a method leaves open.

    Attributes:
        trains: whether a generator is trained towards what is released.
    """

    trains: ClassVar[bool] = True

    name: str

    def describe(self) -> str:
        """The method in words."""
        raise NotImplementedError

    @property
    def labelled(self) -> bool:
        """Whether the generator is told a class."""
        return True

    def releases(self, steps: int) -> int:
        """How often something is released in so many steps."""
        return 1

    def elementary(self, steps: int) -> int | None:
        """Releases, as an account counts them, of so many steps; None if all are made before the first."""
        return None

    def expected_event(self) -> Event:
        """An event of the form of a noisy run's."""
        raise NotImplementedError

    def reach(self, shape: Shape, classes: int) -> Reach:
        """Neighbouring images, and how far they move a release.

        Args:
            shape: of an image.
            classes: that the generator is told; 0 for none.
        """
        raise NotImplementedError

    def released(
        self, metrics: Mapping[str, float], shape: Shape, classes: int, records: int, class_counts: tuple[int, ...]
    ) -> Event | None:
        """What a finished run released, from its metrics (`wassdp.experiment.Parameters.released`).

        Args:
            metrics: the run's.
            shape: of an image.
            classes: that the generator is told; 0 for none.
            records: images of the training split.
            class_counts: those of each class; empty where they are not public.
        """
        return None

    def impossible(self, shape: Shape) -> str | None:
        """Why it cannot release images of this shape, or has no account; None if it can."""
        return None

    def without_release(self, shape: Shape, classes: int, records: int, class_counts: tuple[int, ...]) -> str | None:
        """Why so many images of a shape that is not `impossible` cannot be released; None if they can.

        Args:
            shape: of an image.
            classes: that the generator is told; 0 for none.
            records: images of the training split.
            class_counts: those of each class; empty where they are not known before the run.
        """
        return None

    def without_canaries(self) -> str | None:
        """Why a private run by this method cannot carry canaries, or None."""
        return None

    def build(self, privacy: Noise | None, setting: GenerationSetting) -> ReleasePlan:
        """Private records on the device, and what is made of them.

        Args:
            privacy: the noise of the release; None for none.
            setting: the run.

        Raises:
            ValueError: nothing keeps the budget, or the method has no account.
        """
        raise NotImplementedError
