"""A shuffled pass over few records, with the budget of Poisson samples."""

from __future__ import annotations

from wassdp.audit.budget import AttackedBudget
from wassdp.audit.budget_attack import exactly
from wassdp.audit.game import Game
from wassdp.audit.zoo.shuffled_batches import ShuffledBatches


class SmallDataShuffled(AttackedBudget):
    """Forty records, one in each step, at the budget that was reported of few records."""

    source = (
        "Opacus issues 80 and 571: 1.2 is reported of small data, and about 2.5 leaked; of shuffled batches Annamalai "
        "et al. (2024), arXiv:2411.10614, measure up to four times what is reported"
    )
    done = ShuffledBatches.fault
    printed = 1.2
    trials = 5_000_000

    def game(self) -> Game:
        return ShuffledBatches(wrong=True, attack="largest_step")

    def claimed(self) -> float:
        return exactly(self.game(), self.delta)
