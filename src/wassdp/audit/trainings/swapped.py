r"""One run, canaries in the place of records: by a coin of its own, each is one of two neighbouring records.

Where a neighbour has one record replaced, the two worlds of a canary are two records in the same place, so that the
number of records, their classes' sizes and every batch's are what they are without canaries. Which records give way is
drawn, and does not depend on them. Scores are sums over the releases of the logarithm of the two worlds' densities'
ratio, as far as the attacker can compute it: from what was released, from all records but the canaries' coins, never
from who was drawn into a batch, nor from the coin of another canary, on which guesses may not depend.

Source: the game of Steinke, Nasr and Jagielski (2023), arXiv:2305.08846, Algorithm 1, with replaced records.
"""

from __future__ import annotations

import abc
import math
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from wassdp import noise
from wassdp.accounting.event import Event
from wassdp.audit.bound import Estimate
from wassdp.audit.measured import measured
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import family, gaussian, one_run
from wassdp.noise import Bits
from wassdp.result import Attacked

ATTACKED = "canaries in this very training, by what each of its steps released"


class Swapped(abc.ABC):
    """The canaries of a run, and what its releases say of them so far. A part of the training.

    Args:
        canaries: their number.
        records: of which so many give way.
        coins: of who gives way, of each canary's coin, and of all that the attacker draws.

    Attributes:
        pair: a canary's two records, in words.
        places: which records gave way, shape (canaries,).
        present: whether a canary is the first of its two records.
        scores: shape (canaries,).
    """

    pair: ClassVar[str]

    def __init__(self, *, canaries: int, records: int, coins: Bits) -> None:
        self.coins = coins
        self.places = noise.subset(records, canaries, generator=coins)
        self.present = torch.zeros(canaries, dtype=torch.bool)
        self.present[noise.poisson_sample(canaries, rate=0.5, generator=coins)] = True
        self.scores = torch.zeros(canaries, dtype=torch.float64)

    @property
    def signs(self) -> Float[Tensor, " canaries"]:
        """1 for the first of the two records, -1 for the second."""
        return torch.where(self.present, 1.0, -1.0)

    def attained(self, event: Event) -> Event | None:
        """What the releases of ``event`` are for one canary's own pair; None where no event says it."""
        return None

    def state_dict(self) -> dict[str, Any]:
        return {"present": self.present, "scores": self.scores, "coins": self.coins.get_state()}

    def load_state_dict(self, state: dict[str, Any], /) -> None:
        self.present.copy_(state["present"])
        self.scores.copy_(state["scores"])
        self.coins.set_state(state["coins"])

    def seen(self) -> Scores:
        """The canaries' scores, of those that are the first of their records and of the others."""
        scores, present = self.scores.numpy(), self.present.numpy()
        return Scores(scores[present], scores[~present])

    def bounds(self, event: Event, *, delta: float, confidence: float) -> tuple[Attacked, ...]:
        """What the releases prove of ``event`` at ``delta``."""
        scores, attained = self.seen(), self.attained(event)

        def estimates(level: float) -> tuple[Estimate, ...]:
            free = one_run.bound(scores, delta=delta, confidence=level)
            if attained is None:
                return free, gaussian.bound(scores, delta=delta, confidence=level)
            return free, family.bound(scores, event=attained, delta=delta, confidence=level)

        return measured(
            estimates,
            event,
            attack="one_run",
            attacked=ATTACKED,
            pair=f"two records in one place: {self.pair}",
            confidence=confidence,
        )


def numbered(inputs: Float[Tensor, records * shape], places: Tensor) -> Float[Tensor, "records width"]:
    """Flat inputs with one number more: 0, or that of the canary in this place, from 1; its own inputs are 0."""
    flat = torch.cat([inputs.flatten(start_dim=1), inputs.new_zeros(len(inputs), 1)], dim=1)
    flat[places] = 0
    flat[places, -1] = torch.arange(1, len(places) + 1, dtype=flat.dtype, device=flat.device)
    return flat


def told(inputs: Tensor, shape: tuple[int, ...]) -> tuple[Tensor, Tensor | None]:
    """Plain inputs and the number of each one's canary, 0 for none; None where inputs have no numbers."""
    if tuple(inputs.shape[1:]) == shape:
        return inputs, None
    return inputs[:, :-1].unflatten(1, shape), inputs[:, -1].detach().round().clamp(min=0).long()


def opposite_log_ratio(
    seen: Float[Tensor, " canaries"], part: Tensor | float, *, std: float, rate: float
) -> Float[Tensor, " canaries"]:
    r"""Logarithm of the densities' ratio where a record brings +a or -a whenever it enters.

    .. math:: \log(1 - q + q e^{(2 a x - a^2) / 2 σ^2}) - \log(1 - q + q e^{(-2 a x - a^2) / 2 σ^2})
    """
    x, a = seen.double(), torch.as_tensor(part, dtype=torch.float64, device=seen.device)
    if rate == 1:
        return 2 * a * x / std**2
    nothing, some = torch.tensor(math.log1p(-rate)).to(x), math.log(rate) - a * a / (2 * std**2)
    first, second = (torch.logaddexp(nothing, some + sign * a * x / std**2) for sign in (1, -1))
    return first - second


def root_mean_square(values: list[float]) -> float:
    """0 for none."""
    return float(np.sqrt(np.mean(np.square(values)))) if values else 0.0
