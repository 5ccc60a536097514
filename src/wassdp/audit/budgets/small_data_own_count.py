"""Two or three records, in a loop that divides by their own number."""

from __future__ import annotations

from wassdp.audit.budget import AttackedBudget
from wassdp.audit.budget_attack import exactly
from wassdp.audit.game import Game
from wassdp.audit.zoo.own_record_count import OwnRecordCount


class SmallDataOwnCount(AttackedBudget):
    """Two records, or one."""

    source = "Opacus issue 571: of two or three records 1.2 is reported, and about 2.5 leaked"
    done = OwnRecordCount.fault
    printed = 1.2
    trials = 20_000

    def game(self) -> Game:
        return OwnRecordCount(wrong=True, attack="closeness_to_zero")

    def claimed(self) -> float:
        return exactly(self.game(), self.delta)
