"""Table 2 of *Wasserstein Differential Privacy*: whole trainings by the authors' own step, at the printed budgets."""

from __future__ import annotations

import functools
from typing import ClassVar

from scipy import optimize

from wassdp.accounting.accountants.published.wasserstein import WassersteinAccountant
from wassdp.audit.budget import AttackedBudget
from wassdp.audit.budget_attack import exactly
from wassdp.audit.trainings.published import PublishedTrainings
from wassdp.claims.printed import wasserstein_dp_table_2 as table
from wassdp.data import descriptor

BETA = 32
"""β of the code that was published with the paper, as its δ is 1e-5: at the printed 1e-10 no ε is below .72."""
RECORDS, BATCH, KEEP = 256, 4, 0.1
"""So small a rate, since the formula multiplies a record's part by it: else no noise gives the table's least ε."""


class TableTwo(AttackedBudget):
    """A row: trainings with the noise at which the published formula gives the printed ε.

    Attributes:
        row: the dataset, as `wassdp.claims.printed` names it.
    """

    row: ClassVar[str]
    printed: ClassVar[float]
    trials = 20_000
    done = "trainings in a shuffled pass by the published step, with the noise at which its formula gives the ε"

    def __init_subclass__(cls) -> None:
        (cls.printed,) = (record.printed for record in table.RECORDS if (record.row, record.column) == (cls.row, "WDP"))
        shown = descriptor(cls.row)
        cls.source = f"Wasserstein Differential Privacy (Yang, Qi and Zhou 2024), Table 2, {shown.short or shown.title}"

    @functools.cached_property
    def noise_multiplier(self) -> float:
        """At which the formula gives what is printed."""
        return float(optimize.brentq(lambda noise: _published(_game(noise), self.delta) - self.printed, 1e-6, 1))

    def game(self) -> PublishedTrainings:
        return _game(self.noise_multiplier)

    def claimed(self) -> float:
        return _published(self.game(), self.delta)

    def proven(self) -> float:
        return exactly(self.game(), self.delta)


def _game(noise_multiplier: float) -> PublishedTrainings:
    return PublishedTrainings(noise_multiplier=noise_multiplier, records=RECORDS, batch=BATCH, keep=KEEP)


def _published(game: PublishedTrainings, delta: float) -> float:
    return WassersteinAccountant(beta=BETA).epsilon(game.published(), delta).value
