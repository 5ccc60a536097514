"""Projections clipped in place of the rows that are projected."""

from __future__ import annotations

import dataclasses
import math

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp import noise
from wassdp.accounting.event import Event
from wassdp.audit.specimen import Specimen
from wassdp.distances import directions as unit
from wassdp.mechanisms.dpswd import DPSWD
from wassdp.noise import Bits

DIMENSION = 8
Released = tuple[Float[Tensor, "trials projections"], Float[Tensor, "trials projections"]]


class ClippedAfterProjection(Specimen):
    """Projections of one long row on an orthonormal basis, which keeps norms."""

    fault = "each projection is clipped to 1/2, and not the row: all of them together are √8 times as far apart"
    source = "a mutation of Rakotomamonjy and Ralaivola (2021), Algorithm 1, which bounds rows before projecting them"
    neighbours = "the row is long and points along e, or it is replaced by one that points against it"
    attacks = ("likelihood_ratio", "by_signs")
    mechanism = DPSWD(
        sigma=2.0, projections=DIMENSION, dimension=DIMENSION, records=1, batch=1, directions="orthogonal"
    )

    def event(self) -> Event:
        return self.mechanism.event(1)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        """Directions along e, and projections."""
        row = torch.zeros(1, DIMENSION, dtype=torch.float64)
        row[0, 0] = 1000.0 if present else -1000.0
        # Independent bases, one a trial, are as many releases.
        many = dataclasses.replace(self.mechanism, projections=DIMENSION * trials)
        if self.wrong:
            directions = unit.draw(
                many.directions,
                dimension=DIMENSION,
                count=many.projections,
                generator=generator,
                dtype=torch.float64,
            )
            projected = (directions.T @ row.T).clamp(-many.clip_norm, many.clip_norm)
            noisy = noise.rounded(projected, std=many.sigma, generator=generator)
        else:
            left = many.release(row, generator=generator)
            directions, noisy = left.directions, left.projections
        return directions[0].view(trials, DIMENSION), noisy.view(trials, DIMENSION)

    def likelihood_ratio(self, released: Released) -> Float[Tensor, " trials"]:
        """Of the law that is claimed, given the directions."""
        directions, noisy = released
        return (directions * noisy).sum(dim=1)

    def by_signs(self, released: Released) -> Float[Tensor, " trials"]:
        """A row as long as that leaves every projection at its bound, on one side or the other."""
        directions, noisy = released
        return (directions.sign() * noisy).sum(dim=1) / math.sqrt(DIMENSION)
