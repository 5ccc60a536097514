r"""Scores of two groups made alike by optimal transport to a private Wasserstein barycentre of their distributions.

Symbols: F_s distribution of group s's scores, Q_s its quantile function, p_s the group's share of all records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from jaxtyping import Float, Float64, Int64
from pydantic import Field

from wassdp import checks
from wassdp.mechanisms.noisy_histogram import NoisyHistogram
from wassdp.ranges import PositiveNoise
from wassdp.sections import Section


class PostProcessing(Section):
    """How scores of a trained model are repaired. The histograms are a release of their own, beside the training's."""

    bins: Annotated[int, Field(ge=2, description="equal parts of [0, 1] whose records are counted")] = 20
    noise_multiplier: Annotated[
        PositiveNoise, Field(description="of the counts: noise standard deviation over their sensitivity")
    ]
    amount: Annotated[float, Field(ge=0, le=1, description="how much of the way to the barycentre scores go")] = 1.0

    def mechanism(self) -> NoisyHistogram:
        """What releases the counts."""
        return NoisyHistogram(bins=self.bins, noise_multiplier=self.noise_multiplier)


@dataclass(frozen=True)
class Barycentre:
    r"""Optimal transports from each group's scores to the W_2 barycentre of their distributions.

    On the line the barycentre has the quantile function :math:`\sum_s p_s Q_s`, and a score x of group s goes to

    .. math:: (1 - t) x + t \sum_{s'} p_{s'} Q_{s'}(F_s(x)), \qquad t \text{ the amount}

    F_s has constant density in each bin. The published method moves scores between the bins' middles, at random where a
    bin is split, and adds Laplace noise; amounts below 1 are its relaxation in the simplest form.

    Args:
        masses: of every group, of the bins; rows sum to 1.
        shares: p, public.
        amount: t in [0, 1].

    Source: Xian, Li, Kamath and Zhao (2024), "Differentially Private Post-Processing for Fair Regression",
    arXiv:2405.04034: private histograms, their barycentre, transports to it.
    """

    masses: Float64[np.ndarray, "groups bins"]
    shares: tuple[float, ...]
    amount: float = 1.0

    @classmethod
    def of(cls, counts: Float[np.ndarray, "groups bins"], *, records: Sequence[int], amount: float) -> Barycentre:
        """From noisy counts and the groups' sizes, which are public.

        Raises:
            ValueError: a group is empty, or the amount is not in [0, 1].
        """
        checks.probability("amount", amount)
        sizes = [checks.whole("records", size, least=1) for size in records]
        masses = np.stack([nearest(row, total=size) / size for row, size in zip(counts, sizes, strict=True)])
        return cls(masses, tuple(size / sum(sizes) for size in sizes), amount)

    def __call__(self, scores: Float[np.ndarray, " n"], groups: Int64[np.ndarray, " n"]) -> Float64[np.ndarray, " n"]:
        """Repaired scores, in [0, 1] if they were.

        Args:
            scores: x.
            groups: each one's s.
        """
        edges = np.linspace(0, 1, self.masses.shape[1] + 1)
        reached = np.hstack([np.zeros((len(self.masses), 1)), np.cumsum(self.masses, axis=1)])
        repaired = np.array(scores, dtype=np.float64)
        for group in range(len(self.masses)):
            members = groups == group
            levels = np.interp(repaired[members], edges, reached[group])
            moved = sum(
                share * np.interp(levels, other, edges) for share, other in zip(self.shares, reached, strict=True)
            )
            repaired[members] = (1 - self.amount) * repaired[members] + self.amount * moved
        return repaired


def nearest(counts: Float[np.ndarray, " bins"], *, total: float) -> Float64[np.ndarray, " bins"]:
    """The counts of that total, none below 0, at the least Euclidean distance from the given ones.

    Source: Duchi, Shalev-Shwartz, Singer and Chandra (2008), Figure 1.

    >>> nearest(np.array([3.0, -1.0, 2.0]), total=4.0)
    array([2.5, 0. , 1.5])
    """
    ordered = np.sort(np.asarray(counts, dtype=np.float64))[::-1]
    excess = (np.cumsum(ordered) - total) / np.arange(1, len(ordered) + 1)
    nearer: Float64[np.ndarray, " bins"] = np.maximum(counts - excess[np.flatnonzero(ordered > excess)[-1]], 0.0)
    return nearer
