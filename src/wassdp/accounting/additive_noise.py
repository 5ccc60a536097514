"""What the Gaussian and the Laplace mechanism share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wassdp import checks
from wassdp.accounting import limits
from wassdp.accounting.commands import multiplier
from wassdp.accounting.event import Event
from wassdp.accounting.guarantee import ADJACENCIES, Adjacency


@dataclass(frozen=True, kw_only=True)
class AdditiveNoise(Event):
    """A query plus noise of a scale given relative to the query's sensitivity.

    Args:
        noise_multiplier: noise scale over the query's sensitivity under ``adjacency``; 0 means no noise.
        adjacency: the neighbouring relation that the sensitivity refers to.
    """

    noise_multiplier: float
    adjacency: Adjacency

    def __post_init__(self) -> None:
        limits.noise("noise_multiplier", self.noise_multiplier)
        checks.one_of("adjacency", self.adjacency, ADJACENCIES)

    @classmethod
    def typed(cls, options: Mapping[str, Any], adjacency: Adjacency) -> AdditiveNoise:
        return cls(noise_multiplier=multiplier(options), adjacency=adjacency)

    @property
    def noiseless(self) -> bool:
        return self.noise_multiplier == 0
