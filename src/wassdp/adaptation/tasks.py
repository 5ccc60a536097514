"""Pairs of domains: a source with labels, and a target whose labels serve evaluation alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field

from wassdp import data
from wassdp.adaptation.images import brought
from wassdp.adaptation.networks import Network
from wassdp.data import SETS, held_out
from wassdp.data.base import Split
from wassdp.data.held_out import JudgedOn
from wassdp.data.sets import office_caltech10
from wassdp.sections import Section
from wassdp.training.inputs import Examples

SIDE = 28
"""Pixels of a side to which digits are brought, as in the published code."""


@dataclass(frozen=True)
class Domains:
    """What one adaptation works on.

    Args:
        source: public records with labels.
        target: private records; their labels serve evaluation alone.
        held_out: records of the target's domain that take no part, where there are any.
    """

    source: Examples
    target: Examples
    held_out: Examples | None


class Digits(Section):
    """Digits of one dataset and of another, brought to 28x28 pixels in [-1, 1].

    The source is a training split. As in the authors' code the target is USPS's training split or MNIST's test split,
    and accuracy is that on the very records that are adapted to.
    """

    name: Literal["digits"]
    source: Annotated[Literal["mnist", "usps", "digits"], SETS]
    target: Annotated[Literal["mnist", "usps", "digits"], SETS]
    split: Literal["train", "test"] = Field(default="train", description="split of the target's dataset that is used")
    margin: int = Field(
        default=0,
        ge=0,
        le=8,
        description="background pixels left around images that are resized; MNIST's own digits have four around them",
    )
    rotation: float = Field(default=0.0, ge=-180, le=180, description="degrees by which the target's images are turned")

    def describe(self) -> str:
        """Source and target."""
        return f"{self.source} to {self.target}"

    @property
    def network(self) -> Network:
        """The network of these problems."""
        return "digits"

    @property
    def shape(self) -> tuple[int, ...]:
        """Of an input."""
        return 1, SIDE, SIDE

    @property
    def classes(self) -> int:
        """Number of classes."""
        return 10

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of source and target records."""
        return data.descriptor(self.source).counts["train"], data.descriptor(self.target).counts[self.split]

    def datasets(self) -> tuple[str, ...]:
        """Datasets that are read."""
        return tuple(dict.fromkeys((self.source, self.target)))

    def impossible(self) -> str | None:
        """Why there is no such pair, or None."""
        same = self.source == self.target and self.split == "train"
        return f"source and target are both {self.source}'s training images" if same else None

    def load(self, device: torch.device, judged_on: JudgedOn = "test") -> Domains:
        """The domains, on the device; held out are the records that judge."""
        source, target = data.load(self.source), held_out.judged(data.load(self.target), self.target, judged_on)
        unrotated = source.train
        adapted, other = (target.train, target.test) if self.split == "train" else (target.test, None)
        return Domains(
            source=self._examples(self.source, unrotated, 0.0, device),
            target=self._examples(self.target, adapted, self.rotation, device),
            held_out=None if other is None else self._examples(self.target, other, self.rotation, device),
        )

    def _examples(self, name: str, split: Split, rotation: float, device: torch.device) -> Examples:
        maximum = data.descriptor(name).maximum
        assert maximum is not None, "digits are images"
        return Examples(
            inputs=brought(split.inputs, maximum=maximum, side=SIDE, margin=self.margin, rotation=rotation).to(device),
            targets=torch.from_numpy(split.labels).to(device),
        )


class DomainFeatures(Section):
    """Two domains of one dataset of features."""

    name: str
    source: str
    target: str

    def describe(self) -> str:
        """Source and target, and of what."""
        return f"{self.source} to {self.target} ({self.name})"

    @property
    def classes(self) -> int:
        """Number of classes."""
        classes = data.descriptor(self.name).classes
        assert classes is not None, "a dataset of classified features"
        return classes

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of source and target records."""
        counts = data.descriptor(self.name).counts
        return counts.get(self.source, 0), counts.get(self.target, 0)

    def datasets(self) -> tuple[str, ...]:
        """Datasets that are read."""
        return (self.name,)

    def impossible(self) -> str | None:
        """Why there is no such pair, or None."""
        return f"source and target are both {self.source}" if self.source == self.target else None


class OfficeCaltech10(DomainFeatures):
    """Two domains of Office-Caltech10: six pairs with GoogLeNet's features, twelve with SURF's."""

    name: Annotated[Literal["office_caltech10"], SETS]
    features: Literal["googlenet", "surf"] = "googlenet"
    source: Literal["amazon", "caltech10", "dslr", "webcam"]
    target: Literal["amazon", "caltech10", "dslr", "webcam"]

    def describe(self) -> str:
        """Source and target, and of which features."""
        return f"{self.source} to {self.target} ({self.name}, {self.features})"

    @property
    def network(self) -> Network:
        """The network of these problems."""
        return "office"

    @property
    def shape(self) -> tuple[int, ...]:
        """Of an input."""
        return (office_caltech10.DIMENSIONS[self.features],)

    def impossible(self) -> str | None:
        """Why there is no such pair, or None."""
        if self.features == "googlenet" and "caltech10" in (self.source, self.target):
            return "there are no GoogLeNet features of caltech10"
        return super().impossible()

    def load(self, device: torch.device) -> Domains:
        """The domains, on the device: every record's features by themselves, scaled to a mean square of 1.

        SURF's counts are turned into the roots of their shares first. Nothing here depends on other records, so it
        costs no privacy; the usual standardisation of columns would.
        """
        domains = office_caltech10.load(features=self.features)
        return _feature_domains(domains[self.source], domains[self.target], device, prepare=self._prepared)

    def _prepared(self, inputs: NDArray[np.float32]) -> NDArray[Any]:
        rows = np.sqrt(inputs) if self.features == "surf" else inputs
        scale = np.sqrt(np.mean(np.square(rows, dtype=np.float64), axis=1, keepdims=True))
        return np.asarray(rows / np.where(scale > 0, scale, 1.0), dtype=np.float32)


class ResNetFeatures(DomainFeatures):
    """Two domains of Office-31 or VisDA-2017, as ResNet-50 features that the user has made."""

    name: Annotated[Literal["office31", "visda"], SETS]
    source: Literal["amazon", "dslr", "webcam", "train", "validation"]
    target: Literal["amazon", "dslr", "webcam", "train", "validation"]

    @property
    def network(self) -> Network:
        """The network of these problems."""
        return "office" if self.name == "office31" else "visda"

    @property
    def shape(self) -> tuple[int, ...]:
        """Of an input."""
        return data.descriptor(self.name).shape

    def impossible(self) -> str | None:
        """Why there is no such pair, or None."""
        for domain in (self.source, self.target):
            if domain not in data.descriptor(self.name).counts:
                return f"{self.name} has no domain {domain}"
        return super().impossible()

    def load(self, device: torch.device) -> Domains:
        """The domains, on the device; features as they are."""
        domains = data.load(self.name)
        return _feature_domains(domains[self.source], domains[self.target], device, prepare=lambda inputs: inputs)


Task = Annotated[Digits | OfficeCaltech10 | ResNetFeatures, Field(discriminator="name")]


def _feature_domains(source: Split, target: Split, device: torch.device, *, prepare: Any) -> Domains:
    labelled, adapted = (
        Examples(
            inputs=torch.from_numpy(prepare(split.inputs)).to(device), targets=torch.from_numpy(split.labels).to(device)
        )
        for split in (source, target)
    )
    return Domains(source=labelled, target=adapted, held_out=None)
