r"""What noisy rows say of a canary, whose row may be any of a batch, if it was drawn at all.

Of a release :math:`(U, x_1^\top U + V_1, …, x_b^\top U + V_b)` in random order, a batch of b of N records, let
:math:`φ_x` be the density of the noise around a row x, and :math:`φ` that of a row drawn from all records. For the two
rows r, r' of a canary the attacker takes

.. math:: \log \frac{1 - \frac bN + \frac1N \sum_j φ_r(y_j) / φ(y_j)}{1 - \frac bN
    + \frac1N \sum_j φ_{r'}(y_j) / φ(y_j)},

which is exact where the other rows are independent draws. :math:`φ` is the mean over some records, in the place of
all of them, and both rows of every canary. The account grants an attacker the row's place and all other rows of the
batch; who has neither, as here, sees far less.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Float64
from torch import Tensor


def row_log_ratios(
    released: Float[Tensor, "k rows"],
    firsts: Float[Tensor, "k canaries"],
    seconds: Float[Tensor, "k canaries"],
    others: Float[Tensor, "k some"],
    *,
    std: float,
    records: int,
    batches: int = 1,
) -> Float64[Tensor, " canaries"]:
    """The score of every canary from one batch, or the sum of those from several independent ones.

    Args:
        released: noisy rows along the directions, by direction; of several batches, one as large as the other, those of
            one behind those of the other.
        firsts: the first rows of the canaries along them, without noise.
        seconds: the second rows.
        others: some of the other records' rows, none of them a canary.
        std: σ of the noise on each number.
        records: N.
        batches: how many there are.
    """
    canaries, batch = firsts.shape[1], released.shape[1] // batches
    shapes = [firsts, seconds, others]
    # -|y - x|²/2σ² without what depends on y alone, which cancels.
    logs = [((x.T @ released).double() - x.square().sum(dim=0).double()[:, None] / 2) / std**2 for x in shapes]
    share = math.log(records)
    background = torch.cat([logs[0] - math.log(2), logs[1] - math.log(2)]) - share
    if others.shape[1] and records > canaries:
        weight = math.log((records - canaries) / records / others.shape[1])
        background = torch.cat([background, logs[2] + weight])
    total = background.logsumexp(dim=0)
    stayed = 1 - batch / records
    ratios = ((log - total - share).exp().unflatten(1, (batches, batch)) for log in logs[:2])
    first, second = (ratio.sum(dim=2) + stayed for ratio in ratios)
    # Both are above 0 but for rounding where all records are drawn and a row is nowhere near.
    least = torch.finfo(torch.float64).tiny
    scores: Tensor = (first.clamp(min=least).log() - second.clamp(min=least).log()).sum(dim=1)
    return scores
