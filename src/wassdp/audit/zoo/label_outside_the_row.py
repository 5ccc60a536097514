"""A label beside the clipped row, in place of inside it."""

from __future__ import annotations

import dataclasses

import torch
from jaxtyping import Float
from torch import Tensor

from wassdp.accounting.event import Event
from wassdp.audit.specimen import Specimen
from wassdp.mechanisms.dpswd import DPSWD, clip
from wassdp.noise import Bits

PIXELS, CLASSES = 4, 2
Released = tuple[Float[Tensor, "trials projections"], Float[Tensor, "trials projections"]]


class LabelOutsideTheRow(Specimen):
    """Rows of an image and a one-hot label, for conditional generation."""

    fault = "the image is clipped and the one-hot label put beside it: rows are further apart than is accounted for"
    source = "joint rows of this project's conditional generation, clipped too early"
    neighbours = "a record is replaced by one of another class, whose image points the other way"
    attacks = ("likelihood_ratio",)
    mechanism = DPSWD(
        sigma=1.0,
        projections=PIXELS + CLASSES,
        dimension=PIXELS + CLASSES,
        records=1,
        batch=1,
        directions="orthogonal",
    )

    def event(self) -> Event:
        return self.mechanism.event(1)

    def released(self, *, present: bool, trials: int, generator: Bits) -> Released:
        """How the record's row lies along each direction, as whoever knows the record can tell, and projections."""
        dimension = self.mechanism.dimension
        # Independent bases, one a trial, are as many releases.
        many = dataclasses.replace(self.mechanism, projections=dimension * trials)
        row = torch.zeros(1, dimension, dtype=torch.float64)
        row[0, 0], row[0, PIXELS + (not present)] = (1.0 if present else -1.0), 1.0
        if self.wrong:
            image, label = row.split([PIXELS, CLASSES], dim=1)
            row = torch.cat([clip(image, many.clip_norm)[0], label], dim=1)
            # Rows are clipped already, and pass.
            many = dataclasses.replace(many, distance=1e3)
        left = many.release(row, generator=generator)
        difference = torch.tensor([1.0, *[0.0] * (PIXELS - 1), 1.0, -1.0], dtype=torch.float64)
        return (difference @ left.directions).view(trials, dimension), left.projections.view(trials, dimension)

    def likelihood_ratio(self, released: Released) -> Float[Tensor, " trials"]:
        """Of the law that is claimed, along the two records' difference."""
        difference, noisy = released
        return (difference * noisy).sum(dim=1)
