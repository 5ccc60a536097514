"""A budget that was printed or reported, put to an attack on what it is claimed of: one file of `budgets` each."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from jaxtyping import Float

from wassdp import checks, noise
from wassdp.accounting.accountants.upper.pld import PLDAccountant
from wassdp.audit.bound import Estimate
from wassdp.audit.game import Game, in_blocks
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import clopper_pearson
from wassdp.noise import Bits
from wassdp.plugins import Plugins

BUDGETS = Plugins("wassdp.audit.budgets", "budget")
LEAST = 100
"""Trials of either world."""
BLOCK = 20_000
"""Trials that are made at a time."""


class AttackedBudget(abc.ABC):
    """A claim of (ε, δ), and the releases that it is a claim of, at neighbours chosen for the attack.

    Attributes:
        source: who states the budget, and where; what others measured of it, if they did.
        done: what the releases are of which it is stated, in one line.
        printed: the ε that was printed or reported; None where what is attacked has none of its own.
        delta: at which; `claimed` and what is measured are of it.
        trials: releases in each world that are enough to tell.
    """

    source: ClassVar[str]
    done: ClassVar[str]
    printed: ClassVar[float | None] = None
    delta: ClassVar[float] = 1e-5
    trials: ClassVar[int] = 10_000

    @abc.abstractmethod
    def game(self) -> Game:
        """The releases, in two worlds."""

    @abc.abstractmethod
    def claimed(self) -> float:
        """The ε that the same formula or accountant gives what is attacked: about what was printed."""

    def proven(self) -> float | None:
        """The ε that is proven of what is attacked; None where nothing is."""
        return None


@dataclass(frozen=True, kw_only=True)
class BudgetAttack:
    """What was found.

    Args:
        claimed: the ε that is claimed of what was attacked.
        measured: its lower bound, without any assumption.
        proven: its upper bound, if there is one.
    """

    claimed: float
    measured: Estimate
    proven: float | None

    @property
    def contradicted(self) -> bool:
        """Whether what was measured lies above what is claimed."""
        return self.measured.epsilon > self.claimed


def load(name: str) -> AttackedBudget:
    """The budget called ``name``.

    Raises:
        ValueError: there is none.
    """
    return BUDGETS.choice(name, AttackedBudget)()  # type: ignore[type-abstract]  # whatever derives from it


def put(budget: AttackedBudget, *, trials: int | None = None, confidence: float = 0.999, seed: int = 0) -> BudgetAttack:
    """Attack what a budget is claimed of.

    Args:
        budget: the claim.
        trials: releases in each world; None for as many as it asks for.
        confidence: of the lower bound, one-sided.
        seed: of all that is drawn.

    Raises:
        ValueError: an argument is outside its range.
    """
    count = checks.whole("trials", budget.trials if trials is None else trials, least=LEAST)
    checks.open_unit("confidence", confidence)
    checks.whole("seed", seed)
    game, name = budget.game(), type(budget).__qualname__
    worlds = ((True, noise.seeded(seed, name, "present")), (False, noise.seeded(seed, name, "absent")))
    present, absent = (_scores(game, present=there, trials=count, generator=bits) for there, bits in worlds)
    return BudgetAttack(
        claimed=budget.claimed(),
        measured=clopper_pearson.bound(Scores(present, absent), delta=budget.delta, confidence=confidence),
        proven=budget.proven(),
    )


def _scores(game: Game, *, present: bool, trials: int, generator: Bits) -> Float[np.ndarray, " trials"]:
    return in_blocks(trials, BLOCK, lambda some: game.scores(present=present, trials=some, generator=generator))


def exactly(game: Game, delta: float) -> float:
    """The ε that the exact accountant gives what a game says that it releases."""
    return PLDAccountant().epsilon(game.event(), delta).value
