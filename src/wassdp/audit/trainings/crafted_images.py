"""Canaries in generation: crafted images, each in the place of a record, and another of its own as its neighbour.

Both are records like others, black and white at random and each other's negatives, so that no two canaries are alike.
Where labels are private the two have different ones; where they are public, those of the record that gave way.
"""

from __future__ import annotations

import abc
import dataclasses
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool
from torch import Tensor

from wassdp import noise
from wassdp.audit.trainings.swapped import Swapped
from wassdp.data.base import Split
from wassdp.data.images import image_of
from wassdp.generation.method import GenerationSetting
from wassdp.generation.target import Target
from wassdp.noise import Bits
from wassdp.training.inputs import unit


class Generated(Swapped):
    """The attack on one generator; a method's own says what its releases tell.

    Args:
        method: of the run.
        setting: of the run, without canaries.
        canaries: their number.
        coins: as `Swapped`.

    Attributes:
        setting: the same with canaries.
    """

    pair = "two crafted images, each the other's negative"

    def __init__(self, method: Any, setting: GenerationSetting, *, canaries: int, coins: Bits) -> None:
        super().__init__(canaries=canaries, records=len(setting.train), coins=coins)
        train, places, pixels = setting.train, self.places.numpy(), image_of(setting.dataset)
        words = noise.integers(2, canaries * int(np.prod(train.inputs.shape[1:])), generator=coins)
        board = words.reshape(canaries, *train.inputs.shape[1:]).astype(train.inputs.dtype) * pixels.maximum
        self.images = board, pixels.maximum - board
        labels = train.labels[places]
        self.method = method
        if setting.classes > 1 and not self.labels_public:
            labels = (np.arange(canaries) % setting.classes).astype(train.labels.dtype)
            other = (labels + 1 + np.arange(canaries) // setting.classes % (setting.classes - 1)) % setting.classes
            self.labels = labels, other.astype(train.labels.dtype)
        else:
            self.labels = labels, labels
        self.before = setting
        self.setting = self.tossed(self.present)

    def tossed(self, coins: Bool[Tensor, " canaries"]) -> GenerationSetting:
        """The setting with the records that such coins make."""
        train, places = self.before.train, self.places.numpy()
        inputs, labels = train.inputs.copy(), train.labels.copy()
        for kept, pair in ((inputs, self.images), (labels, self.labels)):
            first = coins.numpy().reshape(-1, *[1] * (kept.ndim - 1))
            kept[places] = np.where(first, *pair)
        return dataclasses.replace(self.before, train=dataclasses.replace(train, inputs=inputs, labels=labels))

    @property
    def labels_public(self) -> bool:
        """Whether a neighbour keeps its label."""
        return bool(self.method.labels == "per_class")

    @abc.abstractmethod
    def attach(self, target: Target) -> None:
        """Look at what ``target`` releases from now on."""

    def crafted(self, which: int) -> tuple[Tensor, Tensor | None]:
        """The first (0) or second (1) images, pixels in [0, 1], and their labels if the generator is told some."""
        labels = torch.from_numpy(self.labels[which]) if self.setting.classes else None
        return unit(self.images[which], self.setting.dataset), labels

    @property
    def stayed(self) -> np.ndarray:
        """Which records did not give way."""
        stayed = np.ones(len(self.before.train), dtype=bool)
        stayed[self.places.numpy()] = False
        return stayed

    def rest(self) -> Split:
        """The records that did not give way."""
        train, stayed = self.before.train, self.stayed
        return Split(inputs=train.inputs[stayed], labels=train.labels[stayed])

    def load_state_dict(self, state: dict[str, Any], /) -> None:
        # Images were made before it is known whether a run goes on. Without a seed the coins are others now: what was
        # seen before says nothing of them.
        if torch.equal(state["present"], self.present):
            super().load_state_dict(state)
