"""Attack what a budget is claimed of: the claim beside what was measured, and what is proven."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from wassdp import checks, noise
from wassdp.accounting.accountants.upper.pld import PLDAccountant
from wassdp.audit.bound import Estimate
from wassdp.audit.budget import LEAST, AttackedBudget
from wassdp.audit.game import Game, in_blocks
from wassdp.audit.scores import Scores
from wassdp.audit.statistics import clopper_pearson
from wassdp.noise import Bits

BLOCK = 20_000
"""Trials that are made at a time."""


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
