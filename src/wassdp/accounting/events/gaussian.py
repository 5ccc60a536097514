"""Gaussian noise on a query."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wassdp.accounting import limits
from wassdp.accounting.additive_noise import AdditiveNoise
from wassdp.accounting.commands import BATCHES, NOISE, Command
from wassdp.accounting.event import Orders
from wassdp.accounting.formulas import renyi, small
from wassdp.accounting.profiles.base import Symmetric, Vector
from wassdp.accounting.profiles.gaussian import GaussianMixture


@dataclass(frozen=True, kw_only=True)
class Gaussian(AdditiveNoise):
    """A query plus Gaussian noise.

    Args:
        noise_multiplier: σ over the query's L2 sensitivity, a pure number; 0 means no noise, infinity is refused.
        adjacency: the neighbouring relation that the sensitivity refers to.

    Raises:
        ValueError: the multiplier is negative, not finite or beyond what is accounted for; or no such relation.

    Source: Balle and Wang (2018), arXiv:1805.06530, Theorem 8, for its privacy profile.

    >>> Gaussian(noise_multiplier=2.0, adjacency="add-remove").rho()
    0.125
    """

    commands = (
        Command(name="gaussian", about="a query plus Gaussian noise", shared=NOISE),
        Command(
            name="dpsgd",
            about="steps of DP-SGD: sums of the clipped gradients of a batch, plus Gaussian noise",
            shared=(*NOISE, *BATCHES),
            sampling="poisson",
        ),
    )

    @property
    def large(self) -> bool:
        return self.noise_multiplier**-2 >= limits.LARGE_VARIANCE

    def pair(self, *, upper: bool, tail: float, detail: int) -> Symmetric:
        return GaussianMixture.single(1 / self.noise_multiplier**2)

    def published_batches(self, entered: Vector, tails: Vector) -> tuple[Vector, Vector, bool]:
        return entered * self.noise_multiplier**-2, np.zeros(entered.size), False

    def renyi(self, orders: Orders) -> Orders:
        return renyi.gaussian_divergence(orders, self.noise_multiplier)

    def log_moments(self, orders: Orders) -> Orders:
        return renyi.gaussian_log_moments(orders, self.noise_multiplier)

    def log_differences(self, most: int) -> Orders | None:
        return renyi.gaussian_differences(self.noise_multiplier, most) if self.noise_multiplier > 0.1 else None

    def rho(self) -> float:
        inverse = math.inf if self.noise_multiplier == 0 else 1 / self.noise_multiplier
        return max(inverse * inverse / 2, small.LEAST)


def summed(gaussians: Sequence[tuple[Gaussian, int]]) -> Gaussian:
    """Gaussian releases of one batch are one Gaussian release, of squared sensitivities added up.

    Args:
        gaussians: each with noise, and how often it is made.
    """
    precision = sum(count / release.noise_multiplier**2 for release, count in gaussians)
    multiplier = math.inf if precision == 0 else 1 / math.sqrt(precision)
    return Gaussian(noise_multiplier=multiplier, adjacency=gaussians[0][0].adjacency)
