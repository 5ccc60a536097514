r"""Many whole trainings at once by the release of DP-SWD as published, told apart by its noisy projections alone.

A neighbour replaces the record that sets the norm of every batch it enters: all other rows of that batch are divided
by another number. Proposition 2 counts the record's own row, which moves by 1; here the b - 1 others move by half,

.. math:: 1 + \frac{b - 1}4

in squares. The divisor, which carries no noise and would tell the worlds apart for certain, is not looked at. The
encoder is the identity, as at a learning rate of 0; what else a training computes follows from its releases.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Float64
from torch import Tensor

from wassdp import checks
from wassdp.accounting.events.composed import Composed
from wassdp.accounting.events.qualified import Qualified
from wassdp.audit.game import Game, in_blocks
from wassdp.audit.trainings.fixed_batches import batches
from wassdp.mechanisms.dpswd import DPSWD
from wassdp.mechanisms.published_sliced import PublishedDPSWD
from wassdp.noise import Bits

BLOCK = 5_000
"""Trainings that are worked off together."""
LONG = 1e6
"""Norm of the record that sets the divisor; all others have norm 1."""
ABSENT, OTHER, RECORD = 0.5, 0.5 / LONG, -0.5
"""First coordinate of a divided row: of all where the record is not there; of the others, and its own, where it is."""


@dataclass(frozen=True, kw_only=True)
class PublishedSlicedTrainings(Game):
    """Trainings by `PublishedDPSWD`; a trial is a training.

    Args:
        sigma: σ > 0, on every projected value.
        projections: k, of a step.
        dimension: d, of a row.
        records: of each training.
        batch: of them in a step, drawn without replacement.
        steps: of each training.

    Raises:
        ValueError: an argument is outside its range.
    """

    sigma: float
    projections: int = 4
    dimension: int = 2
    records: int = 512
    batch: int = 256
    steps: int = 2

    neighbours = "a record a million times as long as all others and opposite to them, or one like them"

    def __post_init__(self) -> None:
        checks.positive("sigma", self.sigma)
        checks.whole("steps", self.steps, least=1)
        self.mechanism()

    def mechanism(self) -> PublishedDPSWD:
        """A step of one training."""
        return PublishedDPSWD(
            sigma=self.sigma,
            projections=self.projections,
            dimension=self.dimension,
            records=self.records,
            batch=self.batch,
        )

    def event(self) -> Qualified:
        return self.mechanism().event(self.steps)

    def projected(self) -> Composed:
        """What is proven of these neighbours where the divisor is not looked at, though the record's place is known."""
        moved = math.sqrt(1 + (self.batch - 1) / 4)
        return DPSWD(**dataclasses.asdict(self.mechanism()), distance=moved).event(self.steps)

    def scores(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        return in_blocks(
            trials, BLOCK, lambda some: self._at_once(present=present, trainings=some, generator=generator)
        )

    def _at_once(self, *, present: bool, trainings: int, generator: Bits) -> Float64[np.ndarray, " trainings"]:
        seen = np.zeros(trainings)
        for _ in range(self.steps):
            entered = np.zeros(trainings, dtype=bool)
            if present:
                # The last record is the one. All batches without it are alike.
                drawn = batches(self.mechanism(), trainings, generator)
                entered = (drawn == self.records - 1).any(dim=1).numpy()
            for there in np.unique(entered):
                some = entered == there
                seen[some] += self._released(bool(there), int(some.sum()), generator)
        return seen

    def _released(self, entered: bool, trainings: int, generator: Bits) -> Float64[np.ndarray, " trainings"]:
        """One step's scores of trainings with one and the same batch: of one release, each has some directions.

        The score is the same in whatever order a batch's rows stand.
        """
        rows = torch.zeros(self.batch, self.dimension, dtype=torch.float64)
        rows[:, 0] = 1
        if entered:
            rows[-1, 0] = -LONG
        together = dataclasses.replace(self.mechanism(), projections=self.projections * trainings)
        released = together.release(rows, generator=generator).inner
        return self.log_ratios(
            released.directions[0].view(trainings, -1), released.projections.view(trainings, -1, self.batch)
        )

    def log_ratios(
        self, first: Float[Tensor, "trainings k"], released: Float[Tensor, "trainings k batch"]
    ) -> Float64[np.ndarray, " trainings"]:
        """Logarithm of the two worlds' densities' ratio in one step; in which place the record is is not known.

        Args:
            first: the directions' first coordinates.
            released: noisy projections.
        """
        squared, matched = first.square().sum(dim=1, keepdim=True), torch.einsum("nk,nkb->nb", first, released)
        other, own = (
            ((to - ABSENT) * matched - (to**2 - ABSENT**2) / 2 * squared) / self.sigma**2 for to in (OTHER, RECORD)
        )
        somewhere = torch.logsumexp(other.sum(dim=1, keepdim=True) + own - other, dim=1) - math.log(self.batch)
        rate = self.batch / self.records
        if rate == 1:
            return somewhere.numpy()
        return np.logaddexp(math.log1p(-rate), math.log(rate) + somewhere.numpy())
