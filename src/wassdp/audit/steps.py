r"""Specimens that claim to be DP-SGD: many independent runs at once, by the mechanism's own sample, clipping and noise.

Symbols: x_t what left at step t along the record's gradient, times the expected batch; C clip norm, s the noise's
standard deviation on a sum, q sampling rate.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from wassdp import noise
from wassdp.accounting.event import Event
from wassdp.audit.pair import log_ratio
from wassdp.audit.specimen import Specimen
from wassdp.mechanisms.dpsgd import DPSGD, cleared, clip_factors
from wassdp.mechanisms.norms import norms
from wassdp.noise import Bits


class Steps(Specimen):
    """A specimen that claims to release ``count`` steps of ``mechanism``.

    Attributes:
        mechanism: what one step is said to be.
        count: how many there are said to be.
    """

    mechanism: ClassVar[DPSGD]
    count: ClassVar[int] = 1

    def event(self) -> Event:
        return self.mechanism.event(self.count)

    def members(self, *, trials: int, generator: Bits, records: int | None = None) -> Bool[Tensor, "trials steps _"]:
        """Which records enter each step: one Poisson sample for all runs, whose members are independent anyway.

        Args:
            trials: runs.
            generator: source of randomness.
            records: how many are asked about; None for all.
        """
        asked = self.mechanism.records if records is None else records
        members = torch.zeros(trials, self.count, asked, dtype=torch.bool)
        members.view(-1)[noise.poisson_sample(members.numel(), rate=self.mechanism.rate, generator=generator)] = True
        return members

    def enters(self, *, trials: int, generator: Bits) -> Bool[Tensor, "trials steps"]:
        """Whether the record in question is drawn in each step."""
        return self.members(trials=trials, generator=generator, records=1)[:, :, 0]

    def noisy(self, sums: Float[Tensor, "*shape"], *, generator: Bits) -> Float[Tensor, "*shape"]:
        """What the mechanism releases of each sum."""
        return self.mechanism.release(sums.flatten(), generator=generator).view_as(sums)

    def along(self, released: Tensor) -> Float[Tensor, "trials steps"]:
        """What left along the record's gradient, a number for each step."""
        return released

    def likelihood_ratio(self, released: Tensor) -> Float[Tensor, " trials"]:
        r"""Of the law that is claimed, where the record's gradient has norm C and all others are 0.

        .. math:: \sum_t \log\bigl(1 - q + q \exp(C (x_t - C / 2) / s^2)\bigr)
        """
        sums = self.along(released) * self.mechanism.expected_batch
        ratios = log_ratio(
            sums.reshape(-1, 1),
            self.mechanism.clip_norm,
            0.0,
            std=self.mechanism.noise_std,
            rate=self.mechanism.rate,
        )
        return torch.from_numpy(ratios).view_as(sums).sum(dim=1)


def clipped(gradients: Float[Tensor, "*many dim"], *, clip_norm: float) -> Float[Tensor, "*many dim"]:
    """Each gradient scaled to norm at most ``clip_norm``; 0 in the place of one that is not finite."""
    rows = gradients.flatten(end_dim=-2)
    factors = clip_factors(norms(rows), clip_norm=clip_norm)
    return (cleared(rows, factors) * factors[:, None]).view_as(gradients)


def with_the_last(rows: Float[Tensor, "records dim"], *, present: bool) -> Float[Tensor, "records dim"]:
    """Gradients of all records, the last of which is the one in question: 0 where that is not there."""
    return rows if present else torch.cat([rows[:-1], torch.zeros_like(rows[-1:])])
