"""DP-SWD along directions that depend on the data."""

from __future__ import annotations

import dataclasses

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp import noise
from wassdp.accounting.event import Event
from wassdp.audit.specimen import Specimen
from wassdp.mechanisms.dpswd import DPSWD
from wassdp.noise import Bits

DIMENSION = 16
Released = tuple[Float[Tensor, "trials dimension"], Float[Tensor, "trials rows"]]


class DirectionsOfTheData(Specimen):
    """One direction and the noisy projections of all rows on it."""

    fault = "the direction is that along which the rows spread most, where the account takes a uniform one"
    source = "max-sliced distances, whose direction is found on the data; SWD Lemma 1 holds for uniform directions"
    neighbours = "one row is e/2, or it is replaced by -e/2; the other is 0"
    attacks = ("likelihood_ratio", "length_of_the_projection")
    mechanism = DPSWD(sigma=0.5, projections=1, dimension=DIMENSION, records=2, batch=2)

    def event(self) -> Event:
        return self.mechanism.event(1)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        rows = torch.zeros(2, DIMENSION, dtype=torch.float64)
        rows[0, 0] = 3.0 if present else -3.0
        if self.wrong:
            kept, _ = self.mechanism.clip(rows)
            directions = torch.linalg.svd(kept, full_matrices=False).Vh[:1].expand(trials, -1)
            return directions, noise.rounded(directions @ kept.T, std=self.mechanism.sigma, generator=generator)
        # Independent directions, one a trial, are as many releases.
        left = dataclasses.replace(self.mechanism, projections=trials).release(rows, generator=generator)
        return left.directions.T, left.projections

    def likelihood_ratio(self, released: Released) -> Float[Tensor, " trials"]:
        """Of the law that is claimed, given the direction."""
        directions, noisy = released
        return directions[:, 0] * noisy[:, 0]

    def length_of_the_projection(self, released: Released) -> Float[Tensor, " trials"]:
        """How far the row's projection lies towards e, whatever the direction."""
        directions, noisy = released
        return directions[:, 0].sign() * noisy[:, 0]
