r"""Canaries in noisy means of parts of sorted projections, from which gradients are made.

Putting a in the place of b moves the mean over the r-th part of n sorted values, of m parts between e_{r-1} and e_r, by
:math:`\frac mn (\operatorname{clip}(a, e_{r-1}, e_r) - \operatorname{clip}(b, e_{r-1}, e_r))`, up to one value's share.
The attacker knows no canary's coin, but all other records: it tosses coins of its own, and takes the parts' ends, and
the means from which coins move them, of the records that these coins make.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from wassdp import noise
from wassdp.audit.trainings.crafted_images import Generated
from wassdp.audit.trainings.linear import coin_log_ratios
from wassdp.distances.parts import means_of_parts
from wassdp.generation.methods.output_gradient import OutputGradientTarget
from wassdp.generation.private import PrivateRows
from wassdp.generation.target import Target
from wassdp.mechanisms.dpswd import Sampling
from wassdp.mechanisms.sliced_quantiles import NoisyMeans

ALL: Sampling = "without-replacement"
AT_ONCE = 512
"""Directions that are worked off together."""


class CraftedQuantiles(Generated):
    """All rows enter every release, and only the coins are unknown."""

    def attach(self, target: Target) -> None:
        assert isinstance(target, OutputGradientTarget), "made by the method"
        self.target, device, kinds = target, self.setting.device, range(len(target.mechanism.groups))
        pairs = [target.mechanism.recipe.prepare(*self.crafted(i), sampling=ALL)[0].to(device) for i in (0, 1)]
        everybody = len(kinds) == 1
        self.members = [torch.from_numpy(np.flatnonzero(everybody | (self.labels[0] == kind))) for kind in kinds]
        self.rows = [[rows.take(some.to(device)) for rows in pairs] for some in self.members]
        self.coins_imagined = torch.zeros(len(self.scores), dtype=torch.bool)
        self.coins_imagined[noise.poisson_sample(len(self.scores), rate=0.5, generator=self.coins)] = True
        self.groups = PrivateRows.prepare(self.method, self.tossed(self.coins_imagined), ALL).groups
        target.watch = self.observe

    def observe(self) -> None:
        """Look at all releases, which are made at once."""
        for group, members in enumerate(self.members):
            if not len(members):
                continue
            gram = torch.zeros(len(members), len(members), dtype=torch.float64)
            matched = torch.zeros(len(members), dtype=torch.float64)
            for basis in self.target.released:
                for moved, left in self._parts(group, basis[group]):
                    gram += (moved @ moved.T).double().cpu()
                    matched += (moved @ left).double().cpu()
            # Released means are compared with those that imagined coins make.
            imagined = torch.where(self.coins_imagined[members], 0.5, -0.5).double()
            self.scores[members] += coin_log_ratios(gram, matched + gram @ imagined)

    def _parts(self, group: int, means: NoisyMeans) -> Iterator[tuple[Tensor, Tensor]]:
        """How the canaries of a group move some means, and what is left of these, in deviations of the noise."""
        recipe, parts = self.target.mechanism.recipe, means.means.shape[1]
        for directions, noisy in zip(means.directions.split(AT_ONCE, dim=1), means.means.split(AT_ONCE), strict=True):
            projected = recipe.project(self.groups[group], directions)
            first, second = (recipe.project(rows, directions).T[:, :, None] for rows in self.rows[group])
            ends = _ends(projected, parts)
            low, high = ends[:, :-1], ends[:, 1:]
            between = torch.minimum(torch.maximum(first, low), high) - torch.minimum(torch.maximum(second, low), high)
            moved = between * (parts / projected.shape[1] / means.noise_std)
            left = (noisy - means_of_parts(projected, parts)) / means.noise_std
            yield moved.flatten(start_dim=1), left.flatten()


def _ends(projected: Float[Tensor, "k n"], parts: int) -> Float[Tensor, "k ends"]:
    """Values between which each part of the sorted ones lies; infinite at either end."""
    ordered, count = projected.sort(dim=1).values, projected.shape[1]
    inside = ordered[:, [part * count // parts for part in range(1, parts)]]
    # A canary is no further out than this.
    far = torch.full_like(ordered[:, :1], torch.finfo(ordered.dtype).max / 4)
    return torch.cat([-far, inside, far], dim=1)
