"""DP-SWD: noisy random projections, as the Gaussian mechanism with a random, published sensitivity."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from wassdp import checks
from wassdp.accounting import limits
from wassdp.accounting.commands import BATCHES, REPLACE, Command, need
from wassdp.accounting.event import Event, Orders
from wassdp.accounting.formulas import renyi, small
from wassdp.accounting.guarantee import Adjacency
from wassdp.accounting.profiles import squared_sensitivity
from wassdp.accounting.profiles.base import Symmetric, Vector
from wassdp.accounting.profiles.gaussian import GaussianMixture

Directions = Literal["iid", "orthogonal"]
DATA_FREE_DIRECTIONS = "directions are drawn afresh in every release, independently of the data"


@dataclass(frozen=True, kw_only=True)
class SlicedProjections(Event):
    """Rows projected on random directions, plus Gaussian noise: what DP-SWD releases.

    The release is (U, X U + V): directions U drawn afresh, independently of the data, and published.

    Args:
        noise_std: σ, standard deviation of the noise on every projection.
        projections: k, number of directions.
        dimension: d, length of a row.
        directions: ``iid`` uniform on the sphere, or ``orthogonal``: independent Haar-random bases,
            k a multiple of d, or k < d columns of one.
        adjacency: zero out (rows of norm at most ``distance``), or replace one (at most ``distance``/2).
        distance: L2 bound on the difference of two neighbouring rows.
        padded: whether every batch has the same number of rows, all noised; Poisson sampling is
            amplified only then, since otherwise the number of rows is released too.

    Source: SWD Algorithm 1; docs/theory.md, section 8.
    """

    noise_std: float
    projections: int
    dimension: int
    directions: Directions = "iid"
    adjacency: Adjacency = "replace-one"
    distance: float = 1.0
    padded: bool = True
    approximated = True
    commands = (
        Command(
            name="dpswd",
            about="rows projected on random directions, plus Gaussian noise: DP sliced Wasserstein",
            shared=("sigma", *BATCHES),
            own={
                "projections": {"type": int, "metavar": "K", "help": "number of directions"},
                "dimension": {"type": int, "metavar": "D", "help": "length of a row"},
                "directions": {"choices": ("iid", "orthogonal"), "help": "how directions are drawn (default: iid)"},
                "unpadded": {
                    "action": "store_true",
                    "default": None,
                    "help": "Poisson batches are not padded to a fixed size",
                },
            },
            sampling="without-replacement",
            adjacency={**REPLACE, "poisson": "zero-out"},
            sought="sigma",
        ),
    )

    def __post_init__(self) -> None:
        checks.non_negative("noise_std", self.noise_std)
        limits.count("projections", self.projections, least=1)
        limits.count("dimension", self.dimension, least=1)
        checks.one_of("directions", self.directions, ("iid", "orthogonal"))
        checks.one_of("adjacency", self.adjacency, ("replace-one", "zero-out", "replace-one-inside-class"))
        checks.positive("distance", self.distance)
        limits.noise("noise_std / distance", self.noise_std / self.distance)
        if self.directions == "orthogonal" and self.projections > self.dimension and self.projections % self.dimension:
            raise ValueError(
                f"projections = {self.projections}: orthogonal directions must be at most, or a multiple of, "
                f"dimension = {self.dimension}"
            )

    @classmethod
    def typed(cls, options: Mapping[str, Any], adjacency: Adjacency) -> SlicedProjections:
        return cls(
            noise_std=need(options, "sigma"),
            projections=need(options, "projections"),
            dimension=need(options, "dimension"),
            directions=options.get("directions", "iid"),
            adjacency=adjacency,
            padded=not options.get("unpadded", False),
        )

    def reduced(self) -> SlicedProjections:
        """The same with ``distance`` 1."""
        if self.distance == 1:
            return self
        return dataclasses.replace(self, noise_std=self.noise_std / self.distance, distance=1.0)

    @property
    def noiseless(self) -> bool:
        return self.noise_std == 0

    @property
    def large(self) -> bool:
        mean = max(self.projections / self.dimension, min(1.0, 10 / self.dimension))
        return mean / self.noise_std**2 >= limits.LARGE_VARIANCE / 10

    def assumptions(self) -> tuple[str, ...]:
        return (DATA_FREE_DIRECTIONS,)

    def pair(self, *, upper: bool, tail: float, detail: int) -> Symmetric:
        return mixture(self, upper=upper, tail=tail, detail=detail)

    def published_batches(self, entered: Vector, tails: Vector) -> tuple[Vector, Vector, bool]:
        squared, random = self._squared_sensitivity(entered, tails)
        return squared * self.noise_std**-2, np.zeros(entered.size), random

    def renyi(self, orders: Orders) -> Orders:
        divergences = self.log_moments(orders) / (orders - 1)
        return np.asarray(np.maximum(divergences * (1 + 8 * small.UNIT), small.LEAST))

    def log_moments(self, orders: Orders) -> Orders:
        """(α-1) D_α = log E exp(α(α-1)H/2σ²)."""
        event = self.reduced()
        if event.noise_std == 0:
            return np.full(orders.shape, math.inf)
        with np.errstate(over="ignore"):
            argument = orders * renyi.gaussian_divergence(orders - 1, event.noise_std)
            moments = renyi.projections_log_moment(event.projections, event.dimension, event.directions, argument)
            return moments * (1 + 8 * small.UNIT)

    def _squared_sensitivity(self, entered: Vector, tails: Vector) -> tuple[Vector, bool]:
        """H of so many releases that is exceeded with probability tail, and whether it is random at all."""
        k, d = self.projections, self.dimension
        if self.directions == "orthogonal" and k % d == 0:
            return entered * (k / d), False
        certain = entered * (k if self.directions == "iid" else 1)
        if d == 1:
            return certain, False
        degrees = np.maximum(entered, 1.0) * k
        # x - 1 - log x ≥ wanted, by bisection from above.
        wanted = -2 * np.log(tails) / degrees
        low, high = np.ones(tails.size), 2 + 2 * wanted + 2 * np.sqrt(wanted)
        for _ in range(80):
            middle = (low + high) / 2
            enough = middle - 1 - np.log(middle) >= wanted
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return np.minimum(certain, np.where(entered > 0, degrees / d * high, 0.0)), True


@lru_cache(maxsize=64)
def mixture(event: SlicedProjections, *, upper: bool, tail: float, detail: int) -> GaussianMixture:
    r"""The profile δ(ε) = E_H[δ_Gauss(ε; √H Δ/σ)], from above or from below.

    Args: as for `wassdp.accounting.event.Event.pair`; ``event`` has noise.
    """
    noise = event.noise_std / event.distance
    law = squared_sensitivity.iid if event.directions == "iid" else squared_sensitivity.orthogonal
    squared = law(event.projections, event.dimension, noise, upper=upper, tail=tail, detail=detail)
    return GaussianMixture(squared.value / noise**2, squared.weight, squared.infinite)
