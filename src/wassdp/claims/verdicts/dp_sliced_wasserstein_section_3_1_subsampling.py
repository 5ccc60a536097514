"""SWD Sections 3.1 and 5.1: that methods which clip gradients "do not fully benefit" from subsampling.

The paper's reason: clipping "acts individually on each gradient", and "its DP property may still depend on the batch
size (Chen et al. 2020)". Read as: a noisy sum of a batch's clipped gradients costs more than amplification makes of its
cost on the batch. It does not: its sensitivity is the clipping norm for a batch of any size, as that of the projections
is a row's, and the theorem is about every mechanism. The cost of a step of Chen et al. grows with the batch for another
reason: each of its gradients comes from a network that saw the record, and each is noised and counted.
"""

from __future__ import annotations

import math

from wassdp.claims.clipped_batches import Batches, draw, plain_ratio, sampled, whole
from wassdp.claims.existence import Existence

CLIP = 1.0
TINY = 1e-9  # integrals say nothing of smaller δ


def _ratio(case: Batches) -> float:
    stated = case.rate * whole(case, 2 * CLIP)
    return sampled(case) / stated if stated > TINY else 0.0


def _all_depend(case: Batches) -> float:
    """Where all gradients of the batch depend on the record, against what one of them costs."""
    stated = whole(case, 2 * CLIP)
    return whole(case, 2 * CLIP * math.sqrt(case.batch)) / stated if stated > TINY else 0.0


CLAIM = Existence(
    paper="dp-sliced-wasserstein",
    item="Section 3.1, subsampling of clipped gradients",
    place="Section 3.1, after Proposition 2; Section 5.1",
    statement="methods that clip each gradient do not fully benefit from amplification by subsampling",
    formula="δ of batches' noisy clipped sums at ln(1 + q(e^ε − 1)) > q δ(ε), sensitivity 2C, for some data",
    draw=draw,
    ratio=_ratio,
    corrupted=_all_depend,
    verified=lambda case: plain_ratio(case, tiny=TINY),
    proof="amplification holds of every mechanism on a batch (Steinke 2022, Theorem 29); this one's sensitivity is 2C",
    compared="δ found / stated",
    usual=1000,
    few=60,
)
