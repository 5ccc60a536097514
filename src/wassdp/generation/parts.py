r"""Parts of classes: Lloyd's algorithm on noisy counts and means, so that a class need not be one Gaussian.

What each round releases is a Gram matrix of the vectors :math:`(v, κ)` for each part, κ = r a clip norm of v: its last
row says κ Σ v and κ² times the number of records. Vectors are clipped to norm √2 r, so that a v longer than r counts as
less than one record. Which part a record counts for depends on that record and on what was released before: with parts
in the place of classes this is `wassdp.mechanisms.moments.ClassGrams`, and its sensitivity holds, √2 (√2 r)², private
labels included. κ = r makes the noise on Σ v least: z (r² + κ²) / κ on each number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor

ROUNDS = 3
"""Of Lloyd's algorithm, each a release."""
LEAST = 0.05
"""Least share of a part in its class, over that of equal parts: noise must not make one vanish."""
_START = 0.8
"""Distance of a half Gaussian's mean from 0, in deviations: √(2/π)."""


@dataclass(frozen=True)
class Parts:
    """Parts of each class, around their class's mean.

    Args:
        centres: along leading directions; their weighted mean in a class is 0.
        weights: of the parts, summing to 1 in each class.
    """

    centres: Float[Tensor, "classes parts d"]
    weights: Float[Tensor, "classes parts"]

    @property
    def between(self) -> Float[Tensor, "classes d"]:
        """Variances of the centres in each class."""
        return torch.einsum("cp,cpd->cd", self.weights, self.centres.square())

    def nearest(self, rows: Float[Tensor, "count d"], labels: Int64[Tensor, " count"]) -> Int64[Tensor, " count"]:
        """Number of each row's part among those of all classes, class after class."""
        classes, parts = self.weights.shape
        # All distances at once: were rows gathered by class, one record's label could move the last bits of another's.
        products = rows @ self.centres.flatten(0, 1).T
        distances = (self.centres.square().sum(dim=2).flatten() - 2 * products).view(-1, classes, parts)
        return labels * parts + distances[torch.arange(len(rows)), labels].argmin(dim=1)


def start(classes: int, halvings: int, values: Float[Tensor, " d"]) -> Parts:
    """Parts at both sides of the mean along each of the leading directions.

    Args:
        classes: their number.
        halvings: binary logarithm of the number of parts, at most d.
        values: variances along the directions.

    >>> start(1, 1, torch.tensor([4.0, 1.0])).centres.tolist()[0]
    [[-1.600000023841858, 0.0], [1.600000023841858, 0.0]]
    """
    parts = torch.arange(2**halvings, device=values.device)
    centres = values.new_zeros(len(parts), len(values))
    for place in range(halvings):
        centres[:, place] = _START * float(values[place].clamp(min=0).sqrt()) * (2 * (parts >> place & 1) - 1)
    weights = values.new_full((classes, len(parts)), 1 / len(parts))
    return Parts(centres.expand(classes, -1, -1).clone(), weights)


def moved(
    grams: Float[Tensor, "groups d1 d1"],
    counts: Float[Tensor, " classes"],
    values: Float[Tensor, " d"],
    *,
    last: float,
    noise_std: float,
) -> Parts:
    """Parts by what a round released: centres drawn to the class's mean by what noise cannot explain.

    Args:
        grams: of the vectors (v, κ) of each part.
        counts: records of each class, as released.
        values: variances along the directions; centres are taken to vary like them.
        last: κ.
        noise_std: of the noise on the matrices' diagonals.
    """
    classes, size = len(counts), len(values)
    rows = grams[:, -1].view(classes, -1, size + 1)
    parts = rows.shape[1]
    found = (rows[..., -1] / last**2).clamp(min=LEAST * counts[:, None] / parts)
    found = found * (counts / found.sum(dim=1))[:, None]
    centres = rows[..., :-1] / last / found[..., None]
    variances = (noise_std / math.sqrt(2) / last / found).square()[..., None]
    # Parts of few records say little of how far centres are apart: weights are inverse variances.
    trust = found.square()[..., None] / found.square().sum() / size
    energy = (trust * (centres.square() - variances)).sum().clamp(min=0)
    prior = energy / values.mean().clamp(min=1e-12) * values.clamp(min=0)
    centres = centres * prior / (prior + variances).clamp(min=1e-300)
    weights = found / counts[:, None]
    return Parts(centres - torch.einsum("cp,cpd->cd", weights, centres)[:, None], weights)
