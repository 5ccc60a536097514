"""Private rows of a run, on its device."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from wassdp.generation.method import GenerationSetting
from wassdp.generation.rows import Prepared, Recipe, Rows, concatenated
from wassdp.mechanisms.dpswd import Sampling


@dataclass(frozen=True)
class PrivateRows:
    """Private rows, on the device.

    Args:
        recipe: how they were made.
        groups: all of them, or those of each class where labels are public.
        clipped: share of them that was clipped.
    """

    recipe: Recipe
    groups: list[Prepared]
    clipped: float

    @staticmethod
    def prepare(rows: Rows, setting: GenerationSetting, sampling: Sampling) -> PrivateRows:
        """The rows of all private records.

        Raises:
            ValueError: there are no such rows.
        """
        recipe = Recipe(rows, setting.shape, setting.classes)
        prepared, clipped = [], 0
        for images, labels in setting.chunks():
            part, count = recipe.prepare(images, labels, sampling=sampling)
            prepared.append(part)
            clipped += count
        everything = concatenated(prepared).to(setting.device)
        groups = [everything]
        if rows.labels == "per_class":
            kinds = [torch.nonzero(setting.labels == kind).flatten() for kind in range(setting.classes)]
            groups = [everything.take(kind) for kind in kinds]
        return PrivateRows(recipe, groups, clipped / len(setting.train))

    @property
    def sizes(self) -> tuple[int, ...]:
        """Rows of each group."""
        return tuple(map(len, self.groups))

    def figures(self, *, noise: float, noise_std: float, projections: int, sampling: Sampling) -> dict[str, float]:
        """What is to be known about a release of them.

        Args:
            noise: as a configuration gives it.
            noise_std: deviation of the noise on a released number.
            projections: of a row.
            sampling: how rows are drawn.
        """
        figures = {
            "noise": noise,
            "distance": self.recipe.distance(sampling),
            "dimension": float(self.recipe.dimension),
            "projections": float(projections),
            "clipped": self.clipped,
        }
        if noise_std > 0:  # how far rows of a group spread, over the noise
            squares = [self.recipe.spread(rows) ** 2 for rows in self.groups]
            figures["signal_to_noise"] = math.sqrt(sum(squares) / len(squares)) / noise_std
        return figures
