"""What the zoo keeps: a wrong implementation beside its correct twin, and the attacks that are to tell them apart."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float
from torch import Tensor

from wassdp import checks
from wassdp.audit.game import Game
from wassdp.noise import Bits


@dataclass(frozen=True, kw_only=True)
class Specimen(Game):
    """One of two twins, and one of the attacks on them.

    The twins share all lines but those that stand under ``if self.wrong``, the claim and the attacks: an attack sees
    what left, and is not told which twin it came from.

    Args:
        wrong: whether this is the wrong twin.
        attack: one of ``attacks``.

    Attributes:
        fault: what is wrong, in one line.
        source: where it was seen.
        attacks: names of methods, each from what `released` gives to one score a trial; the larger, the more it looks
            as if the record were there.
        trials: releases in each world that are enough to tell.

    Raises:
        ValueError: there is no such attack.
    """

    fault: ClassVar[str]
    source: ClassVar[str]
    attacks: ClassVar[tuple[str, ...]]
    trials: ClassVar[int] = 10_000

    wrong: bool
    attack: str

    def __post_init__(self) -> None:
        checks.one_of("attack", self.attack, self.attacks)

    @abc.abstractmethod
    def released(self, *, present: bool, trials: int, generator: Bits) -> Any:
        """What leaves in ``trials`` independent runs in one world: a tensor, or several, whose first axis are trials.

        Args:
            present: whether the record is there.
            trials: how many runs.
            generator: source of all randomness.
        """

    def scores(self, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
        left = self.released(present=present, trials=trials, generator=generator)
        found: Tensor = getattr(self, self.attack)(left)
        return np.asarray(found.double().numpy())
