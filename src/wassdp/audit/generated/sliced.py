"""Canaries among the noisy rows of DP-SWD."""

from __future__ import annotations

import numpy as np
import torch

from wassdp import noise
from wassdp.audit.trainings.crafted_images import Generated
from wassdp.audit.trainings.noisy_rows import row_log_ratios
from wassdp.generation.methods.sliced import SlicedTarget
from wassdp.generation.rows import Prepared
from wassdp.generation.target import Target
from wassdp.training.inputs import unit

SAMPLE = 512
"""Other records of each group whose rows stand for all of them."""
AT_ONCE = 1024
"""Noisy rows that are compared with all canaries together."""


class CraftedRows(Generated):
    """A batch is noisy rows in random order; whose they are the attacker does not know."""

    def attach(self, target: Target) -> None:
        assert isinstance(target, SlicedTarget), "made by the method"
        self.target, self.mechanism = target, target.mechanism
        device = self.setting.device
        self.rows = [self.mechanism.prepare(*self.crafted(which))[0].to(device) for which in (0, 1)]
        # Groups are classes with public labels; else there is one.
        kinds = range(len(self.mechanism.groups))
        labels, rest = self.labels[0], self.rest()
        everybody = len(self.mechanism.groups) == 1
        self.members = [torch.from_numpy(np.flatnonzero(everybody | (labels == kind))) for kind in kinds]
        self.others = [self._others(np.flatnonzero(everybody | (rest.labels == kind))) for kind in kinds]
        target.watch = self.observe

    def _others(self, places: np.ndarray) -> Prepared:
        some = places[noise.subset(len(places), min(SAMPLE, len(places)), generator=self.coins).numpy()]
        rest = self.rest()
        labels = torch.from_numpy(rest.labels[some]) if self.setting.classes else None
        prepared, _ = self.mechanism.prepare(unit(rest.inputs[some], self.setting.dataset), labels)
        return prepared.to(self.setting.device)

    def observe(self) -> None:
        """Look at the release at hand: of every group, its batches one behind the other."""
        release = self.target.released
        for group, noisy in enumerate(release.projections):
            members = self.members[group]
            if not len(members):
                continue
            rows = [each.take(members.to(each.parts.device)) for each in self.rows] + [self.others[group]]
            first, second, others = (self.mechanism.recipe.project(each, release.directions) for each in rows)
            size = noisy.shape[1] // self.mechanism.draws
            for batches in noisy.split(max(1, AT_ONCE // size) * size, dim=1):
                self.scores[members] += row_log_ratios(
                    batches,
                    first,
                    second,
                    others,
                    std=self.mechanism.sigma,
                    records=self.mechanism.groups[group],
                    batches=batches.shape[1] // size,
                ).cpu()
