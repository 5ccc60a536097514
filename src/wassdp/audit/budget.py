"""A budget that was printed or reported, put to an attack on what it is claimed of: one file of `budgets` each."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, ClassVar

from wassdp.plugins import Plugins

if TYPE_CHECKING:  # a game draws noise, for which torch is loaded; a table of what was found draws none
    from wassdp.audit.game import Game

BUDGETS = Plugins("wassdp.audit.budgets", "budget")
LEAST = 100
"""Trials of either world."""


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


def load(name: str) -> AttackedBudget:
    """The budget called ``name``.

    Raises:
        ValueError: there is none.
    """
    return BUDGETS.choice(name, AttackedBudget)()  # type: ignore[type-abstract]  # whatever derives from it
