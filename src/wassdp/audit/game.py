"""The game that every attack plays: is this a release of the records with the one in question, or without it?"""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from jaxtyping import Float

from wassdp import checks, noise
from wassdp.accounting.event import Event
from wassdp.audit.scores import Scores
from wassdp.noise import Bits


class Game(abc.ABC):
    """Two worlds that differ in one record, the code's own release in either, and a score that tells them apart.

    Attributes:
        neighbours: the two worlds' records, in words.
    """

    neighbours: ClassVar[str]

    @abc.abstractmethod
    def event(self) -> Event:
        """What one trial releases, as the code states it to an accountant."""

    @abc.abstractmethod
    def scores(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        """Scores of independent releases in one world.

        Args:
            present: whether the record is there.
            trials: how many releases, at least 1.
            generator: source of all randomness: samples, directions, noise.

        Returns:
            Shape (trials,). The larger, the more it looks as if the record were there; best is the logarithm of the
            two worlds' densities' ratio, or anything that grows with it.
        """


def in_blocks(
    trials: int, block: int, scores: Callable[[int], Float[np.ndarray, " some"]]
) -> Float[np.ndarray, " trials"]:
    """Scores of many trials, at most ``block`` of them at a time.

    Raises:
        ValueError: fewer than one trial.
    """
    found = np.empty(checks.whole("trials", trials, least=1))
    for first in range(0, trials, block):
        here = min(block, trials - first)
        found[first : first + here] = scores(here)
    return found


def play(game: Game, *, trials: int, seed: int) -> Scores:
    """Scores of ``trials`` releases in either world; the worlds draw from unrelated streams.

    Raises:
        ValueError: fewer than one trial, or a score is not a number.
    """
    checks.whole("trials", trials, least=1)
    present, absent = (
        np.asarray(
            game.scores(present=there, trials=trials, generator=noise.seeded(seed, type(game).__qualname__, world)),
            dtype=np.float64,
        )
        for there, world in ((True, "present"), (False, "absent"))
    )
    return Scores(present, absent)
