"""DP-SWD's release on independent directions, of batches drawn without replacement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.accounting.events.composed import Composed
from wassdp.audit.pair import RATE, Pair, log_ratio, mask, tenths
from wassdp.distances import directions as unit
from wassdp.mechanisms.dpswd import DPSWD, Sampling
from wassdp.noise import Bits

DIMENSION = 2
LONG = torch.tensor([[5.0, 0.0]], dtype=torch.float64)
"""A row, to be clipped."""


@dataclass(frozen=True, kw_only=True)
class Projections(Pair):
    """A batch of one of ten rows; those of the others are opposite to the record's, and so is what replaces it.

    A trial is some of the directions of one release, with the noise on them: directions are independent of each other,
    and so is the noise.
    """

    directions: ClassVar[unit.Kind] = "iid"
    projections: ClassVar[int] = 2
    sampling: ClassVar[Sampling] = "without-replacement"
    attacks = DPSWD
    attacked = "DPSWD.sample and DPSWD.release"
    neighbours = "one row clipped to half of the distance, or its opposite, which all other rows are"
    noise_unit = "sigma"

    def mechanism(self, *, projections: int, records: int, batch: float) -> DPSWD:
        """The release of so many directions, of a batch of so many rows of so many."""
        return DPSWD(
            sigma=self.noise,
            projections=projections,
            dimension=DIMENSION,
            records=records,
            batch=batch,
            directions=self.directions,
            sampling=self.sampling,
        )

    def event(self) -> Composed:
        return self.mechanism(projections=self.projections, records=round(1 / RATE), batch=1).event(1)

    def other(self) -> Float[Tensor, "rows d"]:
        """What a batch holds that the record does not enter."""
        return -LONG

    def entered(self, trials: int, generator: Bits) -> Tensor:
        """Which trials the record enters."""
        records, batch = tenths(trials)
        sampler = self.mechanism(projections=self.projections, records=records, batch=batch)
        return mask(sampler.sample(generator=generator), trials)

    def at_once(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        entered = self.entered(trials, generator) & present
        found = np.empty(trials)
        for rows, here in ((LONG, entered), (self.other(), ~entered)):
            if bool(here.any()):
                found[here.numpy()] = self._released(rows, int(here.sum()), generator)
        return found

    def _released(self, rows: Tensor, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        """Scores of releases of one and the same batch."""
        mechanism = self.mechanism(
            projections=self.projections * trials,
            records=round(1 / RATE) if self.sampling == "without-replacement" else 1,
            batch=1 if self.sampling == "without-replacement" else RATE,
        )
        released = mechanism.release(rows, generator=generator)
        means = [mechanism.clip(each)[0].sum(dim=0) @ released.directions for each in (LONG, self.other())]
        numbers, with_it, without = (
            each.reshape(trials, self.projections) for each in (released.projections[:, 0], *means)
        )
        return log_ratio(numbers, with_it, without, std=self.noise, rate=RATE)
